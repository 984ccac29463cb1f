"""The tables of a store, and the seals by which each row is known to be what was written.

    meta    settings, each a text; `state` counts what the other tables hold, so that a lost row is noticed
    kind    game, stakes and room, once for all hands of a kind; `meta` has each of them once more
    player  names, each with its room, and how many hands and blocks there are of each
    hand    number, key, room's id, time, kind, and the record itself (`soulread.hands.tables.packing`)
    batch   of hands that came in together: the beginnings of their keys and checksums of their ids
    block   for each batch and player: the facts of this player's seats and decisions (`soulread.hands.facts`)

A seal is a CRC-32 of all other columns of its row. It notices every single changed bit, and all but one of
four billion other changes. Databases lose rows too, where a page of an index or a table is damaged, and say
nothing. So hands are numbered without gaps but those that `StoreState.missing` names. A player's row has the
number of the player's blocks and the sum of their seals. `meta` has the same of all blocks.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from soulread.hands.hand import Stakes

TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL, seal BIGINT NOT NULL)",
    "CREATE TABLE kind (number SERIES PRIMARY KEY, game TEXT NOT NULL, variant TEXT NOT NULL, "
    "small_bet BIGINT NOT NULL, big_blind BIGINT NOT NULL, ante BIGINT NOT NULL, currency TEXT NOT NULL, "
    "chip TEXT NOT NULL, tournament INTEGER NOT NULL, room TEXT NOT NULL, seal BIGINT NOT NULL)",
    "CREATE TABLE player (number SERIES PRIMARY KEY, name TEXT NOT NULL, room TEXT NOT NULL, "
    "namesakes INTEGER NOT NULL, hands BIGINT NOT NULL, first_time BIGINT, last_time BIGINT, "
    "blocks BIGINT NOT NULL, sum BIGINT NOT NULL, seal BIGINT NOT NULL)",
    "CREATE UNIQUE INDEX player_name ON player (name, room)",
    "CREATE TABLE hand (number SERIES PRIMARY KEY, key BYTES NOT NULL, id TEXT NOT NULL, time BIGINT, "
    "kind INTEGER NOT NULL, record BYTES NOT NULL, seal BIGINT NOT NULL)",
    "CREATE UNIQUE INDEX hand_key ON hand (key)",
    "CREATE TABLE batch (first_hand SERIES PRIMARY KEY, marks BYTES NOT NULL, seal BIGINT NOT NULL)",
    "CREATE TABLE block (number SERIES PRIMARY KEY, player INTEGER NOT NULL, seats BYTES NOT NULL, "
    "decisions BYTES NOT NULL, seal BIGINT NOT NULL)",
    "CREATE INDEX block_player ON block (player)",
)
NAMES = ("meta", "kind", "player", "hand", "batch", "block")
INDEXES = ("player_name", "hand_key", "block_player")

HAND_COLUMNS = "number, key, id, time, kind, record, seal"
PLAYER_COLUMNS = "number, name, room, namesakes, hands, first_time, last_time, blocks, sum, seal"
KIND_COLUMNS = "number, game, variant, small_bet, big_blind, ante, currency, chip, tournament, room, seal"
BLOCK_COLUMNS = "number, player, seats, decisions, seal"
BATCH_COLUMNS = "first_hand, marks, seal"

PEOPLE = "people"  # the setting that says who is the same person

MARK = np.dtype([("key", "<u8"), ("id", "<u4")])  # the beginning of a key, the checksum of an id
MAX_NUMBER = 2**62
EARLIEST, LATEST = -(2**35), 2**35  # seconds since 1970: a time that a date can be made of

Row = Sequence[Any]


def seal_of(*values: object) -> int:
    """The seal of a row of texts, numbers and None."""
    return crc32(repr(values).encode("utf-8", "surrogatepass"))


def seal_of_hand(number: int, key: bytes, id: str, time: int | None, kind: int, record: bytes) -> int:
    """The seal of a row of ``hand``."""
    return crc32(record, seal_of(number, key, id, time, kind))


def seal_of_block(player: int, seats: bytes, decisions: bytes) -> int:
    """The seal of a row of ``block``; its number says nothing but the order."""
    return crc32(decisions, crc32(seats, player))


def seal_of_batch(first_hand: int, marks: bytes) -> int:
    """The seal of a row of ``batch``."""
    return crc32(marks, seal_of(first_hand))


def people_seal(text: str) -> int:
    """The checksum by which a lost or an older setting `PEOPLE` is noticed; 0 if there is none."""
    return crc32(text.encode("utf-8", "surrogatepass")) if text else 0


def id_mark(id: str) -> int:
    """The checksum by which a hand's id is found."""
    return crc32(id.encode("utf-8", "surrogatepass"))


def marks_of(hands: Sequence[tuple[int, bytes, str]], first: int) -> NDArray[Any]:
    """``[MARK]`` one for each number from ``first`` to the last; a number without a hand has zeros."""
    marks = np.zeros(hands[-1][0] + 1 - first, MARK)
    places = np.array([number for number, _, _ in hands]) - first
    marks["key"][places] = np.frombuffer(b"".join([key[:8] for _, key, _ in hands]), "<u8")
    marks["id"][places] = [id_mark(id) for _, _, id in hands]
    return marks


class PlayerRow(NamedTuple):
    """A row of ``player`` without its seal."""

    number: int
    name: str
    room: str
    namesakes: int = 1  # players of this name, in all rooms
    hands: int = 0
    first_time: int | None = None
    last_time: int | None = None
    blocks: int = 0
    sum: int = 0  # of the seals of these blocks

    def with_block(self, hands: int, times: tuple[int, int] | None, seal: int) -> "PlayerRow":
        """The row after one more block."""
        number, name, room, namesakes, before, first, last, blocks, total = self
        if times is not None:
            first = times[0] if first is None else min(first, times[0])
            last = times[1] if last is None else max(last, times[1])
        row = (number, name, room, namesakes, before + hands, first, last, blocks + 1, total + seal)
        return PlayerRow._make(row)

    def emptied(self) -> "PlayerRow":
        """The row without its blocks."""
        return PlayerRow(self.number, self.name, self.room, self.namesakes)


def read_player(row: Row) -> PlayerRow | None:
    """A row of ``player``, or None if it is not what was written or cannot be."""
    *values, seal = row
    if seal_of(*values) != seal:
        return None
    number, _, _, namesakes, hands, first, last, blocks, total = values
    types = tuple(map(type, values))
    timed = types == _TIMED and EARLIEST < first <= last < LATEST
    if not timed and types != _UNTIMED:
        return None
    return PlayerRow._make(values) if min(number, namesakes, hands, blocks, total) >= 0 else None


_TIMED = (int, str, str, int, int, int, int, int, int)
_UNTIMED = (int, str, str, int, int, type(None), type(None), int, int)


def kind_values(number: int, game: str, variant: str, stakes: Stakes, room: str) -> tuple[Any, ...]:
    """The columns of a row of ``kind``, with their seal."""
    money = (stakes.small_bet, stakes.big_blind, stakes.ante, stakes.currency, stakes.chip)
    values = (number, game, variant, *money, int(stakes.tournament), room)
    return (*values, seal_of(*values))


def kind_setting(values: Row) -> tuple[str, str]:
    """A row of ``kind`` as a setting: its second copy."""
    return f"kind {values[0]}", json.dumps(values)


def read_kind(row: Row) -> tuple[int, str, str, Stakes, str] | None:
    """A row of ``kind``, or None if it is not what was written or cannot be."""
    *values, seal = row
    if seal_of(*values) != seal:
        return None
    number, game, variant, small, big, ante, currency, chip, event, room = values
    texts = all(type(text) is str for text in (game, variant, currency, chip, room))
    chips = all(type(amount) is int and 0 <= amount < MAX_NUMBER for amount in (small, big, ante))
    whole = type(number) is int and type(event) is int and event in (0, 1)
    if not texts or not chips or not whole or big == 0 or not _is_price(chip):
        return None
    return number, game, variant, Stakes(small, big, ante, currency, chip, event == 1), room


def _is_price(text: str) -> bool:
    whole, _, part = text.partition(".")
    return len(text) < 20 and (whole + part).isdecimal() and text.isascii()


@dataclass(frozen=True)
class StoreState:
    """What a store holds, for lost rows to be noticed."""

    hands: int = 0  # the last number
    missing: tuple[tuple[int, int], ...] = ()  # numbers that are not there, from the first to the last
    players: int = 0
    kinds: int = 0
    blocks: int = 0
    last_block: int = 0  # its number
    sum: int = 0  # of the seals of all blocks
    edits: int = 0  # how often rows that were there were changed
    people: int = 0  # the checksum of the setting that says who is the same person; 0 without one
    names: str | None = None  # whether names are hashed: as the setting says

    @property
    def text(self) -> str:
        """The value of the setting."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @property
    def count(self) -> int:
        """How many hands there are."""
        return self.hands - sum(last + 1 - first for first, last in self.missing)

    def has(self, number: int) -> bool:
        """Whether there is a hand of this number."""
        return 1 <= number <= self.hands and not any(first <= number <= last for first, last in self.missing)

    def grown(self, numbers: Sequence[int]) -> "StoreState":
        """What there is after hands of these numbers have come in; gaps before and between are missing."""
        missing = list(self.missing)
        last = self.hands
        for number in numbers:
            if number != last + 1:
                missing.append((last + 1, number - 1))
            last = number
        return replace(self, hands=last, missing=tuple(missing))

    def shrunk(self, numbers: Sequence[int]) -> "StoreState":
        """What there is after hands of these numbers, in ascending order, were removed."""
        missing: list[tuple[int, int]] = []
        for first, last in sorted([*self.missing, *[(number, number) for number in numbers]]):
            if missing and first == missing[-1][1] + 1:
                missing[-1] = missing[-1][0], last
            else:
                missing.append((first, last))
        return replace(self, missing=tuple(missing), edits=self.edits + 1)

    def next_after(self, number: int) -> int:
        """The number of the next hand."""
        number += 1
        for first, last in self.missing:
            if first <= number <= last:
                return last + 1
        return number


def read_state(text: str) -> StoreState | None:
    """What `StoreState.text` wrote, or None if this is nothing of the kind."""
    try:
        values = json.loads(text)
        missing = tuple((first, last) for first, last in values.pop("missing"))
        state = StoreState(missing=missing, **values)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    totals = (state.hands, state.players, state.kinds, state.blocks, state.last_block, state.sum)
    counts = (*totals, state.edits, state.people)
    ends = [number for pair in missing for number in pair]
    whole = all(type(number) is int and 0 <= number < MAX_NUMBER for number in (*counts, *ends))
    return state if whole and ends == sorted(ends) and type(state.names) in (str, type(None)) else None


class HandRow(NamedTuple):
    """A row of ``hand`` without its seal."""

    number: int
    key: bytes
    id: str
    time: int | None
    kind: int
    record: bytes


def read_hand(row: Row) -> HandRow | None:
    """A row of ``hand``, or None if it is not what was written."""
    try:
        found = HandRow._make(row[:-1])
        whole = seal_of_hand(*found) == row[-1]
    except (TypeError, ValueError, OverflowError, IndexError):
        return None
    return found if whole else None
