"""Hands from files of any format soulread knows, one at a time.

`read_hands` finds out what a file is from its content.
"""

import os
from collections.abc import Iterator

from soulread.games.poker import PokerGame
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.irc import read_irc
from soulread.hands.hand import Hand

__all__ = ["Skipped", "read_hands"]


def read_hands(path: str | os.PathLike[str], game: PokerGame | None = None) -> Iterator[Hand | Skipped]:
    """The hands of a file, a folder or an archive, each as it is read, and in between what is skipped.

    ``path`` may be compressed (``.xz .gz .bz2``), an archive (``.zip .tar .tar.*``), a folder, or ``-`` for
    standard input. ``game`` is needed only where a file does not name its game.
    """
    yield from read_irc(path)
