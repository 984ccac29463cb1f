"""The experiments with DBBR, on results that were made up: every verdict has a known answer."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from soulread.estimate import Estimate
from soulread.reproduce import dbbr, dbbr_variants
from soulread.reproduce.experiment import Options, Result, Store, Task, published
from soulread.reproduce.report import Claim, Report

Won = Callable[[str, str], float]  # small bets per hand of the first agent against the second


class MadeUp(Options):
    """Options whose tasks are not run; their profits are drawn around given means."""

    def run(self, tasks):
        for task in tasks:
            yield Result(task, {"profits": profits(task, self.won)}, 2.0)

    won: Won


def profits(task: Task, won: Won) -> np.ndarray:
    hands = min(int(str(task.parameters["hands"])), 3000)
    rng = np.random.default_rng([int(str(task.parameters["number"])), len(task.text)])
    agents = task.parameters["agents"]
    assert isinstance(agents, list | tuple)
    hero, villain = agents
    return 2 * won(str(hero), str(villain)) + rng.normal(0, 0.5, hands)


def report(experiment: Callable[[Options], Report], won: Won, tmp_path: Path, **options: int) -> Report:
    made_up = MadeUp(store=Store(tmp_path), stored_only=True, **options)  # type: ignore[arg-type]
    object.__setattr__(made_up, "won", won)
    return experiment(made_up)


def verdicts(report: Report) -> dict[str, bool | None]:
    return {claim.text: claim.holds for claim in report.claims}


def steady(hero: str, villain: str) -> float:
    if hero.startswith("best-response"):
        return 2.5
    if hero.startswith("equilibrium"):
        return 0.4
    return 2.4 if "pool=1" in hero else 1.8 if "l2" in hero else 1.5


def test_the_table_judges_every_claim(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, matches=2)
    holds = verdicts(found)
    assert holds["DBBR-WS wins more than the equilibrium against every opponent"] is True
    assert holds["DBBR-WS wins at least the published 1.769 sb/h against random"] is False
    assert holds["DBBR-WS wins at least the published 1.391 sb/h against always-raise"] is True
    assert holds["DBBR-WS wins more than DBBR-L2 against always-raise"] is False
    assert holds["DBBR-WS wins more than DBBR-L1 against always-raise"] is None
    assert holds["DBBR-L2 wins more than DBBR-WS against random"] is True
    assert holds["DBBR, ours: more than DBBR-WS against every opponent"] is True
    assert [claim.holds for claim in found.claims if "80% of the ceiling" in claim.text] == [True, True]
    assert found.seconds == 2.0 * (7 + 2 * 6 * 7)
    assert found.settings["seed"] == 1
    rates = {(measure.row, measure.column): measure for measure in found.tables[0].measures}
    assert rates["DBBR-L1", "random"].paper == 2.164
    assert rates["DBBR-L1", "station"].paper is None
    assert rates["equilibrium", "always-raise"].mean == pytest.approx(0.4, abs=0.03)


def test_a_failed_claim_is_explained(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, matches=1)
    failed = [claim for claim in found.claims if claim.holds is False]
    assert failed
    assert all(claim.explanation for claim in failed)


def test_a_smaller_table_is_not_held_against_the_published_one(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, quick=True)
    assert not any("published" in claim.text for claim in found.claims)
    assert {measure.holds for measure in found.tables[0].measures} == {None}


def test_a_table_without_results_decides_nothing(tmp_path: Path) -> None:
    found = dbbr.table(Options(store=Store(tmp_path), stored_only=True))
    assert {claim.holds for claim in found.claims} == {None}
    assert {measure.mean for measure in found.tables[0].measures} == {None}


def test_matches_are_ordered_so_that_a_cut_run_is_balanced(tmp_path: Path) -> None:
    seen: list[int] = []

    class Noting(Options):
        def run(self, tasks):
            seen.extend(int(str(task.parameters["number"])) for task in tasks)
            return iter(())

    dbbr.table(Noting(store=Store(tmp_path), stored_only=True, matches=3))
    assert seen == sorted(seen)


def test_the_win_rate_needs_no_other_matches_than_the_table_but_one(tmp_path: Path) -> None:
    tasks: dict[str, set[str]] = {}

    class Noting(Options):
        def run(self, wanted):
            tasks[str(len(tasks))] = {task.key for task in wanted}
            return iter(())

    for experiment in (dbbr.table, dbbr.winrate):
        experiment(Noting(store=Store(tmp_path), stored_only=True, matches=2))
    assert len(tasks["1"] - tasks["0"]) == 2


def test_a_dip_is_found_where_there_is_one(tmp_path: Path) -> None:
    setup = dbbr.Setup.of(Options(store=Store(tmp_path)))
    won = np.full((2, setup.hands), 0.4)
    won[:, setup.start :] = 2.0
    dipping = won.copy()
    dipping[:, setup.start : setup.start + 300] = -0.5
    noise = np.random.default_rng(0).normal(0, 1, won.shape)
    curves = {
        ("DBBR-WS", "always-raise"): won + noise,
        (dbbr.DIPPING, "always-raise"): dipping + noise,
        ("DBBR-WS", "always-fold"): np.where(np.arange(setup.hands) < setup.start, 0.6, 0.75)
        * np.ones((2, 1)),
    }
    claims: dict[str, Claim] = {claim.text: claim for claim in dbbr._winrate_claims(setup, curves)}
    fold = [claim.holds for text, claim in claims.items() if "always-fold" in text]
    assert fold == [True, True]
    straight = claims["Against always-raise the win rate falls for some hundred hands after T (DBBR-WS)"]
    assert straight.holds is False
    assert "range=model" in straight.explanation
    assert claims[
        f"Against always-raise the win rate falls for some hundred hands after T ({dbbr.DIPPING})"
    ].holds


def test_the_win_rate_draws_what_it_has(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = report(dbbr.winrate, steady, tmp_path, quick=True)
    names = {file.name for file in found.write(tmp_path / "out")}
    assert {"dbbr-winrate-published.svg", "dbbr-winrate-others.png"} <= names
    assert dbbr.winrate(Options(store=Store(tmp_path), stored_only=True)).figures == ()


def test_safety_compares_with_and_without_the_threshold(tmp_path: Path) -> None:
    def won(hero: str, villain: str) -> float:
        return 0.0 if "threshold" in hero or not hero.startswith("dbbr") else -0.1

    found = report(dbbr_variants.safety, won, tmp_path, matches=12)
    holds = verdicts(found)
    assert holds["DBBR-WS loses to an equilibrium (limit)"] is True
    assert holds["With the threshold DBBR-WS loses less (limit)"] is True
    assert found.tables[0].sample == "matches"


def test_the_ablation_goes_from_the_paper_to_ours(tmp_path: Path) -> None:
    found = report(dbbr_variants.ablation, steady, tmp_path, quick=True)
    rows = [measure.row for measure in found.tables[0].measures if measure.column == "random"]
    assert rows == list(dbbr_variants.STEPS)
    assert found.settings[rows[-1]] == f"dbbr:5-5-5-5:quick,T=100,{dbbr.SHOWN}"


@pytest.mark.parametrize(
    ("ours", "expected"),
    [
        (Estimate(1.0, 0.1, 50), True),
        (Estimate(0.9, 0.1, 50), None),
        (Estimate(0.5, 0.1, 50), False),
        (None, None),
    ],
)
def test_a_published_rate_is_reached_missed_or_within_the_errors(
    ours: Estimate | None, expected: bool | None
) -> None:
    assert dbbr.at_least(ours, (1.0, 0.05)) is expected


def test_published_rows_have_an_error_for_every_mean() -> None:
    numbers = published("ganzfried2011")["table1"]
    for row in ("GS5", "DBBR-WS", "DBBR-L1", "DBBR-L2"):
        assert len(numbers[row]["mean"]) == len(numbers[row]["error"]) <= len(numbers["opponents"])
