"""Long work, such as a solve or an import: it runs in processes, side by side, and outlives the server.

    job = house.jobs.begin(session.key, "spots:solve", {"spot": ...})
    async for news in job.watch(): ...                 what the work said of itself, then the end
    house.jobs.cancel(job)

The work is a function of ``soulread/serve/web/rooms/`` with arguments that JSON can write. One job of each
owner runs at a time and the others of that owner wait, so nobody waits for anybody else's. `MOST` processes
compute at the same time.

A job is a file of its owner's folder, and so is its result. A job that was under way when the server ended,
however it ended, begins anew when the server starts; its function may find what it kept (``arguments`` may
name a file) and go on from there.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.machine import num_cores
from soulread.notices import tell
from soulread.serve.web.desk import ROOMS, Desk, DeskGone
from soulread.storage.files import write_file

MOST = max(4, 2 * num_cores())  # jobs of different owners at a time
MOST_WAITING = 50  # of one owner
MOST_KEPT = 200  # of one owner: the last ones
MOST_TRIES = 3  # a job that ends the server itself, by filling memory for instance, does not do so for ever


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


OVER = JobState.DONE, JobState.FAILED, JobState.CANCELLED


@dataclass(eq=False)
class Job:
    """Work that was asked for; see the module."""

    id: str
    owner: str
    folder: Path
    what: str  # the function, such as "spots:solve"
    arguments: Mapping[str, Any]
    title: str
    standing: JobState = JobState.WAITING
    error: str = ""
    tries: int = 0  # how often it was begun
    news: Any = None  # what it said last of itself
    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)
    _version: int = 0

    @property
    def over(self) -> bool:
        """Whether it will not change any more."""
        return self.standing in OVER

    @property
    def path(self) -> Path:
        """The file of the job."""
        return self.folder / f"{self.id}.json"

    def result(self) -> Any:
        """The result of a job that is done; None if there is none."""
        try:
            return json.loads((self.folder / f"{self.id}.result.json").read_bytes())
        except (OSError, ValueError, RecursionError):
            return None

    async def watch(self) -> AsyncIterator[Any]:
        """What the job says of itself, the last thing at once; it ends when the job is over.

        Somebody who is slow is told the last of several things.
        """
        seen = -1
        while True:
            changed = self._changed
            if seen != self._version:
                seen = self._version
                yield self.news
                continue
            if self.over:
                return
            await changed.wait()

    def say(self, news: Any) -> None:
        """Take in what the work says of itself."""
        self.news = news
        self._turn()

    def stand(self, standing: JobState, error: str = "") -> None:
        """Take in where the job stands now, and keep it."""
        self.standing, self.error = standing, error
        record = {
            "id": self.id,
            "what": self.what,
            "title": self.title,
            "arguments": self.arguments,
            "standing": self.standing.value,
            "error": self.error,
            "tries": self.tries,
        }
        write_file(self.path, json.dumps(record).encode())
        self._turn()

    def _turn(self) -> None:
        self._version += 1
        before, self._changed = self._changed, asyncio.Event()
        before.set()


class Jobs:
    """All jobs of a server."""

    def __init__(self, rooms: str = ROOMS) -> None:
        self._rooms = rooms
        self._jobs: dict[str, dict[str, Job]] = {}  # by owner and id, in the order they were asked for
        self._running: dict[str, tuple[Job, Desk]] = {}  # by owner
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    def begin(
        self, owner: str, folder: Path, what: str, arguments: Mapping[str, Any], title: str = ""
    ) -> Job:
        """Ask for work; ``folder`` is where the job and its result are kept."""
        own = self._jobs.setdefault(owner, {})
        if sum(not job.over for job in own.values()) >= MOST_WAITING:
            raise SoulreadError(f"{MOST_WAITING} jobs wait already; let some of them end, or cancel them")
        for id in [id for id, old in own.items() if old.over][: max(0, len(own) + 1 - MOST_KEPT)]:
            self._remove(own.pop(id))
        job = Job(secrets.token_hex(8), owner, folder, what, arguments, title or what)
        folder.mkdir(parents=True, exist_ok=True)
        job.stand(JobState.WAITING)
        own[job.id] = job
        self._begin_waiting()
        return job

    def find(self, owner: str, id: str) -> Job | None:
        """A job of an owner; None if there is no such."""
        return self._jobs.get(owner, {}).get(id)

    def of(self, owner: str) -> list[Job]:
        """All jobs of an owner, the last one first."""
        return list(reversed(self._jobs.get(owner, {}).values()))

    def cancel(self, job: Job) -> None:
        """End a job; one that is over stays as it is."""
        if job.over:
            return
        job.stand(JobState.CANCELLED)
        running = self._running.get(job.owner)
        if running is not None and running[0] is job:
            running[1].end()

    def load(self, owner: str, folder: Path) -> None:
        """Know the jobs of a folder again; those that were not over begin anew."""
        own = self._jobs.setdefault(owner, {})
        for path in sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime):
            job = None if path.name.endswith(".result.json") else _read(path, owner)
            if job is not None and job.id not in own:
                own[job.id] = job
                if not job.over and job.tries < MOST_TRIES:
                    job.stand(JobState.WAITING)
                elif not job.over:
                    job.stand(JobState.FAILED, f"the server ended {MOST_TRIES} times while it ran")
        self._begin_waiting()

    def close(self) -> None:
        """End all processes; jobs that are not over begin anew with the next server."""
        self._closed = True
        for _, desk in self._running.values():
            desk.end()
        for task in self._tasks:
            task.cancel()

    def _waiting(self) -> Iterable[Job]:
        """The first job that waits of each owner for whom none runs."""
        for owner, own in self._jobs.items():
            if owner not in self._running:
                waiting = (job for job in own.values() if job.standing is JobState.WAITING)
                if (first := next(waiting, None)) is not None:
                    yield first

    def _begin_waiting(self) -> None:
        for job in list(self._waiting()):
            if self._closed or len(self._running) >= MOST:
                return
            desk = Desk(job.what, self._rooms)
            self._running[job.owner] = job, desk
            task = asyncio.ensure_future(self._run(job, desk))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, job: Job, desk: Desk) -> None:
        try:
            job.tries += 1
            job.stand(JobState.RUNNING)
            result = await desk.ask(job.what, dict(job.arguments), told=job.say)
            write_file(job.folder / f"{job.id}.result.json", json.dumps(result).encode())
            if not job.over:
                job.stand(JobState.DONE)
        except DeskGone:
            if not job.over and not self._closed:
                job.stand(JobState.FAILED, "its process has ended; memory may have run out")
        except SoulreadError as error:
            if not job.over:
                job.stand(JobState.FAILED, str(error))
        finally:
            desk.end()
            self._running.pop(job.owner, None)
            self._begin_waiting()

    def _remove(self, job: Job) -> None:
        for path in (job.path, job.folder / f"{job.id}.result.json"):
            with suppress(OSError):
                path.unlink()


def _read(path: Path, owner: str) -> Job | None:
    """The job of a file; None, and a sentence, if it is damaged."""
    try:
        found = json.loads(path.read_bytes())
        job = Job(
            found["id"],
            owner,
            path.parent,
            found["what"],
            found["arguments"],
            found["title"],
            JobState(found["standing"]),
            found["error"],
            int(found["tries"]),
        )
        if job.path != path:
            raise ValueError("another name")
        return job
    except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
        tell(f"the job of {str(path)!r} cannot be read: {error}; it is left out")
        return None
