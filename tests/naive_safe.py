"""A safe best response by one linear program from scratch, beside the planner that keeps its programs."""

import numpy as np

from soulread.seqform.strategy import in_precision
from soulread.solvers.lp import maximise, worst_case_program


def safe_value(game, player, model, epsilon, game_value):
    """The most chips per hand that a plan wins from ``model`` if it risks at most ``epsilon``."""
    program = worst_case_program(game, player)
    gradient = game.payoff.gradient(player, in_precision(model, game.payoff.dtype))
    objective = np.zeros(program.upper.shape[1])
    objective[: program.num_plan] = gradient
    plan, _, _ = maximise(game, player, program, objective, game_value - epsilon - 1e-10)
    return float(plan @ gradient)
