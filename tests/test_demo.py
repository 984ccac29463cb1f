"""`soulread demo`: what it shows with and without a terminal, a filled cache, enough time."""

import io
import re
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

import soulread as sr
from soulread import demo
from soulread.abstraction.tables import Cached
from soulread.cli import cli

ROW = re.compile(r"^  (\d\.\d) +(\d\.\d\d) +(\d\.\d\d) ", re.MULTILINE)


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(demo, "LEDUC_HANDS", 400)


def show(monkeypatch, *, terminal: bool) -> io.StringIO:
    file = io.StringIO()
    monkeypatch.setattr(
        demo, "console", Console(file=file, force_terminal=terminal, width=100, highlight=False)
    )
    return file


@pytest.mark.compiled
def test_demo_with_an_empty_cache(short):
    result = CliRunner().invoke(cli, ["demo"])
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.output
    for text in (
        "1. A stranger plays 500 hands of Leduc", "Whoever knew all", "could win 0.65", "2. leduc",
        "what DBBR believes", "folds too often", "small bets won so far", "In 400 hands DBBR won",
        "soulread solve limit:5-5-5-5 --quick", "3. A♦ Q♣ on 3♥ 4♣ J♥", "4. Exact all-in equity",
        "soulread serve, at http://127.0.0.1:8642", "soulread sample-hands",
    ):  # fmt: skip
        assert text in " ".join(result.output.split())


@pytest.mark.compiled
def test_the_stranger_is_read_and_beaten(monkeypatch):
    """The numbers are exact, so they are those of the functions at the prompt."""
    file = show(monkeypatch, terminal=False)
    demo._stranger()
    rows = {found[1]: found.groups()[1:] for found in re.finditer(ROW, file.getvalue())}
    assert list(rows) == ["0.0", "0.5", "0.9", "1.0"]
    gains, risks = ([float(row[i]) for row in rows.values()] for i in (0, 1))
    assert risks == sorted(risks)
    assert risks[0] == 0
    hands = sr.watch("leduc", demo.STRANGER, hands=demo.WATCHED, seed=1)
    model = sr.fit("tilts", "leduc", hands, player=demo.STRANGER)
    answer = sr.best_response("leduc", model)
    stranger: Any = sr.agent(demo.STRANGER, "leduc")
    truth = stranger.strategy.behaviours
    assert gains[3] == pytest.approx(answer.exploitation(truth), abs=0.005)
    assert risks[3] == pytest.approx(answer.exploitability, abs=0.005)
    assert gains[1] > 2 * gains[0]


@pytest.mark.parametrize("terminal", [False, True])
def test_exploit(monkeypatch, terminal):
    file = show(monkeypatch, terminal=terminal)
    demo._exploit("4", "kuhn", "always-call", "dbbr:T=40,k=40,expected=joint", "equilibrium", 120)
    text = file.getvalue()
    assert ("\x1b" in text) == terminal
    assert "In 120 hands DBBR won" in text
    assert ("DBBR still watches" in text) == terminal  # only a terminal shows what changes


def test_exploit_ends_in_time(monkeypatch):
    file = show(monkeypatch, terminal=False)
    demo._exploit(
        "4", "kuhn", "always-call", "dbbr:T=40,k=40,expected=joint", "equilibrium", 120, seconds=0.0
    )
    assert "In 6 hands DBBR won" in file.getvalue()


def test_interrupted(monkeypatch):
    def press() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "_stranger", press)
    result = CliRunner().invoke(cli, ["demo"])
    assert result.exit_code == 130
    assert result.output == "soulread: interrupted\n"


def test_cached_abstraction(monkeypatch, tmp_path: Path):
    assert demo.cached_abstraction() is None

    def entry(what: str, spec: str, current: bool = True) -> Cached:
        return Cached(what, spec, (), 0, datetime(2026, 1, 1), current, tmp_path)

    tables = [entry("features", ""), entry("states", "5-5-5-5"), entry("joint", "5-5-5-5", current=False)]
    monkeypatch.setattr(demo, "info", lambda: tables)
    solved = {"limit:5-5-5-5", "limit:5-5-5-5:quick"}
    monkeypatch.setattr(
        demo, "equilibrium_path", lambda named: SimpleNamespace(exists=lambda: str(named) in solved)
    )
    assert demo.cached_abstraction() is None  # the joint matrices would have to be counted first
    tables.append(entry("quick joint", "5-5-5-5"))
    assert demo.cached_abstraction() == "5-5-5-5:quick"
    tables.append(entry("joint", "5-5-5-5"))
    assert demo.cached_abstraction() == "5-5-5-5"
    solved.clear()
    assert demo.cached_abstraction() is None


def test_chart():
    file = io.StringIO()
    console = Console(file=file, width=100)
    console.print(demo._chart(np.full(20, -1.0), np.full(20, 2.0)))
    text = file.getvalue()
    assert "+40   " + "█" * 24 in text
    assert "-20   " + "░" * 12 in text
