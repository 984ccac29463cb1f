"""Leaks: their worth by playing them out, their intervals and tests by SciPy, their false alarms by play."""

from dataclasses import replace
from itertools import product
from typing import Literal

import naive_deviation as naive
import naive_leaks
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest, false_discovery_control

from soulread.cards.deck import parse_cards
from soulread.errors import NotFitted, SoulreadError
from soulread.estimate import benjamini_hochberg, exact_interval, wilson_interval
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.limit_holdem import limit_holdem
from soulread.games.poker import PokerGame, Rules
from soulread.games.suits import same_board, suit_renamings
from soulread.model.deviation.leak_tests import (
    LEVEL,
    alike_histories,
    all_leaks,
    binomial_p_value,
    leak_worths,
)
from soulread.model.deviation.model import SeatDeviation
from soulread.observe.counts import PublicCounts
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import mix_behaviours, plan_from_behaviour, uniform_behaviour
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.run import solve
from soulread.solvers.lp import solve_exactly
from soulread.solvers.skews import baseline_behaviour
from soulread.solvers.variants import with_winner_bonus


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
    model = SeatDeviation(game, 0, solution.behaviours[0], other=solution.behaviours[1])
    model.fit(calling_counts(game))
    found = all_leaks([model])
    order = [(leak.sure_worth, leak.worth) for leak in found]
    assert order == sorted(order, reverse=True)
    assert all(leak.sure_worth == 0 for leak in found if not leak.certain)
    assert all(abs(leak.sure_worth) <= abs(leak.worth) for leak in found)
    first = next(leak for leak in found if leak.history == "|")
    assert (first.player, first.count, first.opportunities, first.reach) == (0, 400, 400, 1)
    assert first.action == 1
    assert first.frequency == 1
    assert first.model == pytest.approx((5 * first.equilibrium + 400) / 405)
    assert first.deviation == pytest.approx(1 - first.equilibrium)
    assert first.certain
    n = model.public.index("|")
    assert first.worth == pytest.approx(500 * leak_worths(model)[n])  # a small bet is 2 chips
    board = next(leak for leak in found if leak.history == "J|cc/")
    assert set(board.histories) == {"Jh|cc/", "Js|cc/"}
    assert board.reach == pytest.approx(1 / 3)
    assert board.opportunities == pytest.approx(400 / 3)
    members = [model.public.index(label) for label in board.histories]
    assert board.worth == pytest.approx(500 * leak_worths(model)[members].sum())
    assert len(all_leaks([model], min_opportunities=300)) == 1
    whole = SeatDeviation(game, 1, solution.behaviours[1], other=solution.behaviours[0])
    both = all_leaks((model, whole.fit(calling_counts(game))))
    assert {leak.player for leak in both} == {0, 1}
    assert [leak.sure_worth for leak in both] == sorted((leak.sure_worth for leak in both), reverse=True)


def test_no_leaks_in_an_equilibrium(solution):
    game = solution.game
    model = SeatDeviation(game, 1, solution.behaviours[1], other=solution.behaviours[0])
    model.fit(PublicCounts(game))
    assert all_leaks([model]) == []
    assert_allclose(leak_worths(model), 0)


def test_refusals(solution):
    game = solution.game
    with pytest.raises(SoulreadError, match="would accuse an equilibrium; leaks need"):
        all_leaks([SeatDeviation(game, 0, solution.behaviours[0]).fit(PublicCounts(game))])
    model = SeatDeviation(game, 0, solution.behaviours[0], other=solution.behaviours[1])
    with pytest.raises(NotFitted):
        all_leaks([model])
    with pytest.raises(SoulreadError, match="min_opportunities=0; a leak must have been seen"):
        all_leaks([model.fit(PublicCounts(game))], min_opportunities=0)
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
    game, (equilibrium, other) = naive.played_limit()[1]
    counts = PublicCounts(game)
    rng = np.random.default_rng(2)
    counts.add_table(0, rng.poisson(1.0, counts.trees[0].num_cells).astype(np.float64), 50)
    model = SeatDeviation(game, 0, equilibrium, other=other).fit(counts)
    assert np.isfinite(leak_worths(model)).all()
    assert max(leak.worth for leak in all_leaks([model])) > 0


def test_suits_are_pooled():
    """Boards that differ in suits only are one row; where a suit decides showdowns they are not."""
    for rules, labels in ((leduc(), {"J|cc/", "Q|cc/", "K|cc/"}), (leduc(True), {"J|cc/", "Q|cc/", "K|cc/"})):
        game = compile_factored(rules)
        found = alike_histories(naive_model(game))
        assert {label for label in found if label.endswith("|cc/")} == labels
        assert sorted(n for group in found.values() for n in group) == list(
            range(naive_model(game).public.num_histories)
        )
    spades = PokerGame(replace(leduc().rules, name="spades", showdown=spades_first))
    found = alike_histories(naive_model(compile_factored(spades)))
    assert {label for label in found if label.endswith("|cc/")} == {
        f"{rank}{suit}|cc/" for rank, suit in product("JQK", "hs")
    }
    assert all(len(group) == 1 for group in found.values())


def naive_model(game) -> SeatDeviation:
    return SeatDeviation(game, 0, uniform_behaviour(game.trees[0]))


def spades_first(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    return hole[0] + 100 * (hole[0] % 4 == 3)


def test_renamings_of_suits():
    assert len(suit_renamings(kuhn())) == 1
    assert len(suit_renamings(leduc())) == 2
    assert suit_renamings(leduc())[0] == {card: card for card in leduc().rules.deck}
    assert len(suit_renamings(limit_holdem())) == 1  # too many showdowns to look at
    flush = Rules(
        name="flush",
        deck=parse_cards("Jh Js Jd Qh Qs Qd"),
        num_players=2,
        hole_cards=1,
        board_cards=(0, 1, 1),
        first=(0, 0, 0),
        blinds=(0, 0),
        ante=1,
        raise_sizes=(2, 2, 2),
        max_raises=(1, 1, 1),
        stacks=None,
        small_bet=2,
        big_blind=1,
        showdown=lambda hole, board: len({card & 3 for card in hole + board}),
    )
    assert len(suit_renamings(PokerGame(flush))) == 6
    assert same_board(PokerGame(flush), parse_cards("Jh Js")) == same_board(
        PokerGame(flush), parse_cards("Jd Jh")
    )
    assert same_board(PokerGame(flush), parse_cards("Jh Qh")) != same_board(
        PokerGame(flush), parse_cards("Jh Qs")
    )


@given(st.integers(1, 60), st.data())
def test_the_test_bounds_draws_of_any_probabilities(n, data):
    """Draws with different probabilities are never called less likely than they are; equal ones are exact."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    a, b = data.draw(st.sampled_from([(1.0, 1.0), (0.2, 0.2), (0.3, 3.0)]))
    shares = rng.beta(float(a), float(b), size=n)
    chance = np.ones(1)
    for share in shares:
        chance = np.convolve(chance, [1 - share, share])
    for count in range(n + 1):
        tail = min(chance[: count + 1].sum(), chance[count:].sum())
        assert binomial_p_value(count, n, shares.mean(), shares.mean()) >= min(1, 2 * tail) - 1e-9
    mean = float(shares.mean())
    for count in range(n + 1):
        if abs(count - n * mean) >= 1:
            above, below = (binomtest(count, n, mean, side).pvalue for side in SIDES)
            exact = min(1.0, 2 * min(above, below))
            assert binomial_p_value(count, n, mean, mean) == pytest.approx(exact, abs=1e-12)
            assert binomial_p_value(count, n, mean / 2, (1 + mean) / 2) >= exact - 1e-12


def test_the_test_at_the_ends():
    assert binomial_p_value(0, 10, 0, 0) == 1
    assert binomial_p_value(1, 10, 0, 0) == 0
    assert binomial_p_value(10, 10, 1 + 1e-12, 1 + 1e-12) == 1
    assert binomial_p_value(0, 10, -1e-12, 0) == 1
    assert binomial_p_value(5, 10, 0, 1) == 1


@given(st.lists(st.sampled_from([0.0, 1e-6, 0.001, 0.01, 0.02, 0.04, 0.05, 0.2, 0.7, 1.0]), max_size=12))
def test_benjamini_hochberg(p_values):
    found = benjamini_hochberg(np.array(p_values), LEVEL)
    assert found.shape == (len(p_values),)
    if p_values:
        assert_array_equal(found, false_discovery_control(p_values) <= LEVEL * (1 + 1e-12))


@given(st.integers(1, 300), st.floats(1e-6, 0.5), st.data())
def test_exact_interval(n, level, data):
    k = data.draw(st.integers(0, n))
    interval = binomtest(k, n).proportion_ci(1 - level, method="exact")
    assert_allclose(exact_interval(k, n, level), (interval.low, interval.high), atol=1e-9)


HANDS, LISTS = 50_000, 40
SIDES: tuple[Literal["greater", "less"], ...] = "greater", "less"


@pytest.mark.parametrize(
    ("rules", "opponent", "known"),
    [
        *product([kuhn()], ["equilibrium", "uniform", "always-raise"], [True, False]),
        *product([leduc()], ["equilibrium", "uniform"], [True]),
        (leduc(), "always-raise", False),
    ],
)
def test_an_equilibrium_is_not_accused(rules, opponent, known):
    """At most 5% of the rows are called certain, whatever the other player does and whether it is known.

    Over 40 lists, more than 5 with a false alarm have a chance of 1 in 70 if 5% are false.
    """
    game = compile_factored(rules)
    equilibrium = solve_exactly(game).behaviours
    both = []
    for seat in (0, 1):
        played = list(equilibrium)
        if opponent == "uniform":
            played[1 - seat] = uniform_behaviour(game.trees[1 - seat])
        elif opponent != "equilibrium":
            played[1 - seat] = baseline_behaviour(game.trees[1 - seat], opponent)
        both.append(naive_leaks.endings(game, equilibrium, (played[0], played[1]), seat, known))
    rng = np.random.default_rng(5)
    accused = rows = alarms = 0
    for _ in range(LISTS):
        found = all_leaks(naive_leaks.draw_models(game, equilibrium, both, HANDS, rng), 10)
        certain = [leak for leak in found if leak.certain]
        accused, rows, alarms = accused + len(certain), rows + len(found), alarms + bool(certain)
        assert all(leak.least - 1e-9 <= leak.equilibrium <= leak.greatest + 1e-9 for leak in found)
        if known:
            assert all(leak.greatest - leak.least < 1e-9 for leak in found)
    assert rows > LISTS
    assert accused <= 0.05 * rows
    assert alarms <= 5


@pytest.mark.parametrize("known", [True, False])
def test_real_leaks_are_found(known):
    """One who calls a tenth more than the equilibrium wherever a bet may be called."""
    game = compile_factored(leduc())
    equilibrium = solve_exactly(game).behaviours
    bent = []
    for tree, behaviour in zip(game.trees, equilibrium, strict=True):
        caller = baseline_behaviour(tree, "always-call")
        bent.append(mix_behaviours(tree, 0.3, caller, behaviour))
    both = []
    for seat in (0, 1):
        played = (bent[0], equilibrium[1]) if seat == 0 else (equilibrium[0], bent[1])
        both.append(naive_leaks.endings(game, equilibrium, played, seat, known))
    found = all_leaks(naive_leaks.draw_models(game, equilibrium, both, HANDS, np.random.default_rng(6)), 10)
    certain = [leak for leak in found if leak.certain]
    assert len(certain) > (15 if known else 5)
    assert certain[0] is found[0]
    assert 0 < certain[0].sure_worth < certain[0].worth
    wrong = [leak for leak in certain if leak.greatest >= leak.frequency >= leak.least]
    assert not wrong
