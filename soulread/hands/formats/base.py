"""What every format has in common: a hand that is not read, and why."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Skipped:
    """A hand, or a line, that is not read.

    ``reason`` is one of few texts, so that a tally can be made; ``detail`` is about this hand. A hand of a game
    that soulread does not play has ``other_game``, and its reason names the game. It is not an error.
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
        return f"{place}{hand}: {self.reason}{detail}"


class Unfit(Exception):
    """A hand cannot be read: the reason and the detail of its `Skipped`."""

    def __init__(self, reason: str, detail: str = "", other_game: bool = False) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail
        self.other_game = other_game

    def skipped(self, source: str, line: int, id: str) -> Skipped:
        """What takes the hand's place."""
        return Skipped(source, line, id, self.reason, self.detail[:200], self.other_game)
