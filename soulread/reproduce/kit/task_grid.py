"""A grid of tasks: each place, such as a row and a column, has a list of tasks, and results are found by it.

An experiment says which tasks belong to a place, runs the grid, and asks places for their results. Tasks that
have not finished are left out, so the same look-ups serve a run that was cut short.
"""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from soulread.reproduce.kit.experiment import RunOptions
from soulread.tasks import Task, TaskResult, in_turn

Place = TypeVar("Place", bound=Hashable)
Summary = Callable[[TaskResult], NDArray[Any]]


class TaskGrid(Generic[Place]):
    """Tasks by place, and those of their results that have come."""

    def __init__(self, cells: Mapping[Place, Sequence[Task]], results: Iterable[TaskResult] = ()) -> None:
        self.cells = dict(cells)
        self.results = {result.task.key: result for result in results}

    def run(self, options: RunOptions, order: Iterable[Task] | None = None) -> None:
        """Run all tasks, by default the first of every place, then the second."""
        tasks = in_turn(list(self.cells.values())) if order is None else order
        self.results |= {result.task.key: result for result in options.run(tasks)}

    @property
    def seconds(self) -> float:
        """CPU time of the finished tasks."""
        return sum(result.seconds for result in self.results.values())

    @cached_property
    def finished(self) -> dict[Place, dict[int, TaskResult]]:
        """The places that have a result: by the index of the task in its list, the result."""
        every = {
            place: {
                index: self.results[task.key] for index, task in enumerate(tasks) if task.key in self.results
            }
            for place, tasks in self.cells.items()
        }
        return {place: found for place, found in every.items() if found}

    def at(self, place: Place) -> list[TaskResult]:
        """The results of a place, in the order of its tasks."""
        return list(self.finished.get(place, {}).values())

    def is_whole(self, place: Place) -> bool:
        """Whether every task of a place has finished."""
        return len(self.at(place)) == len(self.cells[place])

    def joined(self, place: Place, name: str, compute: Summary | None = None) -> NDArray[Any] | None:
        """One value of all results of a place, concatenated; None if there are none.

        The tasks of a place are blocks of matches. The blocks after a missing one are left out. With
        ``compute`` it is a summary of the values, kept under this name (`TaskResult.summary`).
        """
        found = self.finished.get(place, {})
        parts: list[NDArray[Any]] = []
        while len(parts) in found:
            result = found[len(parts)]
            parts.append(result[name] if compute is None else result.summary(name, compute))
        return np.concatenate(parts) if parts else None

    def paired(
        self, places: Sequence[Place], name: str, compute: Summary | None = None
    ) -> list[NDArray[Any]]:
        """`joined` of several places, cut to the matches that all of them have; empty if there are none."""
        every = [self.joined(place, name, compute) for place in places]
        found = [values for values in every if values is not None]
        if len(found) < len(every):
            return []
        common = min(map(len, found))
        return [values[:common] for values in found]
