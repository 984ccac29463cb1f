"""`soulread curve`: what it prints, writes and refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from soulread.cli import cli
from soulread.solvers.strategy_files import load_strategy


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def test_a_known_opponent() -> None:
    result = run("curve", "kuhn", "--opponent", "always-raise", "--trust", "0,0.5,1", "--json")
    assert result.exit_code == 0, result.output
    record = json.loads(result.stdout)
    assert record["observed_games"] is None
    safe, half, best = record["points"]
    assert safe["exploitability"] == pytest.approx(0, abs=1e-9)
    assert best["against_model"] == best["against_opponent"] == pytest.approx(1 / 3)
    assert safe["against_model"] <= half["against_model"] + 1e-3 <= best["against_model"] + 2e-3
    assert half["gap"] <= 1e-3
    assert half["mb/g"]["gap"] == pytest.approx(1000 * half["gap"])


@pytest.mark.parametrize("method", ["rnr", "dbr", "mix"])
def test_an_observed_opponent(method: str) -> None:
    words = "curve", "kuhn", "--opponent", "random", "--method", method, "--trust", "0.5,1", "-n", 500
    record = json.loads(run(*words, "--against", "self", "--json").stdout)
    assert (record["method"], record["observed_games"], record["hidden_games"]) == (method, 500, 0)
    assert (record["against"], record["seed"]) == ("self", 0)
    assert record["source"] == "seen in 500 games against self, seed 0"
    assert record["confidence"] == ("0-10" if method == "dbr" else None)
    for point in record["points"]:
        assert point["against_model"] != point["against_opponent"]
        assert point["exploitability"] > 0
    again = json.loads(run(*words, "--against", "self", "--json").stdout)
    assert [point["against_model"] for point in again["points"]] == [
        point["against_model"] for point in record["points"]
    ]


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A match of 300 hands with all cards, and a line that is none."""
    path = tmp_path_factory.mktemp("log") / "match.log"
    assert run("duel", "leduc", "loose", "random", "-n", 300, "-o", path).exit_code == 0
    with path.open("a") as file:
        file.write("STATE:300:nonsense\n")
    return path


@pytest.mark.compiled
def test_a_player_of_a_log(log: Path) -> None:
    words = "curve", "leduc", "--data", log, "--player", "loose", "--method", "dbr", "--trust", "0.5"
    result = run(*words, "--json")
    assert "1 of 301 hands was left out" in result.stderr
    record = json.loads(result.stdout)
    assert (record["opponent"], record["observed_games"], record["hidden_games"]) == ("loose", 300, 0)
    assert record["points"][0]["against_opponent"] is None
    shown = json.loads(run(*words, "--shown-only", "--json").stdout)
    assert shown["observed_games"] + shown["hidden_games"] == 300
    assert 0 < shown["hidden_games"] < 300
    printed = " ".join(run(*words, "--shown-only").output.split())
    assert "more in which the cards stayed hidden" in printed
    assert "Folded hands are missing, so the opponent seems to fold less" in printed
    assert "and to hold better cards, than in truth" in printed
    assert "from the opponent" not in printed


def test_what_is_saved_can_be_played(log: Path, tmp_path: Path) -> None:
    path = tmp_path / "response.safetensors"
    words = "curve", "leduc", "--data", log, "--player", "loose", "--trust", "0.9"
    result = run(*words, "-o", path)
    assert result.exit_code == 0, result.output
    assert f"saved to {path}" in result.output.replace("\n", "")
    strategy = load_strategy(path)
    assert (strategy.method, strategy.settings["p"], strategy.settings["opponent"]) == ("rnr", 0.9, "loose")
    point = json.loads(run(*words, "--json").stdout)["points"][0]
    assert strategy.gap == pytest.approx(point["exploitability"], abs=1e-6)
    assert run("duel", "leduc", f"file:{path}", "loose", "-n", 10).exit_code == 0


def test_table_and_figure(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    path = tmp_path / "curve.svg"
    words = (
        "curve",
        "kuhn",
        "--opponent",
        "loose",
        "--method",
        "dbr",
        "-n",
        100,
        "--trust",
        "0.5,1",
        "--gap",
        "5mb",
    )
    result = run(*words, "--figure", path)
    assert result.exit_code == 0, result.output
    assert "kuhn: data biased response to loose, confidence 0-10, seen in 100 games" in result.output
    assert "P_max" in result.output
    assert "loses at worst" in result.output
    drawn = path.read_text()
    assert drawn.startswith("<?xml")
    assert "kuhn: data biased response to loose" in drawn
    assert drawn.count(">0.5</text>") >= 2  # beside a point of either curve


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "nash"], "method 'nash'; expected one of rnr, dbr, mix"),
        (["--method", "dbr"], "say how many observed games"),
        (["--trust", "0,x"], "--trust '0,x'; expected numbers between commas"),
        (["--trust", "1.5"], "p=1.5; it lies between 0 and 1"),
        (["--gap", "0"], "--gap '0'; it must be positive"),
        (["-n", "-5"], "-5 observed hands"),
        (["-n", "5", "--method", "dbr", "--confidence", "much"], "'much' is not a confidence function"),
        (["-n", "5", "--against", "dbbr"], "'dbbr' does not play 'kuhn' from a table"),
        (["--data", "match.log"], "give either an --opponent or a log"),
        (["--player", "Bob"], "--player, --room and --shown-only are for a log"),
        (["-o", "there.safetensors"], "--output needs one value of --trust, not 9"),
        (["-o", "no/such.safetensors", "--trust", "1"], "there is no folder 'no'"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str) -> None:
    result = run("curve", "kuhn", "--opponent", "random", *words)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "say with --player whose hands in"),
        (["--player", "Bob"], "its players are loose, random"),
        (["--player", "loose", "-n", 5], "--hands is for an agent that is watched"),
    ],
)
def test_mistakes_with_a_log_are_told(log: Path, words: list[object], message: str) -> None:
    result = run("curve", "leduc", "--data", log, *words)
    assert result.exit_code == 2
    assert message in result.output
    assert "'none.log' does not exist" in run("curve", "kuhn", "--data", "none.log", "--player", "Bob").output


def test_an_opponent_without_a_table() -> None:
    assert "does not play from a table" in run("curve", "kuhn", "--opponent", "dbbr").output


@pytest.mark.compiled
def test_what_is_held_out(log: Path) -> None:
    """The worth beside the promise: equal to responses of one half, valued in the other."""
    words = "curve", "leduc", "--data", log, "--player", "loose", "--trust", "0,1"
    record = json.loads(run(*words, "--json").stdout)
    assert record["held_out_parts"] == 2
    safe, best = record["points"]
    assert best["held_out"]["mean"] < best["against_model"] - 0.1
    assert best["held_out"]["low"] < best["held_out"]["mean"] < best["held_out"]["high"]
    assert best["mb/g"]["held_out"]["mean"] == pytest.approx(500 * best["held_out"]["mean"])
    assert safe["held_out"]["standard_error"] < best["held_out"]["standard_error"]
    assert best["held_out"]["n"] == 300
    printed = " ".join(run(*words).output.split())
    assert "held-out" in printed
    assert "cut into 2 parts" in printed
    none = json.loads(run(*words, "--parts", 0, "--json").stdout)
    assert none["held_out_parts"] == 0
    assert "held_out" not in none["points"][0]
    assert "held-out" not in run(*words, "--parts", 0).output
    assert "1 parts; a part is held out of at least 2" in run(*words, "--parts", 1).output
    assert "--parts is for a log" in run("curve", "kuhn", "--opponent", "random", "--parts", 2).output
