"""`soulread curve`: what it prints, writes and refuses."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from soulread.cli import cli


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def test_a_known_opponent() -> None:
    result = run("curve", "kuhn", "--opponent", "always-raise", "--p", "0,0.5,1", "--json")
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
    words = "curve", "kuhn", "--opponent", "random", "--method", method, "--p", "0.5,1", "-n", 500
    record = json.loads(run(*words, "--against", "self", "--json").stdout)
    assert (record["method"], record["observed_games"], record["against"]) == (method, 500, "self")
    assert record["confidence"] == ("0-10" if method == "dbr" else None)
    for point in record["points"]:
        assert point["against_model"] != point["against_opponent"]
        assert point["exploitability"] > 0
    again = json.loads(run(*words, "--against", "self", "--json").stdout)
    assert [point["against_model"] for point in again["points"]] == [
        point["against_model"] for point in record["points"]
    ]


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
        "--p",
        "0.5,1",
        "--precision",
        5,
    )
    result = run(*words, "--figure", path)
    assert result.exit_code == 0, result.output
    assert "kuhn: data biased response to loose, confidence 0-10, seen in 100 games" in result.output
    assert "P_max" in result.output
    assert "loses at worst" in result.output
    assert path.read_text().startswith("<?xml")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "nash"], "method 'nash'; expected one of rnr, dbr, mix"),
        (["--method", "dbr"], "say how many observed games"),
        (["--p", "0,x"], "--p '0,x'; expected numbers between commas"),
        (["--p", "1.5"], "p=1.5; it lies between 0 and 1"),
        (["--precision", "0"], "--precision 0.0; it must be positive"),
        (["-n", "-5"], "-5 observed hands"),
        (["-n", "5", "--method", "dbr", "--confidence", "much"], "'much' is not a confidence function"),
        (["-n", "5", "--against", "dbbr"], "'dbbr' does not play from a table"),
    ],
)
def test_mistakes_are_told(words: list[str], message: str) -> None:
    result = run("curve", "kuhn", "--opponent", "random", *words)
    assert result.exit_code == 2
    assert message in result.output
    assert result.output.count("\n") == 1


def test_an_opponent_without_a_table() -> None:
    assert "does not play from a table" in run("curve", "kuhn", "--opponent", "dbbr").output
