"""Experiments: tasks whose results are kept, so that nothing is computed twice.

A *task* is a function with parameters that JSON can write. Its result goes to a file named by a checksum of
both. A run that was interrupted therefore continues where it stopped, a run that asks for more matches plays
only the new ones, and two experiments that need the same match play it once. Tasks run in processes of one
thread each (`soulread.processes`), even when there is one process.
"""

import hashlib
import importlib
import json
import os
import time
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.machine import verify_room
from soulread.notices import tell
from soulread.processes import run_in_processes
from soulread.storage import cache
from soulread.storage.tensors import read_tensors, write_tensors
from soulread.words import plural

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Values: TypeAlias = Mapping[str, NDArray[Any] | float]
Tell = Callable[[str], None]  # called with a sentence that says what is going on
Progress = Callable[[int, int], None]  # called with the number of finished tasks and of all tasks


@dataclass(frozen=True)
class Task:
    """``function(**parameters)``; the function is named as "package.module:function".

    It returns arrays and numbers by name. Raise ``version`` when the same parameters would give another
    result.
    """

    function: str
    parameters: Mapping[str, Json]
    version: int = 1

    @property
    def text(self) -> str:
        """The task as JSON; equal tasks have equal texts."""
        made = {"function": self.function, "parameters": self.parameters, "version": self.version}
        return json.dumps(made, sort_keys=True, allow_nan=False)

    @property
    def key(self) -> str:
        """The function's name and a checksum, which name the file of the result."""
        module, _, function = self.function.partition(":")
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:24]
        return f"{module.rpartition('.')[2]}.{function}-{digest}"

    def run(self) -> Values:
        """Call the function in this process and return its result."""
        module, _, name = self.function.partition(":")
        values: Values = getattr(importlib.import_module(module), name)(**self.parameters)
        return values


def in_turn(lists: Sequence[Sequence[Task]]) -> list[Task]:
    """The first of every list, then the second: a run that is cut short has something of all."""
    most = max(map(len, lists))
    return [tasks[i] for i in range(most) for tasks in lists if i < len(tasks)]


@dataclass(frozen=True, eq=False)
class Result:
    """What a task returned, and the CPU seconds it took."""

    task: Task
    values: Mapping[str, NDArray[Any]]  # numbers are arrays of no dimensions
    seconds: float

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self.values[name]

    def number(self, name: str) -> float:
        """A value that is one number."""
        return float(self.values[name])


@dataclass(frozen=True)
class Store:
    """A directory with the results of finished tasks."""

    directory: Path

    @classmethod
    def default(cls) -> "Store":
        """``experiments`` in the user's cache directory."""
        return cls(cache.cache_directory() / "experiments")

    def path(self, task: Task) -> Path:
        """Where the result of a task is kept, finished or not."""
        return self.directory / f"{task.key}.safetensors"

    def load(self, task: Task) -> Result | None:
        """The result of a task; None if it is not finished. A damaged file is a `DamagedFile`."""
        path = self.path(task)
        if not path.exists():
            return None
        try:
            made, values = read_tensors(path, "result")
            if made["task"] != task.text:
                raise DamagedFile(f"{str(path)!r} is the result of another task")
            return Result(task, values, float(made["seconds"]))
        except DamagedFile:
            raise
        except (SoulreadError, ValueError, KeyError) as error:
            raise DamagedFile(f"{str(path)!r} is no result of a task: {error}") from None

    def verify_writable(self) -> None:
        """Raise unless results can be kept: better before a long run than after it."""
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
            fault = "" if os.access(self.directory, os.W_OK) else "permission denied"
        except OSError as error:
            fault = error.strerror or str(error)
        if fault:
            raise SoulreadError(
                f"cannot keep results in {str(self.directory)!r} ({fault}); "
                "set SOULREAD_CACHE to a directory that can be written"
            )

    def save(self, task: Task, values: Values, seconds: float) -> None:
        """Keep a result; a process that is killed meanwhile leaves no half of it."""
        self.verify_writable()
        arrays = {
            name: np.ascontiguousarray(value).reshape(np.shape(value)) for name, value in values.items()
        }
        write_tensors(self.path(task), "result", arrays, {"task": task.text, "seconds": repr(seconds)})


def run_tasks(
    tasks: Iterable[Task],
    store: Store,
    jobs: int = 1,
    progress: Progress | None = None,
    stored_only: bool = False,
) -> Iterator[Result]:
    """Yield results as they come: first those in the store, then the missing ones, run on ``jobs`` processes.

    Tasks are started in the order given, and equal tasks only once. With ``stored_only`` nothing is run, and
    unfinished tasks are left out.
    """
    if jobs < 1:
        raise SoulreadError(f"tasks need at least one process, not {jobs}")
    wanted = {task.key: task for task in tasks}
    missing = []
    damaged: list[DamagedFile] = []
    for task in wanted.values():
        result = None
        try:
            result = store.load(task)
        except DamagedFile as error:
            damaged.append(error)
        if result is None:
            missing.append(task)
        else:
            yield result
    if damaged:
        done = "left out" if stored_only else "computed again"
        tell(f"damaged results in the store: {len(damaged):,}, which are {done}; the first: {damaged[0]}")
    finished = len(wanted) - len(missing)
    if progress is not None:
        progress(finished, len(wanted))
    if stored_only or not missing:
        return
    store.verify_writable()
    for number, _ in run_in_processes(_run_and_save, [(task, store) for task in missing], jobs):
        task = missing[number]
        result = store.load(task)
        if result is None:
            raise SoulreadError(f"{str(store.path(task))!r} was written but cannot be read back")
        finished += 1
        if progress is not None:
            progress(finished, len(wanted))
        yield result


def _run_and_save(task: Task, store: Store) -> None:
    """Run a task in a process of its own and put the result into the store."""
    start = time.process_time()
    values = task.run()
    store.save(task, values, time.process_time() - start)


_TASK_BYTES = 4000  # of memory for a task that waits for its turn


@dataclass(frozen=True)
class Options:
    """What a user may choose of an experiment. `None` stands for the experiment's own choice."""

    quick: bool = False
    matches: int | None = None
    hands: int | None = None
    seed: int = 1
    jobs: int = 1
    stored_only: bool = False
    game: str | None = None  # for experiments of several games
    aivat: bool | None = None  # whether luck is taken off, for experiments that play matches
    data: tuple[str, ...] = ()  # files and folders with hands, for experiments that read them
    store: Store = field(default_factory=Store.default)
    tell: Tell | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        for name, least in (("matches", 1), ("hands", 1), ("seed", 0), ("jobs", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise SoulreadError(f"{name}={value}; an experiment needs at least {least}")
        matches, hands = self.matches or 1, self.hands or 1
        amount = plural(matches, "match", "matches") + " of " + plural(hands, "hand")
        verify_room(amount, matches * (_TASK_BYTES + 8 * hands))

    def run(self, tasks: Iterable[Task]) -> Iterator[Result]:
        """`run_tasks` with these options."""
        return run_tasks(tasks, self.store, self.jobs, self.progress, self.stored_only)


def published(name: str) -> dict[str, Any]:
    """The numbers that a paper printed, with their source, from ``published/NAME.toml``."""
    file = resources.files("soulread.reproduce") / "published" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
