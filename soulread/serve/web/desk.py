"""A process that the server asks, without waiting for it: it answers in order, and may tell how far it is.

The server itself computes nothing about poker, and imports nothing that does. It names a function of
``soulread/serve/web/rooms/``, such as ``"table:begin"``, and the process imports and calls it:

    desk = Desk()
    found = await desk.ask("table:begin", folder)

A function gives back plain values or the frozen records of `soulread.serve.web.sights`. What it says with
`soulread.processes.tell_owner` before that comes to ``told``. An error that a user can mend is a
`SoulreadError` here too. Any other one is an `UnexpectedError`: the traceback goes to the log, not to the
browser. When the process has ended, by `Desk.end` or by itself, all that it owes is a `DeskGone`.
"""

import asyncio
import importlib
import logging
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, NamedTuple

from soulread.errors import SoulreadError
from soulread.processes import Worker

_log = logging.getLogger("soulread")
# The kernel ends a process when the thread that started it ends, so one thread that lives on starts all.
_starter = ThreadPoolExecutor(1, thread_name_prefix="starter")

ROOMS = "soulread.serve.web.rooms"  # the package whose functions are asked
FAILED = "something went wrong; the terminal of the server says what"

Told = Callable[[Any], None]


class DeskGone(SoulreadError):
    """The process that was asked has ended."""


class UnexpectedError(SoulreadError):
    """Something failed that nobody foresaw; what it was stands in the log."""


class _Answer(NamedTuple):
    """A result, or an error and whether a user can mend it."""

    value: Any
    error: str = ""
    foreseen: bool = True


class _Question(NamedTuple):
    """Somebody who waits for an answer."""

    answer: "asyncio.Future[Any]"
    told: Told | None


class Desk:
    """A process to ask; see the module. Use it from the event loop that made it."""

    def __init__(self, name: str = "desk", rooms: str = ROOMS) -> None:
        self.name = name
        self._rooms = rooms
        self._loop = asyncio.get_running_loop()
        self._questions: deque[_Question] = deque()
        self._worker: Worker | None = None
        self._ended = False
        self._ready = asyncio.ensure_future(self._start())

    async def ask(self, what: str, *arguments: Any, told: Told | None = None) -> Any:
        """Call the function ``what`` of the rooms with these arguments, and wait for its result."""
        await asyncio.shield(self._ready)
        if self._ended or self._worker is None:
            raise DeskGone(f"the process of {self.name} has ended")
        question = _Question(self._loop.create_future(), told)
        self._questions.append(question)
        try:
            self._worker.give(self._rooms, what, arguments)
        except OSError:
            self._close()
        return await question.answer

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return not self._ready.done() or bool(self._questions)

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._ended

    def end(self) -> None:
        """End the process, whatever it does."""
        self._close()

    async def _start(self) -> None:
        worker = await self._loop.run_in_executor(_starter, lambda: Worker(_called, self._hear))
        if self._ended:
            worker.end()
            return
        self._worker = worker
        threading.Thread(target=self._listen, args=(worker,), daemon=True, name=self.name).start()

    def _listen(self, worker: Worker) -> None:
        """Hand on answers until the process ends; in a thread of its own."""
        with suppress(EOFError, OSError, RuntimeError, TypeError):  # the pipe is closed, or the loop
            while True:
                answer = worker.take()
                self._loop.call_soon_threadsafe(self._take, answer)
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._close)

    def _hear(self, news: Any) -> None:
        self._loop.call_soon_threadsafe(self._hand_on, news)

    def _hand_on(self, news: Any) -> None:
        if self._questions and (told := self._questions[0].told) is not None:
            told(news)

    def _take(self, answer: _Answer) -> None:
        if not self._questions:
            return
        waiting = self._questions.popleft().answer
        if waiting.done():  # whoever asked has gone
            return
        if not answer.error:
            waiting.set_result(answer.value)
        elif answer.foreseen:
            waiting.set_exception(SoulreadError(answer.error))
        else:
            _log.error("%s failed: %s", self.name, answer.error)
            waiting.set_exception(UnexpectedError(FAILED))

    def _close(self) -> None:
        if self._ended:
            return
        self._ended = True
        worker, self._worker = self._worker, None
        if worker is not None:
            _starter.submit(worker.end)
        for question in self._questions:
            if not question.answer.done():
                question.answer.set_exception(DeskGone(f"the process of {self.name} has ended"))
        self._questions.clear()


def _called(rooms: str, what: str, arguments: tuple[Any, ...]) -> _Answer:
    """Call a function of the rooms; in the process that is asked."""
    module, _, function = what.partition(":")
    try:
        found = importlib.import_module(f"{rooms}.{module}")
        return _Answer(getattr(found, function)(*arguments))
    except SoulreadError as error:
        return _Answer(None, str(error) or "it failed")
    except MemoryError:
        return _Answer(None, "memory ran out")
    except Exception as error:
        import traceback

        return _Answer(None, "".join(traceback.format_exception(error)), foreseen=False)
