from dataclasses import replace

import naive_variants
import numpy as np
import pytest

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import move_behaviour, plan_from_behaviour, random_behaviour
from soulread.solvers.cfr.regret import CFR
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.exploitability import exploitability
from soulread.solvers.lp import solve_exactly
from soulread.solvers.variants import deviation_gains, solve_with_bonus, with_winner_bonus


def values(game, plans):
    return [float(plans[i] @ game.payoff.gradient(i, plans[1 - i])) for i in (0, 1)]


@pytest.mark.parametrize("game", [kuhn(), leduc(suit_isomorphic=True)], ids=lambda game: game.name)
@pytest.mark.parametrize("of", ["win", "pot"])
def test_bonus_is_what_a_walk_over_all_hands_pays(game, of):
    rng = np.random.default_rng(5)
    compiled = compile_factored(game)
    behaviours = [random_behaviour(tree, rng) for tree in compiled.trees]

    plans = [plan_from_behaviour(*pair) for pair in zip(compiled.trees, behaviours, strict=True)]
    expected = naive_variants.expected_payoffs(
        game.start(),
        naive_variants.looked_up(compiled, behaviours),
        lambda end: naive_variants.bonus_payoffs(end, 0.3, of),
    )
    assert values(with_winner_bonus(compiled, 0.3, of), plans) == pytest.approx(expected, abs=1e-12)


def test_sparse_and_factored_payoffs_agree():
    factored, sparse = compile_factored(leduc()), compile_game(leduc())
    rng = np.random.default_rng(1)
    behaviours = [random_behaviour(tree, rng) for tree in factored.trees]
    theirs = [
        plan_from_behaviour(to, move_behaviour(tree, to, behaviour))
        for tree, to, behaviour in zip(factored.trees, sparse.trees, behaviours, strict=True)
    ]
    ours = [plan_from_behaviour(*pair) for pair in zip(factored.trees, behaviours, strict=True)]
    assert values(with_winner_bonus(sparse, 0.07), theirs) == pytest.approx(
        values(with_winner_bonus(factored, 0.07), ours), abs=1e-12
    )
    assert with_winner_bonus(sparse, 0.0).payoff.checksum() == sparse.payoff.checksum()


def test_no_bonus_is_the_normal_game():
    game = compile_factored(kuhn())
    same = with_winner_bonus(game, 0.0)
    assert same.payoff.zero_sum
    assert same.payoff.checksum() == game.payoff.checksum()
    paid = with_winner_bonus(game, 0.07)
    assert not paid.payoff.zero_sum
    assert paid.checksum != game.checksum
    assert paid.name == "kuhn with 7% of the win to the winner"


def test_matrix_of_a_bonus_game_is_its_gradient():
    game = with_winner_bonus(compile_factored(kuhn()), 0.07, "pot")
    rng = np.random.default_rng(3)
    for player in (0, 1):
        plan = plan_from_behaviour(game.trees[1 - player], random_behaviour(game.trees[1 - player], rng))
        assert game.payoff.matrix(player) @ plan == pytest.approx(game.payoff.gradient(player, plan))


def test_deviation_gains_are_exploitability_in_a_zero_sum_game():
    game = compile_factored(leduc(suit_isomorphic=True))
    rng = np.random.default_rng(2)
    first, second = (plan_from_behaviour(tree, random_behaviour(tree, rng)) for tree in game.trees)
    assert sum(deviation_gains(game, (first, second))) / 2 == pytest.approx(
        exploitability(game, (first, second))
    )
    exact = solve_exactly(compile_game(kuhn()))
    assert deviation_gains(exact.game, exact.plans) == pytest.approx((0, 0), abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("of", ["win", "pot"])
def test_orange_is_an_equilibrium_of_its_own_game_and_not_of_the_normal_one(of):
    game = compile_factored(leduc(suit_isomorphic=True))
    told: list[Check] = []
    solution = solve_with_bonus(game, Stops(gap=2e-3), of=of, progress=told.append)
    assert sum(deviation_gains(with_winner_bonus(game, 0.07, of), solution.plans)) / 2 <= 2e-3
    assert solution.settings["variant_gap"] == told[-1].exploitability <= 2e-3
    assert solution.gap == pytest.approx(exploitability(game, solution.plans))
    assert solution.gap > 5 * solution.settings["variant_gap"]
    assert solution.game is game
    assert solution.settings["of"] == of
    assert len(solution.history) == len(told)


@pytest.mark.compiled
def test_orange_is_more_aggressive_than_an_equilibrium():
    rules = leduc(suit_isomorphic=True)
    game = compile_factored(rules)
    counts = []
    for bonus in (0.0, 0.3):
        solution = solve_with_bonus(game, Stops(gap=1e-3), bonus)
        counts.append(np.zeros((2, 2, 3)))
        naive_variants.action_frequencies(
            rules.start(), naive_variants.looked_up(game, solution.behaviours), counts[-1]
        )
    folds, _, raises = (counts[1] - counts[0]).sum(axis=(0, 1))
    assert folds < -0.02
    assert raises > 0.02


def test_stops():
    game = compile_factored(kuhn())
    assert solve_with_bonus(game, Stops(iterations=70), method=CFR()).iterations == 70
    assert solve_with_bonus(game, Stops(seconds=0.0)).iterations == 0
    with pytest.raises(SoulreadError, match="nothing says when to stop; give iterations, gap or seconds"):
        solve_with_bonus(game, Stops())


def test_refusals():
    game = compile_factored(kuhn())
    with pytest.raises(SoulreadError, match="a bonus of the 'stack'; expected one of the win or the pot"):
        with_winner_bonus(game, 0.07, "stack")
    with pytest.raises(SoulreadError, match=r"a bonus of -0\.1; it must not be negative"):
        with_winner_bonus(game, -0.1)
    with pytest.raises(SoulreadError, match="'kuhn with 7% of the win to the winner' is not zero-sum"):
        with_winner_bonus(with_winner_bonus(game))
    sparse = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="'kuhn' has sparse payoffs, which do not say how large a split"):
        with_winner_bonus(sparse, 0.07, "pot")
    with pytest.raises(SoulreadError, match="winners cannot be told from losers; compile it with"):
        with_winner_bonus(replace(sparse, histories=None))
