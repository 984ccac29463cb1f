"""How much somebody bets in no-limit: as much as in one of the raises that were seen in such a place.

A raise is kept as what it was in its own unit: the first raise before the flop in big blinds, later ones
there as a multiple of the raise that was faced, bets and raises after the flop as a part of the pot. A new
one takes the size of an old one, drawn from those of the same place (`PLACES`) and depth; with few of them,
from all depths; with none, from the raises of the others at these tables, or a usual size. So many raises as
`DOUBTS` count as much as the next wider choice.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import RAISE, PokerView, raises_among
from soulread.model.clone.cells import BEFORE, PublicDecisions

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

PLACES = (
    "first in",
    "after limps",
    "may check",
    "second raise",
    "third raise or more",
    *(
        f"{street}, {what}"
        for street in ("flop", "turn", "river")
        for what in ("bet, raised last before", "bet", "raise")
    ),
)
USUAL = (3.0, 4.5, 4.5, 3.2, 2.4, *(0.66, 0.66, 1.0) * 3)
"""A usual size in each place, in its own unit."""
DOUBTS = 6.0
_SHALLOW = (25.0, 60.0), (1.5, 4.0)  # bounds of depth before the flop, in big blinds, and later, in pots
_DEPTHS = 3
_NEARLY = 0.85  # of what is left: who raises that much goes all-in
_HUNDRED = 100.0
_CLASSES = 7


def places_of(made: PublicDecisions) -> Ints:
    """``[decisions]`` the number in `PLACES` of a raise at each decision."""
    before = np.array([0, 1, 2, 3, 3, 4, 4, 4, 4])
    after = np.array([0, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2])
    early = made.round == 0
    state = np.where(early, made.state, made.state - len(BEFORE))
    return np.where(
        early,
        before[np.where(early, state, 0)],
        len(before) - 4 + 3 * (made.round - 1) + after[np.where(early, 0, state)],
    )


def _depths(made: PublicDecisions) -> Ints:
    early = np.searchsorted(_SHALLOW[0], made.depth)
    return np.where(made.round == 0, early, np.searchsorted(_SHALLOW[1], made.depth))


@dataclass(frozen=True)
class SeenSizes:
    """The sizes of raises that were seen, by place and depth."""

    sizes: tuple[tuple[Array, ...], ...]  # [places][depths] each in the unit of its place

    @classmethod
    def of(cls, made: PublicDecisions) -> "SeenSizes":
        """The sizes of all raises among decisions."""
        raises = made.take(made.action == RAISE)
        place, depth = places_of(raises), _depths(raises)
        faced = np.maximum(raises.faced, 1)
        ratio = (place == 3) | (place == 4)
        size = np.where(ratio, raises.size / faced, raises.size / _HUNDRED)
        return cls(
            tuple(
                tuple(np.sort(size[(place == p) & (depth == d)]) for d in range(_DEPTHS))
                for p in range(len(PLACES))
            )
        )


def no_sizes() -> SeenSizes:
    """Of nobody."""
    return SeenSizes(((np.zeros(0),) * _DEPTHS,) * len(PLACES))


@dataclass(frozen=True)
class Sizing:
    """The sizes of a player's raises; those of others stand behind them."""

    own: SeenSizes
    others: SeenSizes

    def _choices(self, place: int, depth: int) -> Iterator[tuple[float, Array]]:
        """Sizes to choose from, each list with its share; the shares sum to one."""
        left = 1.0
        for seen in (self.own.sizes[place], self.others.sizes[place]):
            for sizes in (seen[depth], np.concatenate(seen)):
                share = left * sizes.size / (sizes.size + DOUBTS)
                if sizes.size:
                    yield share, sizes
                left -= share
        yield left, np.array([USUAL[place]])

    def draw(self, view: PokerView, now: PublicDecisions, rng: np.random.Generator) -> int:
        """A raise of the seat to act, whose decision is the only one of ``now``."""
        raises = raises_among(view.choices)
        if len(raises) == 1:
            return raises[0]
        shares, lists = zip(*self._choices(int(places_of(now)[0]), int(_depths(now)[0])), strict=True)
        point = rng.random()
        chosen = min(int(np.searchsorted(np.cumsum(shares), point)), len(shares) - 1)
        return self._total(view, now, float(lists[chosen][int(rng.integers(lists[chosen].size))]))

    def spread(self, view: PokerView, now: PublicDecisions) -> dict[int, float]:
        """Totals that stand for all raises of the seat to act, a few at most, and how likely each is."""
        raises = raises_among(view.choices)
        if len(raises) < 2:
            return dict.fromkeys(raises, 1.0)
        likely: dict[int, float] = {}
        for share, sizes in self._choices(int(places_of(now)[0]), int(_depths(now)[0])):
            for size, count in zip(*np.unique(sizes, return_counts=True), strict=True):
                total = self._total(view, now, float(size))
                likely[total] = likely.get(total, 0.0) + share * int(count) / sizes.size
        totals = sorted(likely)
        upto = np.cumsum([likely[total] for total in totals])
        middle = (np.arange(_CLASSES) + 0.5) / _CLASSES * upto[-1]
        found: dict[int, float] = {}
        for point in np.minimum(np.searchsorted(upto, middle), len(totals) - 1).tolist():
            found[totals[point]] = found.get(totals[point], 0.0) + 1 / _CLASSES
        return found

    def _total(self, view: PokerView, now: PublicDecisions, size: float) -> int:
        """The legal raise that is nearest to a size in the unit of its place."""
        raises, rules = raises_among(view.choices), view.rules
        place, high = int(places_of(now)[0]), max(view.spent)
        if place < 3:
            total = rules.ante + size * rules.big_blind
        elif place < 5:
            total = rules.ante + size * (high - rules.ante)
        else:
            owed = high - view.spent[view.to_act]
            total = high + size * (view.pot + owed)
        low, most = raises[0], raises[-1]
        spent = view.spent[view.to_act]
        if total - spent >= _NEARLY * (most - spent):
            return most
        return int(min(max(round(total), low), most))
