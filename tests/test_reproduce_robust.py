"""Curves of robust responses to Orange: the tasks in Leduc, the claims on curves that were made up."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from named import compile_source, equilibrium_of

from soulread.play.opponents import find_orange
from soulread.reproduce import robust
from soulread.reproduce.experiment import Options, Store, published
from soulread.reproduce.report import Claim
from soulread.reproduce.robust import CONFIDENCES, LINEAR, PROBE, RNR, SELF_PLAY, Family, Line, Lines, Setup
from soulread.seqform import parse_source
from soulread.seqform.strategy import plan_from_behaviour
from soulread.solve.best_response import best_response
from soulread.solve.exploitability import exploitability

PS = 0.0, 0.5, 0.9, 1.0
SETUP = Setup("leduc", (100, 1000, 5000), 5000, PS, precision=1.0, iterations=3000, seed=3)


def test_the_full_setup_is_the_papers() -> None:
    paper = published("johanson2009")["settings"]
    setup = Setup.of(Options())
    assert setup.game == "limit:" + "-".join(map(str, paper["abstraction"]))
    assert setup.most == paper["games"]
    assert setup.enough == paper["enough"]
    assert list(setup.ps) == paper["p"]


def test_more_and_fewer_games_may_be_asked_for() -> None:
    assert Setup.of(Options(hands=5000)).sizes == (100, 1000, 5000)
    assert Setup.of(Options(quick=True, hands=100)).sizes == (100,)
    assert Setup.of(Options(matches=3)).matches == 3


def test_both_figures_share_their_tasks() -> None:
    keys = [task.key for family in (SETUP.rnr(), SETUP.dbr()) for task in SETUP.tasks(family)]
    assert len(set(keys)) == 4
    assert [task.key for task in SETUP.tasks(SETUP.rnr(PROBE, 5000))] == keys[:2]


def test_the_model_is_what_was_seen() -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    for source in (PROBE, SELF_PLAY):
        for player in (0, 1):
            behaviour, seen = robust.observed_model(game, orange, source, 4001, 1, player)
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
    _, seen = robust.observed_model(game, orange, SELF_PLAY, 10, 0, 0)
    assert seen[: game.trees[0].first_set[1]].sum() == 5


def test_self_play_sees_less_of_the_game() -> None:
    game, orange = compile_source("leduc"), find_orange(parse_source("leduc"))
    sets = [
        np.count_nonzero(robust.observed_model(game, orange, source, 3000, 2, 1)[1])
        for source in (PROBE, SELF_PLAY)
    ]
    assert sets[0] > sets[1]


Seats = Callable[[str], tuple[dict[str, np.ndarray], ...]]


@pytest.fixture(scope="module")
def seats() -> Seats:
    """Both seats' curves by the method, each computed once."""
    found: dict[str, tuple[dict[str, np.ndarray], ...]] = {}

    def curves(method: str) -> tuple[dict[str, np.ndarray], ...]:
        if method not in found:
            found[method] = tuple(dict(task.run()) for task in SETUP.tasks(SETUP.dbr(method)))  # type: ignore[arg-type]
        return found[method]

    return curves


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
        model, _ = robust.observed_model(game, orange, PROBE, SETUP.most, SETUP.seed, 1 - player)
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
    monkeypatch.setattr(Setup, "of", lambda options: small)
    options = Options(store=Store(tmp_path))
    empty = robust.rnr_limits(replace(options, stored_only=True))
    assert [claim.holds for claim in empty.claims] == [None, None, None]
    assert all(claim.evidence == "not finished" for claim in empty.claims)
    report = robust.rnr_limits(options)
    assert [claim.text[:2] for claim in report.claims] == ["1a", "1b", "1c"]
    assert None not in [claim.holds for claim in report.claims]
    assert len(list(tmp_path.glob("*.safetensors"))) == 1 + 2 * 3
    assert [figure.name for figure in report.figures] == ["curves", "near"]
    orange = report.tables[0].measures
    assert {measure.column for measure in orange} == {"0", "0.9", "1"}
    assert len({measure.ours for measure in orange if measure.column == "0"}) == 1
    monkeypatch.setattr(Setup, "of", lambda options: replace(small, matches=2))
    assert robust.rnr_limits(replace(options, stored_only=True)).tables[0].measures == orange  # one has come
    found = robust.dbr_curves(replace(options, stored_only=True))
    assert "RNR, Probe 500" in {measure.row for measure in found.tables[0].measures}
    assert found.claims[0].holds is None


def line(orange: tuple[float, ...], model: tuple[float, ...] = (), risk: tuple[float, ...] = ()) -> Line:
    """A made-up curve; mb/g at `PS`."""
    zeros = (0.0,) * len(PS)
    return Line(PS, model or orange, orange, risk or (1, 2, 3, 400), zeros, zeros, zeros)


GOOD = line((3, 6, 8, 8.5))
BAD = line((3, -5, -40, -90), risk=(1, 100, 400, 1000))
OVERFIT = line((3, 6, 5, -20), model=(5, 10, 30, 80))


def judged(claim: Callable[[Setup, Lines], Claim], lines: Lines) -> bool | None:
    return claim(SETUP, lines).holds


def test_overfitting_needs_both_trends() -> None:
    red = SETUP.rnr()
    assert judged(robust.overfits, {}) is None
    assert judged(robust.overfits, {red: OVERFIT}) is True
    assert judged(robust.overfits, {red: GOOD}) is False
    assert judged(robust.overfits, {red: line((3, 6, 5, 5.5), model=(5, 10, 30, 80))}) is False
    assert judged(robust.overfits, {red: replace(OVERFIT, against_model=(5, 40, 30, 80))}) is False
    assert "best 6.0 at p = 0.5, -20.0 at p = 1" in robust.overfits(SETUP, {red: OVERFIT}).evidence


def test_few_games_must_all_be_worse() -> None:
    small = [SETUP.rnr(games=games) for games in (100, 1000)]
    assert judged(robust.needs_many, {small[0]: BAD}) is None
    assert judged(robust.needs_many, dict.fromkeys(small, BAD)) is True
    assert judged(robust.needs_many, {small[0]: BAD, small[1]: OVERFIT}) is False  # it gains at p = 0.5
    assert judged(robust.needs_many, {small[0]: BAD, small[1]: line((3, 3, 3, 3))}) is False  # as good


def test_self_play_is_useless_if_no_p_gains() -> None:
    probe, selfish = SETUP.rnr(), SETUP.rnr(SELF_PLAY)
    assert judged(robust.needs_probe, {probe: GOOD}) is None
    assert judged(robust.needs_probe, {probe: GOOD, selfish: BAD}) is True
    assert judged(robust.needs_probe, {probe: GOOD, selfish: OVERFIT}) is False


def test_confidence_functions_are_judged_apart() -> None:
    lines = {SETUP.dbr(method): GOOD for method in CONFIDENCES} | {SETUP.dbr("1-step"): OVERFIT}
    assert judged(robust.trusts_wisely, {SETUP.dbr(): GOOD}) is None
    assert judged(robust.trusts_wisely, lines) is True
    assert judged(robust.trusts_wisely, {**lines, SETUP.dbr("1-step"): GOOD}) is False
    assert judged(robust.trusts_wisely, {**lines, SETUP.dbr(LINEAR): OVERFIT}) is False


def test_no_harm_is_in_what_is_won_and_in_what_is_risked() -> None:
    def lines(made: Line) -> dict[Family, Line]:
        found = {SETUP.dbr(games=games): made for games in (100, 1000)}
        return {**found, **{SETUP.rnr(games=games): BAD for games in (100, 1000)}}

    assert judged(robust.does_no_harm, {SETUP.dbr(games=100): GOOD}) is None
    assert judged(robust.does_no_harm, lines(GOOD)) is True
    assert judged(robust.does_no_harm, lines(line((3, 2.5, 2.5, 2.5)))) is True
    assert judged(robust.does_no_harm, lines(OVERFIT)) is False
    assert judged(robust.does_no_harm, lines(replace(GOOD, exploitability=(1, 50, 90, 400)))) is False


def test_gaining_from_self_play_takes_more_than_the_precision() -> None:
    probe, selfish = SETUP.dbr(), SETUP.dbr(source=SELF_PLAY)
    assert judged(robust.gains_from_self_play, {selfish: GOOD}) is None
    assert judged(robust.gains_from_self_play, {probe: GOOD, selfish: line((3, 3.5, 5, 4))}) is True
    assert judged(robust.gains_from_self_play, {probe: GOOD, selfish: line((3, 3.5, 3.9, 2))}) is False


def test_claims_are_judged_by_the_mean_of_the_data_sets() -> None:
    setup, red = replace(SETUP, matches=3), SETUP.rnr()
    data_sets = [{red: OVERFIT}, {red: GOOD}, {red: OVERFIT}]
    found = robust.Found([red, SETUP.rnr(SELF_PLAY)], [*data_sets, {}], None, 0.0)
    lines = found.lines
    assert list(lines) == [red]
    assert lines[red].against_orange == pytest.approx((3, 6, 6, -31.5 / 3))
    assert lines[red].ps == PS
    claim = robust._judge(setup, robust.overfits, found)
    assert claim.holds
    assert claim.evidence.endswith("; alone it holds in 2 of 3 data sets")
    alone = replace(found, data_sets=data_sets[:1])
    assert robust._judge(SETUP, robust.overfits, alone).evidence.endswith("at p = 1")
    assert robust._judge(setup, robust.needs_probe, found).evidence == "not finished"


def test_every_match_is_a_data_set_of_its_own() -> None:
    keys = [task.key for match in range(3) for task in SETUP.tasks(SETUP.rnr(), match)]
    assert len(set(keys)) == 6
    assert keys[2:4] == [task.key for task in replace(SETUP, seed=SETUP.seed + 1).tasks(SETUP.rnr())]


def test_figures_are_drawn_whole_and_near_the_equilibrium() -> None:
    drawn = [("title", [("good", GOOD, "against_orange"), ("bad", BAD, "against_orange")])]
    whole, near = robust._figures(drawn, ceiling=5.0)
    curves = {curve.label: curve for curve in whole.panels[0].curves}  # type: ignore[union-attr]
    assert curves["bad"].x == BAD.exploitability
    assert curves["bad"].texts == ("0", "0.5", "0.9", "1")
    close = {curve.label: curve for curve in near.panels[0].curves}  # type: ignore[union-attr]
    assert close["bad"].x == (1,)  # within 40 mb/g
    assert close["good"].y == (3, 6, 8)
    assert len(robust._figures(drawn, ceiling=None)) == 1
