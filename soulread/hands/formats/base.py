"""The text of one hand, cut out of its file, and the record of a hand that could not be read.

A format reads a file in two steps. It *cuts* the file into pieces, one for each hand, and *reads* a piece.
Reading one depends on nothing but the piece, so it can be done in another process
(`soulread.hands.formats.sharing`).
"""

from dataclasses import dataclass
from typing import NamedTuple

from soulread.hands.referee import Unfit
from soulread.words import printable

MAX_DETAIL = 200  # characters


class Piece(NamedTuple):
    """The text of one hand, as it stands in its file."""

    form: str  # the name of the format that cut it out and reads it
    source: str  # file, and the member of an archive
    line: int  # where it begins, from 1
    text: str  # its lines
    about: str = ""  # what other lines of the file say of it: its number, its session


@dataclass(frozen=True, slots=True)
class Skipped:
    """A hand, or a line, that is not read.

    ``reason`` is one of few texts, so that a tally can be made; ``detail`` is about this hand. A hand of a
    game that soulread does not play has ``other_game``, and its reason names the game. It is not an error.
    """

    source: str  # file, and the member of an archive
    line: int  # where the hand begins, from 1; 0 if there are no lines
    id: str  # the hand's id as far as it is known
    reason: str
    detail: str
    other_game: bool = False

    def __str__(self) -> str:
        place = f"{self.source}, line {self.line}" if self.line else self.source
        hand = f": hand {self.id}" if self.id else ""
        detail = f": {self.detail}" if self.detail else ""
        return printable(f"{place}{hand}: {self.reason}{detail}")


def skip(error: Unfit, source: str, line: int = 0, id: str = "") -> Skipped:
    """The record that takes the place of a hand that does not fit."""
    return Skipped(source, line, id, error.reason, error.detail[:MAX_DETAIL], error.other_game)


def skip_piece(error: Unfit, piece: Piece, id: str = "") -> Skipped:
    """The record that takes the place of the hand of a piece."""
    return skip(error, piece.source, piece.line, id)
