"""What of a store is whole, and a store made anew from what is.

`check_store` reads every row of every table and changes nothing. `rebuild_store` keeps each hand whose record
is whole, under its number and key, and makes everything else from the hands: players, games, facts, indexes.
A hand that is damaged is left out and named. Where a player's name is damaged, the key of a hand tells
whether what is there is the name nevertheless; if not, the player is called after the number.

A file is written anew beside the old one and takes its place when it is done. If something was lost, the old
file stays under the name ``.damaged``. On a server all this is one transaction.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from soulread.encoding import keys
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.facts import DECISION, FORMAT, SEAT, Facts, is_sound
from soulread.hands.hand import Hand, Stakes
from soulread.hands.identity import key_of
from soulread.hands.people import read_people
from soulread.hands.store import VERSION, Store
from soulread.hands.tables.database import Database, SqliteDatabase, connect
from soulread.hands.tables.journal import is_cut, journal_of
from soulread.hands.tables.layout import (
    BATCH_COLUMNS,
    BLOCK_COLUMNS,
    HAND_COLUMNS,
    INDEXES,
    KIND_COLUMNS,
    NAMES,
    PEOPLE,
    PLAYER_COLUMNS,
    HandRow,
    PlayerRow,
    StoreState,
    id_mark,
    marks_of,
    people_seal,
    read_hand,
    read_kind,
    read_player,
    read_state,
    seal_of,
    seal_of_batch,
)
from soulread.hands.tables.older import Numbered, OldStore
from soulread.hands.tables.packing import unpack_hand
from soulread.words import plural

_SPAN = 512  # hands read at once
_TOLD = 20  # faults of a part that are named
_AWAY = "_old"  # behind the names of tables that are set aside
_STORED = "SELECT {} FROM {} WHERE number >= ? AND number <= ? ORDER BY number"


@dataclass
class StorePart:
    """A part of a store: how many rows it has, and what is wrong with some of them."""

    name: str
    rows: int = 0
    damaged: int = 0
    faults: list[str] = field(default_factory=list)  # the first ones, in words

    JSON = keys("rows damaged faults", part="name")

    def note(self, fault: str) -> None:
        """One more row is damaged."""
        self.damaged += 1
        if len(self.faults) < _TOLD:
            self.faults.append(fault)


@dataclass(frozen=True)
class StoreCheck:
    """What of a store is whole."""

    store: str
    parts: tuple[StorePart, ...]

    JSON = keys("store whole parts")

    @property
    def whole(self) -> bool:
        """Whether nothing is damaged."""
        return not any(part.damaged for part in self.parts)


@dataclass(frozen=True)
class RebuiltStore:
    """What became of a store that was made anew."""

    store: str
    hands: int
    lost: tuple[str, ...]  # hands that were damaged, by name
    nameless: tuple[int, ...]  # numbers of players whose names are lost
    kept: str | None  # where the damaged file is

    JSON = keys("store hands lost nameless kept")


# Reading what may be damaged.


@dataclass
class _Salvage:
    """The rows of a store of this version, as far as they can be read."""

    database: Database
    away: str = ""  # behind the names of the tables

    def settings(self) -> tuple[dict[str, str], StorePart]:
        part = StorePart("settings")
        found: dict[str, str] = {}
        for row in self._all("name, value, seal", "meta", part):
            name, value, seal = row
            if type(name) is not str or type(value) is not str or seal_of(name, value) != seal:
                part.note(f"the setting {name!r:.60} is not what was written")
            else:
                found[name] = value
        return found, part

    def kinds(self, settings: dict[str, str]) -> tuple[dict[int, tuple[str, str, Stakes, str]], StorePart]:
        """Games by number; ``settings`` have each of them once more."""
        part = StorePart("games")
        found = {}
        for row in self._all(KIND_COLUMNS, "kind", part):
            kind = read_kind(row)
            if kind is None:
                part.note(f"game {row[0]!r:.20} is not what was written")
            else:
                found[kind[0]] = kind[1:]
        for name, value in settings.items():
            if name.startswith("kind "):
                with suppress(ValueError, TypeError):
                    kind = read_kind(json.loads(value))
                    if kind is not None and kind[0] not in found:
                        found[kind[0]] = kind[1:]
        return found, part

    def players(self) -> tuple[dict[int, PlayerRow], dict[int, tuple[str, str]], StorePart]:
        """Players by number; then those whose row is damaged, with the name and room that stand there."""
        part = StorePart("players")
        found: dict[int, PlayerRow] = {}
        doubtful: dict[int, tuple[str, str]] = {}
        for row in self._all(PLAYER_COLUMNS, "player", part):
            player = read_player(row)
            if player is not None:
                found[player.number] = player
                continue
            number, name, room = row[:3]
            part.note(f"player {number!r:.20} is not what was written")
            if type(number) is int and type(name) is str and type(room) is str:
                doubtful[number] = name, room
        return found, doubtful, part

    def hands(self, last: int, part: StorePart) -> Iterator[HandRow | int]:
        """Every hand up to number ``last`` that is whole, and the number of each that is not there."""
        for first in range(1, last + 1, _SPAN):
            rows = {
                row[0]: row for row in self._span(HAND_COLUMNS, "hand", first, min(last, first + _SPAN - 1))
            }
            for number in range(first, min(last, first + _SPAN - 1) + 1):
                row = rows.get(number)
                if row is None:
                    yield number
                    continue
                part.rows += 1
                found = read_hand(row)
                if found is None:
                    part.note(f"hand #{number} is not what was written")
                    yield number
                else:
                    yield found

    def last(self, table: str) -> int:
        """The highest number in a table, as far as the database can tell."""
        try:
            (number,) = next(self.database.rows(f"SELECT MAX(number) FROM {table}{self.away}"))
        except DamagedFile:
            return 0
        return number if type(number) is int and 0 < number < 2**40 else 0

    def _all(self, columns: str, table: str, part: StorePart) -> Iterator[Sequence[Any]]:
        """Every row of a small table; if the database gives up, that is noted."""
        try:
            for row in self.database.rows(f"SELECT {columns} FROM {table}{self.away}"):
                part.rows += 1
                yield row
        except DamagedFile as error:
            part.note(str(error))

    def _span(self, columns: str, table: str, first: int, last: int) -> list[Sequence[Any]]:
        """Rows of some numbers; those on pages that cannot be read are left out."""
        sql = _STORED.format(columns, f"{table}{self.away}")
        try:
            return list(self.database.rows(sql, (first, last)))
        except DamagedFile:
            if first == last:
                return []
        middle = (first + last) // 2
        return [
            *self._span(columns, table, first, middle),
            *self._span(columns, table, middle + 1, last),
        ]


# Checking.


def check_store(where: str | os.PathLike[str]) -> StoreCheck:
    """Look at every row of a store, and change nothing. What cannot be opened at all raises."""
    name = os.fspath(where)
    with closing(connect(name, read_only=True, careless=True)) as database:
        files = StorePart("files", 1)
        if isinstance(database, SqliteDatabase) and is_cut(Path(name)):
            files.note(f"the journal {journal_of(Path(name)).name!r} has lost hands that were stored")
        for fault in database.faults():
            files.note(fault)
        version = _version(database)
        if version == 1:
            return StoreCheck(database.name, (files, _check_version_1(database)))
        return StoreCheck(database.name, (files, *_check_tables(_Salvage(database))))


def _version(database: Database) -> int | None:
    """The version of a store as its settings have it, or as its tables look; None if it is newer."""
    tables = database.tables()
    if not tables & set(NAMES):
        raise SoulreadError(f"there are no hands in {database.name!r}; soulread import brings some")
    if "meta" in tables and "seal" not in database.columns("meta"):
        return 1
    found = "" if "meta" not in tables else dict(database.rows("SELECT name, value FROM meta")).get("version")
    if str(found).isdecimal() and len(str(found)) < 5 and int(str(found)) > VERSION:
        raise SoulreadError(
            f"{database.name!r} has version {found}; this soulread only knows up to {VERSION}"
        )
    return VERSION


def _check_version_1(database: Database) -> StorePart:
    part = StorePart("hands")
    try:
        for _ in OldStore(database, {}, "").hands():
            part.rows += 1
    except DamagedFile as error:
        part.note(str(error))
    return part


def _check_tables(rows: _Salvage) -> tuple[StorePart, ...]:
    settings, part_settings = rows.settings()
    state = read_state(settings.get("state", ""))
    for name in ("version", "facts", "state"):
        if name not in settings:
            part_settings.note(f"the setting {name!r} is lost")
    if "state" in settings and state is None:
        part_settings.note("it does not say what it holds")
    people = settings.get(PEOPLE, "")
    if read_people(people) is None or (state is not None and people_seal(people) != state.people):
        part_settings.note("it does not say any more who is the same person")
    kinds, part_kinds = rows.kinds({})
    players, _, part_players = rows.players()
    part_hands, part_marks = StorePart("hands"), StorePart("index")
    last = rows.last("hand") if state is None else state.hands
    present: list[tuple[int, bytes, str]] = []
    names = {number: row.name for number, row in players.items()}
    seats = 0
    for found in rows.hands(last, part_hands):
        if isinstance(found, int):
            if (state is None or state.has(found)) and not _named(part_hands, found):
                part_hands.note(f"hand #{found} is lost")
            continue
        present.append((found.number, found.key, found.id))
        hand = _unpacked(found, kinds, names)
        if isinstance(hand, Hand):
            seats += hand.num_players
        else:
            part_hands.note(hand)
    _check_marks(rows, present, last, part_marks)
    columns = settings.get("facts", str(FORMAT)) == str(FORMAT)
    part_facts = _check_facts(rows, players, state, len(kinds) if columns else None, last)
    counts = (
        ()
        if state is None
        else ((len(players), state.players, part_players), (len(kinds), state.kinds, part_kinds))
    )
    for there, expected, part in counts:
        if there + part.damaged < expected:
            part.note(f"{plural(expected - there - part.damaged, 'row')} of {expected:,} are lost")
    if (
        not part_facts.damaged
        and not part_hands.damaged
        and sum(row.hands for row in players.values()) != seats
    ):
        part_facts.note("the facts are not those of the hands")
    return part_settings, part_kinds, part_players, part_hands, part_marks, part_facts


def _named(part: StorePart, number: int) -> bool:
    return bool(part.faults) and part.faults[-1].startswith(f"hand #{number} ")


def _unpacked(
    row: HandRow, kinds: dict[int, tuple[str, str, Stakes, str]], names: dict[int, str]
) -> Hand | str:
    """The hand of a row, or why there is none."""
    kind = kinds.get(row.kind)
    if kind is None:
        return f"hand #{row.number} is of no known game"
    try:
        return unpack_hand(row.record, names, *kind[1:])
    except DamagedFile as error:
        return f"hand #{row.number}: {error}"


def _check_marks(
    rows: _Salvage, present: Sequence[tuple[int, bytes, str]], last: int, part: StorePart
) -> None:
    """The index of hands by id: its rows, and that it says what the hands say."""
    parts: list[bytes] = []
    expected = 1
    for first, marks, seal in rows._all(f"{BATCH_COLUMNS}", "batch", part):
        whole = type(marks) is bytes and type(first) is int and seal_of_batch(first, marks) == seal
        if not whole or first != expected:
            part.note(f"the index of hands from #{expected} is not what was written")
            return
        parts.append(marks)
        expected += len(marks) // 12
    if expected <= last:
        part.note(f"the index of hands from #{expected} is lost")
    elif present:
        found = np.frombuffer(b"".join(parts), marks_of(present[:1], present[0][0]).dtype)
        numbers = np.array([number for number, _, _ in present]) - 1
        ids = np.array([id_mark(id) for _, _, id in present], np.uint32)
        begin = np.frombuffer(b"".join([key[:8] for _, key, _ in present]), "<u8")
        for number in numbers[(found["id"][numbers] != ids) | (found["key"][numbers] != begin)].tolist():
            part.note(f"the index says something else of hand #{number + 1}")


def _check_facts(
    rows: _Salvage, players: dict[int, PlayerRow], state: StoreState | None, kinds: int | None, hands: int
) -> StorePart:
    """The blocks: each one, those of each player, and all together.

    Without ``kinds`` the columns are those of another soulread, and only their seals are verified.
    """
    part = StorePart("facts")
    sums: dict[int, list[int]] = {}
    last = rows.last("block") if state is None else state.last_block
    for first in range(1, last + 1, _SPAN):
        for _, player, seats, decisions, seal in rows._span(
            BLOCK_COLUMNS, "block", first, min(last, first + _SPAN - 1)
        ):
            part.rows += 1
            try:
                whole = crc32(decisions, crc32(seats, player)) == seal
                seated = 0
                if kinds is not None:
                    facts = Facts(np.frombuffer(seats, SEAT), np.frombuffer(decisions, DECISION))
                    whole, seated = whole and is_sound(facts, hands, kinds), facts.seats.size
            except (TypeError, ValueError):
                whole = False
            if not whole:
                part.note(f"facts of player {player!r:.20} are not what was written")
                continue
            one = sums.setdefault(player, [0, 0, 0])
            one[0], one[1], one[2] = one[0] + 1, one[1] + seal, one[2] + seated
    for number, row in players.items():
        if [row.blocks, row.sum, row.hands if kinds is not None else 0] != sums.get(number, [0, 0, 0]):
            part.note(f"some facts of player {number} ({row.name!r:.60}) are lost")
    total = [sum(one[place] for one in sums.values()) for place in (0, 1)]
    if state is not None and not part.damaged and total != [state.blocks, state.sum]:
        part.note("some facts are lost")
    return part


# Rebuilding.


def rebuild_store(where: str | os.PathLike[str]) -> RebuiltStore:
    """Make a store anew from its hands; a damaged one is left out and named."""
    name = os.fspath(where)
    database = connect(name, careless=True)
    try:
        if _version(database) == 1:
            return _rebuild_version_1(database, name)
        if isinstance(database, SqliteDatabase):
            return _rebuild_file(database, Path(name))
        with database.writing():
            for index in INDEXES:
                database.run(f"DROP INDEX {index}")
            for table in NAMES:
                database.run(f"ALTER TABLE {table} RENAME TO {table}{_AWAY}")
            store = Store(database)
            store.make_tables()
            done = _copied(_Salvage(database, _AWAY), store)
            for table in NAMES:
                database.run(f"DROP TABLE {table}{_AWAY}")
        return done
    finally:
        database.close()


def _rebuild_version_1(database: Database, name: str) -> RebuiltStore:
    """A store of version 1 is brought up to date, which writes it anew."""
    database.close()
    with Store.open(name) as store:
        return RebuiltStore(store.name, len(store), (), (), None)


def _rebuild_file(database: SqliteDatabase, path: Path) -> RebuiltStore:
    cut = is_cut(path)
    new = path.with_name(f"{path.name}.new")
    _remove(new)
    try:
        with Store.open(new) as store, store._db.writing():
            done = _copied(_Salvage(database), store)
        faulty = cut or bool(done.lost or done.nameless or database.faults())
        database.close()
        kept = None
        if faulty:
            kept = _free_name(path)
            for ending in ("", "-wal"):
                with suppress(FileNotFoundError):
                    os.replace(f"{path}{ending}", f"{kept}{ending}")
        for ending in ("-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(f"{path}{ending}")
        os.replace(new, path)
    except BaseException:
        _remove(new)
        raise
    return replace(done, store=str(path), kept=None if kept is None else str(kept))


def _free_name(path: Path) -> Path:
    """Where the damaged file goes: a name that nothing has."""
    for number in range(1, 10_000):
        free = path.with_name(f"{path.name}.damaged{'' if number == 1 else number}")
        if not free.exists():
            return free
    raise SoulreadError(f"there are 10,000 damaged copies of {str(path)!r}; remove some")


def _remove(path: Path) -> None:
    for ending in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            os.unlink(f"{path}{ending}")


def _copied(rows: _Salvage, store: Store) -> RebuiltStore:
    """Put what is whole into an empty store."""
    settings, _ = rows.settings()
    state = read_state(settings.get("state", ""))
    kinds, _ = rows.kinds(settings)
    players, doubtful, _ = rows.players()
    last = max(rows.last("hand"), state.hands if state is not None else 0)
    names = {number: row.name for number, row in players.items()}
    part = StorePart("hands")
    found = [row for row in rows.hands(last, part) if isinstance(row, HandRow)] if doubtful else []
    names |= _judged_names(found, kinds, names, doubtful)
    nameless: set[int] = set()
    lost: list[str] = []

    def whole() -> Iterator[Numbered]:
        for row in rows.hands(last, StorePart("hands")):
            if isinstance(row, int):
                if state is None or state.has(row):
                    lost.append(f"#{row}")
                continue
            known = _Names(names, nameless)
            hand = _unpacked(row, kinds, known)
            if isinstance(hand, str):
                lost.append(f"#{row.number} ({row.id})")
            else:
                yield row.number, row.key, hand

    mark = settings.get("names") or (state.names if state is not None else None)
    people = settings.get(PEOPLE)
    store.put(whole(), mark, people if people and read_people(people) is not None else None)
    return RebuiltStore(store.name, store._now.count, tuple(lost), tuple(sorted(nameless)), None)


class _Names(dict[int, str]):
    """Names by number; one that is lost is made of the number."""

    def __init__(self, known: dict[int, str], nameless: set[int]) -> None:
        super().__init__(known)
        self._nameless = nameless

    def __missing__(self, number: int) -> str:
        if type(number) is not int or number < 1:
            raise KeyError(number)
        self._nameless.add(number)
        return f"lost name {number}"


def _judged_names(
    hands: Sequence[HandRow],
    kinds: dict[int, tuple[str, str, Stakes, str]],
    names: dict[int, str],
    doubtful: dict[int, tuple[str, str]],
) -> dict[int, str]:
    """Those doubtful names that the key of some hand confirms."""
    sure: dict[int, str] = {}
    waiting = {number: name for number, (name, _) in doubtful.items()}
    for row in hands:
        if not waiting:
            break
        hand = _unpacked(row, kinds, {**names, **waiting})
        if isinstance(hand, str) or key_of(hand) != row.key:
            continue
        for number, name in list(waiting.items()):
            if name in hand.players:
                sure[number] = waiting.pop(number)
    return sure
