"""What an experiment would take: its tasks that are not finished, and the CPU time that others like them took."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.processes import Result
from soulread.reproduce.experiments import find_experiment
from soulread.reproduce.kit.experiment import RunOptions
from soulread.storage.tensors import read_tensors
from soulread.tasks import ResultStore, Task

_SAMPLES = 200  # kept results of a function that are looked at


@dataclass(frozen=True)
class ForeseenTasks:
    """Tasks of one function that an experiment would run, and the mean CPU seconds of those that were kept."""

    function: str
    tasks: int
    seconds: float | None  # None: none is kept
    measured: int  # kept ones that it is the mean of


@dataclass(frozen=True)
class Foreseen:
    """What an experiment would run now. Tasks that depend on the results of these are not foreseen."""

    experiment: str
    parts: tuple[ForeseenTasks, ...]

    JSON = keys("* tasks cpu_seconds unknown")

    @property
    def tasks(self) -> int:
        """How many tasks are not finished."""
        return sum(part.tasks for part in self.parts)

    @property
    def cpu_seconds(self) -> float:
        """CPU time of those tasks whose like was measured."""
        return sum(part.tasks * part.seconds for part in self.parts if part.seconds is not None)

    @property
    def unknown(self) -> int:
        """How many tasks have nothing like them that was measured."""
        return sum(part.tasks for part in self.parts if part.seconds is None)

    def sentence(self, cores: float) -> str:
        """What it takes on so many cores like those of this machine."""
        from soulread.words import duration, plural

        if not self.tasks:
            return f"{self.experiment}: nothing is left to run."
        text = f"{self.experiment}: {plural(self.tasks, 'task')} to run"
        if self.unknown < self.tasks:
            longest = max(part.seconds or 0.0 for part in self.parts)
            there = max(self.cpu_seconds / max(cores, 1e-9), longest)
            text += f", about {duration(self.cpu_seconds)} of CPU time here, {duration(there)} there"
        if self.unknown:
            text += f"; for {self.unknown:,} of them no time is known, because none like them is kept"
        return f"{text}."


class _Foreseeing:
    """The runner that runs nothing, and takes note of what it was asked for."""

    shares_files = True

    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def run(
        self,
        function: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Nothing comes, as if no result were wanted any more."""
        self.tasks += [argument for given in arguments for argument in given if isinstance(argument, Task)]
        yield from ()


def foresee(experiment: str, options: RunOptions) -> Foreseen:
    """What the experiment would run now with these options; nothing is run, and nothing kept."""
    runner = _Foreseeing()
    chosen = replace(options, jobs=runner, kept=None, tell=None, progress=None)
    function = find_experiment(experiment, chosen)
    with suppress(SoulreadError):  # a report of nothing may be refused
        function(chosen)
    counts = Counter(task.short_name for task in {task.key: task for task in runner.tasks}.values())
    parts = [
        ForeseenTasks(name, count, *_measured(options.store, name)) for name, count in sorted(counts.items())
    ]
    return Foreseen(experiment, tuple(parts))


def _measured(store: ResultStore, name: str) -> tuple[float | None, int]:
    """The mean CPU seconds of kept tasks of a function, and how many there are."""
    found = []
    for path in sorted(store.directory.glob(f"{name}-*.safetensors"))[:_SAMPLES]:
        with suppress(SoulreadError, KeyError, ValueError):
            found.append(float(read_tensors(path, "result")[0]["seconds"]))
    return (sum(found) / len(found) if found else None), len(found)
