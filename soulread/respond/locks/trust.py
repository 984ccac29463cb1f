"""Answers to an opponent who is locked at some decisions, for every degree of trust in the locks.

A lock says what the opponent does at a decision. A hard lock takes it for certain, and its answer may lose a
fortune if it is wrong. Trust t between 0 and 1 says how far it is believed:

* ``kind="c"``: at a locked decision the opponent follows the lock with confidence t c, and else does what
  hurts most (data biased). c is the lock's own confidence, which is less than 1 for a read that was counted
  from few hands.
* ``kind="p"``: with probability t the opponent is bound by all locks throughout the hand, and otherwise by
  none (restricted Nash). These are the two kinds of `soulread.solvers.restricted`.

t = 0 is the equilibrium. t = 1 is the hard lock, if c = 1. Of each answer x there are three values, in chips:

    if right   x against an opponent who keeps to the locks and plays the equilibrium elsewhere
    at least   x against an opponent who keeps to the locks and plays what hurts most elsewhere
    worst      x against an opponent who plays what hurts most everywhere

The last one is an exact best response against x, the certificate. Its *cost* is what the equilibrium wins at
worst less this. With ``kind="p"``, "at least" can only grow with trust, and "worst" only shrink. With "c"
this holds where the opponent has not acted before a lock.

**Risk.** The worst case of a mixture of two plans is at least the mixture of their worst cases, since a
minimum of linear functions is concave. So if one answer costs less than may be risked and the next one more,

    share = (risk - cost of the first) / (cost of the second - cost of the first)

of the second and the rest of the first costs no more than the risk. The mixture is certified again.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.errors import SoulreadError
from soulread.respond.locks.reads import settled
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plan, Plans, in_precision, mix_plans, plan_from_behaviour
from soulread.seqform.treeplex import Floats
from soulread.solvers.best_response import best_values
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.run import Check, run
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.restricted import Lock, Restriction

KINDS = "c", "p"
TRUSTS = 0.0, 0.25, 0.5, 0.75, 0.9, 1.0
DEFAULT_CONFIDENCE = "curve:50"  # of a read that was counted n times: n / (50 + n)
_CERTAIN = 1e-6  # of what may be risked: by so much a certificate may be off, for rounding


@dataclass(frozen=True, eq=False)
class Baseline:
    """An equilibrium to deviate from, and the engine that found it, with which locks are solved next."""

    game: SequenceGame
    plans: Plans
    behaviours: Behaviours
    gap: float  # chips
    iterations: int
    seconds: float
    engine: RegretMinimiser


def find_baseline(
    game: SequenceGame, stops: Stops, progress: Callable[[Check], None] | None = None
) -> Baseline:
    """An equilibrium of a game, to the gap that ``stops`` asks for."""
    engine = RegretMinimiser(game, DCFR())
    solution = run(engine, stops, progress=progress)
    first, second = (
        settled(tree, plan, current)
        for tree, plan, current in zip(game.trees, solution.plans, engine.behaviours, strict=True)
    )
    return Baseline(
        game, solution.plans, (first, second), solution.gap, solution.iterations, solution.seconds, engine
    )


@dataclass(frozen=True, eq=False)
class Answer:
    """What to play at one degree of trust; chips beyond half the pot, as the game counts them."""

    trust: float
    plan: Plan  # of the player who answers
    if_right: float
    at_least: float
    worst: float
    gap: float  # of the restricted game, chips
    iterations: int
    seconds: float


@dataclass(frozen=True, eq=False)
class TrustCurve:
    """Answers in ascending order of trust; the first is the equilibrium."""

    game: SequenceGame
    villain: int
    kind: str
    locks: tuple[Lock, ...]  # with their own confidence
    answers: tuple[Answer, ...]

    @property
    def hero(self) -> int:
        """The player who answers."""
        return 1 - self.villain

    @property
    def equilibrium(self) -> Answer:
        """The answer without trust."""
        return self.answers[0]

    def cost(self, answer: Answer) -> float:
        """Chips that an answer loses in the worst case, beyond what the equilibrium may lose."""
        return self.equilibrium.worst - answer.worst

    def gain(self, answer: Answer) -> float:
        """Chips that an answer wins beyond the equilibrium's answer if the locks are right."""
        return answer.if_right - self.equilibrium.if_right

    def within(self, risk: float) -> Answer:
        """The answer with the most trust that costs at most ``risk`` chips, certified.

        Between two answers it is a mixture of both.
        """
        if not risk >= 0:
            raise SoulreadError(f"a risk of {risk!r} chips; it must not be negative")
        above = next((i for i, answer in enumerate(self.answers) if self.cost(answer) > risk), None)
        if above is None:
            return self.answers[-1]
        low, high = self.answers[above - 1], self.answers[above]
        share = (risk - self.cost(low)) / (self.cost(high) - self.cost(low))
        judge = _Judge(self.game, self.villain, self.locks, None)
        for _ in range(4):  # rounding may cost a hair more than the risk; then a little less is played
            plan = in_precision(mix_plans(share, high.plan, low.plan), high.plan.dtype)
            at_least, worst = judge.values(plan)
            mixed = replace(
                high,
                trust=low.trust + share * (high.trust - low.trust),
                plan=plan,
                if_right=share * high.if_right + (1 - share) * low.if_right,
                at_least=at_least,
                worst=worst,
                iterations=0,
                seconds=0.0,
            )
            if self.cost(mixed) <= risk * (1 + _CERTAIN) + _CERTAIN:
                return mixed
            share *= 0.98
        return low

    def even(self) -> Answer:
        """The answer with the most trust that costs, if wrong, no more than it gains if right."""
        fair = [answer for answer in self.answers if self.cost(answer) <= self.gain(answer)]
        return fair[-1] if fair else self.equilibrium


@dataclass(frozen=True, eq=False)
class _Judge:
    """Values answers of the player who is not the villain."""

    game: SequenceGame
    villain: int
    locks: tuple[Lock, ...]
    read_plan: Plan | None  # of a villain who keeps to the locks and plays the equilibrium elsewhere

    def values(self, plan: Plan) -> tuple[float, float]:
        """At least, if the locks are right; and in the worst case."""
        gradient = self.game.payoff.gradient(self.villain, plan)
        bound = Restriction(self.game.trees[self.villain], locks=hard(self.locks))
        return -bound.bound_value(gradient), -self._best(gradient)

    def answer(self, trust: float, plan: Plan, gap: float, iterations: int, seconds: float) -> Answer:
        at_least, worst = self.values(plan)
        if self.read_plan is None:
            raise SoulreadError("there is no villain to judge by")
        gradient = self.game.payoff.gradient(1 - self.villain, self.read_plan)
        right = float(np.dot(gradient.astype(np.float64), plan.astype(np.float64)))
        return Answer(trust, plan, right, at_least, worst, gap, iterations, seconds)

    def _best(self, gradient: Floats) -> float:
        tree, q = self.game.trees[self.villain], gradient.copy()
        best_values(tree.arrays, q, np.empty(tree.num_sets, dtype=np.int32))
        return float(q[0])


def hard(locks: Sequence[Lock]) -> tuple[Lock, ...]:
    """The locks with full confidence, where they have any."""
    return tuple(replace(lock, confidence=(lock.confidence > 0).astype(np.float64)) for lock in locks)


def restriction_of(
    game: SequenceGame, villain: int, locks: Sequence[Lock], kind: str, trust: float
) -> Restriction:
    """The restricted game of one degree of trust.

    With ``kind="p"`` the whole read is right or wrong at once, so that its probability is the trust times the
    least confidence of any lock.
    """
    if kind not in KINDS:
        raise SoulreadError(
            f"kind {kind!r}; trust is a confidence (c) at each lock, or a probability (p) of all"
        )
    if not 0 <= trust <= 1:
        raise SoulreadError(f"a trust of {trust!r}; it lies between 0 and 1")
    tree = game.trees[villain]
    if kind == "c":
        scaled = tuple(replace(lock, confidence=trust * lock.confidence) for lock in locks)
        return Restriction(tree, locks=scaled)
    least = min(float(lock.confidence[lock.confidence > 0].min()) for lock in locks)
    p = trust * least
    return Restriction(tree, locks=hard(locks), p=None if p == 1 else p)


def trust_curve(
    baseline: Baseline,
    villain: int,
    locks: Sequence[Lock],
    trusts: Sequence[float] = TRUSTS,
    kind: str = "c",
    stops: Stops | None = None,
    progress: Callable[[float, Check], None] | None = None,
) -> TrustCurve:
    """Answers to the locks of ``villain`` at each degree of trust, and always the equilibrium as the first.

    Each solve starts from the one before, and the first from the equilibrium; the engine of ``baseline`` is
    changed. ``stops`` are those of each solve; without them the gap is that of the baseline.
    """
    game = baseline.game
    wanted = sorted(set(trusts) - {0.0})
    restrictions = [restriction_of(game, villain, locks, kind, trust) for trust in wanted]
    stops = stops or Stops(gap=baseline.gap, iterations=2000)
    read = baseline.behaviours[villain].copy()
    tree = game.trees[villain]
    for lock in locks:
        rows = slice(int(tree.first_sequence[lock.block]), int(tree.first_sequence[lock.block + 1]))
        now = read[rows].reshape(lock.model.shape)
        now[:] = np.where(lock.confidence > 0, lock.model, now)
    read_plan = plan_from_behaviour(tree, in_precision(read, game.payoff.dtype))
    judge = _Judge(game, villain, tuple(locks), read_plan)
    hero = 1 - villain
    answers = [judge.answer(0.0, baseline.plans[hero], baseline.gap, baseline.iterations, baseline.seconds)]
    for trust, restriction in zip(wanted, restrictions, strict=True):
        began = time.perf_counter()
        baseline.engine.restart(restriction)
        solution = run(
            baseline.engine,
            stops,
            progress=None if progress is None else lambda check, t=trust: progress(t, check),  # type: ignore[misc]
        )
        answers.append(
            judge.answer(
                trust,
                solution.plans[hero],
                solution.gap,
                solution.iterations,
                time.perf_counter() - began,
            )
        )
    return TrustCurve(game, villain, kind, tuple(locks), tuple(answers))
