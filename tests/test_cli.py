"""The command line: what it prints, and that mistakes end in one line and exit code 2."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner, Result

from soulread.cli import COMMANDS, cli


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments, prog_name="soulread")


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, soulread.cli; print(sorted({'numpy', 'numba', 'scipy', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    help_text = run("--help").output
    for commands in COMMANDS.values():
        assert all(name in help_text for name in commands)


def test_duel_prints_intervals_units_and_n() -> None:
    text = run("duel", "limit", "always-fold", "always-raise", "--hands", "50", "--duplicate").output
    assert "-750.0" in text
    assert "mb/g" in text
    assert "n = 50 duplicate hands" in text


def test_duel_ends_with_what_the_agents_say() -> None:
    text = run("duel", "kuhn", "dbbr:T=20,k=20", "always-raise", "--hands", "40").output
    assert "dbbr:T=20,k=20 at the end: if the read is right it wins" in text
    assert "if it is wrong it loses at most" in " ".join(text.split())


def test_duel_json() -> None:
    result = run("duel", "leduc", "random", "probe", "-n", "20", "-m", "12", "--seed", "3", "--json")
    record = json.loads(result.stdout)
    assert record["sample"] == "240 hands"  # nobody learns
    assert record["results"][0]["mb/g"]["n"] == 240
    assert record["seed"] == 3


@pytest.mark.parametrize(
    ("matches", "expected"),
    [(3, "3 matches"), (1, "20 blocks of 2 hands of one match; another match may differ more")],
)
def test_duel_says_what_its_samples_are_if_an_agent_learns(matches: int, expected: str) -> None:
    asked = ["duel", "kuhn", "dbbr:T=20,k=20", "always-raise", "-n", "40", "-m", str(matches)]
    assert f"over n = {expected}." in " ".join(run(*asked).output.split())
    record = json.loads(run(*asked, "--json").stdout)
    assert record["sample"] == expected
    assert record["results"][0]["mb/g"]["n"] == int(expected.split()[0])


def test_strength_prints_the_thesis_table() -> None:
    text = run("strength", "AdQc", "--board", "3h4cJh", "--opponents", "3").output
    for number in (
        "449,005",
        "91,981",
        "346,543",
        "HS 0.585",
        "HS_3 0.200",
        "PPot 0.208",
        "NPot 0.274",
        "EHS 0.367",
    ):
        assert number in text


def test_equity_against_a_range() -> None:
    record = json.loads(run("equity", "AhAd", "KsKc", "--board", "2h7d9s", "--json").stdout)
    assert 0.9 < record["value"] < 0.93


def test_range_grid() -> None:
    assert "77+" in run("range", "77+, AKs").output


def test_replay_shows_the_end_of_a_hand() -> None:
    record = json.loads(run("replay", "leduc", "JhQsKh", "crc/cc", "--json").stdout)
    assert record["payoffs"] == [-3, 3]
    assert "won" in run("replay", "leduc", "JhQsKh", "crc/cc").output
    assert "to act" in run("replay", "leduc", "JhQs", "cr").output


def test_replay_gives_raises_as_an_interval() -> None:
    deep = "nolimit:stacks=1000000000000,blinds=50/100"  # a list of the raises would fill the memory
    record = json.loads(run("replay", deep, "AhAdKhKd", "r300", "--json").stdout)
    assert (record["legal"], record["raise_to"]) == (["fold", "call"], [500, 10**12])
    shown = run("replay", deep, "AhAdKhKd", "r300").output
    assert "fold, call, raise to 500, ..., raise to 1000000000000" in shown
    limit = json.loads(run("replay", "limit", "AhAdKhKd", "--json").stdout)
    assert (limit["legal"], limit["raise_to"]) == (["fold", "call", "raise"], None)


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        (["strength", "AdQx", "-b", "3h4cJh"], "'Qx' is not a card"),
        (["strength", "AdAd", "-b", "3h4cJh"], "'Ad' comes twice"),
        (["strength", "AdQc", "-b", "3hAdJh"], "Ad"),
        (["strength", "AdQc", "-b", "3h4c"], "3, 4 or 5"),
        (["replay", "limit", "AhAdKhKd", "ccr"], "r"),
        (["replay", "leduc", "JhQs", "f"], "f"),
        (["replay", "nolimit:stacks=20", "AhAdKhKd", "r3"], "3"),
        (["duel", "nolimit:stacks=0", "random", "random"], "0"),
        (["duel", "nolimit:stacks=-5/20", "random", "random"], "-5"),
        (["duel", "nolimit:stacks=1/2/3", "random", "random"], "3 stacks for 2 players"),
        (["duel", "omaha", "random", "random"], "'omaha'"),
        (["duel", "limit", "random", "hero"], "'hero'"),
        (["range", "AKx"], "'AKx'"),
        (["range", "77-"], "'77-'"),
        (["equity", "AhAd", "AhAd"], "no deal is possible"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], quoted: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("soulread: ")
    assert result.stderr.count("\n") == 1
    assert quoted in result.stderr
