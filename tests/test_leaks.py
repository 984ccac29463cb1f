"""Leaks: their worth by playing them out, their intervals by SciPy."""

import naive_deviation as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binomtest

from soulread.errors import NotFitted, SoulreadError
from soulread.games import leduc
from soulread.model import SeatDeviation, leaks
from soulread.model.leaks import leak_worths, wilson_interval
from soulread.observe.counts import PublicCounts
from soulread.seqform import compile_factored, compile_game, plan_from_behaviour
from soulread.solve import best_response, solve
from soulread.solve.skews import baseline_behaviour
from soulread.solve.variants import with_winner_bonus


@pytest.fixture(scope="module", params=[compile_game, compile_factored])
def solution(request):
    return solve(request.param(leduc()), iterations=300)


def calling_counts(game, hands: int = 400) -> PublicCounts:
    """Exact frequencies of one who always calls, in either seat, as they come up against a caller."""
    counts = PublicCounts(game)
    for seat, tree in enumerate(counts.trees):
        behaviour = baseline_behaviour(game.trees[seat], "always-call")
        frequencies = tree.frequencies(behaviour, plan_from_behaviour(game.trees[seat], behaviour))
        boards = [6 if label.split("|")[0] else 1 for label in tree.labels]
        calls = [set(label.partition("|")[2]) <= {"c", "/"} for label in tree.labels]
        often = hands * np.array(calls) / boards
        counts.add_table(seat, frequencies * np.repeat(often, tree.arrays.num_actions), hands)
    return counts


@pytest.mark.parametrize("player", [0, 1])
@pytest.mark.parametrize("method", ["shift", "l2"])
def test_worth_is_what_mending_saves(solution, player, method):
    game = solution.game
    sigma = solution.behaviours[player]
    model = SeatDeviation(game, player, sigma, method=method).fit(calling_counts(game))
    worth = leak_worths(model)
    tree = game.trees[player]
    _, response = best_response(game.trees[1 - player], game.payoff.gradient(1 - player, model.plan()))

    def hero_wins(behaviour) -> float:
        return float(np.dot(response, game.payoff.gradient(1 - player, plan_from_behaviour(tree, behaviour))))

    whole = hero_wins(model.strategy())
    for n in range(model.public.num_histories):
        mended = model.strategy().copy()
        mended[model.public.sequences(n)] = sigma[model.public.sequences(n)]
        assert worth[n] == pytest.approx(whole - hero_wins(mended), abs=1e-12)


def test_leaks_of_a_caller(solution):
    game = solution.game
    model = SeatDeviation(game, 0, solution.behaviours[0]).fit(calling_counts(game))
    found = leaks(model)
    assert [leak.worth for leak in found] == sorted((leak.worth for leak in found), reverse=True)
    first = next(leak for leak in found if leak.history == "|")
    assert (first.player, first.count, first.opportunities, first.reach) == (0, 400, 400, 1)
    assert first.action == 1
    assert first.frequency == 1
    assert first.model == pytest.approx((5 * first.equilibrium + 400) / 405)
    assert first.deviation == pytest.approx(1 - first.equilibrium)
    assert first.certain
    n = model.public.index("|")
    assert first.worth == pytest.approx(500 * leak_worths(model)[n])  # a small bet is 2 chips
    board = next(leak for leak in found if leak.history == "Js|cc/")
    assert board.reach == pytest.approx(1 / 6)
    assert len(leaks(model, min_opportunities=100)) == 1


def test_no_leaks_in_an_equilibrium(solution):
    game = solution.game
    model = SeatDeviation(game, 1, solution.behaviours[1]).fit(PublicCounts(game))
    assert leaks(model) == []
    assert_allclose(leak_worths(model), 0)


def test_refusals(solution):
    game = solution.game
    model = SeatDeviation(game, 0, solution.behaviours[0])
    with pytest.raises(NotFitted):
        leaks(model)
    with pytest.raises(SoulreadError, match="min_opportunities=0; a leak must have been seen"):
        leaks(model.fit(PublicCounts(game)), min_opportunities=0)
    bonus = with_winner_bonus(game)
    with pytest.raises(SoulreadError, match="is not zero-sum; what the opponent loses"):
        leak_worths(SeatDeviation(bonus, 0, solution.behaviours[0]).fit(calling_counts(game)))


@given(st.integers(1, 500), st.data())
def test_wilson_interval(n, data):
    k = data.draw(st.integers(0, n))
    interval = binomtest(k, n).proportion_ci(method="wilson")
    assert_allclose(wilson_interval(k, n), (interval.low, interval.high), atol=1e-12)


def test_wilson_interval_of_nothing():
    assert wilson_interval(0, 0) == (0, 1)


def test_worth_in_single_precision():
    game, (equilibrium, _) = naive.played_limit()[1]
    counts = PublicCounts(game)
    rng = np.random.default_rng(2)
    counts.add_table(0, rng.poisson(1.0, counts.trees[0].num_cells).astype(np.float64), 50)
    model = SeatDeviation(game, 0, equilibrium).fit(counts)
    assert np.isfinite(leak_worths(model)).all()
    assert leaks(model)[0].worth > 0
