"""What the server holds: the sessions, the processes of their tables, and the jobs.

A session is a folder, named by a digest of the token in the browser's cookie. The folder is made when there
is something to keep, so a browser that only looks leaves nothing behind. What a session does is on the disk
before its browser is told, and the objects here are made of it again when they are asked for: a server that
was killed goes on where it stood.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request

from soulread.machine import available_memory, num_cores
from soulread.serve.web.desk import ROOMS, Desk, DeskGone, Told
from soulread.serve.web.jobs import Jobs

ROOM = 300 * 2**20  # bytes of memory that a process of a table needs, before another one is begun
LEAST_ROOM = 4  # processes of tables that may be there however little memory is free


@dataclass(frozen=True)
class Settings:
    """What the server was told."""

    port: int
    folder: Path  # where sessions are kept
    store: str | None = None  # of hands, as --db names it; None: the user's own
    reports: Path | None = None  # where experiments write; None: nowhere


@dataclass(frozen=True)
class Visitor:
    """One browser: its name on the disk, and its folder."""

    key: str
    folder: Path

    @property
    def tables(self) -> Path:
        """The folder of its tables."""
        return self.folder / "tables"

    @property
    def jobs(self) -> Path:
        """The folder of its jobs."""
        return self.folder / "jobs"

    @property
    def hands(self) -> Path:
        """The store of the hands that were played here."""
        return self.folder / "hands.db"


class Desks:
    """A process for everything that keeps something in memory, such as a table, and one in reserve.

    A process that nobody asks any more may be ended for a new one when memory runs short: whoever needs it
    again makes it anew from its files.
    """

    def __init__(self) -> None:
        self._desks: OrderedDict[Hashable, Desk] = OrderedDict()  # the one asked last at the end
        self._spare: Desk | None = None

    def find(self, key: Hashable) -> Desk | None:
        """The process of this name; None if there is none, or it has ended."""
        desk = self._desks.get(key)
        if desk is not None and desk.ended:
            del self._desks[key]
            desk = None
        if desk is not None:
            self._desks.move_to_end(key)
        return desk

    def begin(self, key: Hashable) -> Desk:
        """A new process of this name."""
        self._make_room()
        desk = self._spare if self._spare is not None and not self._spare.ended else Desk("a table")
        self._desks[key] = desk
        self._spare = None
        return desk

    def keep_spare(self, warm: Callable[[Desk], None]) -> None:
        """Have a process in reserve, which ``warm`` lets load what it will need."""
        if self._spare is None or self._spare.ended:
            self._spare = Desk("a table")
            warm(self._spare)

    def end(self, key: Hashable) -> None:
        """End the process of this name, if there is one."""
        desk = self._desks.pop(key, None)
        if desk is not None:
            desk.end()

    def close(self) -> None:
        """End all of them."""
        for desk in (*self._desks.values(), self._spare):
            if desk is not None:
                desk.end()
        self._desks.clear()

    def __len__(self) -> int:
        return len(self._desks)

    def _make_room(self) -> None:
        free = available_memory()
        short = free is not None and free < ROOM
        for key, desk in list(self._desks.items()):
            if desk.ended:
                del self._desks[key]
            elif short and len(self._desks) >= LEAST_ROOM and not desk.busy:
                self.end(key)
                return


class Pool:
    """A few processes for short questions that need no memory of their own."""

    def __init__(self, most: int, rooms: str = ROOMS) -> None:
        self._free = asyncio.Semaphore(most)
        self._idle: list[Desk] = []
        self._rooms = rooms

    async def ask(self, what: str, *arguments: Any, told: Told | None = None) -> Any:
        """Ask a process that is idle; a process that ends meanwhile is replaced, once."""
        async with self._free:
            for last in (False, True):
                desk = next((one for one in self._idle if not one.ended), None) or Desk(
                    "a shared process", self._rooms
                )
                self._idle = [one for one in self._idle if one is not desk and not one.ended]
                try:
                    return await desk.ask(what, *arguments, told=told)
                except DeskGone:
                    if last:
                        raise
                finally:
                    if desk.busy:  # whoever asked does not wait any longer
                        desk.end()
                    elif not desk.ended:
                        self._idle.append(desk)

    def close(self) -> None:
        """End all of them."""
        for desk in self._idle:
            desk.end()


class House:
    """All that the server holds; see the module."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.jobs = Jobs()
        self.desks = Desks()
        self.sent: dict[Path, int] = {}  # bytes of the files that come for an import, by their folder
        self._pool = Pool(max(2, num_cores()))

    async def ask(self, what: str, *arguments: Any, told: Told | None = None) -> Any:
        """Ask a function of the rooms a short question; see `soulread.serve.web.desk`."""
        return await self._pool.ask(what, *arguments, told=told)

    def visitor(self, key: str) -> Visitor:
        """The session of this key."""
        return Visitor(key, self.settings.folder / key)

    def open(self) -> None:
        """Go on with the jobs that the last server left."""
        for folder in self.settings.folder.glob("*/jobs"):
            self.jobs.load(folder.parent.name, folder)

    def close(self) -> None:
        """End all processes."""
        self.jobs.close()
        self.desks.close()
        self._pool.close()


PLAYED = "played"  # of a field "store": the hands that were played on this page


def store_of(request: Request, field: str) -> str | None:
    """The store that a field means: the hands played on this page, or else the server's; None: the user's."""
    return str(visitor_of(request).hands) if field == PLAYED else house_of(request).settings.store


def house_of(request: Request) -> House:
    """The house of a request."""
    found = request.app.state.house
    assert isinstance(found, House)
    return found


def visitor_of(request: Request) -> Visitor:
    """The session of a request."""
    return house_of(request).visitor(request.state.owner)
