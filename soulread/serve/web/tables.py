"""The tables of the page: which there are, and how the server asks the process of each.

A table is a few files in its visitor's folder: a card, ``ID.json``, that says what is played and how it is
shown; the journal of the game; notes on its hands. The process of a table is made from these when somebody
asks for it, and may end at any time.
"""

import asyncio
import json
import re
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

from soulread.errors import SoulreadError
from soulread.serve.web.desk import Desk, DeskGone
from soulread.serve.web.events import Channel
from soulread.serve.web.house import House, Visitor
from soulread.serve.web.sights import ReadSight, TableSight
from soulread.storage.files import write_file

IDLE = 0.3  # seconds that a person looks at the end of a hand before the table reflects on it
PATIENCE = 0.4  # seconds that an answer waits for an agent that thinks
MOST_TABLES = 200  # of one visitor
MOST_LIVE = 300  # tables that the server remembers; the others are read again
_ID = re.compile(r"[0-9a-f]{12}")


@dataclass(frozen=True)
class TableCard:
    """What is played at a table, and how the person wants to see it."""

    id: str
    game: str
    title: str  # of the game, in words
    agents: tuple[str, ...]
    name: str
    blind: bool = False
    left: bool = False  # taken off the list; its hands stay
    again: tuple[str, int, int] | None = None  # the table, hand and action from which hands are played again

    @property
    def against(self) -> str:
        """The opponents in words."""
        return ", ".join(dict.fromkeys(self.agents))


class LiveTable:
    """A table that somebody has asked for; see the module."""

    def __init__(self, house: House, visitor: Visitor, card: TableCard) -> None:
        self.house = house
        self.visitor = visitor
        self.card = card
        self.channel = Channel()
        self.sight: TableSight | None = None  # the last one
        self.told = ""  # what the process says while it makes the table
        self._key = "table", visitor.key, card.id
        self._making: asyncio.Future[Desk] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def path(self) -> Path:
        """The card's file."""
        return self.visitor.tables / f"{self.card.id}.json"

    def keep(self, **changes: Any) -> None:
        """Change the card, and write it."""
        self.card = replace(self.card, **changes)
        write_file(self.path, json.dumps(asdict(self.card)).encode())

    async def look(self) -> TableSight | None:
        """The table as it is; the last that is known if its process has no time, None if nothing is."""
        return await self.patiently(self.ask("look"))

    async def act(self, at: str, word: str, amount: int | None) -> TableSight | None:
        """Let the person act."""
        return await self.patiently(self.ask("act", at, word, amount))

    async def next_hand(self, at: str) -> TableSight | None:
        """Deal the next hand."""
        return await self.patiently(self.ask("next_hand", at))

    async def read(self) -> ReadSight:
        """What can be read of the person's play."""
        found = await self.ask("read")
        assert isinstance(found, ReadSight)
        return found

    async def reflect(self, at: str) -> dict[str, Any] | None:
        """The notes on the hand that is over at a moment.

        The table reflects when the person has looked for a while, so that a next hand need not wait for it;
        None if the person went on.
        """
        await asyncio.sleep(IDLE)
        if self.sight is None or self.sight.at != at:
            return None
        found: dict[str, Any] | None = await self.ask("reflect")
        return found

    async def ask(self, what: str, *arguments: Any) -> Any:
        """Ask the process of the table; one that has ended meanwhile is made anew, once.

        A question that was answered and then lost does no harm: acts say for which moment they are.
        """
        for last in (False, True):
            desk = await self._desk()
            try:
                found = await desk.ask(f"table:{what}", *arguments, told=self._hear)
                if isinstance(found, TableSight):
                    self._see(found)
                return found
            except DeskGone:
                if last:
                    raise
        raise AssertionError

    async def patiently(self, asked: Any) -> TableSight | None:
        """Wait a little for a sight; if an agent thinks for longer, it comes to all who listen later."""
        task = asyncio.ensure_future(asked)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        done, _ = await asyncio.wait({task}, timeout=PATIENCE)
        if done:
            found = task.result()
            assert isinstance(found, TableSight)
            return found
        task.add_done_callback(self._late)
        return self.sight

    def make(self) -> None:
        """Begin the game of a new table, in the background."""
        card, seed = self.card, secrets.randbits(128)
        if card.again is None:
            begun = self._new_desk("begin", card.game, list(card.agents), card.name, seed)
        else:
            begun = self._new_desk("again", *card.again, seed)
        self._making = asyncio.ensure_future(begun)
        self._making.add_done_callback(lambda done: done.cancelled() or done.exception())

    async def _desk(self) -> Desk:
        """The process of the table, which is made if it is not there."""
        if self._making is not None and not self._making.done():
            return await asyncio.shield(self._making)
        desk = self.house.desks.find(self._key)
        if desk is not None:
            return desk
        if self.path.with_suffix(".log").exists():
            self._making = asyncio.ensure_future(self._new_desk("resume"))
        else:  # it was never begun
            self.make()
        assert self._making is not None
        return await asyncio.shield(self._making)

    async def _new_desk(self, what: str, *arguments: Any) -> Desk:
        desk = self.house.desks.begin(self._key)
        folder = str(self.visitor.tables)
        try:
            found = await desk.ask(f"table:{what}", folder, self.card.id, *arguments, told=self._hear)
        except SoulreadError:
            self.house.desks.end(self._key)
            raise
        self.told = ""
        self._see(found)
        self.house.desks.keep_spare(warm)
        return desk

    def _hear(self, news: Any) -> None:
        """What the process says while it works: how the table stands, or a sentence."""
        if isinstance(news, TableSight):
            self._see(news)
        else:
            self.told = str(news.get("told", ""))
            self.publish()

    def _see(self, sight: TableSight) -> None:
        changed = sight != self.sight
        self.sight = sight
        if changed:
            self.publish()

    def publish(self) -> None:
        """Tell all who listen that the table has changed."""
        self.channel.send("changed")

    def _late(self, task: "asyncio.Task[Any]") -> None:
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self.told = str(error)
            self.publish()


def warm(desk: Desk) -> None:
    """Let a process load what tables need."""
    task = asyncio.ensure_future(desk.ask("table:warm"))
    task.add_done_callback(lambda done: done.cancelled() or done.exception())


class Floor:
    """All tables that were asked for lately."""

    def __init__(self, house: House) -> None:
        self._house = house
        self._live: OrderedDict[tuple[str, str], LiveTable] = OrderedDict()

    def begin(
        self, visitor: Visitor, game: str, title: str, agents: Sequence[str], name: str, blind: bool
    ) -> LiveTable:
        """A new table of a visitor; its first hand is dealt in the background."""
        return self._begin(visitor, TableCard(secrets.token_hex(6), game, title, tuple(agents), name, blind))

    def again(self, visitor: Visitor, parent: TableCard, hand: int, step: int) -> LiveTable:
        """A table at which a point of a hand is played again and again."""
        card = replace(
            parent,
            id=secrets.token_hex(6),
            title=f"{parent.title}, hand {hand} again",
            left=False,
            again=(parent.id, hand, step),
        )
        return self._begin(visitor, card)

    def _begin(self, visitor: Visitor, card: TableCard) -> LiveTable:
        if len(list(visitor.tables.glob("*.json"))) >= MOST_TABLES:
            raise SoulreadError(f"{MOST_TABLES} tables are enough; go on with one of them")
        table = LiveTable(self._house, visitor, card)
        visitor.tables.mkdir(parents=True, exist_ok=True)
        table.keep()
        self._remember(table)
        table.make()
        return table

    def find(self, visitor: Visitor, id: str) -> LiveTable:
        """A table of a visitor; 404 if there is no such."""
        found = self._live.get((visitor.key, id))
        if found is None:
            card = _read(visitor.tables / f"{id}.json") if _ID.fullmatch(id) else None
            if card is None:
                raise HTTPException(404)
            found = LiveTable(self._house, visitor, card)
        self._remember(found)
        return found

    def of(self, visitor: Visitor, *, left: bool = False) -> list[TableCard]:
        """The tables of a visitor, the one played last first; with ``left`` those off the list too."""
        paths = []
        for path in visitor.tables.glob("*.json"):
            with suppress(OSError):
                log = path.with_suffix(".log")
                paths.append((log.stat().st_mtime if log.exists() else path.stat().st_mtime, path))
        cards = [_read(path) for _, path in sorted(paths, reverse=True)]
        return [card for card in cards if card is not None and (left or not card.left)]

    def close(self) -> None:
        """Tell all who listen that nothing more comes."""
        for table in self._live.values():
            table.channel.close()

    def _remember(self, table: LiveTable) -> None:
        key = table.visitor.key, table.card.id
        self._live[key] = table
        self._live.move_to_end(key)
        for old in [key for key, table in self._live.items() if not len(table.channel)]:
            if len(self._live) <= MOST_LIVE:
                break
            del self._live[old]


def floor_of(request: Request) -> Floor:
    """The tables of the server that a request came to."""
    found = request.app.state.floor
    assert isinstance(found, Floor)
    return found


def _read(path: Path) -> TableCard | None:
    try:
        found = json.loads(path.read_bytes())
        again = None if found["again"] is None else tuple(found["again"])
        card = TableCard(**{**found, "agents": tuple(found["agents"]), "again": again})
        return card if card.id == path.stem else None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
