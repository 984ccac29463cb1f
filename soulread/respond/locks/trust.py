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

**Rake.** Solves are of the game in which each player wants most for itself, after the rake. All values of an
answer are chips that hero wins after it, and "what hurts most" is what leaves hero least, whatever the
opponent pays for it. So every value is exact and the worst case is a certificate, as without rake; mixtures
within a risk hold, too. But an answer is then the best against an opponent who wants most for itself where
it is free, and no longer against one who wants to hurt. So more trust may cost less, and curves need not be
monotone.

**Risk.** The worst case of a mixture of two plans is at least the mixture of their worst cases, since a
minimum of linear functions is concave. So if one answer costs less than may be risked and the next one more,

    share = (risk - cost of the first) / (cost of the second - cost of the first)

of the second and the rest of the first costs no more than the risk. The mixture is certified again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np

from soulread.errors import SoulreadError
from soulread.respond.counter import CounterStrategy, solve_restricted
from soulread.respond.curves import sweep
from soulread.respond.locks.reads import settled
from soulread.seqform.board_payoff import winnings_of
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plans, in_precision, mix_plans
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

    game: SequenceGame  # with rake each player has winnings of its own
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
    """The response at one degree of trust; chips beyond half the pot, as the game counts them."""

    trust: float
    response: CounterStrategy
    if_right: float
    at_least: float

    @property
    def worst(self) -> float:
        """Chips against an opponent who plays what hurts most everywhere."""
        return self.response.worst_case


@dataclass(frozen=True, eq=False)
class LockCurve:
    """Answers in ascending order of trust; the first is the equilibrium."""

    game: SequenceGame  # of hero's winnings, which villain may want to make small
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
        for _ in range(4):  # rounding may cost a hair more than the risk; then a little less is played
            mixed = self.mixture(low, high, share)
            if self.cost(mixed) <= risk * (1 + _CERTAIN) + _CERTAIN:
                return mixed
            share *= 0.98
        return low

    def mixture(self, low: Answer, high: Answer, share: float) -> Answer:
        """The answer that plays ``high`` with the chance ``share`` and else ``low``, itself certified."""
        plan = mix_plans(share, high.response.plan, low.response.plan)
        plan = in_precision(plan, high.response.plan.dtype)
        response = replace(high.response, plan=plan, iterations=0, seconds=0.0)
        return Answer(
            low.trust + share * (high.trust - low.trust),
            response,
            share * high.if_right + (1 - share) * low.if_right,
            least_value(response, self.locks),
        )

    def dial(self, between: int = 3) -> tuple[Answer, ...]:
        """All answers from the equilibrium to the most trust, with so many mixtures between two of them."""
        found = [self.equilibrium]
        for low, high in pairwise(self.answers):
            found += [self.mixture(low, high, k / (between + 1)) for k in range(1, between + 1)]
            found.append(high)
        return tuple(found)

    def even(self) -> Answer:
        """The answer with the most trust that costs, if wrong, no more than it gains if right."""
        fair = [answer for answer in self.answers if self.cost(answer) <= self.gain(answer)]
        return fair[-1] if fair else self.equilibrium


def least_value(response: CounterStrategy, locks: Sequence[Lock]) -> float:
    """Chips that a response wins if the opponent keeps to the locks and plays what hurts most elsewhere."""
    villain, game = 1 - response.player, response.game
    bound = Restriction(game.trees[villain], locks=hard(locks))
    return -bound.bound_value(game.payoff.gradient(villain, response.plan))


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
) -> LockCurve:
    """Answers to the locks of ``villain`` at each degree of trust, and always the equilibrium as the first.

    Each solve starts from the one before, and the first from the equilibrium; the engine of ``baseline`` is
    changed. ``stops`` are those of each solve; without them the gap is that of the baseline.
    """
    game, hero = baseline.game, 1 - villain
    counted = winnings_of(game, hero)
    restrictions = {trust: restriction_of(game, villain, locks, kind, trust) for trust in set(trusts) - {0.0}}
    stops = stops or Stops(gap=baseline.gap, iterations=2000)
    read = baseline.behaviours[villain].copy()
    tree = game.trees[villain]
    for lock in locks:
        rows = slice(int(tree.first_sequence[lock.block]), int(tree.first_sequence[lock.block + 1]))
        now = read[rows].reshape(lock.model.shape)
        now[:] = np.where(lock.confidence > 0, lock.model, now)

    def respond(trust: float, start: RegretMinimiser | None) -> CounterStrategy:
        tell = None if progress is None else partial(progress, trust)
        found = solve_restricted("lock", game, restrictions[trust], stops, start, progress=tell)
        return replace(found, game=counted)

    equilibrium = CounterStrategy(
        counted,
        hero,
        "equilibrium",
        baseline.plans[hero],
        baseline.gap,
        baseline.iterations,
        baseline.seconds,
    )
    found = {0.0: equilibrium, **sweep(respond, restrictions, baseline.engine)}
    answers = tuple(
        Answer(trust, response, response.value_against(read), least_value(response, locks))
        for trust, response in found.items()
    )
    return LockCurve(counted, villain, kind, tuple(locks), answers)
