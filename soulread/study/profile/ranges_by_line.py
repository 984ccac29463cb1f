"""Ranges of a player by line of play: hands that were seen, and what a model says of the others.

A *line* is something a player did in a hand, such as raising first in from a late seat. Of the hands in which
the player took the line, some were seen: at the showdown, or because they are the observer's own. Where they
are nearly all, as with the observer's own hands, the range is counted. Where they are some, they are a biased
sample: weak hands that were given up, and bluffs that worked, are missing. There a model fills in the hands
that were not seen (`soulread.study.profile.model_ranges`), or there is only the sample.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, hand_index
from soulread.encoding import keys
from soulread.estimate import exact_interval
from soulread.hands.claims import ClaimQuery, ClaimSource
from soulread.hands.conditions import parse_conditions
from soulread.hands.facts import Facts
from soulread.hands.hand import Cards
from soulread.hands.played import played_at
from soulread.hands.statistics import Occasions

FEW_SHOWN = 15  # hands below which a grid says nothing
NEARLY_ALL = 0.95  # of the hands of a line, for its range to be counted
COUNTED, SHOWN, MODEL = "counted", "shown", "model"


@dataclass(frozen=True)
class LineRange:
    """A 13 x 13 grid of a player's range in a line of play.

    ``cells`` has 169 numbers of hands, aces first, suited hands above the diagonal. Those that were seen are
    counted; where a model fills in the others, they are its expectation. ``n`` is the number of hands behind
    the grid, ``known`` those of them whose cards were seen, ``taken`` how often the line was played.
    """

    title: str
    cells: tuple[float, ...]
    n: int
    known: int
    taken: int
    source: str  # COUNTED: all or nearly all were seen. SHOWN: a biased sample. MODEL: seen, or filled in
    query: ClaimQuery | None = None  # the hands in which the line was played
    seen_query: ClaimQuery | None = None  # those of them whose cards were seen

    JSON = keys("n known taken source too_few query seen_query cells intervals", line="title")

    @property
    def too_few(self) -> bool:
        """Whether a grid of so few hands says nothing."""
        return self.n < FEW_SHOWN

    @property
    def shares(self) -> tuple[float, ...]:
        """``[169]`` the part of the range that each class is; 0 if there are no hands."""
        total = sum(self.cells) or 1.0
        return tuple(cell / total for cell in self.cells)

    @property
    def intervals(self) -> tuple[tuple[float, float], ...] | None:
        """``[169]`` the 95% interval of each share of a counted range; None of other ranges."""
        if self.source != COUNTED:
            return None
        return tuple(exact_interval(count, self.known) for count in self.cells)

    @property
    def shades(self) -> tuple[float, ...]:
        """``[169]`` how dark each cell of a grid is, from 0 to 1.

        It is how likely each single holding of the class is: a class of 12 offsuit holdings is no darker than
        one of 4 suited ones that are as likely. Of a sample it is the number of hands.
        """
        found = np.array(self.cells)
        if self.source != SHOWN:
            found = found / CELL_SIZES
        return tuple((found / max(found.max(), 1e-12)).tolist())


LINES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("raised first in, EP to HJ", ("did:raised-first-in", "position:EP,LJ,HJ")),
    ("raised first in, CO or BTN", ("did:raised-first-in", "position:CO,BTN")),
    ("raised first in, SB", ("did:raised-first-in", "position:SB")),
    ("limped", ("did:limped",)),
    ("called a raise before the flop", ("did:called-raise",)),
    ("3-bet", ("did:3-bet",)),
    ("4-bet or more", ("did:4-bet-or-more",)),
    ("bet or raised flop, turn and river", ("did:bet-every-street",)),
    ("called on flop, turn and river", ("did:called-every-street",)),
    ("check-raised", ("did:check-raised",)),
    ("bet or raised the river", ("did:bet-river",)),
    ("called a bet on the river", ("did:called-river",)),
)
"""Lines: a name, and the query that finds their hands; its first word is one of `soulread.hands.played`."""


def lines_taken(facts: Facts) -> list[tuple[str, list[tuple[int, int]]]]:
    """Each line with the rows of the seats that took it, and the decision at which it was complete.

    Decisions of a seat are numbered from 0.
    """
    found = Occasions(facts)
    made = []
    for title, words in LINES:
        held = parse_conditions(words, "the player").of_facts(facts, found)
        places = played_at(found, words[0].removeprefix("did:"))
        made.append((title, sorted((row, at) for row, at in places.items() if held[row])))
    return made


Unseen = Callable[[Sequence[tuple[int, int]]], tuple[NDArray[np.float64], int]]
"""Fills in hands that were not seen, each by its number and the decision at which the line was complete.

Returns ``[169]`` the mean range in them, which sums to one, and the number of hands that it looked at.
"""


def with_queries(ranges: Sequence[LineRange], source: ClaimSource, *words: str) -> tuple[LineRange, ...]:
    """The ranges with the queries of their hands; ``words`` narrow them all."""
    return tuple(
        replace(
            line,
            query=source.hands(line.taken, *of_line, *words),
            seen_query=source.hands(line.known, *of_line, "seen", *words),
        )
        for line, (_, of_line) in zip(ranges, LINES, strict=True)
    )


def ranges_of(
    facts: Facts, cards: Mapping[int, Cards], unseen: Unseen | None = None
) -> tuple[LineRange, ...]:
    """The grid of each line, from the facts of one player and the cards seen, by number of the hand.

    ``unseen`` fills in the hands whose cards are not among ``cards``, unless these are next to none.
    """
    numbers = facts.seats["hand"].tolist()
    made = []
    for title, taken in lines_taken(facts):
        at = [(numbers[row], place) for row, place in taken]
        cells = np.zeros(169)
        for number, _ in at:
            if number in cards:
                cells[HAND_CELLS[hand_index(*cards[number])]] += 1
        known, source, looked = int(cells.sum()), SHOWN, 0
        if known and known >= NEARLY_ALL * len(at):
            source = COUNTED
        elif unseen is not None and at:
            mean, looked = unseen([pair for pair in at if pair[0] not in cards])
            source = MODEL if looked else SHOWN
            cells += (len(at) - known) * mean
        made.append(LineRange(title, tuple(cells.tolist()), known + looked, known, len(at), source))
    return tuple(made)
