"""Stores of older versions: their hands, for a store of this version to take over.

Version 1 knew no rooms. The room of a hand follows from its source where that is sure, as for PokerStars,
GGPoker and the IRC database; other hands have none, and get it when they are imported again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from soulread.errors import DamagedFile
from soulread.hands.hand import Hand, Stakes
from soulread.hands.tables.database import Database
from soulread.hands.tables.packing import unpack_hand

Numbered = tuple[int, bytes, Hand]  # number in the store, key, hand

_TABLES = ("meta", "kind", "player", "hand", "block")
_INDEXES = ("hand_key", "hand_id", "block_player")
_ROOMS = ("PokerStars", "GGPoker")
_IRC = "IRC "  # how sources of the IRC database begin


@dataclass(frozen=True)
class OldStore:
    """The tables of a store of version 1, perhaps under other names."""

    database: Database
    settings: dict[str, str]
    away: str = "_1"  # behind the names of its tables

    def hands(self) -> Iterator[Numbered]:
        """Every hand in order; a damaged one raises."""
        run = self.database.rows
        names = dict(run(f"SELECT number, name FROM player{self.away}"))
        kinds = {
            number: (variant, Stakes(*stakes))
            for number, variant, *stakes in run(
                f"SELECT number, variant, small_bet, big_blind, ante, currency, chip FROM kind{self.away}"
            )
        }
        for number, key, kind, record in run(
            f"SELECT number, key, kind, record FROM hand{self.away} ORDER BY number"
        ):
            try:
                if kind not in kinds or type(record) is not bytes or type(key) is not bytes:
                    raise DamagedFile("it is of no known game, or has no record")
                hand = unpack_hand(record, names, *kinds[kind])
            except DamagedFile as error:
                raise DamagedFile(f"{self.database.name!r}, hand #{number}: {error}") from None
            yield number, key, replace(hand, room=_room(hand.source))

    def drop(self) -> None:
        """Forget the old tables."""
        for table in _TABLES:
            self.database.run(f"DROP TABLE {table}{self.away}")


def set_aside(database: Database) -> OldStore:
    """Rename the tables of version 1, so that there is room for new ones."""
    settings = dict(database.rows("SELECT name, value FROM meta"))
    for index in _INDEXES:
        database.run(f"DROP INDEX {index}")
    old = OldStore(database, settings)
    for table in _TABLES:
        database.run(f"ALTER TABLE {table} RENAME TO {table}{old.away}")
    return old


def _room(source: str) -> str:
    """The room of a hand that only has its source."""
    return "IRC" if source.startswith(_IRC) else source if source in _ROOMS else ""
