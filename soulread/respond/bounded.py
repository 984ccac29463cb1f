"""Answers that lose little to equilibria, as long as the opponent may be playing one.

A best response to a model attacks every fault that the model believes in. A game has many equilibria, and an
opponent who plays another equilibrium than the model expects may punish that. `BoundedLearner` answers its
model with the plan x that wins most under a bound on what x loses, below the value of the game, to equilibria
y:

    value of the game - value of x against y  <=  allowed

How much is allowed follows from the evidence that the opponent plays no equilibrium at all. Let M be what the
model gave to all hands, each before it learnt from it, and L what equilibria gave to them. Then

    allowed  =  risk (1 - share)  +  risk share M / L

If the opponent does play an equilibrium, and L is its likelihood, then M / L is 1 on average, at any time and
for any model: each hand multiplies it by a number whose mean is at most 1. The mean loss is then at most
``risk`` chips per hand after any number of hands, over many matches. Against other opponents the ratio grows
without end, and the answer becomes the best response to the model. Two kinds of equilibria are feared:

* `LikelyEquilibrium`: y is the posterior mean of a model that believes in equilibria alone, and L is what
  that model gave to the hands. Losses are linear in y, so this bounds the mean loss over that model's prior.
  The answer is a best response to a mixture of both models' plans, in which y has as much weight as it needs.
* `AnyEquilibrium`: every equilibrium. Those of a seat are a polytope: the plans that guarantee the value of
  the game (`soulread.solvers.lp`). The least that x wins over all of them is a linear program in y. Its dual
  turns the bound into linear rows, so the best x is one linear program too. L is an upper bound on the
  likelihood of the hands under any equilibrium. The promise then holds for each equilibrium, without any
  prior. But one of so many equilibria explains most opponents well, so little more than ``risk`` is ever
  allowed.

To be safe from rounding, and from equilibria that are not quite solved, a plan that guarantees `SLACK` chips
per hand less than the value counts as an equilibrium too.
"""

from typing import Protocol

import highspy
import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.model.bayes.beliefs import BeliefModel
from soulread.model.bayes.evidence import Evidence
from soulread.respond.learning import Responder, SeenHand
from soulread.respond.planner import SafePlanner, build_solver, optimal_plan
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import (
    Behaviour,
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    mix_plans,
    plan_from_behaviour,
)
from soulread.seqform.treeplex import Floats
from soulread.solvers.lp import plan_rows, worst_case_program

SLACK = 5e-4
"""Chips per hand by which a plan may fail to guarantee the game's value and still count as an equilibrium."""

_LEAST = 1e-6  # smallest chance of a hand, where a tangent of the likelihood is taken
_CLOSE = 0.1  # a bound on the log-likelihood that is as close as this is good enough
_MOST = 1e6  # largest ratio: nothing binds any more
_HALVINGS = 20  # of the interval in which the weight of an equilibrium is sought
_SMALLEST = 1e-300


class Feared(Protocol):
    """The equilibria that the opponent may be playing."""

    every: int  # hands between two looks at their likelihood

    def reset(self) -> None:
        """Forget all hands."""

    def learn(self, evidence: Evidence) -> None:
        """Learn from the evidence of a hand."""

    def log_likelihood(self) -> float:
        """Of all hands."""

    def respond(self, seat: int, believed: Plan, allowed: float) -> Behaviour:
        """The best answer to a plan of the other seat that loses at most ``allowed`` to these equilibria."""


class LikelyEquilibrium:
    """The equilibria that ``model`` believes in. ``value`` is what seat 0 wins between equilibria."""

    every = 1

    def __init__(self, model: BeliefModel, responder: Responder, value: float) -> None:
        self.model = model
        self.responder = responder
        self.values = value, -value
        self.reset()

    def reset(self) -> None:
        """Go back to the prior."""
        self.model.reset()
        self._log = 0.0

    def learn(self, evidence: Evidence) -> None:
        """Judge the model by what was seen, then let it learn."""
        self._log += float(np.log(max(self.model.predictive(evidence), _SMALLEST)))
        self.model.learn(evidence)

    def log_likelihood(self) -> float:
        """Of what the model gave to all hands, each before it learnt from it."""
        return self._log

    def respond(self, seat: int, believed: Plan, allowed: float) -> Behaviour:
        """The best response to a mixture of ``believed`` and the mean equilibrium, or a mixture of two."""
        responder, tree = self.responder, self.model.game.trees[seat]
        feared = self.model.plan(1 - seat)

        def lost(behaviour: Behaviour) -> float:
            return self.values[seat] - responder.value(seat, behaviour, feared)

        bold, safe = responder.respond(seat, believed), responder.respond(seat, feared)
        if lost(bold) <= allowed:
            return bold
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            weight = (low + high) / 2
            middle = responder.respond(seat, Plan((1 - weight) * believed + weight * feared))
            if lost(middle) <= allowed:
                high, safe = weight, middle
            else:
                low, bold = weight, middle
        more, less = lost(bold), lost(safe)
        share = max(0.0, min(1.0, (allowed - less) / (more - less))) if more > less else 0.0
        mixed = mix_plans(share, plan_from_behaviour(tree, bold), plan_from_behaviour(tree, safe))
        return in_precision(behaviour_from_plan(tree, mixed), np.float64)


class AnyEquilibrium:
    """Every equilibrium of either seat; ``equilibrium`` is a pair of exact equilibrium plans."""

    every = 25

    def __init__(self, game: SequenceGame, equilibrium: Plans, slack: float = SLACK) -> None:
        self.game = game
        self.planners = tuple(EquilibriumPlanner(game, seat, equilibrium, slack) for seat in (0, 1))
        self.likeliest = tuple(
            LikeliestEquilibrium(self.planners[1 - seat].equilibria, slack) for seat in (0, 1)
        )

    def reset(self) -> None:
        """Forget all hands."""
        for planner, likeliest in zip(self.planners, self.likeliest, strict=True):
            planner.reset()
            likeliest.reset()

    def learn(self, evidence: Evidence) -> None:
        """Learn from the evidence of a hand."""
        self.likeliest[evidence.player].add(evidence)

    def log_likelihood(self) -> float:
        """An upper bound of that of all hands under any equilibrium."""
        return sum(likeliest.bound() for likeliest in self.likeliest)

    def respond(self, seat: int, believed: Plan, allowed: float) -> Behaviour:
        """The best answer to a plan of the other seat that loses at most ``allowed`` to any equilibrium."""
        gradient = self.game.payoff.gradient(seat, in_precision(believed, self.game.payoff.dtype))
        plan = self.planners[seat].respond(gradient, allowed)
        return in_precision(behaviour_from_plan(self.game.trees[seat], plan), np.float64)


class EquilibriumPlanner:
    """The best plans of one seat that lose at most a given amount to any equilibrium of the other seat.

    ``equilibrium`` is a pair of exact equilibrium plans. For games of up to some thousands of sequences.
    """

    def __init__(self, game: SequenceGame, player: int, equilibrium: Plans, slack: float = SLACK) -> None:
        if not 0 <= slack < np.inf:
            raise SoulreadError(f"slack={slack!r}; expected at least 0 chips per hand")
        self.game = game
        self.player = player
        self.slack = slack
        self.equilibria = SafePlanner(
            game, 1 - player, equilibrium
        )  # finds plans among the other's equilibria
        self.game_value = -self.equilibria.game_value
        self._columns = np.arange(game.trees[player].num_sequences, dtype=np.int32)
        self._solver: highspy.Highs | None = None

    def reset(self) -> None:
        """Forget the solvers, so that the next plans are those of a new planner; see `SafePlanner.reset`."""
        self.equilibria.reset()
        self._solver = None

    def respond(self, gradient: Floats, allowed: float) -> Plan:
        """The plan that wins most against the model's gradient, and loses at most ``allowed``."""
        if not allowed >= 0:
            raise SoulreadError(f"allowed={allowed!r}; a loss is at least 0 chips per hand")
        self.game.trees[self.player].verify_shape(gradient, "the gradient")
        if self._solver is None:
            self._solver = self._build()
        solver, count = self._solver, self._columns.size
        solver.changeColsCost(count, self._columns, np.ascontiguousarray(gradient, dtype=np.float64))
        solver.changeRowBounds(self._bound_row, self.game_value - allowed, np.inf)
        return optimal_plan(solver, self.game, self.player)

    def _build(self) -> highspy.Highs:
        """Variables: own plan x, then the dual variables of the program of the other's equilibria.

        That program is: minimise x A y over [y, u] with ``upper [y, u] <= 0`` (dual mu), ``equal [y, u] =
        target`` (dual lambda) and u_0 at least the value less the slack (dual kappa).
        """
        game, own = self.game, self.game.trees[self.player]
        program = worst_case_program(game, 1 - self.player)
        plans = program.num_plan
        upper_y, upper_u = program.upper[:, :plans], program.upper[:, plans:]
        equal_y = program.equal[:, :plans]
        frame = plan_rows(own)
        n, duals, guarantees = own.num_sequences, equal_y.shape[0], upper_u.shape[1]
        first = sp.csr_array(([-1.0], ([0], [0])), shape=(guarantees, 1))
        floor = np.array([[-self.game_value - self.slack]])
        rows = sp.vstack(
            [
                sp.hstack([frame, sp.csr_array((frame.shape[0], n + duals + 1))]),
                sp.hstack(
                    [game.payoff.matrix(self.player).T, upper_y.T, -equal_y.T, sp.csr_array((plans, 1))]
                ),
                sp.hstack(
                    [sp.csr_array((guarantees, n)), upper_u.T, sp.csr_array((guarantees, duals)), first]
                ),
                sp.hstack(
                    [sp.csr_array((1, 2 * n)), sp.csr_array(program.target[None, :]), sp.csr_array(floor)]
                ),
            ],
            format="csc",
        )
        self._bound_row = rows.shape[0] - 1
        lower, upper = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
        lower[0] = upper[0] = 1
        upper[frame.shape[0] : frame.shape[0] + plans] = np.inf
        upper[-1] = np.inf
        least = np.zeros(rows.shape[1])
        least[2 * n : 2 * n + duals] = -np.inf
        return build_solver(rows, (least, np.full(rows.shape[1], np.inf)), (lower, upper))


class LikeliestEquilibrium:
    """How likely the hands of one seat are at most, if it plays an equilibrium.

    The log-likelihood of a plan y is a sum of logarithms of linear functions, so it is concave. Mixtures of
    known equilibria are improved by expectation maximisation. The tangent there is then maximised over all
    equilibria, which gives an upper bound and another equilibrium to mix in.
    """

    def __init__(self, planner: SafePlanner, slack: float = SLACK, rounds: int = 3) -> None:
        self.planner = planner
        self.slack = slack
        self.rounds = rounds
        self.reset()

    def reset(self) -> None:
        """Forget all hands."""
        self._hands: dict[tuple[bytes, bytes], int] = {}
        self._evidence: list[Evidence] = []
        self._number: list[float] = []
        self._plans = [self.planner.equilibrium]
        self._weights = np.ones(1)

    def add(self, evidence: Evidence) -> None:
        """Take note of a hand."""
        key = evidence.sequences.tobytes(), evidence.weights.tobytes()
        place = self._hands.setdefault(key, len(self._evidence))
        if place == len(self._evidence):
            self._evidence.append(evidence)
            self._number.append(0.0)
        self._number[place] += 1

    def bound(self) -> float:
        """At least the largest log-likelihood of all hands under any equilibrium; mostly within 0.1 of it."""
        if not self._evidence:
            return 0.0
        number = np.array(self._number)
        lowest = np.inf
        for _ in range(self.rounds):
            chances = self._chances()
            self._improve(chances, number)
            mixed = np.maximum(chances @ self._weights, _LEAST)
            gradient = np.zeros(self.planner.equilibrium.size)
            for evidence, rate in zip(self._evidence, number / mixed, strict=True):
                gradient[evidence.sequences] += rate * evidence.weights
            further = self.planner.respond(gradient, self.slack).plan
            here = float(number @ np.log(mixed))
            gap = float(gradient @ further) - float(number.sum())
            lowest = min(lowest, here + gap)
            if gap < _CLOSE:
                break
            self._plans.append(further)
            self._weights = np.append(0.9 * self._weights, 0.1)
        return lowest

    def _chances(self) -> NDArray[np.float64]:
        """``[hands, plans]``: the likelihood of each different hand under each plan that is mixed."""
        plans = np.array(self._plans)
        return np.array([plans[:, seen.sequences] @ seen.weights for seen in self._evidence])

    def _improve(self, chances: NDArray[np.float64], number: NDArray[np.float64]) -> None:
        """Expectation maximisation of the weights; plans that hardly count are dropped."""
        weights, total = self._weights, number.sum()
        for _ in range(100):
            mixed = np.maximum(chances @ weights, _SMALLEST)
            weights = weights * ((number / mixed) @ chances) / total
            weights = weights / weights.sum() if weights.sum() > 0 else self._weights
        self._weights = weights


class BoundedLearner:
    """Answers the model's mean plan, and bounds the loss to the equilibria that are ``feared``.

    ``risk`` is in chips per hand. A ``share`` of it grows and shrinks with the evidence; the rest is always
    allowed. After n hands the answer is computed anew every 1 + n / 50 hands.
    """

    def __init__(
        self, model: BeliefModel, responder: Responder, feared: Feared, risk: float = 0.01, share: float = 0.2
    ) -> None:
        if not 0 <= risk < np.inf:
            raise SoulreadError(f"risk={risk!r}; expected at least 0 chips per hand")
        if not 0 <= share <= 1:
            raise SoulreadError(f"share={share!r}; expected a number from 0 to 1")
        self.model = model
        self.responder = responder
        self.feared = feared
        self.risk = risk
        self.share = share
        self.reset()

    def reset(self) -> None:
        """Forget the opponent."""
        self.model.reset()
        self.feared.reset()
        self.num_hands = 0
        self.log_model = 0.0  # of what the model gave to all hands, each before it learnt from it
        self.ratio = 1.0  # how much likelier the model has made the hands than the equilibria do
        self._answers: dict[int, tuple[int, Behaviour]] = {}  # by seat: after how many hands, and what

    @property
    def allowed(self) -> float:
        """Chips per hand that the next answer may lose to the equilibria; infinite once they are refuted."""
        if self.ratio >= _MOST and self.share > 0:
            return np.inf
        return self.risk * (1 - self.share + self.share * self.ratio)

    def learn(self, seen: SeenHand) -> None:
        """Judge the model by what was seen, then let it learn."""
        evidence = seen.evidence
        self.log_model += float(np.log(max(self.model.predictive(evidence), _SMALLEST)))
        self.feared.learn(evidence)
        self.model.learn(evidence)
        self.num_hands += 1
        if self.num_hands % self.feared.every == 0 and self.ratio < _MOST:
            log_ratio = self.log_model - self.feared.log_likelihood()
            self.ratio = _MOST if log_ratio >= np.log(_MOST) else float(np.exp(log_ratio))

    def respond(self, seat: int, rng: np.random.Generator) -> Behaviour:
        """The best answer to the model within the bound; takes nothing from ``rng``."""
        return self.answer_mean(seat)

    def answer_mean(self, seat: int) -> Behaviour:
        """The same, without a stream."""
        made, answer = self._answers.get(seat, (-1, None))
        if answer is None or self.num_hands - made > made // 50:
            believed = self.model.plan(1 - seat)
            answer = (
                self.responder.respond(seat, believed)
                if self.allowed == np.inf
                else self.feared.respond(seat, believed, self.allowed)
            )
            self._answers[seat] = self.num_hands, answer
        return answer
