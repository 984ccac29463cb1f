"""Exact equilibrium of a zero-sum game by linear programming (Koller, Megiddo and von Stengel, 1996).

A plan x of a player wins at least u_0 against every opponent if there are numbers u, one per information set
of the opponent and one for the start, with

    u(set of d) - sum of u(k) over opponent sets k right after d  <=  own value of (x, d)

for every sequence d of the opponent. At each set, u is what an opponent who plays a best response leaves to
the player. The equilibrium plan maximises u_0. `worst_case_program` builds these rows;
`soulread.respond.planner` uses them too.
"""

import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import linprog

from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Plan, behaviour_from_plan, in_precision, plan_from_behaviour
from soulread.seqform.treeplex import Treeplex
from soulread.solvers.cfr.run import Solution
from soulread.solvers.exploitability import exploitability

_TOLERANCE = 1e-10  # the smallest tolerance that HiGHS accepts, for primal and dual feasibility
_SLACK = 1e-9  # chips that a drawn equilibrium may guarantee less; without it there might be no solution
_NOISE = 1e-11  # plan entries below this are rounding errors


@dataclass(frozen=True, eq=False)
class WorstCaseProgram:
    """Rows of a program over the variables ``[plan x, guarantees u]``; variable ``num_plan`` is u_0."""

    num_plan: int
    upper: sp.csr_array[np.float64]  # upper @ [x, u] <= 0, one row per opponent sequence
    equal: sp.csr_array[np.float64]  # equal @ [x, u] = target says that x is a plan
    target: NDArray[np.float64]
    bounds: NDArray[np.float64]  # [variables, 2]


def worst_case_program(game: SequenceGame, player: int) -> WorstCaseProgram:
    """The linear program of all plans of a player, and of what each plan guarantees against any opponent."""
    if not game.payoff.zero_sum:
        raise SoulreadError(f"{game.name!r} is not zero-sum; its equilibria are not a linear program")
    own, opponent = game.trees[player], game.trees[1 - player]
    constraints = plan_rows(own)
    upper = sp.hstack([game.payoff.matrix(1 - player), plan_rows(opponent).T], format="csr")
    equal = sp.hstack(
        [constraints, sp.csr_array((constraints.shape[0], opponent.num_sets + 1))], format="csr"
    )
    target = np.zeros(constraints.shape[0])
    target[0] = 1
    bounds = np.full((upper.shape[1], 2), np.inf)
    bounds[: own.num_sequences, 0] = 0
    bounds[own.num_sequences :, 0] = -np.inf
    return WorstCaseProgram(own.num_sequences, upper, equal, target, bounds)


def plan_rows(tree: Treeplex) -> sp.csr_array[np.float64]:
    """``[1 + num_sets, num_sequences]``: the first row times any plan is 1, every other row times it is 0."""
    sets = np.arange(tree.num_sets)
    sequences = np.arange(1, tree.num_sequences)
    row = np.concatenate([[0], 1 + sets, 1 + tree.sequence_set[1:]])
    column = np.concatenate([[0], tree.parent_sequence, sequences])
    sign = np.concatenate([[1.0], -np.ones(sets.size), np.ones(sequences.size)])
    return sp.coo_array((sign, (row, column)), shape=(tree.num_sets + 1, tree.num_sequences)).tocsr()


def maximise(
    game: SequenceGame, player: int, program: WorstCaseProgram, objective: NDArray[np.float64], floor: float
) -> tuple[Plan, float, int]:
    """The plan with the largest objective among the plans that guarantee at least ``floor``.

    Returns a plan that meets its constraints exactly, the guarantee u_0 and the solver's iterations.
    """
    bounds = program.bounds.copy()
    bounds[program.num_plan, 0] = floor
    result = linprog(  # type: ignore[call-overload]  # the stubs know no sparse matrices
        -objective,
        A_ub=program.upper,
        b_ub=np.zeros(program.upper.shape[0]),
        A_eq=program.equal,
        b_eq=program.target,
        bounds=bounds,
        method="highs",
        options={"primal_feasibility_tolerance": _TOLERANCE, "dual_feasibility_tolerance": _TOLERANCE},
    )
    if result.x is None:
        raise SoulreadError(f"HiGHS found no plan for player {player} of {game.name!r}: {result.message}")
    raw = result.x[: program.num_plan]
    tree = game.trees[player]
    plan = plan_from_behaviour(tree, behaviour_from_plan(tree, Plan(np.where(raw > _NOISE, raw, 0.0))))
    return in_precision(plan, np.float64), float(result.x[program.num_plan]), int(result.nit)


def solve_exactly(game: SequenceGame, rng: np.random.Generator | None = None) -> Solution:
    """An equilibrium by linear programming, one program per player, with HiGHS.

    For games of up to some thousands of sequences. The gap is rounding error only, about 1e-12. If a game has
    many equilibria, it is any of them. With ``rng`` it is the one furthest in a direction that is drawn. A
    second program then maximises a random sum of the plan's entries, among all plans that guarantee the
    game's value, less 1e-9.
    """
    started = time.perf_counter()
    plans = []
    iterations = 0
    for player in (0, 1):
        program = worst_case_program(game, player)
        objective = np.zeros(program.upper.shape[1])
        objective[program.num_plan] = 1
        plan, guaranteed, count = maximise(game, player, program, objective, -np.inf)
        if rng is not None:
            direction = np.zeros(program.upper.shape[1])
            direction[: program.num_plan] = rng.standard_normal(program.num_plan)
            plan, _, more = maximise(game, player, program, direction, guaranteed - _SLACK)
            count += more
        plans.append(plan)
        iterations += count
    pair = (plans[0], plans[1])
    first, second = (in_precision(plan, game.payoff.dtype) for plan in pair)
    return Solution(
        game=game,
        plans=pair,
        method="lp",
        settings={"solver": "HiGHS"},
        iterations=iterations,
        gap=exploitability(game, (first, second)),
        seconds=time.perf_counter() - started,
    )
