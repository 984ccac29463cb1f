"""A store of hands that keeps every committed hand, and each hand once.

    with Store.open("hands.db") as store:
        store.add(hand for hand in read_hands("folder") if isinstance(hand, Hand))
        for number, hand in store.find(Query(player="Bob")):
            ...

Hands come in batches, each one transaction. A process that is killed loses the batch it was at, and nothing
else; to go on, import the same files again. A hand that is there already, from whichever file or format, adds
nothing (`soulread.hands.identity`); if it was seen by somebody who saw more cards, these are taken over.

The tables are the same in SQLite and PostgreSQL (`soulread.hands.tables.layout`). Every row carries a seal,
which is verified when it is read, and lost rows are noticed. `soulread.hands.tables.checking` looks at a
whole store, and keeps what is whole of a damaged one.

A player is a name in a room: "Hero" of two rooms are two players. A hand that was first read without its room
gets it when it is read again with one. Players whom an alias joins are one person (`soulread.hands.people`):
facts, hands and lists that come out of the store know this person alone, under one number and one name.

So the statistics of one player read only this player's blocks, and those of everybody are one pass over all.
"""

import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Self, TypeVar
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.facts import (
    DECISION,
    NO_TIME,
    SEAT,
    Facts,
    facts_of,
    is_sound,
    seconds_of,
    seconds_of_time,
)
from soulread.hands.facts import FORMAT as FACTS_FORMAT
from soulread.hands.hand import Hand, Sight, Stakes
from soulread.hands.identity import Anonymiser, Keyed, keyed
from soulread.hands.money import money_text
from soulread.hands.people import Joined, KnownPeople, StoredPerson, join_people, read_people, verify_apart
from soulread.hands.tables.database import PATIENCE, REMEDY, BrokenOff, Database, connect
from soulread.hands.tables.layout import (
    BATCH_COLUMNS,
    BLOCK_COLUMNS,
    HAND_COLUMNS,
    KIND_COLUMNS,
    MARK,
    PEOPLE,
    PLAYER_COLUMNS,
    TABLES,
    HandRow,
    PlayerRow,
    StoreState,
    id_mark,
    kind_setting,
    kind_values,
    marks_of,
    people_seal,
    read_hand,
    read_kind,
    read_player,
    read_state,
    seal_of,
    seal_of_batch,
    seal_of_hand,
)
from soulread.hands.tables.older import Numbered, set_aside
from soulread.hands.tables.packing import pack_hand, unpack_hand
from soulread.machine import uncollected
from soulread.words import plural

VERSION = 2
BATCH = 2000  # hands of a transaction
_PAUSES = 0.05, 0.2, 0.8, 3.2, 6.4  # seconds before a batch that was broken off is tried again
_ASKED = 500  # values asked for in one statement
_PART = 200_000 * DECISION.itemsize  # bytes of decisions in memory at once

_CLEAR = "clear"
_DIGITS = 9  # of a version

T = TypeVar("T")

Migration = Callable[["Store"], None]

CASH, TOURNAMENT = FORMATS = ("cash", "tournament")


@dataclass(frozen=True, order=True)
class PlayKind:
    """A kind of game whose hands may be added up: the game and its betting, for cash or in a tournament.

    Limit and no-limit hold'em are "limit" and "nolimit" at tables of any size; other games have their names.
    """

    game: str
    format: str  # CASH or TOURNAMENT

    @property
    def name(self) -> str:
        """The kind in words: "no-limit hold'em, cash"."""
        return f"{_WORDS.get(self.game, self.game)}, {self.format}"

    @property
    def options(self) -> str:
        """The options of a command that mean this kind."""
        return f"--game {self.game} --format {self.format}"

    def among(self, others: Sequence[tuple["PlayKind", int]]) -> str:
        """A sentence on hands of ``others`` that a study of this kind leaves out; empty if there are none."""
        if not others:
            return ""
        counted = ", ".join(
            f"{plural(hands, 'hand')} of {kind.name} ({kind.options})" for kind, hands in others
        )
        return f"This is about {self.name}. Not added to it: {counted}."


def kind_records(kinds: Sequence[tuple[PlayKind, int]]) -> list[dict[str, object]]:
    """Kinds of game with their hands, for JSON."""
    return [{"game": kind.game, "format": kind.format, "hands": hands} for kind, hands in kinds]


_WORDS = {"limit": "limit hold'em", "nolimit": "no-limit hold'em"}


@dataclass(frozen=True)
class GameKind:
    """A game, its stakes, and the room it was played in."""

    game: str  # the name of the game up to its first colon
    variant: str
    stakes: Stakes
    room: str = ""

    @property
    def stakes_name(self) -> str:
        """The big blind in money or chips: "$6"."""
        return money_text(self.stakes.big_blind, self.stakes)

    @property
    def big_blind(self) -> Decimal:
        """The big blind in money, or chips of the file."""
        return self.stakes.big_blind * Decimal(self.stakes.chip)

    @property
    def play(self) -> PlayKind:
        """The kind of game, whatever the stakes and the size of the table."""
        game = self.game
        if self.variant.startswith("52 cards") and self.variant.endswith("best_hand"):
            game = "nolimit" if "no-limit" in self.variant else "limit"
        return PlayKind(game, TOURNAMENT if self.stakes.tournament else CASH)


@dataclass(frozen=True)
class Query:
    """Conditions on hands; a condition that is None does not matter."""

    player: str | None = None
    room: str | None = None  # empty: hands whose room nobody knows
    game: str | None = None  # that of a `PlayKind`, a name up to a colon, or the whole variant
    stakes: str | None = None  # the big blind in money; of "3/6" the last number
    since: datetime | None = None
    until: datetime | None = None  # not included
    id: str | None = None  # what the room calls the hand
    format: str | None = None  # CASH or TOURNAMENT
    kind: PlayKind | None = None

    def of_kind(self, kind: PlayKind) -> "Query":
        """The same conditions, on hands of one kind alone."""
        return replace(self, kind=kind)


EVERYTHING = Query()


@dataclass
class Added:
    """The numbers of hands that an import has added so far."""

    new: int = 0
    known: int = 0  # were there already
    enriched: int = 0  # of the known ones, those to which cards or the room were added


@dataclass(frozen=True)
class StoredPlayer:
    """A player of the store, with the number and dates of the hands."""

    name: str
    room: str
    hands: int
    first: datetime | None
    last: datetime | None

    JSON = keys("room hands first last", player="name")


def default_store() -> Path:
    """The user's own store: ``SOULREAD_DB``, else a file in the platform's place for data."""
    chosen = os.environ.get("SOULREAD_DB")
    if chosen:
        return Path(chosen)
    try:
        home = Path.home()
    except RuntimeError:
        raise SoulreadError("there is no home directory for a store; name one with --db") from None
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return base / "soulread" / "hands.db"


class Store:
    """An open store; a context manager."""

    def __init__(self, database: Database) -> None:
        self._db = database
        self._now = StoreState()  # in a transaction: what there is so far
        self._kinds: dict[int, GameKind] = {}
        self._names: dict[int, str] = {}
        self._rooms: dict[int, str] = {}
        self._kind_numbers: dict[GameKind, int] = {}
        self._player_numbers: dict[tuple[str, str], int] = {}
        self._namesakes: dict[str, list[int]] = {}
        self._persons_of: tuple[object, Joined] = (None, Joined())  # and the state in which it was made

    @classmethod
    def open(
        cls, where: str | os.PathLike[str], *, read_only: bool = False, patience: float = PATIENCE
    ) -> "Store":
        """The store at a path, or at an address ``postgresql://...``; it is made if it is not there.

        ``patience`` is how many seconds a writer waits for another. A store of an older version is brought
        to this one; that of a newer one is refused.
        """
        store = cls(connect(os.fspath(where), read_only=read_only, patience=patience))
        try:
            store._prepare(read_only)
        except BaseException:
            store.close()
            raise
        return store

    def close(self) -> None:
        """End the connection."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The path or address of the store."""
        return self._db.name

    def damaged(self, what: str) -> DamagedFile:
        """The sentence about something in the store that is not what was written."""
        return DamagedFile(f"{self.name!r} is damaged: {what}; {REMEDY}")

    # Versions, settings and counts.

    def _prepare(self, read_only: bool) -> None:
        """Make the tables, or bring them to this version."""
        version = self._version()
        if version is None:
            if read_only:
                raise SoulreadError(f"there are no hands in {self.name!r}; soulread import brings some")
            with self._db.writing():
                if self._version() is None:  # nobody else was quicker
                    self.make_tables()
            version = self._version()
        if version is None or version > VERSION:
            raise SoulreadError(
                f"{self.name!r} has version {version}; this soulread only knows up to {VERSION}"
            )
        outdated = version < VERSION or self.meta("facts") != str(FACTS_FORMAT)
        if outdated and read_only:
            raise SoulreadError(
                f"{self.name!r} was written by an older soulread; soulread import --db {self.name} without a "
                "path brings it up to date"
            )
        if outdated:
            self._migrate()
        else:
            self._state()  # a store that says nothing of what it holds is refused at once

    def make_tables(self) -> None:
        """Make the tables of an empty store. Only in a transaction."""
        for statement in TABLES:
            self._db.run(statement)
        self.set_meta("version", str(VERSION))
        self.set_meta("facts", str(FACTS_FORMAT))
        self.set_meta("state", StoreState().text)

    def _version(self) -> int | None:
        """The version of the tables; None if there are none."""
        tables = self._db.tables()
        if not tables & {"meta", "hand", "block"}:
            return None
        if "meta" not in tables:
            raise self.damaged("its settings are lost")
        found = dict(self._db.rows("SELECT name, value FROM meta")).get("version")
        if type(found) is not str or not found.isdecimal() or len(found) > _DIGITS:
            raise self.damaged(f"its version is {found!r}, not a number")
        if (int(found) > 1) != ("seal" in self._db.columns("meta")):
            raise self.damaged(f"its version is {found!r}, which its tables are not of")
        return int(found)

    def _migrate(self) -> None:
        with self._db.writing():
            version = self._version() or VERSION
            while version < VERSION:
                MIGRATIONS[version](self)
                version += 1
            self.set_meta("version", str(version))
        if self.meta("facts") != str(FACTS_FORMAT):
            self.rebuild_facts()

    def rewrite(self) -> None:
        """Write the hands of version 1 anew, with their numbers and keys, and all that follows."""
        old = set_aside(self._db)
        self.make_tables()
        self._now = StoreState()
        self.put(old.hands(), old.settings.get("names"))
        old.drop()

    def put(self, hands: Iterator[Numbered], names: str | None, people: str | None = None) -> None:
        """Store hands under numbers and keys of their own, in an empty store. Only in a transaction.

        ``names`` and ``people`` are settings of the store that they come from.
        """
        self._now = replace(StoreState(), names=names)
        while part := list(islice(hands, BATCH)):
            self._insert(part)
        if names is not None:
            self.set_meta("names", names)
        if people is not None:
            self._write_people(people)
        self.set_meta("state", self._now.text)

    def rebuild_facts(self) -> None:
        """Make all blocks anew from the hands."""
        with self._changing():
            self._db.run("DELETE FROM block")
            self._update_players([row.emptied() for row in self._player_rows()])
            self._now = replace(self._now, blocks=0, sum=0, edits=self._now.edits + 1)
            hands = self._scan(self._now)
            while part := list(islice(hands, BATCH)):
                found = [self._unpacked(row) for row in part]
                self._add_blocks(found, [row.number for row in part], self._numbers_of_kinds(found))
            self.set_meta("facts", str(FACTS_FORMAT))

    def _settings(self) -> dict[str, str]:
        """All settings."""
        settings: dict[str, str] = {}
        for name, value, seal in self._db.rows("SELECT name, value, seal FROM meta"):
            if type(name) is not str or type(value) is not str or seal_of(name, value) != seal:
                raise self.damaged(f"its setting {name!r} is not what was written")
            settings[name] = value
        return settings

    def _state(self) -> StoreState:
        """What the store holds, as the last transaction left it."""
        return self._state_in(self._settings())

    def _state_in(self, settings: Mapping[str, str]) -> StoreState:
        text = settings.get("state")
        state = None if text is None else read_state(text)
        if state is None:
            raise self.damaged("it does not say what it holds")
        return state

    def meta(self, name: str) -> str | None:
        """A setting of the store."""
        return self._settings().get(name)

    def set_meta(self, name: str, value: str) -> None:
        """Change a setting of the store."""
        self._db.run("DELETE FROM meta WHERE name = ?", (name,))
        row = (name, value, seal_of(name, value))
        self._db.run("INSERT INTO meta (name, value, seal) VALUES (?, ?, ?)", row)

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """A transaction, in which ``_now`` is what there is so far."""
        try:
            with self._db.writing():
                before = self._now = self._state()
                yield
                if self._now != before:
                    self.set_meta("state", self._now.text)
        except BaseException:
            self._forget()  # numbers given in a transaction that failed
            raise

    # Hands come in.

    def add(
        self,
        hands: Iterable[Hand],
        *,
        anonymiser: Anonymiser | None = None,
        batch: int = BATCH,
        progress: Callable[[Added], None] | None = None,
    ) -> Added:
        """Add hands that are not there yet; ``progress`` is called after each batch that is committed.

        With an ``anonymiser`` names are replaced before anything is stored. A store has either real names or
        names hashed with one key, so that a hand is known again.
        """
        self._verify_names(anonymiser)
        added = Added()
        named = hands if anonymiser is None else map(anonymiser.hand, hands)
        coming = keyed(named)
        marked = np.sort(self._marks()["key"])
        while part := list(islice(coming, batch)):
            self._persist(part, added, marked)
            if progress is not None:
                progress(added)
        return added

    def _persist(self, part: Sequence[Keyed], added: Added, marked: NDArray[np.uint64]) -> None:
        """Add a batch, again if the database broke it off: of several writers one may have to stand back."""
        for pause in (*_PAUSES, None):
            try:
                self._db.renew()
                self._add_batch(part, added, marked)
                return
            except BrokenOff:
                if pause is None:
                    raise
                time.sleep(pause)

    def _verify_names(self, anonymiser: Anonymiser | None) -> None:
        wanted = _CLEAR if anonymiser is None else anonymiser.mark
        with self._changing():
            names = self._now.names
            if names is None:
                self._now = replace(self._now, names=wanted)
                self.set_meta("names", wanted)
                return
        if names == wanted:
            return
        if names == _CLEAR:
            raise SoulreadError(f"{self.name!r} has real names; anonymised hands need a store of their own")
        if wanted == _CLEAR:
            raise SoulreadError(f"the names in {self.name!r} are anonymised; import with --anonymise")
        raise SoulreadError(f"the names in {self.name!r} were anonymised with another key; give that one")

    def _add_batch(self, part: Sequence[Keyed], added: Added, marked: NDArray[np.uint64]) -> None:
        new: dict[bytes, Hand] = {}
        again: list[Keyed] = []
        unplaced: dict[bytes, Hand] = {}  # stored without their room
        with self._changing(), uncollected():
            there = self._known([key for key, _ in part], marked)
            for key, hand in part:
                if key not in there and key not in new:
                    new[key] = hand
                    continue
                again.append((key, hand))
                if key in new:
                    new[key] = replace(new[key], room=new[key].room or hand.room)
                elif hand.room and not there[key]:
                    unplaced.setdefault(key, hand)
            if new:
                first = self._now.hands + 1
                self._insert([(number, *entry) for number, entry in enumerate(new.items(), first)])
            if unplaced:
                self._place(unplaced)
            richer = self._enrich([(key, hand) for key, hand in again if _cards_known(hand)])
        added.new += len(new)
        added.known += len(again)
        added.enriched += len(richer | unplaced.keys())

    def _known(self, keys: Sequence[bytes], marked: NDArray[np.uint64]) -> dict[bytes, str]:
        """The keys that are there, each with the room of its hand.

        ``marked`` are the beginnings of all keys, sorted. A key among them that is not found means that the
        index has lost it.
        """
        self._refresh(self._now)
        found: dict[bytes, str] = {}
        for asked in _pieces(keys):
            sql = f"SELECT key, kind FROM hand WHERE key IN ({_marks(asked)})"
            for key, number in self._db.rows(sql, asked):
                kind = self._kinds.get(number)
                if kind is None:
                    raise self.damaged(f"a hand is of game {number!r}, which is not known")
                found[bytes(key)] = kind.room
        other = np.array([int.from_bytes(key[:8], "little") for key in keys if key not in found], np.uint64)
        places = np.searchsorted(marked, other)
        if marked.size and (marked[np.minimum(places, marked.size - 1)] == other).any():
            raise self.damaged("its index of hands has lost some")
        return found

    def _insert(self, new: Sequence[Numbered]) -> None:
        """Store hands under their numbers and keys. Numbers go up, and are behind all that are there."""
        numbers, hands = [number for number, _, _ in new], [hand for _, _, hand in new]
        self._add_players(hands)
        kinds = self._numbers_of_kinds(hands)
        rows = []
        for (number, key, hand), kind in zip(new, kinds, strict=True):
            seconds = seconds_of(hand)
            time = None if seconds == NO_TIME else seconds
            row = (number, key, _text(hand.id), time, kind, pack_hand(hand, self._seated(hand)))
            rows.append((*row, seal_of_hand(*row)))
        self._db.run_many(f"INSERT INTO hand ({HAND_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
        first = self._now.hands + 1
        marks = marks_of([(row[0], row[1], row[2]) for row in rows], first).tobytes()
        self._db.run(
            f"INSERT INTO batch ({BATCH_COLUMNS}) VALUES (?, ?, ?)",
            (first, marks, seal_of_batch(first, marks)),
        )
        self._now = self._now.grown(numbers)
        self._add_blocks(hands, numbers, kinds)

    def _add_blocks(self, hands: Sequence[Hand], numbers: Sequence[int], kinds: Sequence[int]) -> None:
        """The facts of hands, a block for each player."""
        if not hands:
            return
        facts = facts_of(hands, numbers, kinds)
        owners = np.array([number for hand in hands for number in self._seated(hand)], np.int64)
        order = np.argsort(owners, kind="stable")
        self._insert_blocks(owners[order], facts.take(order))

    def _insert_blocks(self, owners: NDArray[np.int64], facts: Facts) -> None:
        """A block for each owner; the seats of one owner stand together."""
        seats, decisions = facts.seats, facts.decisions
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        counted = np.concatenate([[0], np.cumsum(seats["decisions"], dtype=np.int64)])
        players = self._players_numbered(owners[first].tolist())
        number, total = self._now.last_block, 0
        rows = []
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), owners.size], strict=True):
            own = seats[begin:end]
            times = own["time"][own["time"] != NO_TIME]
            span = (int(times.min()), int(times.max())) if times.size else None
            owner, number = int(owners[begin]), number + 1
            content = own.tobytes(), decisions[counted[begin] : counted[end]].tobytes()
            seal = crc32(content[1], crc32(content[0], owner))
            rows.append((number, owner, *content, seal))
            players[owner] = players[owner].with_block(end - begin, span, seal)
            total += seal
        self._db.run_many(f"INSERT INTO block ({BLOCK_COLUMNS}) VALUES (?, ?, ?, ?, ?)", rows)
        self._update_players(list(players.values()))
        blocks = self._now.blocks + len(rows)
        self._now = replace(self._now, blocks=blocks, last_block=number, sum=self._now.sum + total)

    def _enrich(self, seen: Sequence[Keyed]) -> set[bytes]:
        """Add the cards of other observers to hands that are there; the keys of those that got some."""
        stored = self._stored({key for key, _ in seen})
        richer: set[bytes] = set()
        for key, other in seen:
            row, hand = stored[key]
            hole, sights = list(hand.hole), list(hand.sights)
            for seat, cards in enumerate(other.hole):
                if cards is not None and len(cards) > len(hole[seat] or ()):
                    hole[seat], sights[seat] = cards, other.sights[seat]
            if tuple(hole) != hand.hole:
                stored[key] = row, replace(hand, hole=tuple(hole), sights=tuple(sights))
                richer.add(key)
        self._update_hands([stored[key] for key in richer])
        return richer

    def _place(self, told: dict[bytes, Hand]) -> None:
        """Give hands that are there without a room the one they are told with: their players change too."""
        stored = self._stored(told)
        before = [(row, hand) for row, hand in (stored[key] for key in told)]
        hands = [
            replace(hand, room=other.room) for (_, hand), other in zip(before, told.values(), strict=True)
        ]
        numbers = [row.number for row, _ in before]
        self._leave_out(numbers, {player for _, hand in before for player in self._seated(hand)})
        self._add_players(hands)
        kinds = self._numbers_of_kinds(hands)
        self._update_hands(
            [
                (row._replace(kind=kind), hand)
                for (row, _), kind, hand in zip(before, kinds, hands, strict=True)
            ]
        )
        self._add_blocks(hands, numbers, kinds)
        self._now = replace(self._now, edits=self._now.edits + 1)

    def remove(self, numbers: Iterable[int]) -> None:
        """Remove the hands of these numbers, all of which are there; they may come in again later."""
        gone = sorted(set(numbers))
        if not gone:
            return
        with self._changing():
            players: set[int] = set()
            for row in self._numbered(gone):
                players.update(self._seated(self._unpacked(row)))
            self._leave_out(gone, players)
            for part in _pieces(gone):
                self._db.run(f"DELETE FROM hand WHERE number IN ({_marks(part)})", part)
            self._unmark(gone)
            self._now = self._now.shrunk(gone)

    def _unmark(self, numbers: Sequence[int]) -> None:
        """Let the index of hands forget these. Only in a transaction."""
        self._marks(self._now)  # what is damaged is not sealed anew
        for first, content, _ in list(
            self._db.rows(f"SELECT {BATCH_COLUMNS} FROM batch ORDER BY first_hand")
        ):
            marks = np.frombuffer(content, MARK).copy()
            own = np.asarray(numbers) - first
            own = own[(own >= 0) & (own < marks.size)]
            if own.size:
                marks[own] = np.zeros(1, MARK)
                new = marks.tobytes()
                self._db.run(
                    "UPDATE batch SET marks = ?, seal = ? WHERE first_hand = ?",
                    (new, seal_of_batch(first, new), first),
                )

    def _leave_out(self, numbers: Sequence[int], players: Iterable[int]) -> None:
        """Take the facts of some hands out of the blocks of their players."""
        for player in sorted(players):
            row = self._players_numbered([player])[player]
            owned = list(self._blocks_of([row], self._now))
            self._db.run("DELETE FROM block WHERE player = ?", (player,))
            self._update_players([row.emptied()])
            self._now = replace(self._now, blocks=self._now.blocks - row.blocks, sum=self._now.sum - row.sum)
            for owners, facts in owned:
                kept = np.flatnonzero(~np.isin(facts.seats["hand"], numbers))
                if kept.size:
                    self._insert_blocks(owners[kept], facts.take(kept))

    def _update_hands(self, changed: Iterable[tuple[HandRow, Hand]]) -> None:
        """Write hands that are there anew."""
        rows = []
        for row, hand in changed:
            new = row._replace(record=pack_hand(hand, self._seated(hand)))
            rows.append((new.kind, new.record, seal_of_hand(*new), row.number))
        self._db.run_many("UPDATE hand SET kind = ?, record = ?, seal = ? WHERE number = ?", rows)

    def _stored(self, keys: Iterable[bytes]) -> dict[bytes, tuple[HandRow, Hand]]:
        """The hands of keys, all of which are there."""
        wanted = list(keys)
        found: dict[bytes, tuple[HandRow, Hand]] = {}
        for asked in _pieces(wanted):
            for row in self._rows(f"key IN ({_marks(asked)})", asked):
                found[row.key] = row, self._unpacked(row, verify=False)
        if len(found) < len(wanted):
            raise self.damaged("its index of hands has lost some")
        return found

    def _seated(self, hand: Hand) -> list[int]:
        """The numbers of a hand's players."""
        room, known = hand.room, self._player_numbers
        return [known[name, room] for name in hand.players]

    def _add_players(self, hands: Iterable[Hand]) -> None:
        """Give every new player a number. Only in a transaction."""
        self._refresh(self._now)
        known = self._player_numbers
        new = dict.fromkeys(
            (name, hand.room) for hand in hands for name in hand.players if (name, hand.room) not in known
        )
        if new and not self._namesakes:
            for number, name in self._names.items():
                self._namesakes.setdefault(name, []).append(number)
        rows: list[PlayerRow] = []
        older: set[int] = set()
        for raw in new:
            name, room = map(_text, raw)
            if (name, room) not in known:
                number = self._now.players + len(rows) + 1
                older.update(self._namesakes.get(name, ()))
                self._meet(number, name, room)
                self._namesakes.setdefault(name, [number])
                rows.append(PlayerRow(number, name, room))
            known[raw] = known[name, room]
        rows = [row._replace(namesakes=len(self._namesakes[row.name])) for row in rows]
        marks = _marks(PLAYER_COLUMNS.split(", "))
        self._db.run_many(
            f"INSERT INTO player ({PLAYER_COLUMNS}) VALUES ({marks})", [(*row, seal_of(*row)) for row in rows]
        )
        self._now = replace(self._now, players=self._now.players + len(rows))
        before = self._players_numbered(sorted(older - {row.number for row in rows}))
        self._update_players(
            [row._replace(namesakes=len(self._namesakes[row.name])) for row in before.values()]
        )

    def _meet(self, number: int, name: str, room: str) -> None:
        self._names[number], self._rooms[number] = name, room
        self._player_numbers[name, room] = number
        if self._namesakes:
            self._namesakes.setdefault(name, []).append(number)

    def _update_players(self, rows: Sequence[PlayerRow]) -> None:
        """Write the counts of players anew."""
        self._db.run_many(
            "UPDATE player SET namesakes = ?, hands = ?, first_time = ?, last_time = ?, blocks = ?, sum = ?, "
            "seal = ? WHERE number = ?",
            [(*row[3:], seal_of(*row), row.number) for row in rows],
        )

    def _numbers_of_kinds(self, hands: Iterable[Hand]) -> list[int]:
        """The number of each hand's kind; new kinds get one. Only in a transaction."""
        numbers = []
        met: dict[tuple[object, ...], int] = {}
        for hand in hands:
            told = hand.game, hand.variant, hand.stakes, hand.room
            if told in met:
                numbers.append(met[told])
                continue
            what = GameKind(hand.game.partition(":")[0], hand.variant, hand.stakes, _text(hand.room))
            number = self._kind_numbers.get(what)
            if number is None:
                number = self._now.kinds + 1
                values = kind_values(number, what.game, what.variant, what.stakes, what.room)
                marks = ", ".join("?" * len(values))
                self._db.run(f"INSERT INTO kind ({KIND_COLUMNS}) VALUES ({marks})", values)
                self.set_meta(*kind_setting(values))
                self._now = replace(self._now, kinds=number)
                self._kinds[number] = what
                self._kind_numbers[what] = number
            met[told] = number
            numbers.append(number)
        return numbers

    def _refresh(self, state: StoreState | None = None) -> None:
        """Read the players and kinds that others have added; ``state`` says how many there are at least."""
        state = state or self._state()
        if len(self._names) < state.players:
            for player in self._player_rows(len(self._names)):
                self._meet(player.number, player.name, player.room)
            if len(self._names) < state.players:
                raise self.damaged(f"player {len(self._names) + 1} of {state.players} is lost")
        if len(self._kinds) < state.kinds:
            self._read_kinds(state)

    def _player_rows(self, after: int = 0) -> Iterator[PlayerRow]:
        """The rows of players whose number is above ``after``."""
        sql = f"SELECT {PLAYER_COLUMNS} FROM player WHERE number > ? ORDER BY number"
        for row in self._db.rows(sql, (after,)):
            player = read_player(row)
            after += 1
            if player is None or player.number != after:
                raise self.damaged(f"player {after} is not what was written")
            yield player

    def _read_kinds(self, state: StoreState) -> None:
        last = len(self._kinds)
        sql = f"SELECT {KIND_COLUMNS} FROM kind WHERE number > ? ORDER BY number"
        for row in self._db.rows(sql, (last,)):
            kind = read_kind(row)
            last += 1
            if kind is None or kind[0] != last:
                raise self.damaged(f"game {last} is not what was written")
            self._kinds[last] = GameKind(*kind[1:])
            self._kind_numbers[self._kinds[last]] = last
        if last < state.kinds:
            raise self.damaged(f"game {last + 1} of {state.kinds} is lost")

    def _forget(self) -> None:
        for known in (
            self._names,
            self._rooms,
            self._player_numbers,
            self._namesakes,
            self._kinds,
            self._kind_numbers,
        ):
            known.clear()

    # Hands come out.

    def __len__(self) -> int:
        return self._state().count

    def earlier(self, number: int, players: Iterable[str], room: str | None = None) -> list[Hand]:
        """The hands of any of the players of a room that came in before hand ``number``, in order."""
        found: dict[int, Hand] = {}
        for name in players:
            query = Query(player=name, room=room)
            found.update((n, hand) for n, hand in self.find(query) if n < number)
        return [found[n] for n in sorted(found)]

    def find(self, query: Query = EVERYTHING) -> Iterator[tuple[int, Hand]]:
        """Hands with their numbers, in the order they came in.

        Every row up to the last hand that is asked for is verified, so that none is left out silently.
        """
        if query.player is not None:
            yield from self._of_player(query, query.player)
            return
        kinds = self._kinds_of(query)
        since = None if query.since is None else seconds_of_time(query.since)
        until = None if query.until is None else seconds_of_time(query.until)
        state = self._state()
        persons = self._persons(state)
        rows = self._scan(state) if query.id is None else self._called(query.id, state)
        for row in rows:
            if kinds is not None and row.kind not in kinds:
                continue
            if since is not None and (row.time is None or row.time < since):
                continue
            if until is not None and (row.time is None or row.time >= until):
                continue
            yield row.number, persons.told(self._unpacked(row))

    def hand(self, text: str, room: str | None = None) -> tuple[int, Hand]:
        """The hand that is called ``text``: the room's id, or ``#`` and the number in the store."""
        state = self._state()
        kinds = self._kinds_of(Query(room=room))
        if text.startswith("#") and text[1:].isdecimal() and len(text) < 19:
            rows = self._numbered([int(text[1:])] if state.has(int(text[1:])) else [])
        else:
            rows = islice(
                (row for row in self._called(text, state) if kinds is None or row.kind in kinds), 10
            )
        persons = self._persons(state)
        found = [(row.number, persons.told(self._unpacked(row))) for row in rows]
        if not found:
            raise SoulreadError(f"there is no hand {text!r} in {self.name!r}; soulread hands lists them")
        if len(found) > 1:
            rooms = {hand.room for _, hand in found}
            numbers = ", ".join(
                f"#{number} ({room_words(hand.room)})" if len(rooms) > 1 else f"#{number}"
                for number, hand in found
            )
            raise SoulreadError(f"several hands in {self.name!r} are called {text!r}; say which: {numbers}")
        return found[0]

    def numbered(self, numbers: Iterable[int]) -> Iterator[tuple[int, Hand]]:
        """The hands of these numbers, all of which are there, in the order they came in."""
        persons = self._persons(self._state())
        for row in self._numbered(numbers):
            yield row.number, persons.told(self._unpacked(row))

    def as_played(self, number: int, hand: Hand) -> Hand:
        """A hand of the store with the names that its room has for the players."""
        if not self._persons(self._state()).renamed:
            return hand
        return next(self._unpacked(row) for row in self._numbered([number]))

    def _of_player(self, query: Query, player: str) -> Iterator[tuple[int, Hand]]:
        number = self.player_number(player, query.room)
        numbers = [part.seats["hand"] for _, part in self.facts(query, players=[number])]
        yield from self.numbered(np.concatenate(numbers).tolist() if numbers else [])

    def _scan(self, state: StoreState) -> Iterator[HandRow]:
        """Every hand in order; one that is lost raises."""
        expected = state.next_after(0)
        for row in self._rows("number <= ?", (state.hands,)):
            if row.number != expected:
                raise self.damaged(f"hand #{expected} is lost")
            yield row
            expected = state.next_after(expected)
        if expected <= state.hands:
            raise self.damaged(f"hand #{expected} is lost")

    def _called(self, id: str, state: StoreState) -> Iterator[HandRow]:
        """The hands that a room calls so."""
        id = _text(id)
        places = np.flatnonzero(self._marks(state)["id"] == id_mark(id)) + 1
        numbers = [number for number in places.tolist() if state.has(number)]
        return (row for row in self._numbered(numbers) if row.id == id)

    def _marks(self, state: StoreState | None = None) -> NDArray[np.void]:
        """``[MARK]`` of every number from 1; a number without a hand has zeros."""
        state = state or self._state()
        parts: list[bytes] = []
        last = 0
        for first, marks, seal in self._db.rows(f"SELECT {BATCH_COLUMNS} FROM batch ORDER BY first_hand"):
            whole = type(marks) is bytes and len(marks) % MARK.itemsize == 0
            if not whole or first != last + 1 or seal_of_batch(first, marks) != seal:
                raise self.damaged(f"the index of its hands from #{last + 1} is not what was written")
            parts.append(marks)
            last += len(marks) // MARK.itemsize
        if last < state.hands:
            raise self.damaged(f"the index of its hands from #{last + 1} is lost")
        return np.frombuffer(b"".join(parts), MARK)

    def _numbered(self, numbers: Iterable[int]) -> Iterator[HandRow]:
        """The hands of these numbers; one that is lost raises."""
        for asked in _pieces(sorted(set(numbers))):
            found = list(self._rows(f"number IN ({_marks(asked)})", asked))
            lost = set(asked).difference(row.number for row in found)
            if lost or len(found) > len(asked):
                raise self.damaged(f"hand #{min(lost, default=asked[0])} is lost")
            yield from found

    def _rows(self, condition: str, values: Sequence[object]) -> Iterator[HandRow]:
        """Rows of hands in order, each verified."""
        sql = f"SELECT {HAND_COLUMNS} FROM hand WHERE {condition} ORDER BY number"
        for row in self._db.rows(sql, values):
            found = read_hand(row)
            if found is None:
                raise self.damaged(f"hand #{row[0]} is not what was written")
            yield found

    def _unpacked(self, row: HandRow, *, verify: bool = True) -> Hand:
        """The hand of a row; with ``verify`` one that cannot be is refused."""
        if row.kind not in self._kinds or not self._names:
            self._refresh()
        kind = self._kinds.get(row.kind)
        if kind is None:
            raise self.damaged(f"hand #{row.number} is of no known game")
        try:
            try:
                return self._read(row, kind, verify)
            except DamagedFile:
                self._refresh()  # somebody else may have added the players
                return self._read(row, kind, verify)
        except DamagedFile as error:
            raise self.damaged(f"hand #{row.number}: {error}") from None

    def _read(self, row: HandRow, kind: GameKind, verify: bool) -> Hand:
        return unpack_hand(row.record, self._names, kind.variant, kind.stakes, kind.room, verify=verify)

    def _kinds_of(self, query: Query) -> list[int] | None:
        """The kinds a query allows; None if all."""
        if all(value is None for value in (query.game, query.stakes, query.format, query.kind, query.room)):
            return None
        self._refresh()
        room = None if query.room is None else self.room_called(query.room)
        amount = None if query.stakes is None else _amount(query.stakes)
        meant = [
            number
            for number, kind in self._kinds.items()
            if (query.game is None or query.game in (kind.game, kind.variant, kind.play.game))
            and (amount is None or kind.big_blind == amount)
            and query.format in (None, kind.play.format)
            and query.kind in (None, kind.play)
            and (room is None or kind.room == room)
        ]
        return None if len(meant) == len(self._kinds) else meant

    def room_called(self, asked: str) -> str:
        """The room of the store that is meant; upper and lower case do not matter."""
        known = self.rooms()
        if asked in known:
            return asked
        alike = [room for room in known if room.casefold() == asked.casefold()]
        if len(alike) != 1:
            listed = ", ".join(map(room_words, known))
            raise SoulreadError(f"there is no room {asked!r} in {self.name!r}; its rooms are {listed}")
        return alike[0]

    # Players and what they did.

    def play_kinds(self, query: Query = EVERYTHING) -> list[tuple[PlayKind, int]]:
        """The kinds of game among some hands and the number of each, the most first.

        The hands are those of the query's player, or all.
        """
        played = {kind.play for kind in self.kinds.values()}
        whole = replace(query, player=None, room=None) == EVERYTHING
        if len(played) == 1 and whole and (query.player is not None or query.room is None):  # nothing to tell
            hands = len(self) if query.player is None else self.player(query.player, query.room).hands
            return [(played.pop(), hands)] if hands else []
        counted: Counter[int] = Counter()
        if query.player is not None:
            for _, facts in self.facts(query, players=[self.player_number(query.player, query.room)]):
                counted.update(facts.seats["kind"].tolist())
        else:
            of_hand = np.zeros(self._state().hands + 1, np.int32)  # the kind of each hand, 0 for none
            for _, facts in self.facts(query):
                of_hand[facts.seats["hand"]] = facts.seats["kind"]
            counted.update(of_hand[of_hand > 0].tolist())
        found: Counter[PlayKind] = Counter()
        kinds = self.kinds
        for number, hands in counted.items():
            if number not in kinds:
                raise DamagedFile(f"{self.name!r} is damaged: {plural(hands, 'hand')} of no known game")
            found[kinds[number].play] += hands
        return sorted(found.items(), key=lambda item: (-item[1], item[0]))

    @property
    def kinds(self) -> dict[int, GameKind]:
        """Every game, stakes and room, by number."""
        self._refresh()
        return dict(self._kinds)

    def rooms(self) -> list[str]:
        """Every room, in order; the empty one stands for hands whose room nobody knows."""
        self._refresh()
        return sorted({kind.room for kind in self._kinds.values()})

    def player_number(self, name: str, room: str | None = None) -> int:
        """The number of a player, see `player`."""
        return self.player(name, room).number

    def player(self, name: str, room: str | None = None) -> StoredPerson:
        """A player under all names that an alias joins, by any of them; in one room if ``room`` is given.

        Without a ``room`` the name must be that of one person only. The message of an unknown one names those
        who sound alike.
        """
        found = self.players_called(name, room)
        if len(found) > 1:
            raise several_rooms(name, {person.room: person.hands for person in found})
        return found[0]

    def players_called(self, name: str, room: str | None = None) -> list[StoredPerson]:
        """The players of a name, one for each room, or that of one ``room``; raises if there is none.

        Those whom an alias joins are one person.
        """
        name, persons = _text(name), self._persons(self._state())
        everywhere = self.players_named(name)
        if room is not None:
            room = self.room_called(room)
        heads = [persons.head(row.number) for row in everywhere if row.hands and room in (None, row.room)]
        found = [self.person(head, room) for head in dict.fromkeys([*heads, *persons.called(name)])]
        found = [person for person in found if person.hands]
        if found:
            return found
        from difflib import get_close_matches

        self._refresh()
        if not everywhere and name in self._names.values():
            raise self.damaged("its index of players has lost some")
        there = [known for known, played in self._player_numbers if room in (None, played)]
        near = get_close_matches(name, there, n=3, cutoff=0.5)
        hint = f"; do you mean {' or '.join(near)}?" if near else "; soulread players lists who is"
        whose = "is not" if room is None else f"is no player of {room_words(room)}"
        raise SoulreadError(f"{name!r} {whose} in {self.name!r}{hint}")

    def has_player(self, name: str) -> bool:
        """Whether anybody is called so, in any room."""
        found = self._persons(self._state()).called(name)
        return bool(found) or any(row.hands for row in self.players_named(name))

    def person(self, head: int, room: str | None = None) -> StoredPerson:
        """The person of a number; with a ``room`` only the players of this room."""
        persons = self._persons(self._state())
        room = None if room is None else self.room_called(room)
        rows = self._players_numbered(persons.all_of(head))
        inside = tuple(row for row in rows.values() if room in (None, row.room))
        return StoredPerson(head, persons.names.get(head, rows[head].name), inside)

    def players_named(self, name: str) -> list[PlayerRow]:
        """The players of a name, in all rooms; those whom an alias joins are told apart."""
        name = _text(name)
        rows = list(self._db.rows(f"SELECT {PLAYER_COLUMNS} FROM player WHERE name = ?", (name,)))
        found = [row for row in map(read_player, rows) if row is not None]
        if len(found) < len(rows) or any(row.name != name or row.namesakes != len(rows) for row in found):
            raise self.damaged(f"the player {name!r} is not what was written")
        return found

    def _players_numbered(self, numbers: Sequence[int]) -> dict[int, PlayerRow]:
        """The players of these numbers, all of whom are there."""
        found: dict[int, PlayerRow] = {}
        for asked in _pieces(numbers):
            sql = f"SELECT {PLAYER_COLUMNS} FROM player WHERE number IN ({_marks(asked)})"
            for row in self._db.rows(sql, asked):
                player = read_player(row)
                if player is None:
                    raise self.damaged(f"player {row[0]} is not what was written")
                found[player.number] = player
        lost = [number for number in numbers if number not in found]
        if lost:
            raise self.damaged(f"player {lost[0]} is lost")
        return found

    def names(self) -> dict[int, str]:
        """The name of every player, or of the person whom an alias makes of several, by number."""
        persons = self._persons(self._state())
        self._refresh()
        return {**self._names, **persons.names}

    def player_rooms(self) -> dict[int, str]:
        """The room of every player, or all rooms of a person, by number."""
        persons = self._persons(self._state())
        self._refresh()
        several = {head: self.person(head).room for head in persons.members}
        return {**self._rooms, **several}

    def players(self, room: str | None = None) -> list[StoredPlayer]:
        """All players, or those of one room; those with the most hands first."""
        room = None if room is None else self.room_called(room)
        state, count = self._state(), 0
        persons = self._persons(state)
        together: dict[int, list[PlayerRow]] = {}
        for count, row in enumerate(self._player_rows(), start=1):  # noqa: B007, counts on after the loop
            if row.hands and room in (None, row.room):
                together.setdefault(persons.head(row.number), []).append(row)
        if count < state.players:
            raise self.damaged(f"player {count + 1} of {state.players} is lost")
        found = []
        for head, rows in together.items():
            person = StoredPerson(head, persons.names.get(head, rows[0].name), tuple(rows))
            times = _datetime(person.first_time), _datetime(person.last_time)
            found.append(StoredPlayer(person.name, person.room, person.hands, *times))
        return sorted(found, key=lambda player: (-player.hands, player.name, player.room))

    # People: who is the same under several names.

    def fingerprint(self, *, remarks: bool = True) -> str:
        """A text that is another one as soon as hands, facts or people have changed.

        Without ``remarks`` notes, labels and who the hero is do not count.
        """
        settings = self._settings()
        state = self._state_in(settings)
        if remarks:
            return state.text
        groups = replace(self._people_in(settings, state), hero=None, remarks=())
        return replace(state, people=0).text + groups.text

    def people(self) -> KnownPeople:
        """Who is the same person, and who the hero is if somebody said so."""
        settings = self._settings()
        return self._people_in(settings, self._state_in(settings))

    def change_people(self, change: Callable[[KnownPeople], KnownPeople]) -> KnownPeople:
        """Change who is the same person; ``change`` says what becomes of what there is.

        Players who are newly joined are refused if two of them sit in one hand, or if the name of the person
        is another's in one of the rooms.
        """
        with self._changing():
            before = self.people()
            people = change(before)
            if not people.loosens(before):
                self._join(people, self._now)
            self._write_people(people.text)
        return people

    def _people_in(self, settings: Mapping[str, str], state: StoreState) -> KnownPeople:
        text = settings.get(PEOPLE, "")
        found = read_people(text)
        if found is None or people_seal(text) != state.people:
            raise self.damaged("it does not say any more who is the same person")
        return found

    def _write_people(self, text: str) -> None:
        """Only in a transaction."""
        self.set_meta(PEOPLE, text)
        self._now = replace(self._now, people=people_seal(text))

    def _persons(self, state: StoreState) -> Joined:
        """The persons that aliases make, verified against what the store now holds."""
        if not state.people:
            return Joined()
        now = (state.people, state.players, state.hands, state.edits)
        if self._persons_of[0] != now:
            self._persons_of = now, self._join(self.people(), state)
        return self._persons_of[1]

    def _join(self, people: KnownPeople, state: StoreState) -> Joined:
        self._refresh(state)
        joined = join_people(people, self._player_numbers, len(self._names))
        for numbers in joined.members.values():
            hands = {}
            for row in self._players_numbered(numbers).values():
                own = [facts.seats["hand"] for _, facts in self._blocks_of([row], state)]
                hands[row.name, row.room] = np.concatenate(own) if own else np.zeros(0, np.int64)
            verify_apart(hands)
        return joined

    def facts(
        self,
        query: Query = EVERYTHING,
        players: Sequence[int] | None = None,
    ) -> Iterator[tuple[NDArray[np.int64], Facts]]:
        """The number of each seat's player, and the facts, in parts that fit into memory.

        ``players`` are numbers; None means everybody. Who has several names has one number. ``query`` narrows
        the hands; its player and id are not looked at. That no block is lost is known at the end.
        """
        kinds = self._kinds_of(query)
        state = self._state()
        persons = self._persons(state)
        if players is None:
            for part in self._blocks("number <= ?", (state.last_block,), state.blocks, state.sum, state):
                owners, facts = _narrowed(part, query, kinds)
                yield persons.owners(owners), facts
            return
        for head in dict.fromkeys(map(persons.head, players)):
            rows = list(self._players_numbered(persons.all_of(head)).values())
            for part in self._blocks_of(rows, state):
                owners, facts = _narrowed(part, query, kinds)
                yield persons.owners(owners), facts

    def _blocks_of(
        self, rows: Sequence[PlayerRow], state: StoreState
    ) -> Iterator[tuple[NDArray[np.int64], Facts]]:
        """The blocks of some players; those that others add meanwhile are not looked at."""
        numbers = [row.number for row in rows]
        blocks, total = sum(row.blocks for row in rows), sum(row.sum for row in rows)
        now = self._state()  # the rows may count hands that came after ``state``; this one has them
        if changed := self._changed(state, now):
            raise changed
        state = now
        for part in self._blocks(f"player IN ({_marks(numbers)})", numbers, blocks, total, state):
            if not np.isin(part[0], numbers).all():
                raise self.damaged(f"facts of player {numbers[0]} are another player's")
            yield part

    def _blocks(
        self, condition: str, values: Sequence[object], count: int, total: int, state: StoreState
    ) -> Iterator[tuple[NDArray[np.int64], Facts]]:
        """The owners and facts of the first ``count`` blocks, whose seals have the sum ``total``."""
        sql = f"SELECT {BLOCK_COLUMNS} FROM block WHERE {condition} ORDER BY number LIMIT {count}"
        seen, added, last = 0, 0, 0
        for rows in self._db.parts(sql, values, _PART):
            numbers, owners, seats, decisions, seals = zip(*rows, strict=True)
            try:
                whole = tuple(map(crc32, decisions, map(crc32, seats, owners))) == seals
                whole = whole and last < numbers[0] and min(owners) > 0 and max(owners) <= state.players
            except TypeError:
                whole = False
            if not whole:
                raise self._unsound(rows, state)
            last, seen, added = numbers[-1], seen + len(rows), added + sum(seals)
            yield self._joined(owners, seats, decisions, state)
        if (seen, added) != (count, total):
            raise self._changed(state) or self.damaged("some facts of its hands are lost")

    def _changed(self, state: StoreState, now: StoreState | None = None) -> SoulreadError | None:
        """The sentence about a store that somebody else has changed since ``state``; None if nobody has."""
        if (now or self._state()).edits == state.edits:
            return None
        return SoulreadError(f"{self.name!r} was changed by another program meanwhile; ask again")

    def _unsound(self, rows: Sequence[Sequence[object]], state: StoreState) -> SoulreadError:
        """The sentence about blocks one of which is not what was written."""
        for _, owner, seats, decisions, seal in rows:
            try:
                whole = crc32(decisions, crc32(seats, owner)) == seal  # type: ignore[arg-type]
            except TypeError:
                whole = False
            if not whole:
                return self.damaged(f"facts of player {owner!r} are not what was written")
        return self._changed(state) or self.damaged("facts of its hands are in the wrong place")

    def _joined(
        self, owners: Sequence[int], seats: Sequence[bytes], decisions: Sequence[bytes], state: StoreState
    ) -> tuple[NDArray[np.int64], Facts]:
        """The owners and facts of some blocks."""
        try:
            facts = Facts(np.frombuffer(b"".join(seats), SEAT), np.frombuffer(b"".join(decisions), DECISION))
        except ValueError:
            raise self.damaged("some facts of its hands are cut short") from None
        if not is_sound(facts, state.hands, state.kinds):
            raise self.damaged(f"facts of players {owners[0]} to {owners[-1]} cannot be")
        counts = np.fromiter(map(len, seats), np.int64, len(seats)) // SEAT.itemsize
        return np.repeat(np.array(owners, np.int64), counts), facts


MIGRATIONS: dict[int, Migration] = {1: Store.rewrite}
"""By version: the function that turns a store of it into one of the next, run in one transaction."""


def _narrowed(
    part: tuple[NDArray[np.int64], Facts], query: Query, kinds: list[int] | None
) -> tuple[NDArray[np.int64], Facts]:
    """The seats of hands that fit a query."""
    if kinds is None and query.since is None and query.until is None:
        return part
    owners, facts = part
    seats = facts.seats
    meant = np.ones(seats.size, np.bool_)
    if kinds is not None:
        meant &= np.isin(seats["kind"], kinds)
    if query.since is not None:
        meant &= seats["time"] >= seconds_of_time(query.since)
    if query.until is not None:
        meant &= (seats["time"] < seconds_of_time(query.until)) & (seats["time"] != NO_TIME)
    if meant.all():
        return part
    chosen = np.flatnonzero(meant)
    return owners[chosen], facts.take(chosen)


def room_words(room: str) -> str:
    """A room in a sentence."""
    return room or "no known room (--room '')"


def several_rooms(name: str, hands: Mapping[str, int]) -> SoulreadError:
    """The sentence about a name that stands for players of several rooms, with the hands in each."""
    most = sorted(hands.items(), key=lambda entry: (-entry[1], entry[0]))
    listed = ", ".join(
        f"{room} ({plural(count, 'hand')})" if room else f"no known room ({plural(count, 'hand')}, --room '')"
        for room, count in most
    )
    return SoulreadError(f"{name!r} plays in {len(hands)} rooms: {listed}; say which with --room")


def _cards_known(hand: Hand) -> bool:
    return any(sight is not Sight.UNSEEN for sight in hand.sights)


def _pieces(values: Sequence[T]) -> Iterator[Sequence[T]]:
    for first in range(0, len(values), _ASKED):
        yield values[first : first + _ASKED]


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


def _text(text: str) -> str:
    """Text that both databases take."""
    return text.encode("utf-8", "replace").decode().replace("\0", "�")


def _datetime(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _amount(text: str) -> Decimal:
    """The big blind in "6", "3/6" or "$3/$6"."""
    last = text.rpartition("/")[2].strip().strip("$€£")
    try:
        return Decimal(last)
    except InvalidOperation:
        raise SoulreadError(f"stakes {text!r}; write the big blind, such as 6, or both blinds: 3/6") from None
