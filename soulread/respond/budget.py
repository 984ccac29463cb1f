"""A response with a budget: as much as possible from the opponent, without risking more than was allowed.

The *gain* of a response from an opponent is what it wins beyond the equilibrium, its *risk* its
exploitability: the loss in the worst case. Both are in chips per hand, means over the seats. The response is
the one of greatest gain from the model among those whose risk stays within the budget:

* `Programs`, in small games: exactly, by linear programming (`soulread.respond.planner`).
* `Engines`, in a card abstraction: a restricted Nash response (`soulread.respond.counter`). The opponent
  plays the model with probability p, which is the *trust*, and otherwise the strategy that hurts most. There
  is one engine per seat. It starts from the regrets of the equilibrium and goes on from update to update, so
  a few iterations are enough.

Engines look for the p that meets the budget while they solve. Every few iterations an exact best response
finds the risk of the response so far, which costs next to nothing (`RegretMinimiser.slope`). The frontier is
close to a line in the logit of p and the logarithm of risk, so p moves along it to where the budget would be
used up. A response that has not settled yet is riskier than it will be, or less risky. So the budget is
compared with the risk two looks later, if it goes on changing as since the last one. p, risk and how it
changes are kept from one update to the next.

A *doubt* d in the model is a price of risk: d / (1 - d) chips of gain for a chip of risk. A restricted
response with p pays (1 - p) / p for a chip of risk, so doubt alone asks for p = 1 - d. The budget has a price
of its own, that of the p at which it is used up. Both act on the same p, and the smaller p counts: a budget
that doubt leaves unused costs nothing, and where the budget binds its price includes that of doubt. A program
does the same. It pays d / (1 - d), and its constraint adds what is missing to the price of the budget.

The certificate is an exact best response against the response. If its risk r is above the budget B, only a
share of the hands is played so, and the equilibrium, of risk e, in the others:

    share = (B - e) / (r - e)

Risk is a maximum of functions that are linear in the plan, so the risk of the mixture is at most
share r + (1 - share) e = B.

**When the equilibrium is left.** The opponent may be any of the strategies that the model holds possible
(`soulread.model.tabular.Possible`), and the gain from each is a number: so the gain has a posterior. Its mean
is the *promise*. A posterior that is right needs no correction for having chosen the best of many answers.
One that is a fit to few hands does, since the answer goes where the fit errs: this is the doubt, and in doubt
nothing is promised. The response is played if, with the probability ``sure``, it does not lose more than
`HARMLESS`. Else it is played in so small a share of the hands that this is so. In a small game responses of
smaller risk are tried too, down to the equilibrium that wins most from the model, and the one that promises
most is played.

The restricted games of the two seats are solved side by side, in a thread each.
"""

import math
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.machine import one_thread_each
from soulread.model.tabular import Possible
from soulread.respond.planner import SafePlanner
from soulread.seqform.compile import SequenceGame, poker_of
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
from soulread.solvers.best_response import best_value
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.restricted import Restriction
from soulread.storage import cache

TRUST = 0.95  # greatest p
WARM_UP = 100  # iterations of the engine that all responses start from
ITERATIONS = 5  # of each seat in an update
_FIRST_PAST = 5  # iterations that the average so far counts for in the first update; later those made
_STEP = 1.0  # logits of p per logarithm of risk, along the frontier
_STRIDE = 0.5  # so far at most p moves at once, in logits, and risk is expected to change, in logarithms
_AHEAD = 2.0  # looks ahead: a response that settles will go on changing
_SETTLED = 30  # iterations; up to then an update makes twice as many
_FROM_SCRATCH = 60  # iterations after which a response to a read that is new as a whole has settled
_LARGEST_PROGRAM = 20_000  # sequences of both seats, up to which responses come from programs
_VERSION = 1  # of the warm engines; raise it when the same game would give another one

Tensors = Mapping[str, NDArray[Any]]


class Pace(NamedTuple):
    """How an engine begins and goes on; where bets are large, from a smaller p on and more steadily."""

    first_trust: float  # p at the start
    least_trust: float  # least p; a smaller budget is met by playing so in a share of the hands
    most_past: int  # iterations that the average so far counts for at most; fewer follow a new read sooner


LIMIT = Pace(0.7, 0.2, 30)
NO_LIMIT = Pace(0.3, 0.05, 100)


HARMLESS = 0.005
"""Small bets per hand that a response may lose and still count as harmless."""

CAUTION = 1.0, 0.25, 0.0625, 0.0
"""Parts of the budget that are tried one after the other, until a response is sure enough as it is."""


@dataclass(frozen=True, eq=False)
class Certified:
    """A response for both seats, its gain and its risk; chips per hand, means over the seats."""

    behaviours: Behaviours
    promise: float  # mean gain beyond what the equilibrium wins, over all that the opponent may be
    between: tuple[float, float]  # the gain lies there with the probability ``sure``
    gain: float  # mean gain beyond the value of the game
    chance: float  # probability that nothing is lost beyond what is harmless
    risk: float  # at most: the certificate
    share: float  # of the hands that are played with the response; the equilibrium is played in the others
    trust: float  # p; 1 where the program is exact


class ResponsePair(NamedTuple):
    """Plans for both seats, and the opponents' values of their own sequences against them."""

    plans: Plans
    slopes: tuple[Floats, Floats]  # [num_sequences] of seats 0 and 1: of the opponent who sits there
    risk: float  # chips per hand, the mean over the seats
    trust: float


class Responses(Protocol):
    """A way to find responses; it takes ``settling`` updates to find one to a read that is new as a whole."""

    @property
    def settling(self) -> int:
        """The number of updates."""

    def reset(self) -> None:
        """Forget everything solved for the last opponent."""

    def find(self, possible: Possible, allowed: float) -> Iterator[ResponsePair]:
        """Responses to what the opponent may be, from the boldest on. Their risk may exceed ``allowed``."""


class BudgetedResponder:
    """Responses to a model that changes from one update to the next; see the top of the module.

    ``budget`` is in chips per hand. ``trust`` is the greatest p, and ``start`` the engine to start from
    (`find_start`); without one, programs are solved.
    """

    def __init__(
        self,
        game: SequenceGame,
        equilibrium: Behaviours,
        start: Tensors | None,
        budget: float,
        trust: float = TRUST,
        sure: float = 0.8,
        iterations: int = ITERATIONS,
    ) -> None:
        if not 0 <= budget < math.inf:
            raise SoulreadError(f"a budget of {budget!r} chips per hand; it must not be negative")
        if not 0 < trust < 1:
            raise SoulreadError(f"trust={trust!r}; it lies between 0 and 1")
        if not 0 <= sure < 1:
            raise SoulreadError(f"sure={sure!r}; it lies between 0 and 1")
        verify_behaviours(game.trees, equilibrium)
        self.game = game
        self.equilibrium = equilibrium
        self.budget = budget
        self.sure = sure
        self.harmless = HARMLESS * poker_of(game).rules.small_bet
        dtype = game.payoff.dtype
        first, second = (
            plan_from_behaviour(tree, in_precision(own, dtype))
            for tree, own in zip(game.trees, equilibrium, strict=True)
        )
        self._plans: Plans = (first, second)
        self._usual = answer_of(game, self._plans)
        self.equilibrium_risk = self._usual.risk
        self._answers: Responses = (
            Programs(game, self._plans) if start is None else Engines(game, start, trust, iterations)
        )
        self.reset()

    def reset(self) -> None:
        """Forget everything solved for the last opponent."""
        self._answers.reset()

    @property
    def settling(self) -> int:
        """How many updates it takes until the response to a read that is new as a whole has settled."""
        return self._answers.settling

    def respond(self, possible: Possible, budget: float | None = None) -> Certified:
        """The response to all that the opponent may be; ``budget``, in chips, replaces the usual one."""
        allowed = self.budget if budget is None else budget
        usual = -possible.products(self._usual.slopes) / 2
        best = self._certified(self._usual, 0.0, possible, usual, np.zeros_like(usual))
        for answer in self._answers.find(possible, allowed):
            gains = -possible.products(answer.slopes) / 2 - usual
            most = self._share(allowed, answer.risk)
            share = min(most, self._sure_share(gains, possible.weights))
            found = self._certified(answer, share, possible, usual, share * gains)
            if found.promise > best.promise:
                best = found
                if share == most:
                    break
        return best

    def _sure_share(self, gains: NDArray[np.float64], weights: NDArray[np.float64]) -> float:
        """The share of the hands in which these gains lose no more than is harmless, as surely as asked."""
        order = np.argsort(gains)
        place = np.searchsorted(np.cumsum(weights[order]), (1 - self.sure) * weights.sum(), side="right")
        low = float(gains[order][min(int(place), gains.size - 1)])
        return 1.0 if low >= -self.harmless else 0.999 * self.harmless / -low

    def _certified(
        self,
        answer: ResponsePair,
        share: float,
        possible: Possible,
        usual: NDArray[np.float64],
        gains: NDArray[np.float64],
    ) -> Certified:
        """An answer that is played in a share of the hands; ``gains`` are those from all that is possible."""
        weights, doubt = possible.weights, possible.doubt
        worst = share * (self.equilibrium_risk - answer.risk)
        promise = float(weights @ gains)
        return Certified(
            behaviours=self._mixed(answer.plans, share) if promise > 0 else self.equilibrium,
            promise=promise,
            between=quantiles(np.append(gains, worst), np.append(weights, doubt), self.sure),
            gain=promise + float(weights @ usual),
            chance=float(weights @ (gains >= -self.harmless)) / float(weights.sum()),
            risk=share * answer.risk + (1 - share) * self.equilibrium_risk,
            share=share,
            trust=answer.trust,
        )

    def _share(self, allowed: float, risk: float) -> float:
        if risk <= allowed:
            return 1.0
        return max(0.0, (allowed - self.equilibrium_risk) / (risk - self.equilibrium_risk))

    def _mixed(self, plans: Plans, share: float) -> Behaviours:
        if share == 0:
            return self.equilibrium
        first, second = (self._behaviour(seat, plans[seat], share) for seat in (0, 1))
        return first, second

    def _behaviour(self, seat: int, plan: Plan, share: float) -> Behaviour:
        mixed = mix_plans(share, plan, self._plans[seat]) if share < 1 else plan
        return behaviour_from_plan(self.game.trees[seat], in_precision(mixed, self.game.payoff.dtype))


def quantiles(
    values: NDArray[np.float64], weights: NDArray[np.float64], within: float
) -> tuple[float, float]:
    """The bounds between which weighted values lie with a probability: as much is above as below."""
    order = np.argsort(values)
    up = np.cumsum(weights[order])
    places = np.searchsorted(up, [(1 - within) / 2 * up[-1], (1 + within) / 2 * up[-1]])
    low, high = values[order][np.minimum(places, values.size - 1)]
    return float(low), float(high)


def answer_of(game: SequenceGame, plans: Plans, trust: float = 1.0) -> ResponsePair:
    """Plans with their risk, found by exact best responses."""
    slopes = game.payoff.gradient(0, plans[1]), game.payoff.gradient(1, plans[0])
    return with_risk(game, plans, slopes, trust)


def with_risk(game: SequenceGame, plans: Plans, slopes: tuple[Floats, Floats], trust: float) -> ResponsePair:
    """The same, where the opponents' gradients against the plans are known."""
    risk = sum(best_value(tree, slope) for tree, slope in zip(game.trees, slopes, strict=True))
    return ResponsePair(plans, slopes, risk / 2, trust)


class Programs:
    """The best responses at any risk of a small game; ``plans`` are those of its equilibrium."""

    settling = 1

    def __init__(self, game: SequenceGame, plans: Plans) -> None:
        self.game = game
        self._planners = SafePlanner(game, 0, plans), SafePlanner(game, 1, plans)

    def reset(self) -> None:
        """Forget the last vertices."""
        for planner in self._planners:
            planner.reset()

    def find(self, possible: Possible, allowed: float) -> Iterator[ResponsePair]:
        """Responses of smaller and smaller risk; none exceeds what is allowed."""
        slopes = [self.game.payoff.gradient(seat, possible.mean(1 - seat)) for seat in (0, 1)]
        trust = 1 - possible.doubt
        for part in CAUTION:
            first, second = (
                planner.respond(slope, part * allowed, (1 - trust) / trust).plan
                for planner, slope in zip(self._planners, slopes, strict=True)
            )
            yield answer_of(self.game, (first, second), trust)


class Engines:
    """Restricted Nash responses, one engine per seat, from one update to the next."""

    def __init__(self, game: SequenceGame, start: Tensors, trust: float, iterations: int) -> None:
        self.game = game
        self.trust = trust
        self.iterations = iterations
        self.pace = LIMIT if game.bets is None else NO_LIMIT
        self._start = start
        self._engines: list[RegretMinimiser] = []
        self.reset()

    def reset(self) -> None:
        """Forget everything solved for the last opponent."""
        self._p = min(self.pace.first_trust, self.trust)
        self._risk: float | None = None  # logarithm of the risk at the last look
        self._fresh = True
        self._made = 0  # iterations of each seat

    @property
    def settling(self) -> int:
        """The number of updates; up to `_SETTLED` iterations each makes twice as many."""
        doubled = -(-_SETTLED // (2 * self.iterations))
        return doubled + -(-max(0, _FROM_SCRATCH - 2 * self.iterations * doubled) // self.iterations)

    def find(self, possible: Possible, allowed: float) -> Iterator[ResponsePair]:
        """One response, which risks about as much as is allowed or as much as doubt lets it."""
        self._wake()
        most = min(self.trust, 1 - possible.doubt)
        with one_thread_each(), ThreadPoolExecutor(2) as pool:
            models = [
                behaviour_from_plan(tree, possible.mean(seat)) for seat, tree in enumerate(self.game.trees)
            ]
            list(pool.map(self._restart, (0, 1), (models[1], models[0])))
            for iterations in self._parts():
                p = min(self._p, most)
                first, second = pool.map(self._advance, (0, 1), (p, p), (iterations, iterations))
                slopes = self._engines[1].slope(), self._engines[0].slope()
                answer = with_risk(self.game, (first, second), slopes, p)
                self._made += iterations
                self._follow(allowed, answer.risk, most)
        yield answer

    def _parts(self) -> list[int]:
        """Iterations of an update, from one look at the risk to the next. The first updates make more."""
        half = self.iterations // 2
        parts = [half, self.iterations - half] if half else [self.iterations]
        return parts if self._made >= _SETTLED else [*parts, *parts]

    def _restart(self, seat: int, model: Behaviour) -> None:
        """Go on with the restricted game of one seat, whose opponent is modelled anew."""
        self._engines[seat].restart(
            Restriction(self.game.trees[1 - seat], model, p=self._p),
            past=min(_FIRST_PAST + self._made, self.pace.most_past),
        )

    def _advance(self, seat: int, p: float, iterations: int) -> Plan:
        engine = self._engines[seat]
        engine.trust(p)
        engine.advance(iterations)
        return engine.plans[seat]

    def _wake(self) -> None:
        """Put the engines back to the start, if a new opponent came."""
        if not self._fresh:
            return
        if not self._engines:
            self._engines = [RegretMinimiser(self.game, DCFR(), first=seat) for seat in (0, 1)]
        for engine in self._engines:
            engine.restart(None)
            engine.restore(WARM_UP, self._start, {})
            engine.slope()  # from here on kept up to date
        self._fresh = False

    def _follow(self, allowed: float, risk: float, most: float) -> None:
        """Move p to where the budget would be used up, if risk goes on changing as since the last look.

        The first look tells nothing of that, and leaves p alone. p may exceed ``most``, where doubt holds it
        back, no further than at the start, so that it need not come back from far when the budget binds.
        """
        new, last = math.log(max(risk, 1e-9)), self._risk
        self._risk = new
        if last is None:
            return
        expected = new + _AHEAD * _within(new - last, _STRIDE)
        step = _within(_STEP * (math.log(max(allowed, 1e-9)) - expected), _STRIDE)
        p = 1 / (1 + math.exp(-step) * (1 - self._p) / self._p)
        self._p = max(self.pace.least_trust, min(p, self.trust, max(most, self.pace.first_trust)))


def _within(number: float, bound: float) -> float:
    return max(-bound, min(bound, number))


def find_start(source: Source, game: SequenceGame, tell: Tell | None = None) -> Tensors | None:
    """The engine that responses start from: ``WARM_UP`` iterations towards an equilibrium of ``game``.

    That of a card abstraction is kept in the cache. A small game needs none: responses come from programs.
    """
    if source.cards is None:
        return None if sum(tree.num_sequences for tree in game.trees) <= _LARGEST_PROGRAM else warm(game)
    recipe = cache.Recipe(f"warm:{source}", {"version": _VERSION, "of": game.checksum, "n": WARM_UP})

    def build() -> dict[str, NDArray[Any]]:
        if tell is not None:
            tell(f"{source}: iterations that responses start from")
        return warm(game)

    return cache.load_or_build(recipe, build).arrays


def warm(game: SequenceGame) -> dict[str, NDArray[Any]]:
    """The same, made anew."""
    engine = RegretMinimiser(game, DCFR())
    engine.advance(WARM_UP)
    return engine.tensors()
