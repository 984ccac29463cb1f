"""The table of all methods, on results that were made up."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from soulread.games.named import parse_game
from soulread.play.catalogue.known import parse_agent
from soulread.reproduce.experiments import EXPERIMENTS, run_experiment
from soulread.reproduce.ganzfried_2011 import dbbr
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.limit_table import NAIVE, STAND_INS
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Verdict
from soulread.reproduce.ours import table
from soulread.tasks import ResultStore, Task, TaskResult

Won = Callable[[str, str], float]


class MadeUp(RunOptions):
    """Options whose tasks are not run; their profits are drawn around given means."""

    won: Won

    def run(self, tasks):
        for task in tasks:
            hero, villain = task.parameters["agents"]
            rng = np.random.default_rng([int(task.parameters["number"]), len(task.text)])
            profits = 2 * self.won(hero, villain) + rng.normal(0, 0.2, 200)
            yield TaskResult(task, {"profits": profits, "learning": np.array(float("poki" in hero))}, 3.0)


def report(won: Won, tmp_path: Path, **options: int) -> Report:
    made_up = MadeUp(store=ResultStore(tmp_path), stored_only=True, hands=200, **options)  # type: ignore[arg-type]
    object.__setattr__(made_up, "won", won)
    return table.table(made_up)


def steady(hero: str, villain: str) -> float:
    """Poki loses to the equilibrium and is behind it against the rock; soul is ahead everywhere."""
    if villain.startswith("equilibrium"):
        return -0.2 if hero.startswith("poki") else 0.0
    if hero.startswith("poki") and "tight" in villain:
        return 0.1
    return {"best-response": 2.0, "equilibrium": 0.3}.get(hero.partition(":")[0], 1.0)


def test_every_method_has_a_column_and_every_opponent_a_row(tmp_path: Path) -> None:
    found = report(steady, tmp_path, matches=4)
    rates = {(measure.row, measure.column): measure for measure in found.tables[0].measures}
    assert {row for row, _ in rates} == {*NAIVE, *STAND_INS, "an equilibrium"}
    assert {column for _, column in rates} == {*table.METHODS, "ceiling"}
    assert rates["random", "soul"].mean == pytest.approx(1.0, abs=0.02)
    assert rates["random", "ceiling"].mean == pytest.approx(2.0, abs=0.02)
    assert rates["random", "dbbr, paper"].paper == 1.769  # Table 1 of Ganzfried & Sandholm
    assert rates["random", "poki"].paper is None
    shares = {(measure.row, measure.column): measure.mean for measure in found.tables[1].measures}
    assert shares["random", "soul"] == pytest.approx(50, abs=1)


def test_claims_follow_the_numbers(tmp_path: Path) -> None:
    holds = {claim.text: claim.verdict for claim in report(steady, tmp_path, matches=6).claims}
    everybody = "wins more than the equilibrium against every opponent that can be beaten"
    assert holds[f"soul {everybody}"] is Verdict.HOLDS
    assert holds[f"poki {everybody}"] is Verdict.FAILS
    assert holds["poki wins against every opponent that can be beaten"] is Verdict.HOLDS
    assert holds["poki loses at most 0.05 sb/h to an equilibrium"] is Verdict.FAILS
    assert holds["soul loses at most 0.05 sb/h to an equilibrium"] is Verdict.HOLDS


def noted(experiment: Callable[[RunOptions], Report], tmp_path: Path, **options: object) -> dict[str, Task]:
    """The tasks of an experiment, by key."""
    seen: dict[str, Task] = {}

    class Noting(RunOptions):
        def run(self, tasks):
            seen.update({task.key: task for task in tasks})
            return iter(())

    experiment(Noting(store=ResultStore(tmp_path), stored_only=True, **options))  # type: ignore[arg-type]
    return seen


@pytest.mark.parametrize("quick", [False, True])
def test_matches_of_the_table_of_dbbr_are_not_played_again(tmp_path: Path, quick: bool) -> None:
    mine = noted(table.table, tmp_path, quick=quick, matches=3)
    theirs = noted(dbbr.table, tmp_path, quick=quick, matches=3)
    shared = mine.keys() & theirs.keys()
    assert len(shared) == 7 + 3 * 3 * 7  # ceilings; three methods, seven opponents, three matches


def test_a_new_method_plays_only_its_own_matches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = noted(table.table, tmp_path, quick=True)
    monkeypatch.setattr(table, "METHODS", {**table.METHODS, "caller": lambda setup: "always-call"})
    after = noted(table.table, tmp_path, quick=True)
    new = [task for key, task in after.items() if key not in before]
    assert before.keys() <= after.keys()
    assert len(new) == 3 * 8
    assert {task.parameters["agents"][0] for task in new} == {"always-call"}  # type: ignore[index]


@pytest.mark.parametrize("quick", [False, True])
def test_every_agent_of_the_table_can_be_written_so(quick: bool) -> None:
    setup = table.MethodSetup.of(RunOptions(quick=quick))
    game = parse_game("limit")
    for text in (*setup.rows.values(), *setup.opponents.values()):
        assert parse_agent(text).entry.refuses(game) is None


def test_a_table_without_results_decides_nothing(tmp_path: Path) -> None:
    found = run_experiment("table", RunOptions(store=ResultStore(tmp_path), stored_only=True))
    assert {claim.verdict for claim in found.claims} == {Verdict.UNDECIDED}
    assert {measure.mean for measure in found.tables[0].measures} == {None}
    assert "table" in EXPERIMENTS
