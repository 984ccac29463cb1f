"""Answers that may lose to an equilibrium only as much as the evidence against it allows.

A best response to a model attacks what the model happens to say, and an opponent who plays some equilibrium
may punish that. `BoundedLearner` therefore keeps an account with each of many equilibria y. Before every hand
it asks how much better its model has predicted the opponent than y would have:

    ratio[y] = product over hands of  (what the model gave to what was seen) / (what y gave to it)

where the model speaks before it learns from the hand. Its next plan x may lose to y at most

    value of the game - value of x against y  <=  risk (1 - share) + risk share ratio[y]

and wins as much as it can from the model under these bounds: a linear program with one row per equilibrium.
If the opponent does play y, the ratio is on average at most 1, at any time, whatever the model: each hand
multiplies it by a number whose mean is at most 1. So the mean loss to y is at most ``risk`` chips per hand at
any time, over many matches. If the opponent plays something else, the ratios grow without end and the bounds
no longer bind: the answer is then the best response to the model. Before the first hand every ratio is 1.

The promise is for the equilibria that are given. Others are mixtures of like ones, or close to some; how much
is lost to those is measured (`soulread reproduce leduc-bases`).
"""

from collections.abc import Sequence

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.model.beliefs import BeliefModel
from soulread.model.evidence import likelihood, likelihoods
from soulread.respond.learning import Responder, Seen
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    behaviour_from_plan,
    in_precision,
    plan_from_behaviour,
)
from soulread.seqform.treeplex import Floats
from soulread.solve.lp import plan_rows

TOLERANCE = 1e-9
"""Chips per hand by which a loss may exceed its bound."""

_NOISE = 1e-11  # plan entries below this are rounding errors
_MOST = 1e6  # chips per hand: more than any plan can lose
_SMALLEST = 1e-300


class BoundedPlanner:
    """The best plans of one seat whose values against some plans of the other seat have lower bounds.

    ``against`` is ``[plans, num_sequences]`` of the other seat. The program is built once, and HiGHS starts
    from its last vertex.
    """

    def __init__(self, game: SequenceGame, player: int, against: NDArray[np.float64]) -> None:
        self.game = game
        self.player = player
        dtype = game.payoff.dtype
        self.gradients = np.array(
            [game.payoff.gradient(player, in_precision(Plan(plan), dtype)) for plan in against], dtype=float
        )
        self._columns = np.arange(game.trees[player].num_sequences, dtype=np.int32)
        self._solver: highspy.Highs | None = None

    def reset(self) -> None:
        """Forget the last vertex, so that the next plans are those of a new planner."""
        if self._solver is not None:
            self._solver.clearSolver()

    def values(self, plan: Plan) -> NDArray[np.float64]:
        """``[plans]``: chips per hand that ``plan`` wins against each of them."""
        result: NDArray[np.float64] = self.gradients @ plan
        return result

    def respond(self, gradient: Floats, least: NDArray[np.float64]) -> Plan:
        """The plan that wins most against the model's gradient and at least ``least`` against each plan."""
        if least.shape != (len(self.gradients),):
            raise SoulreadError(f"{least.shape} bounds for {len(self.gradients)} plans; expected one each")
        if self._solver is None:
            self._solver = self._build()
        solver, count = self._solver, self._columns.size
        solver.changeColsCost(count, self._columns, np.ascontiguousarray(gradient, dtype=np.float64))
        for row, bound in enumerate(np.maximum(least, -_MOST).tolist()):
            solver.changeRowBounds(self._first_bound + row, bound, np.inf)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            solver.clearSolver()
            solver.run()
        status = solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise SoulreadError(
                f"HiGHS found no plan for player {self.player} of {self.game.name!r} within these bounds: "
                f"{solver.modelStatusToString(status)}"
            )
        raw = np.array(solver.getSolution().col_value)[:count]
        tree = self.game.trees[self.player]
        return plan_from_behaviour(tree, behaviour_from_plan(tree, Plan(np.where(raw > _NOISE, raw, 0.0))))

    def _build(self) -> highspy.Highs:
        constraints = plan_rows(self.game.trees[self.player])
        self._first_bound = constraints.shape[0]
        rows = sp.vstack([constraints, sp.csr_array(self.gradients)], format="csc")
        target = np.zeros(rows.shape[0])
        target[0] = 1
        lp = highspy.HighsLp()
        lp.num_row_, lp.num_col_ = rows.shape
        lp.sense_ = highspy.ObjSense.kMaximize
        lp.col_cost_ = np.zeros(rows.shape[1])
        lp.col_lower_ = np.zeros(rows.shape[1])
        lp.col_upper_ = np.ones(rows.shape[1])
        lp.row_lower_ = target
        lp.row_upper_ = np.where(np.arange(rows.shape[0]) < self._first_bound, target, np.inf)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = rows.indptr
        lp.a_matrix_.index_ = rows.indices
        lp.a_matrix_.value_ = rows.data
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("primal_feasibility_tolerance", TOLERANCE)
        solver.setOptionValue("dual_feasibility_tolerance", TOLERANCE)
        solver.passModel(lp)
        return solver


class BoundedLearner:
    """Answers the model's mean plan, within bounds on what it may lose to each of ``equilibria``.

    ``value`` is what seat 0 wins between equilibria. ``risk`` is in chips per hand. A ``share`` of it grows
    and shrinks with the evidence, and the rest is always allowed.
    """

    def __init__(
        self,
        model: BeliefModel,
        responder: Responder,
        equilibria: Sequence[Behaviours],
        value: float,
        risk: float = 0.01,
        share: float = 0.5,
    ) -> None:
        if not 0 <= risk < np.inf:
            raise SoulreadError(f"risk={risk!r}; expected at least 0 chips per hand")
        if not 0 <= share <= 1:
            raise SoulreadError(f"share={share!r}; expected a number from 0 to 1")
        if not equilibria:
            raise SoulreadError("there is no equilibrium to bound losses to")
        self.model = model
        self.responder = responder
        self.game = model.game
        self.risk = risk
        self.share = share
        self.values = value, -value
        self.plans = tuple(
            np.array([plan_from_behaviour(tree, in_precision(pair[seat], float)) for pair in equilibria])
            for seat, tree in enumerate(self.game.trees)
        )
        self.planners = tuple(BoundedPlanner(self.game, seat, self.plans[1 - seat]) for seat in (0, 1))
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.reset()
        for planner in self.planners:
            planner.reset()
        self.log_ratio = np.zeros(len(self.plans[0]))
        self._answers: dict[int, Behaviour] = {}  # by seat, to what is believed at present

    @property
    def allowed(self) -> NDArray[np.float64]:
        """``[equilibria]``: chips per hand that the next plan may lose to each of them."""
        ratio = np.exp(np.minimum(self.log_ratio, np.log(_MOST)))
        result: NDArray[np.float64] = self.risk * (1 - self.share + self.share * ratio)
        return result

    def learn(self, seen: Seen) -> None:
        """Judge the model and the equilibria by what was seen, then let the model learn."""
        evidence = seen.evidence
        predicted = max(likelihood(evidence, self.model.plan(evidence.player)), _SMALLEST)
        expected = likelihoods(evidence, self.plans[evidence.player])
        self.log_ratio += np.log(predicted) - np.log(np.maximum(expected, _SMALLEST))
        self.model.learn(evidence)
        self._answers.clear()

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """The best answer to the model within the bounds; takes nothing from ``rng``."""
        return self.answer_mean(seat)

    def answer_mean(self, seat: int) -> Behaviour:
        """The same, for who only wants to know."""
        if seat not in self._answers:
            self._answers[seat] = self._respond(seat)
        return self._answers[seat]

    def _respond(self, seat: int) -> Behaviour:
        believed, planner, tree = self.model.plan(1 - seat), self.planners[seat], self.game.trees[seat]
        best = self.responder.respond(seat, believed)
        least = self.values[seat] - self.allowed
        if np.all(planner.values(plan_from_behaviour(tree, best)) >= least - TOLERANCE):
            return best
        gradient = self.game.payoff.gradient(seat, in_precision(believed, self.game.payoff.dtype))
        return in_precision(behaviour_from_plan(tree, planner.respond(gradient, least)), np.float64)
