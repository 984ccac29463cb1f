"""Tasks whose results are kept, so that nothing is computed twice.

A *task* is a function with parameters that JSON can write. Its result goes to a file named by a checksum of
both. A run that was interrupted therefore continues where it stopped, a run that asks for more matches plays
only the new ones, and two experiments that need the same match play it once. Tasks run in processes of one
thread each, even when there is one process: here, or on a cluster (`soulread.processes.Runner`). Results come
back to whoever runs the tasks, who alone writes them.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.notices import tell
from soulread.processes import Jobs, runner_of
from soulread.storage import cache
from soulread.storage.tensors import read_tensors, write_tensors

Json: TypeAlias = "str | int | float | bool | Sequence[Json] | Mapping[str, Json] | None"
Values: TypeAlias = Mapping[str, NDArray[Any] | float]
Function = TypeVar("Function", bound=Callable[..., Values])
Tell = Callable[[str], None]  # called with a sentence that says what is going on
Progress = Callable[[int, int], None]  # called with the number of finished tasks and of all tasks


class FailedTask(NamedTuple):
    """A task that ended with an error, and the error's sentence. Nothing of it is kept."""

    task: "Task"
    reason: str


def kept_as(name: str) -> Callable[[Function], Function]:
    """Name a task's function for good: its kept results stay valid when it moves to another module."""

    def named(function: Function) -> Function:
        function.kept_as = name  # type: ignore[attr-defined]
        return function

    return named


@dataclass(frozen=True)
class Task:
    """``function(**parameters)``. The function stands in a module and returns arrays and numbers by name.

    Raise ``version`` when the same parameters would give another result.
    """

    function: Callable[..., Values]
    parameters: Mapping[str, Json]
    version: int = 1

    @property
    def name(self) -> str:
        """The name of the function as "package.module:function", or the one that `kept_as` gave it."""
        given: str | None = getattr(self.function, "kept_as", None)
        return given or f"{self.function.__module__}:{self.function.__name__}"

    @property
    def text(self) -> str:
        """The task as JSON; equal tasks have equal texts."""
        made = {"function": self.name, "parameters": self.parameters, "version": self.version}
        return json.dumps(made, sort_keys=True, allow_nan=False)

    @property
    def key(self) -> str:
        """The function's name and a checksum, which name the file of the result."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:24]
        return f"{self.short_name}-{digest}"

    @property
    def short_name(self) -> str:
        """The name of the function as "module.function"."""
        module, _, function = self.name.partition(":")
        return f"{module.rpartition('.')[2]}.{function}"

    def run(self) -> Values:
        """Call the function in this process and return its result."""
        return self.function(**self.parameters)


def in_turn(lists: Sequence[Sequence[Task]]) -> list[Task]:
    """The first of every list, then the second: a run that is cut short has something of all."""
    most = max(map(len, lists))
    return [tasks[i] for i in range(most) for tasks in lists if i < len(tasks)]


@dataclass(frozen=True, eq=False)
class TaskResult:
    """The values that a task returned, and the CPU seconds it took."""

    task: Task
    values: Mapping[str, NDArray[Any]]  # numbers are arrays of no dimensions
    seconds: float
    asked: dict[str, NDArray[Any]] = field(default_factory=dict, init=False, repr=False)
    """What a report has read so far, by name: the values and summaries that must be kept to make it again."""

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.values:
            raise SoulreadError(
                f"the result of {self.task.key} has no {name!r}, which the report asks for; a file of kept "
                "results was written for another report: choose another file"
            )
        self.asked[name] = self.values[name]
        return self.asked[name]

    def number(self, name: str) -> float:
        """A value that is one number."""
        return float(self[name])

    def summary(self, name: str, compute: Callable[["TaskResult"], NDArray[Any] | float]) -> NDArray[Any]:
        """A small array that is computed from large values, and kept in their place under its name.

        The name says what is computed and with which settings: a kept summary is not computed again.
        """
        if name not in self.asked:
            made = self.values.get(name)
            self.asked[name] = np.asarray(compute(replace(self))) if made is None else made
        return self.asked[name]


@dataclass(frozen=True)
class ResultStore:
    """A directory with the results of finished tasks."""

    directory: Path

    @classmethod
    def default(cls) -> "ResultStore":
        """``experiments`` in the user's cache directory."""
        return cls(cache.cache_directory() / "experiments")

    def path(self, task: Task) -> Path:
        """Where the result of a task is kept, finished or not."""
        return self.directory / f"{task.key}.safetensors"

    def load(self, task: Task) -> TaskResult | None:
        """The result of a task; None if it is not finished. A damaged file is a `DamagedFile`."""
        path = self.path(task)
        if not path.exists():
            return None
        try:
            made, values = read_tensors(path, "result")
            if made["task"] != task.text:
                raise DamagedFile(f"{str(path)!r} is the result of another task")
            return TaskResult(task, values, float(made["seconds"]))
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
    store: ResultStore,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    stored_only: bool = False,
) -> Iterator[TaskResult]:
    """Yield results as they come: first those in the store, then the missing ones.

    ``jobs`` says where these run: on so many processes, or on another runner. Tasks are started in the order
    given, and equal tasks only once. With ``stored_only`` nothing is run, and unfinished tasks are left out.
    An error of a task ends the run.
    """
    for result in try_tasks(tasks, store, jobs, progress, stored_only, goes_on=False):
        assert isinstance(result, TaskResult)
        yield result


def try_tasks(
    tasks: Iterable[Task],
    store: ResultStore,
    jobs: Jobs = 1,
    progress: Progress | None = None,
    stored_only: bool = False,
    *,
    goes_on: bool = True,
    wanted: Callable[[Task], bool] | None = None,
) -> Iterator[TaskResult | FailedTask]:
    """`run_tasks`, which ``goes_on`` after a task that failed with a `SoulreadError`, and yields it as such.

    ``wanted`` is asked about a task before it is begun; one that is no longer wanted is left out.
    """
    runner = runner_of(jobs)
    every = {task.key: task for task in tasks}
    missing = []
    damaged: list[DamagedFile] = []
    for task in every.values():
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
    finished = len(every) - len(missing)
    if progress is not None:
        progress(finished, len(every))
    if stored_only or not missing:
        return
    store.verify_writable()
    chosen = None if wanted is None else (lambda number: wanted(missing[number]))
    for number, outcome in runner.run(_outcome, [(task, goes_on) for task in missing], chosen):
        task = missing[number]
        finished += 1
        if not isinstance(outcome, str):
            store.save(task, *outcome)
        if progress is not None:
            progress(finished, len(every))
        if isinstance(outcome, str):
            yield FailedTask(task, outcome)
            continue
        result = store.load(task)
        if result is None:
            raise SoulreadError(f"{str(store.path(task))!r} was written but cannot be read back")
        yield result


def _outcome(task: Task, goes_on: bool) -> tuple[Values, float] | str:
    """Run a task, in a process of its own: its values, and the CPU seconds it took.

    The reason if it failed and the run ``goes_on``; else the error is raised.
    """
    start = time.process_time()
    try:
        values = task.run()
    except SoulreadError as error:
        if not goes_on:
            raise
        return str(error)
    return values, time.process_time() - start
