"""Best responses and exploitability, in full and kept up to date."""

import known_values as known
import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from pairs import pair

from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.payoff import SparsePayoff
from soulread.seqform.strategy import (
    Plan,
    behaviour_from_plan,
    plan_from_behaviour,
    prefer_actions,
    random_behaviour,
    uniform_plan,
    verify_plan,
)
from soulread.solvers.best_response import best_response, best_value, response_behaviour
from soulread.solvers.exploitability import best_response_values, exploitability, nash_conv, value

SEEDS = st.integers(0, 2**32)


def plans_of(game, order):
    return pair(plan_from_behaviour(tree, prefer_actions(tree, order)) for tree in game.trees)


@given(naive.random_games(), SEEDS)
@settings(max_examples=60)
def test_best_response_equals_the_recursion(game, seed):
    compiled = compile_game(game)
    rng = np.random.default_rng(seed)
    behaviours = [naive.sparse_behaviour(tree, rng) for tree in compiled.trees]
    plans = pair(plan_from_behaviour(tree, b) for tree, b in zip(compiled.trees, behaviours, strict=True))
    both = best_response_values(compiled, plans)
    for player in (0, 1):
        tree, other = compiled.trees[player], compiled.trees[1 - player]
        gradient = compiled.payoff.gradient(player, plans[1 - player])
        best, plan = best_response(tree, gradient)
        slow = naive.best_response_value(game.start(), player, naive.as_labels(other, behaviours[1 - player]))
        assert best == pytest.approx(slow, abs=1e-12)
        assert both[player] == pytest.approx(slow, abs=1e-12)
        assert best_value(tree, gradient) == best
        assert plan @ gradient == pytest.approx(best, abs=1e-12)  # the plan earns what was promised
        assert set(np.unique(plan)) <= {0.0, 1.0}
        verify_plan(tree, plan)
    assert nash_conv(compiled, plans) == pytest.approx(sum(both))


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_kuhn(compiler):
    game = compiler(kuhn())
    plans = pair(map(uniform_plan, game.trees))
    assert nash_conv(game, plans) == pytest.approx(known.KUHN_UNIFORM_NASH_CONV, abs=1e-12)
    assert best_response_values(game, plans) == pytest.approx(known.KUHN_UNIFORM_BEST_RESPONSES)
    assert value(game, *plans) == pytest.approx(known.KUHN_UNIFORM_SELF_PLAY)
    assert nash_conv(game, plans_of(game, (RAISE, CALL))) == pytest.approx(known.KUHN_ALWAYS_BET_NASH_CONV)
    assert nash_conv(game, plans_of(game, (FOLD, CALL))) == pytest.approx(known.KUHN_ALWAYS_PASS_NASH_CONV)


@pytest.mark.parametrize("isomorphic", [False, True])
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_leduc(compiler, isomorphic):
    game = compiler(leduc(suit_isomorphic=isomorphic))
    plans = pair(map(uniform_plan, game.trees))
    assert nash_conv(game, plans) == pytest.approx(known.LEDUC_UNIFORM_NASH_CONV, abs=1e-10)
    assert exploitability(game, plans) == pytest.approx(known.LEDUC_UNIFORM_NASH_CONV / 2, abs=1e-10)
    assert best_response_values(game, plans) == pytest.approx(known.LEDUC_UNIFORM_BEST_RESPONSES)
    assert value(game, *plans) == pytest.approx(known.LEDUC_UNIFORM_SELF_PLAY)
    for order, expected in (
        ((CALL,), known.LEDUC_ALWAYS_CALL_NASH_CONV),
        ((RAISE, CALL), known.LEDUC_ALWAYS_RAISE_NASH_CONV),
        ((FOLD, CALL), known.LEDUC_FOLD_TO_ANY_BET_NASH_CONV),
    ):
        assert nash_conv(game, plans_of(game, order)) == pytest.approx(expected, abs=1e-10)


def test_ties_go_to_the_lowest_action():
    tree = compile_game(kuhn()).trees[0]
    best, plan = best_response(tree, np.zeros(tree.num_sequences))
    assert best == 0
    assert_array_equal(plan, plan_from_behaviour(tree, prefer_actions(tree, (FOLD, CALL))))


def test_where_the_opponent_never_lets_it_go():
    game = compile_game(leduc(suit_isomorphic=True))
    tree = game.trees[0]
    gradient = game.payoff.gradient(0, plans_of(game, (CALL,))[1])  # who never raises
    best, plan = best_response(tree, gradient)
    default = prefer_actions(tree, (CALL,))
    again, careful = best_response(tree, gradient, default)
    assert again == best
    assert careful @ gradient == pytest.approx(best)
    verify_plan(tree, careful)
    lowest, called = behaviour_from_plan(tree, plan), behaviour_from_plan(tree, careful)
    asked = [0, 0]
    for j in range(tree.num_sets):
        if tree.public_history(j).endswith("cr"):  # a raise that never comes
            rows = tree.sequences(j)
            legal = tree.legal_actions(j)
            assert legal[:2] == (FOLD, CALL)
            if plan[tree.parent_sequence[j]] > 0:
                asked[0] += 1
                assert_array_equal(lowest[rows], np.arange(len(legal)) == 0)
            if careful[tree.parent_sequence[j]] > 0:
                asked[1] += 1
                assert_array_equal(called[rows], np.arange(len(legal)) == 1)
    assert min(asked) > 0


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_the_default_is_played_where_every_action_is_worth_zero(compiler):
    """Small whole numbers, so that values are often exactly zero; set by set against a plain recursion."""
    tree = compiler(leduc(suit_isomorphic=True)).trees[1]
    rng = np.random.default_rng(4)
    default = random_behaviour(tree, rng)
    children: list[list[int]] = [[] for _ in range(tree.num_sequences)]
    for j in range(tree.num_sets):
        children[tree.parent_sequence[j]].append(j)
    some = {"idle": 0, "one action worth zero": 0}
    for _ in range(5):
        gradient = rng.integers(-1, 2, tree.num_sequences) * rng.integers(0, 2, tree.num_sequences) * 1.0

        def worth(sequence: int, gradient=gradient) -> float:
            return float(gradient[sequence]) + sum(
                max(worth(c) for c in range(tree.num_sequences)[tree.sequences(j)])
                for j in children[sequence]
            )

        found = response_behaviour(tree, gradient, default)
        for j in range(tree.num_sets):
            rows = tree.sequences(j)
            values = [worth(c) for c in range(tree.num_sequences)[rows]]
            idle = not any(values)
            best = np.arange(len(values)) == int(np.argmax(values))
            assert_array_equal(found[rows], default[rows] if idle else best)
            some["idle"] += idle
            some["one action worth zero"] += not idle and values[-1] == 0
    assert min(some.values()) > 5


def test_messages():
    game = compile_game(kuhn())
    with pytest.raises(
        ShapeError, match=r"the gradient has shape \(4,\), but the treeplex of player 1 has 13"
    ):
        best_response(game.trees[1], np.zeros(4))
    with pytest.raises(ShapeError, match=r"the plan of player 1 has shape \(2,\)"):
        exploitability(game, (uniform_plan(game.trees[0]), Plan(np.ones(2))))
    assert isinstance(game.payoff, SparsePayoff)
    rows = game.payoff.rows
    odd = SequenceGame("odd", game.trees, SparsePayoff((rows[0], rows[0])))
    with pytest.raises(SoulreadError, match="'odd' is not zero-sum"):
        nash_conv(odd, pair(map(uniform_plan, game.trees)))
