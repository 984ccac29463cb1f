"""What an experiment would take: its tasks that are not finished, and the CPU time that such tasks took.

Tasks are alike if they call the same function: best with the same agents at the same game, else at the same
game, else with any. Times go by hands where tasks have a number of these.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
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
from soulread.words import duration, plural

_MOST_READ = 5000  # kept results of a function


@dataclass(frozen=True)
class RunAhead:
    """What an experiment would run now. Tasks that depend on the results of these are not foreseen."""

    experiment: str
    tasks: int  # that are not finished
    cpu_seconds: float  # of those that are like a kept one
    longest: float  # CPU seconds of one of these
    unknown: int  # tasks that are like no kept one

    JSON = keys("*")

    def sentence(self, cores: float) -> str:
        """What it takes on so many cores like those of this machine."""
        if not self.tasks:
            return f"{self.experiment}: nothing is left to run."
        text = f"{self.experiment}: {plural(self.tasks, 'task')} to run"
        if self.unknown < self.tasks:
            there = max(self.cpu_seconds / max(cores, 1e-9), self.longest)
            text += f", about {duration(self.cpu_seconds)} of CPU time here, {duration(there)} there"
        if self.unknown:
            text += f"; for {self.unknown:,} of them no time is known, because none like them is kept"
        return f"{text}."


class _Foreseeing:
    """The runner that runs nothing, and takes note of what it was asked for."""

    shares_files = True

    def __init__(self) -> None:
        self.tasks: dict[str, Task] = {}

    def run(
        self,
        function: Callable[..., Result],
        arguments: Sequence[tuple[Any, ...]],
        wanted: Callable[[int], bool] | None = None,
    ) -> Iterator[tuple[int, Result]]:
        """Nothing comes, as if no result were wanted any more."""
        for given in arguments:
            self.tasks |= {argument.key: argument for argument in given if isinstance(argument, Task)}
        yield from ()


def foresee(experiment: str, options: RunOptions) -> RunAhead:
    """What the experiment would run now with these options; nothing is run, and nothing kept."""
    runner = _Foreseeing()
    chosen = replace(options, jobs=runner, kept=None, tell=None, progress=None)
    function = find_experiment(experiment, chosen)
    with suppress(SoulreadError):  # a report of nothing may be refused
        function(chosen)
    tasks = list(runner.tasks.values())
    known = _seconds_of_kept(options.store, {task.short_name for task in tasks})
    seconds = [_seconds_of(task, known) for task in tasks]
    found = [number for number in seconds if number is not None]
    return RunAhead(experiment, len(tasks), sum(found), max(found, default=0.0), len(tasks) - len(found))


def _seconds_of(task: Task, known: Mapping[Hashable, Sequence[float]]) -> float | None:
    """The CPU seconds of a task by those that are most like it; None if none is."""
    for kind in _kinds(task.short_name, task.parameters):
        if rates := known.get(kind):
            return sum(rates) / len(rates) * _amount(task.parameters)
    return None


def _seconds_of_kept(store: ResultStore, names: set[str]) -> Mapping[Hashable, Sequence[float]]:
    """The CPU seconds, for each hand if there are hands, of kept tasks of functions, by kind."""
    found: dict[Hashable, list[float]] = defaultdict(list)
    for name in names:
        for path in sorted(store.directory.glob(f"{name}-*.safetensors"))[:_MOST_READ]:
            with suppress(SoulreadError, KeyError, ValueError):
                made = read_tensors(path, "result")[0]
                parameters = json.loads(made["task"])["parameters"]
                for kind in _kinds(name, parameters):
                    found[kind].append(float(made["seconds"]) / _amount(parameters))
    return found


def _kinds(name: str, parameters: Mapping[str, Any]) -> Iterator[Hashable]:
    """What a task may have in common with others, the closest first."""
    game, agents = str(parameters.get("game")), str(parameters.get("agents"))
    yield name, game, agents
    yield name, game
    yield (name,)


def _amount(parameters: Mapping[str, Any]) -> float:
    hands = parameters.get("hands")
    return float(hands) if isinstance(hands, int) and hands > 0 else 1.0
