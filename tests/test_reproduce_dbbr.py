"""The experiments with DBBR, on results that were made up: every verdict has a known answer."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.match.matches import MatchResult
from soulread.reproduce.ganzfried_2011 import dbbr, winrate
from soulread.reproduce.ganzfried_2011 import settings as dbbr_settings
from soulread.reproduce.ganzfried_2011 import variants as dbbr_variants
from soulread.reproduce.ganzfried_2011.valued import ValuedMatches, valued_cells
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.limit_table import SHOWN, LimitSetup
from soulread.reproduce.kit.matches import MatchGrid, match_task
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Verdict
from soulread.tasks import ResultStore, Task, TaskResult

Won = Callable[[str, str], float]  # small bets per hand of the first agent against the second


class MadeUp(RunOptions):
    """Options whose tasks are not run; their profits are drawn around given means."""

    def run(self, tasks):
        for task in tasks:
            learning = np.array(float("dbbr" in task.text))
            values = {"profits": profits(task, self.won), "learning": learning}
            if "usual" in task.parameters:
                usual = np.full_like(values["profits"], 2 * self.won("equilibrium", "anybody"))
                values |= {"less_luck": values["profits"], "usual": usual}
            yield TaskResult(task, values, 2.0)

    won: Won


def profits(task: Task, won: Won) -> np.ndarray:
    hands = min(int(str(task.parameters["hands"])), 3000)
    rng = np.random.default_rng([int(str(task.parameters["number"])), len(task.text)])
    agents = task.parameters["agents"]
    assert isinstance(agents, list | tuple)
    hero, villain = agents
    return 2 * won(str(hero), str(villain)) + rng.normal(0, 0.5, hands)


def report(experiment: Callable[[RunOptions], Report], won: Won, tmp_path: Path, **options: int) -> Report:
    made_up = MadeUp(store=ResultStore(tmp_path), stored_only=True, **options)  # type: ignore[arg-type]
    object.__setattr__(made_up, "won", won)
    return experiment(made_up)


def verdicts(report: Report) -> dict[str, Verdict]:
    return {claim.text: claim.verdict for claim in report.claims}


def steady(hero: str, villain: str) -> float:
    if hero.startswith("best-response"):
        return 2.5
    if hero.startswith("equilibrium"):
        return 0.4
    return 2.4 if "pool=1" in hero else 1.8 if "l2" in hero else 1.5


def test_the_table_judges_every_claim(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, matches=12)
    holds = verdicts(found)
    assert holds["DBBR-WS wins more than the equilibrium against every opponent"] is Verdict.HOLDS
    assert holds["DBBR-WS wins at least the published 1.769 sb/h against random"] is Verdict.FAILS
    assert holds["DBBR-WS wins at least the published 1.391 sb/h against always-raise"] is Verdict.HOLDS
    assert holds["DBBR-WS wins more than DBBR-L2 against always-raise"] is Verdict.FAILS
    assert holds["DBBR-WS wins more than DBBR-L1 against always-raise"] is Verdict.UNDECIDED
    assert holds["DBBR-L2 wins more than DBBR-WS against random"] is Verdict.HOLDS
    assert holds["DBBR, ours: more than DBBR-WS against every opponent"] is Verdict.HOLDS
    near = [claim.verdict for claim in found.claims if "80% of the ceiling" in claim.text]
    assert near == [Verdict.HOLDS, Verdict.HOLDS]
    assert found.seconds == 2.0 * (7 + 12 * 6 * 7)
    assert found.settings["seed"] == 1
    rates = {(measure.row, measure.column): measure for measure in found.tables[0].measures}
    assert rates["DBBR-L1", "random"].paper == 2.164
    assert rates["DBBR-L1", "station"].paper is None
    assert rates["equilibrium", "always-raise"].mean == pytest.approx(0.4, abs=0.03)


def test_one_and_a_half_times_is_not_twice(tmp_path: Path) -> None:
    def won(hero: str, villain: str) -> float:
        return 1.0 if hero.startswith("equilibrium") else 1.5

    text = "Against one opponent at least, DBBR-WS wins more than twice what the equilibrium wins"
    assert verdicts(report(dbbr.table, won, tmp_path, matches=4))[text] is Verdict.FAILS
    assert verdicts(report(dbbr.table, steady, tmp_path, matches=4))[text] is Verdict.HOLDS


def test_a_failed_claim_is_explained(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, matches=12)
    failed = [claim for claim in found.claims if claim.verdict is Verdict.FAILS]
    assert failed
    assert [claim.text for claim in failed if not claim.explanation] == []


def test_a_smaller_table_is_not_held_against_the_published_one(tmp_path: Path) -> None:
    found = report(dbbr.table, steady, tmp_path, quick=True)
    assert not any("published" in claim.text for claim in found.claims)
    assert {measure.verdict for measure in found.tables[0].measures} == {None}


def test_a_table_without_results_decides_nothing(tmp_path: Path) -> None:
    found = dbbr.table(RunOptions(store=ResultStore(tmp_path), stored_only=True))
    assert {claim.verdict for claim in found.claims} == {Verdict.UNDECIDED}
    assert {measure.mean for measure in found.tables[0].measures} == {None}


def test_matches_are_ordered_so_that_a_cut_run_is_balanced(tmp_path: Path) -> None:
    seen: list[int] = []

    class Noting(RunOptions):
        def run(self, tasks):
            seen.extend(int(str(task.parameters["number"])) for task in tasks)
            return iter(())

    dbbr.table(Noting(store=ResultStore(tmp_path), stored_only=True, matches=3))
    assert seen == sorted(seen)


def test_the_win_rate_needs_no_other_matches_than_the_table_but_those_of_dips(tmp_path: Path) -> None:
    tasks: dict[str, set[str]] = {}

    class Noting(RunOptions):
        def run(self, wanted):
            tasks[str(len(tasks))] = {task.key for task in wanted}
            return iter(())

    for experiment in (dbbr.table, winrate.winrate):
        experiment(Noting(store=ResultStore(tmp_path), stored_only=True, matches=2))
    assert tasks["1"] <= tasks["0"]
    assert len(tasks["2"] - tasks["0"]) == 2 * 2 * 2  # rows, opponents, matches


def made_up_result(profits: np.ndarray) -> MatchResult:
    """Matches of an agent that learns, with these chips of the first agent, ``[matches, hands]``."""
    matches, hands = profits.shape
    both = np.stack([profits, -profits], axis=-1)
    stakes = stakes_of(parse_game("limit"))
    return MatchResult("limit", stakes, ("a", "b"), hands, matches, True, 1, both, learning=True)


def valued_matches(won: Mapping[tuple[str, str], np.ndarray], usual: np.ndarray) -> ValuedMatches:
    """Valued matches by row and column; small bets of each hand, ``[matches, hands]``."""
    matches, hands = usual.shape
    cells = {
        place: valued_cells({place[0]: place[0]}, {place[1]: place[1]}, "c", hands, 1, range(matches))[place]
        for place in won
    }
    results = [
        TaskResult(task, {"less_luck": 2 * won[place][k], "usual": 2 * usual[k]}, 0.0)
        for place, tasks in cells.items()
        for k, task in enumerate(tasks)
    ]
    return ValuedMatches(cells, results)


def test_the_win_rate_judges_the_curves_it_names(tmp_path: Path) -> None:
    setup = LimitSetup.of(RunOptions(store=ResultStore(tmp_path)))
    usual = 0.4 + np.random.default_rng(0).normal(
        0, 1, (10, setup.hands)
    )  # boards that are the same for both
    after = np.arange(setup.hands) - setup.start
    rising = usual + np.where(after < 0, 0.0, 1.6)
    dipping = usual + np.where(after < 0, 0.0, np.where(after < 300, -0.05, 1.6))
    late = usual + np.where(after < 300, 0.0, -0.05)  # falls, but not in the first 300 hands
    noise = np.random.default_rng(1).normal(0, 0.05, (3, *usual.shape))
    folding = np.where(np.arange(setup.hands) < setup.start, 0.6, 0.75) * np.ones((10, 1))
    curves = {
        ("DBBR-WS", "always-fold"): made_up_result(2 * folding),
        ("DBBR-WS", "random"): made_up_result(-2 * folding),
    }
    valued = valued_matches(
        {
            ("DBBR-WS", "always-raise"): rising + noise[0],
            ("DBBR-WS", "station"): dipping + noise[1],
            (winrate.DIPPING, "station"): late + noise[2] - noise[2].mean(),
        },
        usual,
    )
    claims = winrate.winrate_claims(setup, curves, valued)
    yes, no = Verdict.HOLDS, Verdict.FAILS
    assert [claim.verdict for claim in claims][:-2] == [yes, yes, no, yes, yes, yes]
    assert claims[-2].verdict is not yes
    assert claims[-1].verdict is no
    straight, back, dip, _ = claims[2:6]
    assert straight.text == "Against always-raise the win rate falls for some hundred hands after T (DBBR-WS)"
    assert "range=model" in straight.explanation
    assert dip.text == "Against station the win rate falls for some hundred hands after T (DBBR-WS)"
    assert "more than the opening" in dip.evidence
    assert dip.n == 10
    assert not back.explanation
    assert winrate.winrate_claims(setup, {}, valued_matches({}, usual)) == ()


def test_settings_judge_effects_and_guesses(tmp_path: Path) -> None:
    """N_prior has an effect of a third against one opponent; pool=1 gives DBBR-WS's rates, not L2's."""

    def won(hero: str, villain: str) -> float:
        if "method=shift,pool=1" in hero:
            return {"random": 1.769, "always-call": 0.93}.get(villain, 1.0)
        return 2.0 if "prior=20" in hero and villain == "random" else 1.5

    found = report(dbbr_settings.settings, won, tmp_path, matches=12)
    assert list(verdicts(found).values()) == [
        Verdict.HOLDS,
        Verdict.FAILS,
        Verdict.HOLDS,
        Verdict.FAILS,
        Verdict.FAILS,
        Verdict.FAILS,
    ]
    effect = found.claims[0].evidence
    assert effect.startswith("largest: N_prior=20 against random, 33.")
    rates = {(measure.row, measure.column): measure for measure in found.tables[0].measures}
    assert rates["pool=1, L2", "random"].paper == 2.287
    assert rates["N_prior=1", "always-call"].paper == 0.93
    changes = {(measure.row, measure.column): measure.mean for measure in found.tables[1].measures}
    assert changes["N_prior=20", "random"] == pytest.approx(0.5, abs=0.03)
    assert (dbbr_settings.PAPER, "random") not in changes
    seats = found.settings[dbbr_settings.SEATS]
    assert seats == "dbbr:8-12-4-4,T=2000,k=100,prior=5"


def test_settings_of_another_size_make_no_guesses(tmp_path: Path) -> None:
    found = report(dbbr_settings.settings, steady, tmp_path, quick=True)
    assert [claim.text.split(":")[0] for claim in found.claims] == [
        "Another N_prior has a large effect",
        "Another k has a large effect",
    ]


def test_valued_matches_are_compared_on_the_same_boards() -> None:
    boards = np.random.default_rng(2).normal(0, 5, (4, 40))
    found = valued_matches({("a", "c"): boards + 1.0, ("b", "c"): boards + 0.25}, boards)
    gain, more = found.gain("a", "c", 10, 20), found.difference("a", "b", "c")
    assert gain is not None
    assert more is not None
    assert gain.mean == pytest.approx(1.0)
    assert (gain.n, more.n) == (4, 4)
    assert more.mean == pytest.approx(0.75)
    assert more.standard_error == pytest.approx(0.0, abs=1e-9)
    won, usual = found.won("b", "c", 10, 20), found.usual("b", "c", 10, 20)
    assert won is not None
    assert usual is not None
    assert usual.mean == pytest.approx(boards[:, 10:20].mean())
    assert won.mean == pytest.approx(usual.mean + 0.25)
    assert found.won("a", "nobody") is None


def test_rows_are_compared_match_by_match_with_the_same_cards(tmp_path: Path) -> None:
    """The luck of the cards, much larger than the difference, is the same in both rows."""

    def luck(number: int) -> float:
        return -10.0 if number % 2 else 10.0

    class SameCards(MadeUp):
        def run(self, tasks):
            for result in super().run(tasks):
                number = int(str(result.task.parameters["number"]))
                yield replace(result, values={**result.values, "profits": result["profits"] + luck(number)})

    setup = LimitSetup.of(RunOptions(store=ResultStore(tmp_path), matches=6))
    options = SameCards(store=ResultStore(tmp_path))
    object.__setattr__(options, "won", steady)
    rows = "DBBR-WS", "equilibrium", "DBBR, ours"
    found = dbbr.DbbrMatches(setup)
    found.run(options, [task for row in rows for task in found.cells[row, "random"]])
    ahead = found.difference("DBBR-WS", "equilibrium", "random")
    assert ahead is not None
    assert ahead.n == 6
    assert ahead.mean == pytest.approx(1.1, abs=0.03)
    assert ahead.half_width < 0.05
    ours = found.difference("DBBR, ours", "DBBR-WS", "random")
    assert ours is not None
    assert ours.n == 5  # matches 1 to 5
    assert ours.half_width < 0.05
    alone = found.won("DBBR-WS", "random")
    assert alone is not None
    assert alone.half_width > 4
    twice = found.difference("DBBR-WS", "equilibrium", "random", times=2)
    assert twice is not None
    assert twice.mean == pytest.approx(1.5 - 2 * 0.4, abs=0.03)
    assert twice.half_width > 4  # the luck of the equilibrium counts twice


def test_rows_without_common_matches_are_compared_as_independent(tmp_path: Path) -> None:
    setup = LimitSetup.of(RunOptions(store=ResultStore(tmp_path), matches=1))
    options = MadeUp(store=ResultStore(tmp_path))
    object.__setattr__(options, "won", steady)
    found = dbbr.DbbrMatches(setup)
    found.run(options, [found.cells[row, "random"][0] for row in ("DBBR-WS", "DBBR, ours")])
    one, other = (found.won(row, "random") for row in ("DBBR, ours", "DBBR-WS"))
    assert one is not None
    assert other is not None
    assert found.difference("DBBR, ours", "DBBR-WS", "random") == one.minus(other)
    assert found.difference("DBBR, ours", "equilibrium", "random") is None


def test_our_rows_leave_out_the_match_they_were_chosen_with(tmp_path: Path) -> None:
    """TUNING says that match 0 of seeds 0 and 1 was looked at while the settings were chosen."""
    setup = LimitSetup.of(RunOptions(store=ResultStore(tmp_path)))
    cells = dbbr.DbbrMatches(setup).cells
    for row in setup.rows:
        numbers = [task.parameters["number"] for task in cells[row, "random"][:3]]
        assert numbers == ([1, 2, 3] if row.startswith("DBBR, ours") else [0, 1, 2])


def test_the_ceiling_is_held_against_the_hands_after_watching(tmp_path: Path) -> None:
    """Over whole matches the row wins 70% of the ceiling; once it exploits, all of it."""

    class Late(MadeUp):
        def run(self, tasks):
            for result in super().run(tasks):
                values = dict(result.values)
                if "T=100" in result.task.text:
                    values["profits"] = np.where(
                        np.arange(values["profits"].size) < 100, -20.0, values["profits"]
                    )
                yield replace(result, values=values)

    options = Late(store=ResultStore(tmp_path), stored_only=True, matches=4)
    object.__setattr__(options, "won", steady)
    near = [claim for claim in dbbr.table(options).claims if "80% of the ceiling" in claim.text]
    assert [claim.verdict for claim in near] == [Verdict.HOLDS, Verdict.HOLDS]
    assert "random 96%" in near[0].evidence


def test_the_win_rate_draws_what_it_has(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    found = report(winrate.winrate, steady, tmp_path, quick=True)
    names = {file.name for file in found.write(tmp_path / "out")}
    assert {"dbbr-winrate-published.svg", "dbbr-winrate-others.png"} <= names
    assert winrate.winrate(RunOptions(store=ResultStore(tmp_path), stored_only=True)).figures == ()


def test_safety_compares_with_and_without_the_threshold(tmp_path: Path) -> None:
    def won(hero: str, villain: str) -> float:
        return 0.0 if "threshold" in hero or not hero.startswith("dbbr") else -0.1

    found = report(dbbr_variants.safety, won, tmp_path, matches=12)
    holds = verdicts(found)
    assert holds["DBBR-WS loses to an equilibrium (limit)"] is Verdict.HOLDS
    assert holds["With the threshold DBBR-WS loses less (limit)"] is Verdict.HOLDS
    assert found.tables[0].sample == "12 matches; 36,000 duplicate hands where no agent learns"


def test_a_difference_of_learners_has_as_many_samples_as_matches() -> None:
    def grid(learning: tuple[bool, bool]) -> MatchGrid:
        cells = {
            (row, "c"): [match_task("leduc", (row, "c"), 50, 1, number) for number in range(4)]
            for row in ("a", "b")
        }
        return MatchGrid(
            cells,
            [
                TaskResult(
                    task, {"profits": profits(task, lambda *_: 0.0), "learning": np.array(float(learns))}, 0.0
                )
                for tasks, learns in zip(cells.values(), learning, strict=True)
                for task in tasks
            ],
        )

    for learning, samples in (((True, False), 4), ((False, True), 4), ((False, False), 200)):
        found = grid(learning).difference("a", "b", "c")
        assert found is not None
        assert found.n == samples


def test_a_difference_of_unfinished_rows_pairs_matches_of_one_number() -> None:
    """Row a lacks match 0 and row b match 3: the luck of a match, which is large, is that of its number."""
    cells = {
        (row, "c"): [match_task("leduc", (row, "c"), 50, 1, number) for number in range(4)]
        for row in ("a", "b")
    }
    results = [
        TaskResult(task, {"profits": np.full(50, 100.0 * number + won), "learning": np.array(1.0)}, 0.0)
        for (row, won, missing) in (("a", 2.0, 0), ("b", 0.0, 3))
        for number, task in enumerate(cells[row, "c"])
        if number != missing
    ]
    found = MatchGrid(cells, results).difference("a", "b", "c")
    assert found is not None
    assert (found.mean, found.standard_error, found.n) == (1.0, 0.0, 2)


def test_the_ablation_goes_from_the_paper_to_ours(tmp_path: Path) -> None:
    found = report(dbbr_variants.ablation, steady, tmp_path, quick=True)
    rows = [measure.row for measure in found.tables[0].measures if measure.column == "random"]
    assert rows == list(dbbr_variants.STEPS)
    assert found.settings[rows[-1]] == f"dbbr:5-5-5-5:quick,T=50,{SHOWN},k=100"


def test_published_rows_have_an_error_for_every_mean() -> None:
    numbers = published("ganzfried2011")["table1"]
    for row in ("GS5", "DBBR-WS", "DBBR-L1", "DBBR-L2"):
        assert len(numbers[row]["mean"]) == len(numbers[row]["error"]) <= len(numbers["opponents"])
