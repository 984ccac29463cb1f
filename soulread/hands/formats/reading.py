"""Hands from files of any format soulread knows, one at a time.

`read_hands` finds out what a file is from its content.
"""

import os
from collections.abc import Iterator

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.phh import looks_like_phh, read_phh
from soulread.hands.formats.rooms import looks_like_room, read_room
from soulread.hands.formats.sources import BrokenFile, sources
from soulread.hands.hand import Hand

__all__ = ["Skipped", "read_hands"]


def read_hands(path: str | os.PathLike[str], game: PokerGame | None = None) -> Iterator[Hand | Skipped]:
    """The hands of a file, a folder or an archive, each as it is read, and in between what is skipped.

    ``path`` may be compressed (``.xz .gz .bz2``), an archive (``.zip .tar .tar.*``), a folder, or ``-`` for
    standard input. ``game`` is needed only where a file does not name its game.
    """
    for source in sources(path):
        if isinstance(source, BrokenFile):
            yield Skipped(str(path), 0, "", "a file cannot be read", str(source))
        elif looks_like_phh(source.head()):
            yield from read_phh(source.texts(), source.name)
        elif looks_like_room(source.head()):
            yield from read_room(source.texts(), source.name)
        elif source.given:
            raise ParseError(f"{source.name!r} is no hand history soulread knows")
        else:
            yield Skipped(source.name, 0, "", "no hand history", source.head()[:60])
