"""epsilon-safe best response (McCracken and Bowling, AAAI Fall Symposium 2004), by linear programming.

Among all plans that lose at most epsilon more than an equilibrium against *any* opponent, this finds the one
that wins most against the model:

    maximise  x . g(model)   subject to   worst case of x  >=  value of the game - epsilon

With epsilon = 0 that is an equilibrium, the best one against the model. With a large epsilon it is the plain
best response.
"""

from dataclasses import dataclass

import numpy as np

from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Plan, in_precision, verify_plan
from soulread.solvers.best_response import best_response
from soulread.solvers.lp import maximise, worst_case_program

_SLACK = 1e-10  # as small as the solver's precision; without it epsilon = 0 might have no solution


@dataclass(frozen=True, eq=False)
class SafeResponse:
    """A plan, what it wins against the model and what it may lose; chips per hand."""

    player: int
    plan: Plan  # [num_sequences]
    epsilon: float  # the risk allowed
    value: float  # against the model
    worst_case: float  # against an opponent who plays a best response
    game_value: float  # what an equilibrium wins in this player's seat

    @property
    def risk(self) -> float:
        """How much less than the game's value the plan wins in the worst case."""
        return self.game_value - self.worst_case


def safe_best_response(
    game: SequenceGame,
    player: int,
    model: Plan,
    epsilon: float,
    game_value: float | None = None,
) -> SafeResponse:
    """The best plan against the opponent's plan ``model`` that risks at most ``epsilon`` chips per hand.

    ``game_value`` is the player's equilibrium value. If it is not given, another program computes it. For
    games of up to some thousands of sequences.
    """
    if not epsilon >= 0:
        raise SoulreadError(f"epsilon={epsilon!r}; a risk is at least 0 chips per hand")
    verify_plan(game.trees[1 - player], model, "the model")
    program = worst_case_program(game, player)
    objective = np.zeros(program.upper.shape[1])
    if game_value is None:
        objective[program.num_plan] = 1
        equilibrium, _, _ = maximise(game, player, program, objective, -np.inf)
        game_value = _worst_case(game, player, equilibrium)
        objective[program.num_plan] = 0
    gradient = game.payoff.gradient(player, in_precision(model, game.payoff.dtype))
    objective[: program.num_plan] = gradient
    plan, _, _ = maximise(game, player, program, objective, game_value - epsilon - _SLACK)
    return SafeResponse(
        player=player,
        plan=plan,
        epsilon=epsilon,
        value=float(np.dot(plan, gradient)),
        worst_case=_worst_case(game, player, plan),
        game_value=game_value,
    )


def _worst_case(game: SequenceGame, player: int, plan: Plan) -> float:
    gradient = game.payoff.gradient(1 - player, in_precision(plan, game.payoff.dtype))
    return -best_response(game.trees[1 - player], gradient)[0]
