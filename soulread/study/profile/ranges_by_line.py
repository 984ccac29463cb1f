"""Ranges of a player by line of play: the hands that were shown, or those that a model gives.

A *line* is something a player did in a hand, such as raising first in from a late seat. Of the hands in which
the player took the line, some were seen: at the showdown, or because they are the observer's own. Shown hands
are a biased sample. Weak hands that were given up, and bluffs that worked, are missing.

`LineRange` and `RuleText` are plain data, which a model of the player may give instead.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, hand_index
from soulread.encoding import keys
from soulread.hands.facts import BUTTON, CALLED, CUTOFF, EARLY, HIJACK, LOJACK, RAISED, SMALL_BLIND, Facts
from soulread.hands.hand import Cards
from soulread.hands.statistics import Columns, Occasions

FEW_SHOWN = 15  # hands below which a grid says nothing
SHOWN, MODEL = "shown", "model"


@dataclass(frozen=True)
class LineRange:
    """A 13 x 13 grid of a player's range in a line of play.

    ``cells`` has 169 numbers, aces first, suited hands above the diagonal, in any unit: only proportions
    count. ``n`` is the number of hands behind them, ``taken`` how often the line was played, if known.
    """

    title: str
    cells: tuple[float, ...]
    n: int
    taken: int | None = None
    source: str = SHOWN  # or MODEL

    JSON = keys("n taken source too_few cells", line="title")

    @property
    def too_few(self) -> bool:
        """Whether a grid of shown hands says nothing."""
        return self.n < FEW_SHOWN

    @property
    def shades(self) -> tuple[float, ...]:
        """``[169]`` how dark each cell of a grid is, from 0 to 1.

        Of a model's range it is how likely each single holding of the class is: a class of 12 offsuit
        holdings is no darker than one of 4 suited ones that are as likely. Of hands seen it is their number.
        """
        found = np.array(self.cells)
        if self.source == MODEL:
            found = found / CELL_SIZES
        return tuple((found / max(found.max(), 1e-12)).tolist())


@dataclass(frozen=True)
class RuleText:
    """A rule that a model learned of a player: words, how often it was seen, how often of most players."""

    text: str
    n: float  # times the player did it
    expected: float  # times most players would have, in the same situations


Condition = Callable[[Columns], NDArray[np.bool_]]


def _first_raise(positions: Sequence[int]) -> Condition:
    return lambda d: (
        d.preflop
        & d.facing
        & (d.raises == 0)
        & (d.limpers == 0)
        & d.did(RAISED)
        & np.isin(d.position, positions)
    )


def _street(number: int, action: int) -> Condition:
    return lambda d: (d.round == number) & d.did(action)


LINES: tuple[tuple[str, tuple[Condition, ...]], ...] = (
    ("raised first in, EP to HJ", (_first_raise((EARLY, LOJACK, HIJACK)),)),
    ("raised first in, CO or BTN", (_first_raise((CUTOFF, BUTTON)),)),
    ("raised first in, SB", (_first_raise((SMALL_BLIND,)),)),
    ("limped", (lambda d: d.preflop & d.facing & (d.raises == 0) & d.did(CALLED),)),
    (
        "called a raise before the flop",
        (lambda d: d.preflop & (d.raises == 1) & (d.own_raise == 0) & d.did(CALLED),),
    ),
    ("3-bet", (lambda d: d.preflop & (d.raises == 1) & d.did(RAISED),)),
    ("4-bet or more", (lambda d: d.preflop & (d.raises >= 2) & d.did(RAISED),)),
    ("bet or raised flop, turn and river", tuple(_street(number, RAISED) for number in (1, 2, 3))),
    ("called on flop, turn and river", tuple(_street(number, CALLED) for number in (1, 2, 3))),
    ("check-raised", (lambda d: d.later & d.checked & d.facing & d.did(RAISED),)),
    ("bet or raised the river", (_street(3, RAISED),)),
    ("called a bet on the river", (_street(3, CALLED),)),
)
"""Lines: a name, and conditions of which each must hold at some decision of the hand."""


def lines_taken(facts: Facts) -> list[tuple[str, list[tuple[int, int]]]]:
    """Each line with the rows of the seats that took it, and the decision at which it was complete.

    Decisions of a seat are numbered from 0. Where a condition holds at several of them the first one counts.
    """
    found = Occasions(facts)
    made = []
    for title, conditions in LINES:
        complete: dict[int, int] | None = None
        for condition in conditions:
            places = found.first_places(condition)
            if complete is not None:
                places = {row: max(complete[row], at) for row, at in places.items() if row in complete}
            complete = places
        assert complete is not None
        made.append((title, sorted(complete.items())))
    return made


def shown_ranges(facts: Facts, cards: Mapping[int, Cards]) -> tuple[LineRange, ...]:
    """The grid of each line, from the facts of one player and the cards seen, by number of the hand."""
    numbers = facts.seats["hand"].tolist()
    made = []
    for title, taken in lines_taken(facts):
        cells = np.zeros(169)
        for row, _ in taken:
            hole = cards.get(numbers[row])
            if hole is not None:
                cells[HAND_CELLS[hand_index(*hole)]] += 1
        made.append(LineRange(title, tuple(cells.tolist()), int(cells.sum()), len(taken)))
    return tuple(made)
