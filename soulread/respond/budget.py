"""A response with a budget: as much as possible from the opponent, without risking more than was allowed.

The *promise* of a response is its gain from the model, in chips per hand, beyond the gain of the equilibrium.
Its *risk* is its exploitability: the loss in the worst case. Both are means over the seats. An update goes in
three steps:

1. A restricted Nash response (`soulread.respond.counter`): the opponent plays the model with probability p,
   which is the *trust*, and otherwise the strategy that hurts most. There is one engine per seat. It starts
   from the regrets of the equilibrium and goes on from update to update, so a few iterations are enough.
2. The certificate: an exact best response against that response. If its risk r is above the budget B,
   only a share of the hands is played so, and the equilibrium, of risk e, in the others:

       share = (B - e) / (r - e)

   Risk is a maximum of functions that are linear in the plan, so the risk of the mixture is at most
   share r + (1 - share) e = B. This is what the certificate says.
3. If r was above the budget, the next update trusts the model less, so that its whole response can be played.
   If r was well below, it trusts the model more, up to the trust that was allowed. The first updates leave
   the trust alone: their responses have not settled yet, and are riskier than later ones.

A response is best where the model errs in its favour, so less than its promise can be expected.
`soulread.respond.kept_promises` looks back at earlier responses and says how much. A response of which less
than ``least`` is expected is not played; the equilibrium is.

The restricted games of the two seats are solved side by side, in a thread each.
"""

import math
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.machine import one_thread_each
from soulread.respond.kept_promises import KeptPromises
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import Source, Tell
from soulread.seqform.strategy import (
    Behaviour,
    Behaviours,
    Plan,
    Plans,
    behaviour_from_plan,
    in_precision,
    mix_plans,
    plan_from_behaviour,
    verify_behaviours,
)
from soulread.seqform.treeplex import Floats
from soulread.solvers.best_response import best_response
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.restricted import Restriction
from soulread.storage import cache

WARM_UP = 100  # iterations of the engine that all responses start from
ITERATIONS = 5  # of each seat in an update
FIRST_TRUST = 0.7
_FIRST_PAST = 5  # iterations that the average so far counts for in the first update; later those made, ...
_MOST_PAST = 30  # ... up to so many: a larger number is steadier, a smaller one follows a new read sooner
_STEP = 0.5  # how fast trust follows the budget
_SETTLED = 30  # iterations after which the risk found tells how much trust the budget allows; not before
_VERSION = 1  # of the warm engines; raise it when the same game would give another one

Tensors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Certified:
    """A response for both seats, its promise and its risk; chips per hand, means over the seats."""

    behaviours: Behaviours
    promise: float  # against the model, beyond what the equilibrium wins from it
    gain: float  # against the model, beyond the value of the game
    kept: float  # part of the promise that can be expected, by what became of earlier ones
    risk: float  # at most: the certificate
    share: float  # of the hands that are played with the response; the equilibrium is played in the others
    trust: float  # p


class BudgetedResponder:
    """Responses to a model that changes a little from one update to the next; see the top of the module.

    ``budget`` and ``least`` are in chips per hand. ``trust`` is the greatest p.
    """

    def __init__(
        self,
        game: SequenceGame,
        equilibrium: Behaviours,
        start: Tensors,
        budget: float,
        trust: float = 0.9,
        least: float = 0.0,
        iterations: int = ITERATIONS,
    ) -> None:
        if not 0 <= budget < math.inf:
            raise SoulreadError(f"a budget of {budget!r} chips per hand; it must not be negative")
        if not 0 < trust < 1:
            raise SoulreadError(f"trust={trust!r}; it lies between 0 and 1")
        verify_behaviours(game.trees, equilibrium)
        self.game = game
        self.equilibrium = equilibrium
        self.budget = budget
        self.trust = trust
        self.least = least
        self.iterations = iterations
        self._start = start
        dtype = game.payoff.dtype
        first, second = (
            plan_from_behaviour(tree, in_precision(own, dtype))
            for tree, own in zip(game.trees, equilibrium, strict=True)
        )
        self._plans: Plans = (first, second)
        self.equilibrium_risk = -(self._worst(0, first) + self._worst(1, second)) / 2
        self._engines: list[RegretMinimiser] = []
        self.reset()

    def reset(self) -> None:
        """Forget everything solved for the last opponent."""
        self._p = min(FIRST_TRUST, self.trust)
        self._fresh = True
        self._made = 0  # iterations of each seat
        self._record = KeptPromises()

    def respond(self, model: Behaviours, budget: float | None = None, hands: int | None = None) -> Certified:
        """The response to a model of both seats; ``budget``, chips per hand, replaces the usual one.

        ``hands`` is how many hands the model has learnt from. Without it the model is taken as certain: no
        record is kept, and the whole promise is expected.
        """
        allowed = self.budget if budget is None else budget
        self._wake()
        with one_thread_each(), ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(self._answer, (0, 1), (model[1], model[0])))
        again, gain, usual, worst = (
            sum(getattr(answer, name) for answer in answers) / 2
            for name in ("again", "gain", "usual", "worst")
        )
        self._made += self.iterations
        trust, risk, promise = self._p, -worst, gain - usual
        self._follow(allowed, risk)
        kept = 1.0
        if hands is not None:
            self._record.look_back(again - usual, hands)
            kept = self._record.kept(promise)
            self._record.promise(promise, hands)
        share = self._share(allowed, risk) if kept * promise >= self.least else 0.0
        return Certified(
            behaviours=self._mixed([answer.plan for answer in answers], share),
            promise=share * promise,
            gain=usual + share * promise,
            kept=kept,
            risk=share * risk + (1 - share) * self.equilibrium_risk,
            share=share,
            trust=trust,
        )

    def _answer(self, seat: int, model: Behaviour) -> "_Answer":
        """Go on with the restricted game of one seat, whose opponent is modelled."""
        engine = self._engines[seat]
        engine.restart(
            Restriction(self.game.trees[1 - seat], model, p=self._p),
            past=min(_FIRST_PAST + self._made, _MOST_PAST),
        )
        against = engine.against_model()
        again = _product(engine.plans[seat], against)
        engine.advance(self.iterations)
        plan = engine.plans[seat]
        return _Answer(
            plan,
            again=again,
            gain=_product(plan, against),
            usual=_product(self._plans[seat], against),
            worst=self._worst(seat, plan),
        )

    def _wake(self) -> None:
        """Put the engines back to the start, if a new opponent came."""
        if not self._fresh:
            return
        if not self._engines:
            self._engines = [RegretMinimiser(self.game, DCFR()) for _ in (0, 1)]
        for engine in self._engines:
            engine.restart(None)
            engine.restore(WARM_UP, self._start, {})
        self._fresh = False

    def _worst(self, seat: int, plan: Plan) -> float:
        """Chips that a plan of ``seat`` wins in the worst case, by an exact best response against it."""
        gradient = self.game.payoff.gradient(1 - seat, plan)
        return -best_response(self.game.trees[1 - seat], gradient)[0]

    def _share(self, allowed: float, risk: float) -> float:
        if risk <= allowed:
            return 1.0
        return max(0.0, (allowed - self.equilibrium_risk) / (risk - self.equilibrium_risk))

    def _follow(self, allowed: float, risk: float) -> None:
        """Trust less next time if the budget was broken, more if it was not used up."""
        if self._made < _SETTLED:
            return
        ratio = max(allowed, 1e-9) / max(risk, 1e-9)
        logit = math.log(self._p / (1 - self._p)) + _STEP * max(-1.0, min(1.0, math.log(ratio)))
        self._p = min(self.trust, max(0.05, 1 / (1 + math.exp(-logit))))

    def _mixed(self, plans: list[Plan], share: float) -> Behaviours:
        if share == 0:
            return self.equilibrium
        first, second = (self._behaviour(seat, plans[seat], share) for seat in (0, 1))
        return first, second

    def _behaviour(self, seat: int, plan: Plan, share: float) -> Behaviour:
        mixed = mix_plans(share, plan, self._plans[seat]) if share < 1 else plan
        return behaviour_from_plan(self.game.trees[seat], in_precision(mixed, self.game.payoff.dtype))


class _Answer(NamedTuple):
    """The response of one seat and its values; chips per hand."""

    plan: Plan
    again: float  # that the last plan wins from the model
    gain: float  # that this one wins from it
    usual: float  # that the equilibrium wins from it
    worst: float  # that the plan wins in the worst case


def _product(plan: Plan, gradient: Floats) -> float:
    """Chips that a plan wins; added up in double precision, without a copy of either in it."""
    return float(np.multiply(plan, gradient).sum(dtype=np.float64))


def find_start(source: Source, game: SequenceGame, tell: Tell | None = None) -> Tensors:
    """The engine that responses start from: ``WARM_UP`` iterations towards an equilibrium of ``game``.

    That of a card abstraction is kept in the cache.
    """
    if source.cards is None:
        return _warm_small(game)
    recipe = cache.Recipe(f"warm:{source}", {"version": _VERSION, "of": game.checksum, "n": WARM_UP})

    def build() -> dict[str, NDArray[Any]]:
        if tell is not None:
            tell(f"{source}: iterations that responses start from")
        return _warm(game)

    return cache.load_or_build(recipe, build).arrays


def _warm(game: SequenceGame) -> dict[str, NDArray[Any]]:
    engine = RegretMinimiser(game, DCFR())
    engine.advance(WARM_UP)
    return engine.tensors()


_warm_small = lru_cache(maxsize=8)(_warm)
