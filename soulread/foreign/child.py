"""The process of a foreign object: it answers the questions of the process that plays.

Two processes run this module. The first is the *guardian*. It starts the second, in which the foreign code
runs, and waits. When that process ends, or when the process that plays lets go of the guardian's standard
input, the guardian ends everything that is left: processes that foreign code has started too, even if they
have cut themselves loose, because the kernel makes the guardian their parent (Linux). So nothing survives
the process that plays, however it ends.

Questions and answers are JSON, so nothing that foreign code sends can do more in the process that plays than
be a wrong answer. An answer is one of

    ["ok", value]              what the question asked for
    ["missing"]                there is no such module
    ["refused", class, text]   it cannot be made or used; the text is a whole sentence
    ["illegal", text]          the object has chosen this action
    ["failed", class, text]    foreign code raised this error
"""

import base64
import importlib
import inspect
import json
import os
import select
import signal
import struct
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import Any, BinaryIO, NoReturn

from soulread.errors import IllegalAction, SoulreadError
from soulread.foreign.names import (
    about,
    build,
    chosen,
    find_attribute,
    options_of,
    told,
    verify_methods,
)
from soulread.options import NoOptions, help_of, read_options

HEADER = struct.Struct("<Q")  # the length of a message, before it
_ENTRIES = "AgentEntry", "ModelEntry"
_OPTIONAL = "refuses", "holdings", "observations"

_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2): a signal when the parent ends
_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: children of children that ended become children


@dataclass(frozen=True)
class ForeignClass:
    """A foreign class: what users call it, where it is found, and what it needs."""

    name: str
    location: str  # "module:Class"
    needed: tuple[str, ...]  # methods
    parser: str  # "module:function" that reads agents or models within its options
    wire: str  # the module that reads views and hands

    def written(self, text: str) -> str:
        """The text that names it, with options behind the first colon."""
        return self.name.replace(":", ".") + text[len(self.name) :]


def main() -> NoReturn:
    """Be the guardian of a new process that answers questions."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)  # so that the end of a child ends the wait
    _prctl(_SUBREAPER, 1)
    guardian = os.getpid()
    served = os.fork()
    if served == 0:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(reading)
        os.close(writing)
        os.setsid()
        _prctl(_DEATH_SIGNAL, signal.SIGKILL)
        if os.getppid() == guardian:
            _serve(os.dup(0), os.dup(1))
        os._exit(0)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    status = _wait(served, reading)
    _end_children(served)
    _end_like(status)


def _wait(served: int, ended: int) -> int:
    """Wait for the end of the process ``served``, whose status it returns, or until nobody asks any more."""
    waiting = select.poll()
    waiting.register(0, 0)  # only its end is of interest
    waiting.register(ended, select.POLLIN)
    while True:
        ready = [number for number, _ in waiting.poll()]
        if ended in ready:
            os.read(ended, 4096)
            with suppress(ChildProcessError):
                while (found := os.waitpid(-1, os.WNOHANG))[0]:
                    if found[0] == served:
                        return found[1]
        if 0 in ready:
            return 0


def _end_children(served: int) -> None:
    """End every process that is left; those of an ended process become ours, so the loop finds them too."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(served, signal.SIGKILL)
    with suppress(ChildProcessError):
        while True:
            for child in _children():
                with suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> list[int]:
    me = os.getpid()
    try:
        with open(f"/proc/{me}/task/{me}/children") as file:
            return [int(number) for number in file.read().split()]
    except OSError:
        return []


def _end_like(status: int) -> NoReturn:
    """End as a child did: with its exit code, or by the signal that ended it."""
    if os.WIFSIGNALED(status):
        _no_core()
        with suppress(OSError, ValueError):
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.waitstatus_to_exitcode(status) if os.WIFEXITED(status) else 1)


def _prctl(option: int, value: int) -> None:
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def _no_core() -> None:
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _serve(questions: int, answers: int) -> None:
    """Answer questions until there are no more. What foreign code prints goes to standard error."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    _no_core()
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # should memory run out for all, this process goes first
    try:
        with os.fdopen(questions, "rb") as file:
            _answer_all(file, answers)
    except BaseException as error:  # foreign code can also raise an error between two questions
        _write(answers, _failure(error))


def _answer_all(questions: BinaryIO, answers: int) -> None:
    named, text, memory = json.loads(_read(questions))
    if memory is not None:
        _limit_memory(memory)
    host = _Host(ForeignClass(**named), text)
    while message := _read(questions):
        try:
            method, *arguments = json.loads(message)
            answer = ["ok", getattr(host, method)(*arguments)]
        except _Answer as other:
            answer = list(other.args)
        except BaseException as error:
            answer = _failure(error)
        _write(answers, answer)


def _limit_memory(most: int) -> None:
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _read(questions: BinaryIO) -> bytes:
    """The next message; nothing when nobody asks any more."""
    header = questions.read(HEADER.size)
    return questions.read(HEADER.unpack(header)[0]) if len(header) == HEADER.size else b""


def _write(answers: int, answer: list[Any]) -> None:
    message = json.dumps(answer).encode()
    left = memoryview(HEADER.pack(len(message)) + message)
    while left:
        left = left[os.write(answers, left) :]


class _Answer(Exception):
    """Another answer than "ok", with its parts."""


def _failure(error: BaseException) -> list[str]:
    """The answer that tells an error of foreign code."""
    return ["failed", type(error).__name__, told(error)]


class _Host:
    """The foreign object and what it needs. Each public method answers a question."""

    def __init__(self, named: ForeignClass, text: str) -> None:
        self._named = named
        self._text = text
        self._made: Any = None
        self._stream: Any = None
        self._game: Any = None
        self._wire: Any = None
        self._class: tuple[Any, Any] = (None, None)  # with its options

    def describe(self) -> tuple[str, list[list[str]], list[str]]:
        """All that the catalogue tells of the class: see `soulread.foreign.apart.Description`."""
        made, options = self._load(_is_class_or_entry)
        if not inspect.isclass(made):
            return "", [], ["entry"]
        also = [name for name in _OPTIONAL if callable(getattr(made, name, None))]
        lines = [[str(part) for part in line] for line in help_of(type(options))]
        return about(made), lines, [*also, *(["table"] if _is_table(made) else [])]

    def refuses(self, game: str) -> str | None:
        """Why the class cannot be used in a game; None if it can."""
        reason = self._load()[0].refuses(_unpacked(game))
        return None if reason is None else str(reason)

    def prepare(self, game: str) -> None:
        """Import all that is needed to make the object, for a game."""
        self._wire = importlib.import_module(self._named.wire)
        self._game = _unpacked(game)
        self._class = self._load()

    def make(self) -> None:
        """Make the object."""
        made, options = self._class
        self._made = build(made, self._game, options)

    def reset(self) -> None:
        """Let an agent forget."""
        self._made.reset()

    def act(self, view: Any, stream: Any, state: Any) -> list[Any]:
        """The choice of an agent, and the state of its random stream after it."""
        seen = self._view(view)
        if stream is not None:
            self._stream = self._wire.read_stream(stream)
        else:
            self._stream.bit_generator.state = state
        action = self._made.act(seen, self._stream)
        try:
            return [chosen(action, seen.legal), self._wire.write_state(self._stream)]
        except IllegalAction as error:
            raise _Answer("illegal", str(error)) from None

    def observe(self, hand: Any) -> None:
        """Let an agent take note of a hand."""
        self._made.observe(self._wire.read_hand(hand))

    def fit(self, hands: Any, player: str | None) -> None:
        """Let a model learn from these hands alone."""
        self._made.fit([self._wire.read_hand(hand) for hand in hands], player)

    def update(self, hand: Any, player: str | None) -> None:
        """Let a model learn from one more hand."""
        self._made.update(self._wire.read_hand(hand), player)

    def probabilities(self, view: Any, seat: int) -> list[list[float]]:
        """The answer of a model: pairs of an action and its probability."""
        answer = dict(self._made.probabilities(self._view(view), seat))
        return [[int(action), float(chance)] for action, chance in answer.items()]

    def holdings(self, view: Any, seat: int) -> str:
        """The answer of a model that reads cards."""
        return _packed(self._made.holdings(self._view(view), seat))

    def checksum(self) -> str:
        """The checksum of the game that a model is a table of."""
        return str(self._made.game.trees[0].checksum)

    def strategy(self, seat: int) -> str:
        """The table of a model."""
        return _packed(self._made.strategy(seat))

    def observations(self, seat: int) -> str:
        """How often a model has seen each information set."""
        return _packed(self._made.observations(seat))

    def _view(self, view: tuple[str | None, list[Any]]) -> Any:
        """A view. Its game is the one that the object was made for, unless another is sent with it."""
        game, parts = view
        return self._wire.read_view(parts, self._game if game is None else _unpacked(game))

    def _load(self, is_kind: Callable[[Any], bool] = inspect.isclass) -> tuple[Any, Any]:
        """The class and its options. Whatever is wrong with either is refused."""
        named = self._named
        try:
            found = find_attribute(named.location, "class", is_kind)
            if found is None:
                raise _Answer("missing")
            made = found[1]
            if not inspect.isclass(made):
                return made, NoOptions()
            verify_methods(named.name, made, named.needed)
            return made, read_options(named.written(self._text), options_of(made), _later(named.parser))
        except SoulreadError as error:
            raise _Answer("refused", type(error).__name__, told(error)) from None


def _is_class_or_entry(thing: Any) -> bool:
    return inspect.isclass(thing) or type(thing).__name__ in _ENTRIES


def _unpacked(game: str) -> Any:
    """A game, which may have functions of its own, as processes of soulread send it to each other."""
    return ForkingPickler.loads(base64.b64decode(game))


def _later(name: str) -> Callable[[str], Any]:
    """A function that is imported when it is called."""

    def call(text: str) -> Any:
        module, _, function = name.partition(":")
        return getattr(importlib.import_module(module), function)(text)

    return call


def _is_table(made: type[Any]) -> bool:
    """Whether a class is a model that has a table; then the module of such models has been imported."""
    module = sys.modules.get("soulread.model.tabular")
    return module is not None and issubclass(made, module.TabularModel)


def _packed(values: Any) -> str:
    import numpy as np

    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()
