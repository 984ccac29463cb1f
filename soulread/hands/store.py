"""A store of hands that keeps every committed hand, and each hand once.

    with Store.open("hands.db") as store:
        store.add(hand for hand in read_hands("folder") if isinstance(hand, Hand))
        for number, hand in store.find(Query(player="Bob")):
            ...

Hands come in batches, each one transaction. A process that is killed loses the batch it was at, and nothing
else; to go on, import the same files again. A hand that is there already, from whichever file or format, adds
nothing (`soulread.hands.identity`); if it was seen by somebody who saw more cards, these are taken over.

Tables, the same in SQLite and PostgreSQL:

    meta    settings of the store: its version, and whether its names are hashed
    kind    game, stakes and room, once for all hands of a kind
    player  names, each with its room
    hand    number, key, room's id, time, kind, and the record itself (`soulread.hands.packing`)
    block   for each batch and player: the facts of this player's seats and decisions (`soulread.hands.facts`)

A player is a name in a room: "Hero" of two rooms are two players. A hand that was first read without its room
gets it when it is read again with one.

So the statistics of one player read only this player's blocks, and those of everybody are one pass over all.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from pathlib import Path
from typing import Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import DamagedFile, SoulreadError
from soulread.hands.database import PATIENCE, Database, connect
from soulread.hands.facts import DECISION, NO_TIME, SEAT, Facts, facts_of, seconds_of
from soulread.hands.facts import FORMAT as FACTS_FORMAT
from soulread.hands.hand import Hand, Sight, Stakes
from soulread.hands.identity import Anonymiser, Keyed, keyed
from soulread.hands.older import Numbered, set_aside
from soulread.hands.packing import pack_hand, unpack_hand
from soulread.words import plural

VERSION = 2
BATCH = 2000  # hands of a transaction
_ASKED = 500  # values asked for in one statement
_PART = 200_000  # decisions in memory at once

_CLEAR = "clear"

T = TypeVar("T")

_TABLES = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE kind (number INTEGER PRIMARY KEY, game TEXT NOT NULL, variant TEXT NOT NULL, "
    "small_bet BIGINT NOT NULL, big_blind BIGINT NOT NULL, ante BIGINT NOT NULL, currency TEXT NOT NULL, "
    "chip TEXT NOT NULL, room TEXT NOT NULL)",
    "CREATE TABLE player (number INTEGER PRIMARY KEY, name TEXT NOT NULL, room TEXT NOT NULL)",
    "CREATE UNIQUE INDEX player_name ON player (name, room)",
    "CREATE TABLE hand (number BIGINT PRIMARY KEY, key BYTES NOT NULL, id TEXT NOT NULL, time BIGINT, "
    "kind INTEGER NOT NULL, record BYTES NOT NULL)",
    "CREATE UNIQUE INDEX hand_key ON hand (key)",
    "CREATE INDEX hand_id ON hand (id)",
    "CREATE TABLE block (player INTEGER NOT NULL, first_hand BIGINT NOT NULL, hands INTEGER NOT NULL, "
    "first_time BIGINT, last_time BIGINT, seats BYTES NOT NULL, decisions BYTES NOT NULL)",
    "CREATE INDEX block_player ON block (player)",
)

Migration = Callable[["Store"], None]


@dataclass(frozen=True)
class GameKind:
    """A game, its stakes, and the room it was played in."""

    game: str  # the name of the game up to its first colon
    variant: str
    stakes: Stakes
    room: str = ""

    @property
    def stakes_name(self) -> str:
        """The big blind in money or chips: "6 USD"."""
        amount = self.big_blind
        text = f"{amount.normalize():f}"
        return f"{text} {self.stakes.currency}".strip()

    @property
    def big_blind(self) -> Decimal:
        """The big blind in money, or chips of the file."""
        return self.stakes.big_blind * Decimal(self.stakes.chip)


@dataclass(frozen=True)
class Query:
    """Conditions on hands; a condition that is None does not matter."""

    player: str | None = None
    room: str | None = None  # empty: hands whose room nobody knows
    game: str | None = None  # name up to a colon, or the whole variant
    stakes: str | None = None  # the big blind in money; of "3/6" the last number
    since: datetime | None = None
    until: datetime | None = None  # not included
    id: str | None = None  # what the room calls the hand


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
        self._kinds: dict[int, GameKind] = {}
        self._names: dict[int, str] = {}
        self._rooms: dict[int, str] = {}
        self._kind_numbers: dict[GameKind, int] = {}
        self._player_numbers: dict[tuple[str, str], int] = {}

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

    # Versions.

    def _prepare(self, read_only: bool) -> None:
        """Make the tables, or bring them to this version."""
        version = self._version()
        if version is None:
            if read_only:
                raise SoulreadError(f"there are no hands in {self.name!r}; soulread import brings some")
            with self._db.writing():
                if self._version() is None:  # nobody else was quicker
                    for statement in _TABLES:
                        self._db.run(statement)
                    self.set_meta("version", str(VERSION))
                    self.set_meta("facts", str(FACTS_FORMAT))
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

    def _version(self) -> int | None:
        if "meta" not in self._db.tables():
            return None
        found = self.meta("version")
        return int(found) if found else None

    def _migrate(self) -> None:
        with self._db.writing():
            version = self._version() or VERSION
            while version < VERSION:
                MIGRATIONS[version](self)
                version += 1
            self.set_meta("version", str(version))
            if self.meta("facts") != str(FACTS_FORMAT):
                self._rebuild_facts()

    def rewrite(self) -> None:
        """Write the hands of an older version anew, with their numbers and keys, and all that follows."""
        old = set_aside(self._db)
        for statement in _TABLES:
            self._db.run(statement)
        for name, value in old.settings.items():
            self.set_meta(name, value)
        hands = old.hands()
        while part := list(islice(hands, BATCH)):
            self._insert(part)
        old.drop()
        self.set_meta("facts", str(FACTS_FORMAT))

    def _rebuild_facts(self) -> None:
        """Make all blocks anew from the hands."""
        self._refresh()
        self._db.run("DELETE FROM block")
        (last,) = next(self._db.rows("SELECT COALESCE(MAX(number), 0) FROM hand"))
        for first in range(1, last + 1, BATCH):
            found = list(self._hands("number >= ? AND number < ?", (first, first + BATCH)))
            hands = [hand for _, hand in found]
            self._add_blocks(hands, [number for number, _ in found], self._numbers_of_kinds(hands))
        self.set_meta("facts", str(FACTS_FORMAT))

    def meta(self, name: str) -> str | None:
        """A setting of the store."""
        return next(
            (value for (value,) in self._db.rows("SELECT value FROM meta WHERE name = ?", (name,))), None
        )

    def set_meta(self, name: str, value: str) -> None:
        """Change a setting of the store."""
        self._db.run("DELETE FROM meta WHERE name = ?", (name,))
        self._db.run("INSERT INTO meta (name, value) VALUES (?, ?)", (name, value))

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
        while part := list(islice(coming, batch)):
            self._add_batch(part, added)
            if progress is not None:
                progress(added)
        return added

    def _verify_names(self, anonymiser: Anonymiser | None) -> None:
        wanted = _CLEAR if anonymiser is None else anonymiser.mark
        with self._db.writing():
            names = self.meta("names")
            if names is None:
                self.set_meta("names", wanted)
                return
        if names == wanted:
            return
        if names == _CLEAR:
            raise SoulreadError(f"{self.name!r} has real names; anonymised hands need a store of their own")
        if wanted == _CLEAR:
            raise SoulreadError(f"the names in {self.name!r} are anonymised; import with --anonymise")
        raise SoulreadError(f"the names in {self.name!r} were anonymised with another key; give that one")

    def _add_batch(self, part: Sequence[Keyed], added: Added) -> None:
        try:
            with self._db.writing():
                there = self._known([key for key, _ in part])
                unplaced: dict[bytes, Hand] = {}  # stored without their room
                new: dict[bytes, Hand] = {}
                again: list[Keyed] = []
                for key, hand in part:
                    if key in there or key in new:
                        again.append((key, hand))
                        if not hand.room:
                            continue
                        if key in new:
                            new[key] = replace(new[key], room=new[key].room or hand.room)
                        elif not there[key]:
                            unplaced.setdefault(key, hand)
                    else:
                        new[key] = hand
                if new:
                    (last,) = next(self._db.rows("SELECT COALESCE(MAX(number), 0) FROM hand"))
                    self._insert([(number, *entry) for number, entry in enumerate(new.items(), last + 1)])
                if unplaced:
                    self._place(unplaced)
                richer = {key for key, hand in again if _cards_known(hand) and self._enrich(key, hand)}
        except BaseException:
            self._forget()  # numbers given in a transaction that failed
            raise
        added.new += len(new)
        added.known += len(again)
        added.enriched += len(richer | unplaced.keys())

    def _known(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The keys that are there, each with the room of its hand."""
        self._refresh()
        found: dict[bytes, str] = {}
        for asked in _pieces(keys):
            sql = f"SELECT key, kind FROM hand WHERE key IN ({_marks(asked)})"
            found.update((bytes(key), self._kinds[kind].room) for key, kind in self._db.rows(sql, asked))
        return found

    def _insert(self, new: Sequence[Numbered]) -> None:
        """Store hands under their numbers and keys."""
        numbers, hands = [number for number, _, _ in new], [hand for _, _, hand in new]
        self._add_players(hands)
        kinds = self._numbers_of_kinds(hands)
        rows = []
        for (number, key, hand), kind in zip(new, kinds, strict=True):
            seconds = seconds_of(hand)
            record = pack_hand(hand, self._seated(hand))
            time = None if seconds == NO_TIME else seconds
            rows.append((number, key, _text(hand.id), time, kind, record))
        self._db.run_many(
            "INSERT INTO hand (number, key, id, time, kind, record) VALUES (?, ?, ?, ?, ?, ?)", rows
        )
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
        rows = []
        for begin, end in zip(first.tolist(), [*first[1:].tolist(), owners.size], strict=True):
            own = seats[begin:end]
            times = own["time"][own["time"] != NO_TIME]
            span = (int(times.min()), int(times.max())) if times.size else (None, None)
            made = decisions[counted[begin] : counted[end]]
            rows.append(
                (int(owners[begin]), int(own["hand"][0]), end - begin, *span, own.tobytes(), made.tobytes())
            )
        self._db.run_many(
            "INSERT INTO block (player, first_hand, hands, first_time, last_time, seats, decisions) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            rows,
        )

    def _enrich(self, key: bytes, seen: Hand) -> bool:
        """Add the cards of another observer to a hand that is there; whether there were any to add."""
        number, hand = next(self._hands("key = ?", (key,)))
        hole, sights = list(hand.hole), list(hand.sights)
        for seat, cards in enumerate(seen.hole):
            if cards is not None and len(cards) > len(hole[seat] or ()):
                hole[seat], sights[seat] = cards, seen.sights[seat]
        if tuple(hole) == hand.hole:
            return False
        richer = replace(hand, hole=tuple(hole), sights=tuple(sights))
        self._db.run(
            "UPDATE hand SET record = ? WHERE number = ?", (pack_hand(richer, self._seated(hand)), number)
        )
        return True

    def _place(self, told: dict[bytes, Hand]) -> None:
        """Give hands that are there without a room the one they are told with: their players change too."""
        stored = [next(self._hands("key = ?", (key,))) for key in told]
        numbers = [number for number, _ in stored]
        rooms = (hand.room for hand in told.values())
        hands = [replace(hand, room=room) for (_, hand), room in zip(stored, rooms, strict=True)]
        self._leave_out(numbers, {player for _, hand in stored for player in self._seated(hand)})
        self._add_players(hands)
        kinds = self._numbers_of_kinds(hands)
        self._db.run_many(
            "UPDATE hand SET kind = ?, record = ? WHERE number = ?",
            [
                (kind, pack_hand(hand, self._seated(hand)), number)
                for kind, hand, number in zip(kinds, hands, numbers, strict=True)
            ],
        )
        self._add_blocks(hands, numbers, kinds)

    def _leave_out(self, numbers: Sequence[int], players: Iterable[int]) -> None:
        """Take the facts of some hands out of the blocks of their players."""
        for player in sorted(players):
            owned = list(self.facts(players=[player]))
            self._db.run("DELETE FROM block WHERE player = ?", (player,))
            for owners, facts in owned:
                kept = np.flatnonzero(~np.isin(facts.seats["hand"], numbers))
                if kept.size:
                    self._insert_blocks(owners[kept], facts.take(kept))

    def _seated(self, hand: Hand) -> list[int]:
        """The numbers of a hand's players."""
        room, known = hand.room, self._player_numbers
        return [known[name, room] for name in hand.players]

    def _add_players(self, hands: Iterable[Hand]) -> None:
        """Give every new player a number. Only in a transaction."""
        self._refresh()
        known = self._player_numbers
        new = dict.fromkeys(
            (name, hand.room) for hand in hands for name in hand.players if (name, hand.room) not in known
        )
        rows: list[tuple[int, str, str]] = []
        for raw in new:
            name, room = map(_text, raw)
            number = known.get((name, room))
            if number is None:
                number = known[name, room] = max(self._names, default=0) + 1 if not rows else rows[-1][0] + 1
                rows.append((number, name, room))
                self._names[number], self._rooms[number] = name, room
            known[raw] = number
        self._db.run_many("INSERT INTO player (number, name, room) VALUES (?, ?, ?)", rows)

    def _numbers_of_kinds(self, hands: Iterable[Hand]) -> list[int]:
        """The number of each hand's kind; new kinds get one. Only in a transaction."""
        numbers = []
        for hand in hands:
            what = GameKind(hand.game.partition(":")[0], hand.variant, hand.stakes, _text(hand.room))
            number = self._kind_numbers.get(what)
            if number is None:
                number = max(self._kinds, default=0) + 1
                stakes = hand.stakes
                self._db.run(
                    "INSERT INTO kind (number, game, variant, small_bet, big_blind, ante, currency, chip, "
                    "room) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        number,
                        what.game,
                        what.variant,
                        stakes.small_bet,
                        stakes.big_blind,
                        stakes.ante,
                        stakes.currency,
                        stakes.chip,
                        what.room,
                    ),
                )
                self._kinds[number] = what
                self._kind_numbers[what] = number
            numbers.append(number)
        return numbers

    def _refresh(self) -> None:
        """Read the players and kinds that others have added."""
        last = max(self._names, default=0)
        sql = "SELECT number, name, room FROM player WHERE number > ?"
        for number, name, room in self._db.rows(sql, (last,)):
            self._names[number] = name
            self._rooms[number] = room
            self._player_numbers[name, room] = number
        sql = (
            "SELECT number, game, variant, small_bet, big_blind, ante, currency, chip, room FROM kind "
            "WHERE number > ?"
        )
        for number, game, variant, *stakes, room in self._db.rows(sql, (max(self._kinds, default=0),)):
            kind = self._kinds[number] = GameKind(game, variant, Stakes(*stakes), room)
            self._kind_numbers[kind] = number

    def _forget(self) -> None:
        for known in (self._names, self._rooms, self._player_numbers, self._kinds, self._kind_numbers):
            known.clear()

    # Hands come out.

    def __len__(self) -> int:
        (count,) = next(self._db.rows("SELECT COUNT(*) FROM hand"))
        return int(count)

    def earlier(self, number: int, players: Iterable[str], room: str | None = None) -> list[Hand]:
        """The hands of any of the players of a room that came in before hand ``number``, in order."""
        found: dict[int, Hand] = {}
        for name in players:
            query = Query(player=name, room=room)
            found.update((n, hand) for n, hand in self.find(query) if n < number)
        return [found[n] for n in sorted(found)]

    def find(self, query: Query = EVERYTHING) -> Iterator[tuple[int, Hand]]:
        """Hands with their numbers, in the order they came in."""
        if query.player is not None:
            yield from self._of_player(query, query.player)
            return
        conditions: list[str] = []
        values: list[object] = []
        if query.id is not None:
            conditions.append("id = ?")
            values.append(query.id)
        kinds = self._kinds_of(query)
        if kinds is not None:
            conditions.append(f"kind IN ({_marks(kinds)})" if kinds else "1 = 0")
            values += kinds
        for time, sign in ((query.since, ">="), (query.until, "<")):
            if time is not None:
                conditions.append(f"time {sign} ?")
                values.append(_seconds(time))
        yield from self._hands(" AND ".join(conditions) or "1 = 1", values)

    def hand(self, text: str, room: str | None = None) -> tuple[int, Hand]:
        """The hand that is called ``text``: the room's id, or ``#`` and the number in the store."""
        kinds = self._kinds_of(Query(room=room))
        if text.startswith("#") and text[1:].isdecimal() and len(text) < 19:
            found = list(self._hands("number = ?", (int(text[1:]),)))
        else:
            among = "" if kinds is None else f" AND kind IN ({_marks(kinds)})"
            found = list(islice(self._hands(f"id = ?{among}", (text, *(kinds or ()))), 10))
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
        """The hands of these numbers that are there, in the order they came in."""
        for asked in _pieces(sorted(set(numbers))):
            yield from self._hands(f"number IN ({_marks(asked)})", asked)

    def _of_player(self, query: Query, player: str) -> Iterator[tuple[int, Hand]]:
        number = self.player_number(player, query.room)
        numbers = [part.seats["hand"] for _, part in self.facts(query, players=[number])]
        yield from self.numbered(np.concatenate(numbers).tolist() if numbers else [])

    def _hands(self, condition: str, values: Sequence[object]) -> Iterator[tuple[int, Hand]]:
        sql = f"SELECT number, kind, record FROM hand WHERE {condition} ORDER BY number"
        for number, kind_number, record in self._db.rows(sql, values):
            if kind_number not in self._kinds:
                self._refresh()
            kind = self._kinds.get(kind_number)
            if kind is None:
                raise DamagedFile(f"{self.name!r} is damaged: hand #{number} is of no known game")
            try:
                yield number, unpack_hand(bytes(record), self._names, kind.variant, kind.stakes, kind.room)
            except DamagedFile as error:
                raise DamagedFile(f"{self.name!r}, hand #{number}: {error}") from None

    def _kinds_of(self, query: Query) -> list[int] | None:
        """The kinds a query allows; None if all."""
        if query.game is None and query.stakes is None and query.room is None:
            return None
        self._refresh()
        room = None if query.room is None else self._room_called(query.room)
        amount = None if query.stakes is None else _amount(query.stakes)
        return [
            number
            for number, kind in self._kinds.items()
            if (query.game is None or query.game in (kind.game, kind.variant))
            and (amount is None or kind.big_blind == amount)
            and (room is None or kind.room == room)
        ]

    def _room_called(self, asked: str) -> str:
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
        """The number of a player; the message of an unknown one names those who sound alike.

        Without a ``room`` the name must be that of one player only.
        """
        sql = (
            "SELECT player.number, player.room, SUM(block.hands) FROM player JOIN block "
            "ON block.player = player.number WHERE name = ? GROUP BY player.number, player.room"
        )
        found = {played: (number, hands) for number, played, hands in self._db.rows(sql, (_text(name),))}
        if room is not None:
            room = self._room_called(room)
            found = {played: entry for played, entry in found.items() if played == room}
        if len(found) == 1:
            ((number, _),) = found.values()
            return int(number)
        if found:
            raise several_rooms(name, {played: hands for played, (_, hands) in found.items()})
        from difflib import get_close_matches

        self._refresh()
        there = [known for known, played in self._player_numbers if room in (None, played)]
        near = get_close_matches(name, there, n=3, cutoff=0.5)
        hint = f"; do you mean {' or '.join(near)}?" if near else "; soulread players lists who is"
        whose = "is not" if room is None else f"is no player of {room_words(room)}"
        raise SoulreadError(f"{name!r} {whose} in {self.name!r}{hint}")

    def names(self) -> dict[int, str]:
        """The name of every player, by number."""
        self._refresh()
        return dict(self._names)

    def player_rooms(self) -> dict[int, str]:
        """The room of every player, by number."""
        self._refresh()
        return dict(self._rooms)

    def players(self, room: str | None = None) -> list[StoredPlayer]:
        """All players, or those of one room; those with the most hands first."""
        room = None if room is None else self._room_called(room)
        sql = (
            "SELECT player.name, player.room, SUM(block.hands), MIN(block.first_time), MAX(block.last_time) "
            "FROM block JOIN player ON player.number = block.player GROUP BY player.name, player.room"
        )
        found = [
            StoredPlayer(name, played, int(hands), _datetime(first), _datetime(last))
            for name, played, hands, first, last in self._db.rows(sql)
            if room in (None, played)
        ]
        return sorted(found, key=lambda player: (-player.hands, player.name, player.room))

    def facts(
        self,
        query: Query = EVERYTHING,
        players: Sequence[int] | None = None,
    ) -> Iterator[tuple[NDArray[np.int64], Facts]]:
        """The number of each seat's player, and the facts, in parts that fit into memory.

        ``players`` are numbers; None means everybody. ``query`` narrows the hands; its player and id are not
        looked at.
        """
        if players is None:
            found = self._db.rows("SELECT player, seats, decisions FROM block")
        else:
            marks = _marks(players)
            found = self._db.rows(
                f"SELECT player, seats, decisions FROM block WHERE player IN ({marks})", players
            )
        kinds = self._kinds_of(query)
        owners: list[int] = []
        seats: list[bytes] = []
        decisions: list[bytes] = []
        size = 0
        for player, seat_rows, decision_rows in found:
            owners.append(player)
            seats.append(bytes(seat_rows))
            decisions.append(bytes(decision_rows))
            size += len(decisions[-1])
            if size >= _PART * DECISION.itemsize:
                yield _narrowed(self._joined(owners, seats, decisions), query, kinds)
                owners, seats, decisions, size = [], [], [], 0
        if owners:
            yield _narrowed(self._joined(owners, seats, decisions), query, kinds)

    def _joined(
        self, owners: list[int], seats: list[bytes], decisions: list[bytes]
    ) -> tuple[NDArray[np.int64], Facts]:
        """The owners and facts of some blocks."""
        try:
            facts = Facts(np.frombuffer(b"".join(seats), SEAT), np.frombuffer(b"".join(decisions), DECISION))
            fits = int(facts.seats["decisions"].sum()) == facts.decisions.size
        except ValueError:
            fits = False
        if not fits:
            raise DamagedFile(f"{self.name!r} is damaged: some facts of its hands are cut short")
        counts = [len(part) // SEAT.itemsize for part in seats]
        return np.repeat(np.array(owners, np.int64), counts), facts


MIGRATIONS: dict[int, Migration] = {1: Store.rewrite}
"""By version: the function that turns a store of it into one of the next, run in one transaction."""


def _narrowed(
    part: tuple[NDArray[np.int64], Facts], query: Query, kinds: list[int] | None
) -> tuple[NDArray[np.int64], Facts]:
    """The seats of hands that fit a query."""
    owners, facts = part
    seats = facts.seats
    meant = np.ones(seats.size, np.bool_)
    if kinds is not None:
        meant &= np.isin(seats["kind"], kinds)
    if query.since is not None:
        meant &= seats["time"] >= _seconds(query.since)
    if query.until is not None:
        meant &= (seats["time"] < _seconds(query.until)) & (seats["time"] != NO_TIME)
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


def _seconds(time: datetime) -> int:
    return int((time if time.tzinfo is not None else time.replace(tzinfo=UTC)).timestamp())


def _datetime(seconds: int | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _amount(text: str) -> Decimal:
    """The big blind in "6", "3/6" or "$3/$6"."""
    last = text.rpartition("/")[2].strip().strip("$€£")
    try:
        return Decimal(last)
    except InvalidOperation:
        raise SoulreadError(f"stakes {text!r}; write the big blind, such as 6, or both blinds: 3/6") from None
