"""Exact equilibria and safe responses by linear programming."""

import known_values as known
import naive_seqform as naive
import numpy as np
import pytest
from hypothesis import given, settings

from soulread.errors import SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.respond.planner import SafePlanner
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.seqform.payoff import SparsePayoff
from soulread.seqform.strategy import (
    mix_plans,
    plan_from_behaviour,
    prefer_actions,
    random_behaviour,
    uniform_plan,
    verify_plan,
)
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.run import solve
from soulread.solvers.lp import maximise, solve_exactly, worst_case_program


@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
@pytest.mark.parametrize(
    ("game", "value"),
    [
        (kuhn(), known.KUHN_VALUE),
        (leduc(suit_isomorphic=True), known.LEDUC_VALUE),
        (leduc(), known.LEDUC_VALUE),
    ],
    ids=lambda item: getattr(item, "name", ""),
)
def test_known_values(compiler, game, value):
    solution = solve_exactly(compiler(game))
    assert solution.value == pytest.approx(value, abs=1e-9)
    assert abs(solution.gap) < 1e-9
    assert solution.method == "lp"
    for tree, plan in zip(solution.game.trees, solution.plans, strict=True):
        verify_plan(tree, plan)


@given(naive.random_games())
@settings(max_examples=25)
def test_random_games(game):
    compiled = compile_game(game)
    solution = solve_exactly(compiled)
    assert abs(solution.gap) < 1e-9
    iterated = solve(compiled, iterations=60)
    assert iterated.value == pytest.approx(solution.value, abs=2 * iterated.gap + 1e-9)


def test_safe_responses_between_equilibrium_and_best_response():
    game = compile_game(leduc(suit_isomorphic=True))
    equilibrium = solve_exactly(game).plans
    for player in (0, 1):
        opponent = game.trees[1 - player]
        planner = SafePlanner(game, player, equilibrium)
        for model in (
            uniform_plan(opponent),
            plan_from_behaviour(opponent, prefer_actions(opponent, (1,))),
            plan_from_behaviour(opponent, random_behaviour(opponent, np.random.default_rng(7))),
        ):
            gradient = game.payoff.gradient(player, model)
            best, _ = best_response(game.trees[player], gradient)
            before = -np.inf
            for epsilon in (0, 0.02, 0.1, 0.5, 2, 20):
                response = planner.respond(gradient, epsilon)
                verify_plan(game.trees[player], response.plan)
                assert response.game_value == pytest.approx(known.LEDUC_VALUE * (1 - 2 * player), abs=1e-9)
                assert response.risk <= epsilon + 1e-9
                assert response.value >= before - 1e-9
                assert response.value >= response.game_value - epsilon - 1e-9
                before = response.value
            assert response.value == pytest.approx(best, abs=1e-8)


def test_no_safe_plan_beats_it():
    game = compile_game(kuhn())
    rng = np.random.default_rng(3)
    tree, opponent = game.trees
    model = plan_from_behaviour(opponent, random_behaviour(opponent, rng))
    gradient = game.payoff.gradient(0, model)
    plans = solve_exactly(game).plans
    response = SafePlanner(game, 0, plans).respond(gradient, 0.05)
    for _ in range(300):
        share = rng.random()
        plan = mix_plans(share, plans[0], plan_from_behaviour(tree, random_behaviour(tree, rng)))
        worst = -best_response(opponent, game.payoff.gradient(1, plan))[0]
        if worst >= known.KUHN_VALUE - 0.05:
            assert plan @ gradient <= response.value + 1e-9


def test_messages():
    game = compile_game(kuhn())
    with pytest.raises(SoulreadError, match="epsilon=-1; a risk is at least 0"):
        SafePlanner(game, 0, solve_exactly(game).plans).respond(np.zeros(game.trees[0].num_sequences), -1)
    program = worst_case_program(game, 0)
    with pytest.raises(SoulreadError, match="HiGHS found no plan for player 0 of 'kuhn'"):
        maximise(game, 0, program, np.zeros(program.upper.shape[1]), 1.0)
    assert isinstance(game.payoff, SparsePayoff)
    odd = SequenceGame("odd", game.trees, SparsePayoff((game.payoff.rows[0], game.payoff.rows[0])))
    with pytest.raises(SoulreadError, match="'odd' is not zero-sum; its equilibria are not a linear program"):
        solve_exactly(odd)
