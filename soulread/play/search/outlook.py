"""Values of actions by play-outs, their standard errors, and when there are enough play-outs.

Each deal is played out once with each action, with the same cards and the same random numbers. So two actions
are compared deal by deal, which takes most of the luck off their difference. Let x_k be the chips that action
k won in a deal. The sums of x_k and of x_j x_k are kept. The variance of a difference follows from them,

    var(x_j - x_k) = E[x_j^2] + E[x_k^2] - 2 E[x_j x_k] - (E[x_j] - E[x_k])^2

Amounts are chips beyond what folding now would leave us, so folding is worth 0.

**When it stops.** After `playouts` play-outs, after `budget` seconds, or when the best action is ahead of
each other one by `CLEAR` standard errors, which is looked at after every `CHUNK` deals. Deals are played out
in chunks, which are shorter while rows of values are being made. With a budget they are also as short as the
clock demands: the first has `FIRST` deals, and each later one as many as take `SLICE` seconds, or what is
left of the budget, at the speed of the chunk before. How deals are cut into chunks changes no result, so a
budget that is not used up changes none either.
"""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import CHANCE, TERMINAL
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.kernel import kernel
from soulread.play.search.deals import Draws

CHUNK = 200  # deals, each played out with every action
ROWS = 100  # rows of values made in a chunk before it ends
FIRST = 10  # deals of the first chunk, with a budget
SLICE = 0.003  # seconds that a chunk should take, with a budget
CLEAR = 3.0  # standard errors
ENOUGH = 400  # play-outs before anything is called clear
UNLIMITED = 2**40

Clock = Callable[[], float]


class Sums(NamedTuple):
    """Running sums over deals."""

    counts: NDArray[np.int64]  # [1] deals
    totals: NDArray[np.float64]  # [actions] chips won
    products: NDArray[np.float64]  # [actions, actions] of what two actions won in the same deal


def new_sums(actions: int) -> Sums:
    """Sums of nothing."""
    return Sums(np.zeros(1, np.int64), np.zeros(actions), np.zeros((actions, actions)))


@kernel
def add_deal(sums: Sums, won: NDArray[np.float64]) -> None:
    """Add the chips that each action won in a deal."""
    sums.counts[0] += 1
    for j in range(won.size):
        sums.totals[j] += won[j]
        for k in range(won.size):
            sums.products[j, k] += won[j] * won[k]


@dataclass(frozen=True)
class Outlook:
    """The value of each action but a fold, in chips beyond folding now; errors are standard errors."""

    actions: tuple[int, ...]  # ascending, as the game numbers them: a call, and raises
    values: tuple[float, ...]
    errors: tuple[float, ...]
    apart: tuple[tuple[float, ...], ...]  # [actions, actions] errors of the differences
    playouts: int
    chunks: int
    clear: bool  # whether it stopped because the best action was clear
    one_by_one: int  # deals in which the seats drew one after the other

    @property
    def call(self) -> float:
        """The value of a call."""
        return self.values[0]

    @property
    def raise_(self) -> float:
        """The value of the best raise; minus infinity where none is allowed."""
        return max(self.values[1:], default=-math.inf)

    def error(self, action: int, other: int = FOLD) -> float:
        """The standard error of an action's value, or of its difference from another one's."""
        place = self.actions.index(action)
        return self.errors[place] if other == FOLD else self.apart[place][self.actions.index(other)]

    def best(self, may_fold: bool) -> int:
        """The action of the greatest value; ties go to the cheaper one."""
        value, action = (0.0, FOLD) if may_fold else (-math.inf, CALL)
        for worth, found in zip(self.values, self.actions, strict=True):
            if worth > value:
                value, action = worth, found
        return action

    def careful(self, may_fold: bool, margin: float) -> int:
        """The cheapest action that the best one is not ahead of by ``margin`` standard errors.

        Among many actions the one that looks best is often only lucky, and large raises have large errors.
        """
        best = self.best(may_fold)
        if best == FOLD:
            return best
        top = self.values[self.actions.index(best)]
        if may_fold and top <= margin * self.error(best):
            return FOLD
        for worth, found in zip(self.values, self.actions, strict=True):
            if found == best or top - worth <= margin * self.error(best, found):
                return found
        return best

    def is_clear(self, may_fold: bool, clear: float) -> bool:
        """Whether the best action is ahead of each other one by ``clear`` standard errors."""
        best = self.best(may_fold)
        worth = dict(zip(self.actions, self.values, strict=True))
        if best == FOLD:
            return all(-value > clear * self.error(action) for action, value in worth.items())
        others = [action for action in worth if action != best]
        return (not may_fold or worth[best] > clear * self.error(best)) and all(
            worth[best] - worth[other] > clear * self.error(best, other) for other in others
        )


def first_decisions(game: PokerGame) -> Iterator[PokerView]:
    """The first decision of each round of a hand in which everybody calls.

    Agents with a budget simulate these before a match, so that everything is compiled and loaded when their
    first decision comes.
    """
    state = game.start()
    cards = iter(game.rules.deck)
    round = -1
    while state.player != TERMINAL:
        if state.player == CHANCE:
            state = state.apply(next(cards))
            continue
        if state.round > round:
            round = state.round
            yield state.view(state.player)
        state = state.apply(CALL)


@dataclass(frozen=True)
class Limits:
    """The limits of play-outs. ``budget`` is in seconds; 0 means that time does not count."""

    budget: float = 0.0
    playouts: int = UNLIMITED
    clear: float = CLEAR  # standard errors; infinity: never

    def __post_init__(self) -> None:
        if not self.budget >= 0 or self.playouts < 1 or not self.clear > 0:
            raise SoulreadError(
                f"budget={self.budget!r} seconds, playouts={self.playouts!r}, clear={self.clear!r}; a budget "
                "is not negative, there is at least one play-out, and what is clear lies above 0"
            )
        if self.budget == 0 and self.playouts >= UNLIMITED:
            raise SoulreadError("play-outs need a budget of seconds or a number of play-outs")


class PlayoutOptions:
    """The common part of the options of agents that play out: how long a decision may take.

    They think by a number of play-outs, ``usual`` unless another is given, and by the clock with a budget.
    """

    budget: float  # seconds; 0: time does not count
    playouts: int  # 0: the usual number, or any with a budget
    usual: ClassVar[int]

    @property
    def limits(self) -> Limits:
        """The limits of a decision."""
        usual = UNLIMITED if self.budget else self.usual
        return Limits(self.budget, self.playouts or usual)

    @property
    def by_clock(self) -> bool:
        """Whether the number of play-outs depends on the clock."""
        return self.budget > 0

    def within(self, seconds: float) -> Self:
        """The same options by the clock: at most so many seconds, and no more play-outs than before."""
        budget = min(seconds, self.budget or seconds)
        most = self.playouts or (0 if self.budget else self.usual)
        return replace(self, budget=budget, playouts=most)  # type: ignore[type-var]


def run_chunks(
    chunk: Callable[[int, Sums], None],
    actions: tuple[int, ...],
    may_fold: bool,
    draws: Draws,
    limits: Limits,
    begun: float,
    clock: Clock = time.perf_counter,
) -> Outlook:
    """Play out until a limit is reached. ``chunk`` plays out up to so many deals and adds to the sums.

    ``begun`` is when the budget began to run, by ``clock``.
    """
    sums = new_sums(len(actions))
    most = -(-limits.playouts // len(actions))
    chunks, played, now = 0, 0, begun
    deals = FIRST if limits.budget else CHUNK
    while True:
        chunk(min(deals, CHUNK - played % CHUNK, most - played), sums)
        chunks += 1
        last, played = played, int(sums.counts[0])
        if limits.budget:
            before, now = now, clock()
            deals = _affordable(min(SLICE, begun + limits.budget - now), now - before, played - last)
        over = played >= most or deals == 0
        if over or played % CHUNK == 0:
            found = _outlook(sums, actions, chunks, draws)
            clear = found.playouts >= ENOUGH and found.is_clear(may_fold, limits.clear)
            if over or clear:
                return Outlook(**{**vars(found), "clear": clear})


def _affordable(seconds: float, taken: float, deals: int) -> int:
    """How many deals fit into some seconds if so many ``deals`` took so long; 0 without any time left."""
    if seconds <= 0:
        return 0
    return max(1, int(min(CHUNK, deals * seconds / max(taken, 1e-9))))


def _outlook(sums: Sums, actions: tuple[int, ...], chunks: int, draws: Draws) -> Outlook:
    n = int(sums.counts[0])
    means, squares = sums.totals / n, np.diag(sums.products)
    gaps = means[:, None] - means
    apart = squares[:, None] + squares - 2 * sums.products
    return Outlook(
        actions=actions,
        values=tuple(means.tolist()),
        errors=tuple(_errors(n, means, squares).tolist()),
        apart=tuple(map(tuple, _errors(n, gaps, apart).tolist())),
        playouts=n * len(actions),
        chunks=chunks,
        clear=False,
        one_by_one=int(draws.counts[1]),
    )


def _errors(n: int, means: NDArray[np.float64], squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Standard errors of means from their sums of squares; infinite for one sample."""
    if n < 2:
        return np.full(means.shape, math.inf)
    return np.sqrt(np.maximum(0.0, squares / n - means * means) / (n - 1))
