"""Curves of robust responses to Orange: the tasks in Leduc, the claims on curves that were made up."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from named import compile_source, equilibrium_of

from soulread.estimate import Estimate
from soulread.play.opponents.skewed import find_orange
from soulread.reproduce.johanson_2009 import claims, curves, robust
from soulread.reproduce.johanson_2009.curves import LINEAR, PROBE, RNR, SELF_PLAY, ResponseCurve, RobustSetup
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.report import Report
from soulread.reproduce.kit.verdict import Verdict
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import plan_from_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.exploitability import exploitability
from soulread.tasks import ResultStore, TaskResult

PS = 0.0, 0.5, 0.9, 1.0
SETUP = RobustSetup("leduc", (100, 1000, 5000), 5000, PS, precision=1.0, iterations=3000, seed=3)


def test_the_full_setup_is_the_papers() -> None:
    paper = published("johanson2009")["settings"]
    setup = RobustSetup.of(RunOptions())
    assert setup.game == "limit:" + "-".join(map(str, paper["abstraction"]))
    assert setup.most == paper["games"]
    assert setup.enough == paper["enough"]
    assert list(setup.ps) == paper["p"]


def test_more_and_fewer_games_may_be_asked_for() -> None:
    assert RobustSetup.of(RunOptions(hands=5000)).sizes == (100, 1000, 5000)
    assert RobustSetup.of(RunOptions(quick=True, hands=100)).sizes == (100,)
    assert RobustSetup.of(RunOptions(matches=3)).matches == 3
    assert {RobustSetup.of(RunOptions(quick=quick)).matches for quick in (False, True)} == {5}


def test_both_figures_share_their_tasks() -> None:
    keys = [task.key for family in (SETUP.rnr(), SETUP.dbr()) for task in SETUP.tasks(family)]
    assert len(set(keys)) == 4
    assert [task.key for task in SETUP.tasks(SETUP.rnr(PROBE, 5000))] == keys[:2]


def test_the_model_is_what_was_seen() -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    for source in (PROBE, SELF_PLAY):
        for player in (0, 1):
            behaviour, seen = curves.observed_model(game, orange, source, 4001, 1, player)
            tree = game.trees[player]
            first_decisions = seen[: tree.first_set[1]].sum()
            if player == 0:  # seat 0 acts in every game, and the watched one has it in every second
                assert first_decisions == 2001
            for block, sets, rows in tree.blocks():
                table = behaviour[rows].reshape(len(tree.actions[block]), -1)
                assert np.allclose(table.sum(axis=0), 1)
                never = seen[sets] == 0
                called = table[tree.actions[block].index(1)]
                assert np.all(called[never] == 1)  # the default policy
                often = seen[sets] > 300
                real = orange.behaviours[player][rows].reshape(table.shape)
                assert np.all(np.abs(table - real)[:, often] < 0.15)  # 5 standard errors at 300 observations


def test_counts_are_of_one_orange() -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    _, seen = curves.observed_model(game, orange, SELF_PLAY, 10, 0, 0)
    assert seen[: game.trees[0].first_set[1]].sum() == 5


def test_self_play_sees_less_of_the_game() -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    sets = [
        np.count_nonzero(curves.observed_model(game, orange, source, 3000, 2, 1)[1])
        for source in (PROBE, SELF_PLAY)
    ]
    assert sets[0] > sets[1]


Seats = Callable[[str], tuple[dict[str, np.ndarray], ...]]


@pytest.fixture(scope="module")
def seats() -> Seats:
    """Both seats' curves by the method, each computed once."""
    found: dict[str, tuple[dict[str, np.ndarray], ...]] = {}

    def curve(method: str) -> tuple[dict[str, np.ndarray], ...]:
        if method not in found:
            found[method] = tuple(dict(task.run()) for task in SETUP.tasks(SETUP.dbr(method)))  # type: ignore[arg-type]
        return found[method]

    return curve


@pytest.mark.compiled
@pytest.mark.parametrize("method", [RNR, LINEAR])
def test_a_curve_begins_with_the_equilibrium(seats: Seats, method: str) -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    behaviours = equilibrium_of("leduc").behaviours
    plans = [plan_from_behaviour(*pair) for pair in zip(game.trees, behaviours, strict=True)]
    theirs = [plan_from_behaviour(*pair) for pair in zip(game.trees, orange.behaviours, strict=True)]
    first, second = seats(method)
    assert first["against_orange"][0] == pytest.approx(game.value(plans[0], theirs[1]))
    assert second["against_orange"][0] == pytest.approx(-game.value(theirs[0], plans[1]))
    lost = -(first["worst_case"][0] + second["worst_case"][0]) / 2
    assert lost == pytest.approx(exploitability(game, (plans[0], plans[1])), abs=1e-9)


@pytest.mark.compiled
def test_full_trust_is_a_best_response_to_the_model(seats: Seats) -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    for player, found in enumerate(seats(RNR)):
        model, _ = curves.observed_model(game, orange, PROBE, SETUP.most, SETUP.seed, 1 - player)
        plan = plan_from_behaviour(game.trees[1 - player], model)
        best, _ = best_response(game.trees[player], game.payoff.gradient(player, plan))
        assert found["against_model"][-1] == pytest.approx(best)
        assert found["iterations"][-1] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("method", [RNR, LINEAR])
def test_trust_wins_more_from_the_model_and_risks_more(seats: Seats, method: str) -> None:
    precision = SETUP.precision / SETUP.per_chip
    for found in seats(method):
        assert np.all(np.diff(found["against_model"]) > -precision)
        assert found["against_model"][-1] > found["against_model"][0]
        if method == RNR:
            assert np.all(np.diff(found["worst_case"]) < precision)
        assert np.all(found["worst_case"] <= found["against_orange"] + 1e-9)
        freedom = np.maximum(1 - np.array(PS), 0.01) if method == RNR else 1
        assert np.all(found["gap"] <= precision * freedom)


@pytest.mark.compiled
def test_nobody_wins_more_than_the_ceiling(seats: Seats) -> None:
    ceiling = np.asarray(SETUP.ceiling.run()["values"])
    for method in (RNR, LINEAR):
        for player, found in enumerate(seats(method)):
            assert np.all(found["against_orange"] <= ceiling[player] + 1e-9)


@pytest.mark.compiled
def test_the_experiments_run_and_share_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = replace(SETUP, sizes=(100, 500), ps=(0.0, 0.9, 1.0), enough=500)
    monkeypatch.setattr(RobustSetup, "of", lambda options: small)
    options = RunOptions(store=ResultStore(tmp_path))
    empty = robust.rnr_limits(replace(options, stored_only=True))
    assert [claim.verdict for claim in empty.claims] == [Verdict.UNDECIDED] * 3
    assert all(claim.evidence == "not finished" for claim in empty.claims)
    report = robust.rnr_limits(options)
    assert [claim.text[:2] for claim in report.claims] == ["1a", "1b", "1c"]
    assert [claim.verdict for claim in report.claims] == [Verdict.UNDECIDED] * 3  # a data set is drawn
    assert all("; in the one data set it " in claim.evidence for claim in report.claims)
    assert len(list(tmp_path.glob("*.safetensors"))) == 1 + 2 * 3
    assert [figure.name for figure in report.figures] == ["curves", "near"]
    orange = report.tables[0].measures
    assert {measure.column for measure in orange} == {"0", "0.9", "1"}
    assert len({measure.mean for measure in orange if measure.column == "0"}) == 1
    assert {measure.ours.n for measure in orange if isinstance(measure.ours, Estimate)} == {1}
    assert all(isinstance(measure.ours, Estimate) for measure in orange)  # not exact: the data are random
    monkeypatch.setattr(RobustSetup, "of", lambda options: replace(small, matches=2))
    assert shown(robust.rnr_limits(replace(options, stored_only=True))) == shown(report)  # one has come
    found = robust.dbr_curves(replace(options, stored_only=True))
    assert "RNR, Probe 500" in {measure.row for measure in found.tables[0].measures}
    assert found.claims[0].verdict is Verdict.UNDECIDED
    both = robust.rnr_limits(options)
    assert {measure.ours.n for measure in both.tables[0].measures if isinstance(measure.ours, Estimate)} == {
        2
    }
    assert all("of 2 data sets" in claim.evidence for claim in both.claims)
    assert both.figures[0].panels[0].curves[0].low  # type: ignore[union-attr]


def line(orange: tuple[float, ...], risk: tuple[float, ...] = ()) -> ResponseCurve:
    """A made-up curve; mb/g at `PS`. What each claim makes of curves is tested in test_judges.py."""
    zeros = (0.0,) * len(PS)
    return ResponseCurve(PS, orange, orange, risk or (1, 2, 3, 400), zeros, zeros)


GOOD = line((3, 6, 8, 8.5))
BAD = line((3, -5, -40, -90), risk=(1, 100, 400, 1000))
OVERFIT = replace(line((3, 6, 5, -20)), against_model=(5, 10, 30, 80))


def moved(curve: ResponseCurve, by: float) -> ResponseCurve:
    """A curve of another data set: as if each p had won a little more, the larger ones twice as much."""

    def more(won: tuple[float, ...]) -> tuple[float, ...]:
        return tuple(value + by * (1 + at / 2) for at, value in enumerate(won))

    return replace(curve, against_orange=more(curve.against_orange), against_model=more(curve.against_model))


def shown(report: Report) -> list[tuple[str, str, float | None]]:
    """The means of the first table."""
    return [(measure.row, measure.column, measure.mean) for measure in report.tables[0].measures]


def test_a_curve_is_the_mean_of_both_seats() -> None:
    """In the first seat a response wins the value of the game more, in the second less: it cancels."""
    value = 0.3

    def seat(player: int, won: float, lost: float) -> TaskResult:
        own = (value, -value)[player]
        arrays = {
            "against_model": np.array([own, own + 2 * won]),
            "against_orange": np.array([own, own + won]),
            "worst_case": np.array([own, own - lost]),
            "gap": np.array([0.5, 0.25]),
            "iterations": np.array([10.0, 20.0]),
        }
        return TaskResult(SETUP.tasks(SETUP.rnr())[player], arrays, 0.0)

    found = ResponseCurve.of((0.0, 0.9), (seat(0, 0.1, 0.4), seat(1, 0.3, 0.8)), per_chip=500)
    assert found.against_orange == pytest.approx((0, 100))
    assert found.against_model == pytest.approx((0, 200))
    assert found.exploitability == pytest.approx((0, 300))
    assert found.gap == pytest.approx((0, 125))  # at p = 0 it is the exploitability
    assert found.iterations == pytest.approx((20, 40))


def test_claims_are_judged_by_all_data_sets_and_say_how_many_there_are() -> None:
    red = SETUP.rnr()
    data_sets: list[curves.DataSet] = [{red: moved(OVERFIT, by)} for by in (-0.1, 0, 0.1)]
    claim = claims.judge(SETUP, claims.overfits, [*data_sets, {}])
    assert claim.verdict is Verdict.HOLDS
    assert "best 6.0 ± 0.4 at p = 0.5, -20.0 ± 0.6 at p = 1" in claim.evidence
    assert claim.evidence.endswith("; alone it holds in 3 of 3 data sets")
    claim = claims.judge(SETUP, claims.overfits, [{red: OVERFIT}, {red: GOOD}, {red: OVERFIT}])
    assert claim.verdict is Verdict.UNDECIDED  # though it holds in the mean of the data sets
    assert claim.evidence.endswith("; alone it holds in 2 of 3 data sets")
    alone = claims.judge(SETUP, claims.overfits, [{red: OVERFIT}])
    assert alone.verdict is Verdict.UNDECIDED
    told = "6.0 at p = 0.5, -20.0 at p = 1; in the one data set it holds; another may differ"
    assert alone.evidence.endswith(told)
    wrong = claims.judge(SETUP, claims.overfits, [{red: GOOD}])
    assert wrong.verdict is Verdict.UNDECIDED
    assert "in the one data set it does not hold" in wrong.evidence
    assert claims.judge(SETUP, claims.needs_probe, data_sets).evidence == "not finished"


def test_curves_are_drawn_as_the_mean_of_the_data_sets_with_intervals() -> None:
    """Three data sets that win 6, 9 and 12 at p = .5: 9 ± 4.303 x 3 / sqrt(3), by Student's t."""
    red, alone = SETUP.rnr(), SETUP.rnr(SELF_PLAY)
    several = [line((3, won, 6, 0), risk=(1, risk, 30, 400)) for won, risk in ((6, 2), (9, 4), (12, 9))]
    data_sets: list[curves.DataSet] = [*({red: each} for each in several), {}, {alone: GOOD}]
    found = robust.samples_of([red, alone, SETUP.dbr()], data_sets)
    assert {watched: len(each) for watched, each in found.items()} == {red: 3, alone: 1}
    assert [estimate.n for estimate in robust.estimates_of(found[red], "against_orange")] == [3] * 4
    drawn = {"title": [(one.source, one, "against_orange") for one in (red, alone)]}
    (whole,) = robust.figures_of(drawn, found, ceiling=None)
    shown = {curve.label: curve for curve in whole.panels[0].curves}  # type: ignore[union-attr]
    assert shown[PROBE].x == pytest.approx((1, 5, 30, 400))
    assert shown[PROBE].y == pytest.approx((3, 9, 6, 0))
    half = 4.3027 * 3 / np.sqrt(3)
    assert shown[PROBE].low == pytest.approx((3, 9 - half, 6, 0), abs=1e-3)
    assert shown[PROBE].high == pytest.approx((3, 9 + half, 6, 0), abs=1e-3)
    assert shown[SELF_PLAY].low == ()  # one data set has no interval


def test_curves_are_compared_within_their_data_set() -> None:
    """What is won differs much from data set to data set, but hardly between two p of one."""
    selfish = SETUP.dbr(source=SELF_PLAY)
    data_sets = [
        {SETUP.dbr(): GOOD, selfish: line((luck, luck + 4 + luck / 900, luck + 4, luck + 4))}
        for luck in (-90, 0, 90)
    ]
    assert claims.gains_from_self_play(SETUP, data_sets).verdict is Verdict.HOLDS


def test_every_match_is_a_data_set_of_its_own() -> None:
    keys = [task.key for match in range(3) for task in SETUP.tasks(SETUP.rnr(), match)]
    assert len(set(keys)) == 6
    assert keys[2:4] == [task.key for task in replace(SETUP, seed=SETUP.seed + 1).tasks(SETUP.rnr())]


def test_figures_are_drawn_whole_and_near_the_equilibrium() -> None:
    good, bad = SETUP.dbr(), SETUP.rnr()
    drawn = {"title": [("good", good, "against_orange"), ("bad", bad, "against_orange")]}
    whole, near = robust.figures_of(drawn, {good: [GOOD], bad: [BAD]}, ceiling=5.0)
    shown = {curve.label: curve for curve in whole.panels[0].curves}  # type: ignore[union-attr]
    assert shown["bad"].x == BAD.exploitability
    assert shown["bad"].texts == ("0", "0.5", "0.9", "1")
    close = {curve.label: curve for curve in near.panels[0].curves}  # type: ignore[union-attr]
    assert close["bad"].x == (1,)  # within 40 mb/g
    assert close["good"].y == (3, 6, 8)
    assert len(robust.figures_of(drawn, {good: [GOOD]}, ceiling=None)) == 1
