"""An object of a foreign class in a process of its own, which is asked over pipes.

The other process (`soulread.foreign.child`) is a new one that shares no memory with this one. It is sent the
views and records of one seat, as data, and sends back JSON. So foreign code sees nothing else of a match, and
whatever it does to its process, such as signals, globals, the working directory, printing, threads, memory,
or its end, is no matter of this process.

Every question has a limit in seconds. The process that does not answer in time is killed, with all that it
has started; the same happens when the object is no longer used, and when this process ends, however it ends.
"""

import base64
import binascii
import json
import operator
import os
import selectors
import signal
import subprocess
import sys
import time
import weakref
from collections import Counter, deque
from collections.abc import Callable
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import asdict, dataclass, field, fields, make_dataclass
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from soulread import errors
from soulread.errors import SoulreadError
from soulread.foreign.child import HEADER, ForeignClass
from soulread.foreign.names import add_working_directory
from soulread.machine import available_memory
from soulread.notices import tell
from soulread.processes import ONE_THREAD
from soulread.words import printable

CALL_SECONDS = 10.0  # for one decision, and for taking note of one hand, unless the user says otherwise
PATIENCE = "SOULREAD_PATIENCE"  # what the user says; in the environment, so that all processes know it
START_SECONDS = (
    60.0  # for making the object, unless the user says otherwise; at least for importing its module
)
LEAST_MEMORY = 2**30  # bytes that a process may take, however little is free
MOST_LINES = 20  # of all that a foreign object prints, shown to the user

_GRACE = 5.0  # seconds that the guardian has to end a process
_LARGEST = 2**30  # bytes of an answer
_CHUNK = 2**16
_MOST_TEXT = 1000  # characters of a sentence

_printed: Counter[str] = Counter()  # lines, by who printed them
_scopes: ContextVar[tuple["ProcessScope", ...]] = ContextVar("scopes", default=())


class ProcessScope:
    """A block of code; the processes that it starts for foreign objects end when it ends, or at `close`."""

    def __init__(self) -> None:
        self._started: list[weakref.finalize[..., Any]] = []

    def add(self, end: "weakref.finalize[..., Any]") -> None:
        """Take note of a process by the function that ends it."""
        self._started = [*(other for other in self._started if other.alive), end]

    def close(self) -> None:
        """End the processes."""
        for end in self._started:
            end()

    def __enter__(self) -> "ProcessScope":
        self._token = _scopes.set((*_scopes.get(), self))
        return self

    def __exit__(self, *error: object) -> None:
        _scopes.reset(self._token)
        self.close()


def end_with_scope(end: "weakref.finalize[..., Any]") -> None:
    """Let a process, told by the function that ends it, end with the block of code that runs now."""
    for scope in _scopes.get()[-1:]:
        scope.add(end)


class Apart:
    """A foreign object in a process of its own; ``what`` is its name in sentences, such as "agent 'x'"."""

    def __init__(self, what: str, named: ForeignClass, text: str) -> None:
        self.what = what
        self._pending: deque[tuple[str, float, float | None]] = deque()  # where, seconds, deadline
        self._received = bytearray()
        self._line = b""
        self._process = _start(what)
        self._selector = selectors.DefaultSelector()
        self._end = weakref.finalize(self, _end, self._process, self._selector)
        end_with_scope(self._end)
        self._questions, self._answers, printed = (file.fileno() for file in _pipes(self._process))
        os.set_blocking(self._questions, False)
        self._selector.register(self._answers, selectors.EVENT_READ)
        self._selector.register(printed, selectors.EVENT_READ)
        self._begin("when it began", START_SECONDS, asdict(named), text, _memory())

    def make(self, game: Any) -> None:
        """Begin to make the object for a game: import its class, then call that."""
        where = "when it was imported"
        seconds = max(START_SECONDS, patience(START_SECONDS))
        self._pending.append((where, seconds, self._begin(where, seconds, "prepare", packed_game(game))))
        where = f"when it was made for {game.name!r}"
        seconds = patience(START_SECONDS)
        self._begin(where, seconds, "make")
        self._pending.append((where, seconds, None))  # its time begins when the class is there

    def tell(self, where: str, seconds: float, method: str, *arguments: Any) -> None:
        """Ask a question whose answer says nothing. It is waited for later: by the next one, or `settle`."""
        seconds = patience(seconds)
        self.settle()
        self._pending.append((where, seconds, self._begin(where, seconds, method, *arguments)))

    def ask(self, where: str, seconds: float, method: str, *arguments: Any) -> Any:
        """The answer to a question. ``where`` says at which point it is asked, for errors."""
        seconds = max(seconds, patience(seconds)) if method in ("describe", "refuses") else patience(seconds)
        try:
            self.settle()
            deadline = self._begin(where, seconds, method, *arguments)
            return self._finish(where, seconds, deadline)
        except SoulreadError:
            raise
        except BaseException:  # Ctrl-C: the answer to this question must not be taken for that to the next
            self.close()
            raise

    def settle(self) -> None:
        """Wait until nothing is under way; raise what went wrong.

        If this is called much later, the limit may be over although all was done in time. So there are always
        a few seconds to hear of it.
        """
        while self._pending:
            where, seconds, deadline = self._pending.popleft()
            soon = time.monotonic() + patience(CALL_SECONDS)
            try:
                self._finish(
                    where, seconds, max(soon, time.monotonic() + seconds if deadline is None else deadline)
                )
            except SoulreadError:
                if self._pending:  # an answer to come would be taken for that to another question
                    self._pending.clear()
                    self.close()
                raise

    def close(self) -> None:
        """End the process and all that it has started."""
        self._end()

    def misbehaved(self, how: str) -> SoulreadError:
        """The error of an object that answers nonsense; its process is ended."""
        self.close()
        return SoulreadError(printable(f"{self.what} {how}"))

    def _begin(self, where: str, seconds: float, *parts: Any) -> float:
        """Send a question; return when the answer must be there."""
        question = json.dumps(parts, default=operator.index).encode()  # whole numbers of NumPy too
        deadline = time.monotonic() + seconds
        left = memoryview(HEADER.pack(len(question)) + question)
        if not self._end.alive:
            raise SoulreadError(f"the process of {self.what} has ended")
        while left:
            try:
                left = left[os.write(self._questions, left) :]
            except BlockingIOError:
                self._wait_to_send(where, seconds, deadline)
            except BrokenPipeError:
                break  # it has ended, as one notices when there is no answer
        return deadline

    def _wait_to_send(self, where: str, seconds: float, deadline: float) -> None:
        self._selector.register(self._questions, selectors.EVENT_WRITE)
        try:
            self._wait(where, seconds, deadline)
        finally:
            if self._end.alive:
                self._selector.unregister(self._questions)

    def _finish(self, where: str, seconds: float, deadline: float) -> Any:
        """The answer to the question that was sent."""
        received = self._received
        while len(received) < HEADER.size or len(received) < self._size():
            if not self._wait(where, seconds, deadline):
                raise self._ended(where)
        answer = bytes(received[HEADER.size : self._size()])
        del received[: self._size()]
        try:
            kind, *parts = json.loads(answer)
            return _ANSWERS[kind](self, where, *parts)
        except SoulreadError:
            raise
        except (ValueError, TypeError, KeyError, RecursionError):
            raise self.misbehaved(f"sent an answer that is none {where}") from None

    def _size(self) -> int:
        size: int = HEADER.unpack_from(self._received)[0]
        if size > _LARGEST:
            raise self.misbehaved("sent an answer that is none")
        return HEADER.size + size

    def _wait(self, where: str, seconds: float, deadline: float) -> bool:
        """Take what comes until something does; whether the other end of the answers is still there."""
        ready = self._selector.select(max(0.0, deadline - time.monotonic()))
        if time.monotonic() >= deadline:
            raise self.misbehaved(f"took more than {seconds:g} s {where}")
        for key, _ in ready:
            if key.fd == self._questions:
                continue
            came = os.read(key.fd, _CHUNK)
            if key.fd != self._answers:
                self._hear(came)
                if not came:
                    self._selector.unregister(key.fd)
            elif came:
                self._received += came
            else:
                return False
        return True

    def _hear(self, came: bytes) -> None:
        """Tell the user the first lines that foreign code prints."""
        *lines, rest = (self._line + came).split(b"\n")
        self._line = rest[:_CHUNK]
        for line in lines[: MOST_LINES + 1]:
            _printed[self.what] += 1
            if _printed[self.what] <= MOST_LINES:
                tell(f"{self.what} printed: {_short(line.decode(errors='replace'))}")
            elif _printed[self.what] == MOST_LINES + 1:
                tell(f"{self.what} printed more than {MOST_LINES} lines; no more are shown")

    def _ended(self, where: str) -> SoulreadError:
        """The error of a process that has ended on its own, or has closed its pipe."""
        try:
            code = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            return self.misbehaved(f"closed the pipe for its answers {where}")
        if code >= 0:
            return self.misbehaved(f"ended its process, with exit code {code}, {where}")
        name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
        why = ", as happens when memory runs out" if -code == signal.SIGKILL else ""
        return self.misbehaved(f"lost its process {where}: {name} ended it{why}")

    def _raise_refused(self, where: str, kind: str, text: str) -> None:
        raise _known(kind)(_short(text))

    def _raise_failed(self, where: str, kind: str, text: str) -> None:
        raise _known(kind)(f"{printable(f'{self.what} failed {where}')}: {_short(text)}")

    def _raise_illegal(self, where: str, text: str) -> None:
        raise errors.IllegalAction(_short(text))

    def _raise_missing(self, where: str) -> None:
        raise _Missing(f"{self.what} has no module {where}")


_ANSWERS: dict[str, Callable[..., Any]] = {
    "ok": lambda apart, where, value: value,
    "missing": Apart._raise_missing,
    "refused": Apart._raise_refused,
    "illegal": Apart._raise_illegal,
    "failed": Apart._raise_failed,
}


def _short(text: object) -> str:
    """Foreign text as one line that is not too long."""
    return printable(str(text)[:_MOST_TEXT])


class _Missing(SoulreadError):
    """There is no such module."""


def patience(usual: float) -> float:
    """The seconds that a foreign object has for an answer: those that the user allows, or the usual ones."""
    text = os.environ.get(PATIENCE)
    return usual if text is None else read_patience(text)


def read_patience(text: str) -> float:
    """Seconds, a number above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < 1e9:
        raise SoulreadError(f"{PATIENCE} is {text!r}; expected seconds, a number above 0")
    return seconds


def packed_game(game: Any) -> str:
    """A game as it goes to another process, also one that was defined at a prompt or in a script."""
    from joblib.externals.loky.backend.reduction import dumps

    return base64.b64encode(dumps(game)).decode()


def _known(kind: str) -> type[SoulreadError]:
    """The class of soulread's errors that has a name; the base of them all for any other name."""
    found = getattr(errors, kind, None) if isinstance(kind, str) else None
    return found if isinstance(found, type) and issubclass(found, SoulreadError) else SoulreadError


def _start(what: str) -> "subprocess.Popen[bytes]":
    if not hasattr(os, "fork"):
        raise SoulreadError(f"{what} needs a process of its own, which this operating system cannot guard")
    add_working_directory()
    code = f"import sys; sys.path[:] = {sys.path!r}; from soulread.foreign.child import main; main()"
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            bufsize=0,
            start_new_session=True,
            env={**os.environ, **ONE_THREAD},
        )
    except OSError as error:
        raise SoulreadError(f"no process can be started for {what}: {error.strerror or error}") from None


def _pipes(process: "subprocess.Popen[bytes]") -> list[IO[bytes]]:
    """The pipes for questions, for answers, and for all that foreign code prints."""
    return [file for file in (process.stdin, process.stdout, process.stderr) if file is not None]


def _end(process: "subprocess.Popen[bytes]", selector: selectors.BaseSelector) -> None:
    """Let go of a guardian, which then ends everything; kill one that does not."""
    selector.close()
    for file in _pipes(process):
        with suppress(OSError):
            file.close()
    try:
        process.wait(_GRACE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _memory() -> int | None:
    """The bytes that a process may take: all that are free."""
    free = available_memory()
    return None if free is None else max(free, LEAST_MEMORY)


@dataclass(frozen=True)
class Description:
    """All that the catalogue tells of a foreign class.

    ``also`` says what it can do besides its contract: "refuses", "holdings", "observations" are methods that
    it has, "table" means that it is a table of soulread's, "entry" that it is no class at all but an entry
    for a catalogue of soulread.
    """

    about: str
    options: type[Any]  # with the same help as its own; each value is the text that a user writes
    also: frozenset[str]


def describe(kind: str, named: ForeignClass, text: str) -> Description | None:
    """Import a foreign class elsewhere and tell about it; None if there is no such module.

    The options in ``text`` are verified too. ``kind`` is "agent" or "model".
    """
    with ProcessScope():
        apart = Apart(f"{kind} {named.name!r}", named, text)
        try:
            said, lines, also = apart.ask("when it was imported", START_SECONDS, "describe")
            helped = [[_short(part) for part in line] for line in lines]
            options = [
                (name, str, field(default=usual, metadata={"help": line})) for name, usual, line in helped
            ]
            made = make_dataclass("Options", options, frozen=True)
            return Description(_short(said), made, frozenset(map(str, also)))
        except _Missing:
            return None
        except SoulreadError:
            raise
        except (TypeError, ValueError):
            raise apart.misbehaved("describes itself in words that are none") from None


def text_of(named: ForeignClass, options: Any) -> str:
    """The text that names a foreign class with options of its `Description`."""
    values = ((entry.name, getattr(options, entry.name), entry.default) for entry in fields(options))
    written = ",".join(f"{name}={value}" for name, value, usual in values if value != usual)
    return f"{named.name}:{written}" if written else named.name


def refusal(kind: str, named: ForeignClass, text: str, game: Any) -> str | None:
    """Why a foreign class cannot be used in a game; None if it can."""
    with ProcessScope():
        apart = Apart(f"{kind} {named.name!r}", named, text)
        where = f"when it was asked about {game.name!r}"
        reason = apart.ask(where, START_SECONDS, "refuses", packed_game(game))
        return None if reason is None else _short(reason)


def unpack(apart: Apart, packed: Any, size: int, what: str) -> NDArray[np.float64]:
    """The numbers in an answer, which must be so many and finite."""
    try:
        values = np.frombuffer(base64.b64decode(packed, validate=True), dtype="<f8").astype(np.float64)
    except (ValueError, TypeError, binascii.Error):
        raise apart.misbehaved(f"sent {what} that are no numbers") from None
    if values.shape != (size,) or not np.isfinite(values).all():
        raise apart.misbehaved(f"sent {values.size:,} {what}; expected {size:,} finite numbers")
    return values
