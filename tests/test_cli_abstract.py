"""The commands on abstractions of hold'em, with a small one in place of those that take minutes to build."""

import json
from pathlib import Path

import naive_tabular
import numpy as np
import pytest
from click.testing import CliRunner

from soulread.abstraction import tables
from soulread.abstraction.joint import sample_joint
from soulread.cli import cli
from soulread.seqform import source as source_module
from soulread.seqform.source import parse_source
from soulread.solvers.equilibria import kept_equilibria

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def bundle():
    ranks = naive_tabular.rank_abstraction()
    return ranks, sample_joint(ranks, 500_000, np.random.default_rng(1))


@pytest.fixture(autouse=True)
def small_tables(bundle, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    for module in (source_module, tables):
        monkeypatch.setattr(module, "load_or_build", lambda spec, quick, progress: bundle)
    monkeypatch.setattr(source_module, "load_abstraction", lambda spec, progress: bundle[0])


def run(*arguments: str | Path) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str | Path) -> str:
    result = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert result.exit_code == 2
    return result.output


def test_solve_judge_and_play(tmp_path: Path) -> None:
    path = tmp_path / "small.strategy"
    solved = json.loads(run("solve", "limit:3-2-1-1", "--gap", "0.2", "--output", path, "--json"))
    assert solved["game"] == "limit:3-2-1-1"
    assert solved["exploitability"]["chips/h"] <= 0.2
    assert solved["exploitability"]["mb/g"] == pytest.approx(500 * solved["exploitability"]["chips/h"])
    judged = json.loads(run("exploitability", path, "--json"))
    assert judged["exploitability"]["mb/g"] == pytest.approx(solved["exploitability"]["mb/g"], rel=1e-3)
    elsewhere = json.loads(run("exploitability", path, "--game", "limit:3-2-1-1:quick", "--json"))
    assert elsewhere["game"] == "limit:3-2-1-1:quick"
    played = json.loads(run("duel", "limit", f"file:{path}", "always-call", "-n", "5000", "-d", "--json"))
    assert played["hands_played"] == 10_000
    assert played["results"][0]["agent"] == f"file:{path}"


def test_what_reached_its_gap_is_kept() -> None:
    run("solve", "limit:3-2-1-1", "--iterations", "5")
    assert kept_equilibria() == []
    run("solve", "limit:3-2-1-1", "--gap", "0.3", "--quick")
    ((path, source, strategy),) = kept_equilibria()
    assert source == parse_source("limit:3-2-1-1:quick")
    assert strategy.game == "limit:3-2-1-1:quick"
    shown = run("abstraction", "info")
    assert "limit:3-2-1-1:quick" in shown
    assert "dcfr" in shown
    listed = json.loads(run("abstraction", "info", "--json"))
    assert [entry["path"] for entry in listed["equilibria"]] == [str(path)]
    assert listed["tables"] == []


def test_building_says_what_there_is() -> None:
    assert "no equilibria" in run("abstraction", "info")
    assert run("abstraction", "build", "3-2-1-1").startswith(
        "3-2-1-1: 3 / 6 / 6 / 6 private states, 1,000,000"
    )
    assert "'5' is not an abstraction" in refused("abstraction", "build", "5")


def test_refusals() -> None:
    assert "'leduc' has no card abstraction whose tables --quick" in refused("solve", "leduc", "--quick")
    assert "needs a card abstraction in 'limit'" in refused("duel", "limit", "equilibrium", "random")
    assert "such as 'limit:5-5-5-5'" in refused("solve", "limit")
