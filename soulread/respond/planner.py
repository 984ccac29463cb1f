"""Safe responses hand after hand: the program of `soulread.solvers.safe`, kept between two solves.

Between two hands of a match only the model's gradient and the allowed risk change. The program is therefore
built once per seat, and HiGHS starts from its last vertex. The plan it finds is then made safe whatever the
solver's tolerance:

* The risk of a plan is *measured*, by a best response to it, against an upper bound of the game's value. An
  account of risks therefore has the true ones. So far, measured risks were within 1e-11 chips of the allowed
  ones.
* If the risk is above that by more than `TOLERANCE`, the plan x is mixed with an equilibrium x*. The worst
  case is concave in the plan, so a share (risk of x - epsilon) / (risk of x - risk of x*) of x* is enough.

Of plans that win the same against the model, the one with less risk is better. The objective therefore
includes a millionth of the guarantee. That costs at most a millionth of epsilon.
"""

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    mix_plans,
    plan_from_behaviour,
    verify_plans,
)
from soulread.seqform.treeplex import Floats
from soulread.solvers.best_response import best_response
from soulread.solvers.lp import worst_case_program
from soulread.solvers.safe import SafeResponse

TOLERANCE = 1e-10
"""Chips per hand by which a plan's risk may exceed the allowed one: the smallest tolerance HiGHS accepts."""

_NOISE = 1e-11  # plan entries below this are rounding errors
_PRICE = 1e-6  # price of a chip of risk, in chips won from the model


class SafePlanner:
    """Finds the best plans of one seat at any risk. ``equilibrium`` is a pair of plans, one per seat.

    ``game_value`` is the most that this seat can win against the opponent's equilibrium plan. It is an upper
    bound of the game's value, so that no risk is measured too small. For games of up to some thousands of
    sequences.
    """

    def __init__(self, game: SequenceGame, player: int, equilibrium: Plans) -> None:
        verify_plans(game.trees, equilibrium)
        self.game = game
        self.player = player
        self.equilibrium = Plan(equilibrium[player].astype(np.float64))
        against = game.payoff.gradient(player, in_precision(equilibrium[1 - player], game.payoff.dtype))
        self.game_value, _ = best_response(game.trees[player], against)
        self.least_risk = self.game_value - self.worst_case(self.equilibrium)
        self._columns = np.arange(game.trees[player].num_sequences, dtype=np.int32)
        self._solvers: dict[bool, highspy.Highs] = {}  # with bounded risk and without: each keeps its vertex

    def reset(self) -> None:
        """Forget the solvers, so that the next plans are the same as those of a new planner.

        A solver that is cleared keeps more than its vertex: after some twenty matches its plans were others.
        """
        self._solvers.clear()

    def worst_case(self, plan: Plan) -> float:
        """Chips per hand that the plan wins against an opponent who plays a best response."""
        gradient = self.game.payoff.gradient(1 - self.player, in_precision(plan, self.game.payoff.dtype))
        return -best_response(self.game.trees[1 - self.player], gradient)[0]

    def respond(self, gradient: Floats, epsilon: float, price: float = 0.0) -> SafeResponse:
        """The best plan against the model's gradient that risks at most ``epsilon`` chips per hand.

        Infinity allows every plan. The risk of the plan returned is at most epsilon + `TOLERANCE`. ``price``
        is what a chip of risk counts, in chips won from the model.
        """
        if not epsilon >= 0:
            raise SoulreadError(f"epsilon={epsilon!r}; a risk is at least 0 chips per hand")
        self.game.trees[self.player].verify_shape(gradient, "the gradient")
        plan = self._solve(gradient, self.game_value - epsilon, max(price, _PRICE))
        risk = self.game_value - self.worst_case(plan)
        if risk > epsilon + TOLERANCE:
            share = min(1.0, (risk - epsilon) / (risk - self.least_risk))
            plan = mix_plans(share, self.equilibrium, plan)
        return self._response(plan, gradient, epsilon)

    def stay(self, gradient: Floats) -> SafeResponse:
        """The equilibrium plan itself, for any model: the only plan free of solver tolerance."""
        return self._response(self.equilibrium, gradient, 0.0)

    def _response(self, plan: Plan, gradient: Floats, epsilon: float) -> SafeResponse:
        return SafeResponse(
            player=self.player,
            plan=plan,
            epsilon=epsilon,
            value=float(np.dot(plan, gradient)),
            worst_case=self.worst_case(plan),
            game_value=self.game_value,
        )

    def _solve(self, gradient: Floats, floor: float, price: float) -> Plan:
        bounded = floor > -np.inf
        if bounded not in self._solvers:
            self._solvers[bounded] = self._build()
        solver = self._solvers[bounded]
        count = self._columns.size
        solver.changeColsCost(count, self._columns, np.ascontiguousarray(gradient, dtype=np.float64))
        solver.changeColBounds(count, floor, np.inf)
        solver.changeColCost(count, price)
        return optimal_plan(solver, self.game, self.player)

    def _build(self) -> highspy.Highs:
        program = worst_case_program(self.game, self.player)
        rows = sp.vstack([program.upper, program.equal], format="csc")
        free = program.upper.shape[0]
        lower = np.concatenate([np.full(free, -np.inf), program.target])
        upper = np.concatenate([np.zeros(free), program.target])
        solver = build_solver(rows, (program.bounds[:, 0], program.bounds[:, 1]), (lower, upper))
        solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
        solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
        return solver


Bounds = tuple[NDArray[np.float64], NDArray[np.float64]]  # lower and upper


def build_solver(rows: sp.csc_array, of_columns: Bounds, of_rows: Bounds) -> highspy.Highs:
    """A program that maximises, with costs 0 so far, under bounds of its variables and of ``rows``."""
    lp = highspy.HighsLp()
    lp.num_row_, lp.num_col_ = rows.shape
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = np.zeros(rows.shape[1])
    lp.col_lower_, lp.col_upper_ = of_columns
    lp.row_lower_, lp.row_upper_ = of_rows
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = rows.indptr
    lp.a_matrix_.index_ = rows.indices
    lp.a_matrix_.value_ = rows.data
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.passModel(lp)
    return solver


def optimal_plan(solver: highspy.Highs, game: SequenceGame, player: int) -> Plan:
    """Run a program whose first variables are the plan of ``player``, and return that plan.

    If the last basis leads nowhere, the program is solved once more from scratch. A program without a
    solution is a `SoulreadError`. Entries below the solver's noise count as zero.
    """
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        solver.clearSolver()
        solver.run()
    status = solver.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise SoulreadError(
            f"HiGHS found no plan for player {player} of {game.name!r}: {solver.modelStatusToString(status)}"
        )
    tree = game.trees[player]
    raw = np.array(solver.getSolution().col_value)[: tree.num_sequences]
    return plan_from_behaviour(tree, behaviour_from_plan(tree, Plan(np.where(raw > _NOISE, raw, 0.0))))
