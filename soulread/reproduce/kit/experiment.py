"""The options of an experiment, and the numbers that papers printed."""

import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib import resources
from itertools import chain
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.machine import verify_room
from soulread.options import Options, option
from soulread.processes import Jobs, runner_of
from soulread.reproduce.kit.kept import KeptResults
from soulread.reproduce.kit.verdict import present_look
from soulread.storage.files import verify_writable
from soulread.tasks import Json, Progress, ResultStore, Task, TaskResult, Tell, run_tasks
from soulread.words import plural

CHOICES = "quick", "matches", "hands", "seed", "game", "aivat", "data", "players", "only"
"""Options that say what is reported, and not how it is computed."""

_TASK_BYTES = 4000  # of memory for a task that waits for its turn


@dataclass(frozen=True)
class RunOptions(Options):
    """The user's choices for an experiment. `None` stands for the experiment's own choice."""

    quick: bool = False
    matches: int | None = option(None, "matches of each pairing", low=1)
    hands: int | None = option(None, "hands of each match", low=1)
    seed: int = option(1, "same seed, same result", low=0)
    jobs: Jobs = 1  # processes to spread the work over, or another runner
    stored_only: bool = False
    game: str | None = None  # for experiments of several games
    aivat: bool | None = None  # whether luck is taken off, for experiments that play matches
    data: tuple[str, ...] = ()  # files and folders with hands, for experiments that read them
    players: tuple[str, ...] = ()  # the only players, for experiments of many
    only: tuple[str, ...] = ()  # the only opponents that are played
    kept: str | None = None  # file with what the report needs: tasks in it are not run again, new ones added
    beside: tuple[str, ...] = ()  # LABEL=FILE: results of another version, to compare with
    store: ResultStore = field(default_factory=ResultStore.default)
    results: KeptResults | None = None  # the content of the file, while the experiment runs
    tell: Tell | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        runner_of(self.jobs)
        matches, hands = self.matches or 1, self.hands or 1
        amount = plural(matches, "match", "matches") + " of " + plural(hands, "hand")
        verify_room(amount, matches * (_TASK_BYTES + 8 * hands))

    @property
    def choices(self) -> dict[str, Any]:
        """`CHOICES` as JSON, without those that were not given; of data only the names."""
        made = {name: getattr(self, name) for name in CHOICES}
        made["data"] = tuple(Path(name).name for name in self.data)
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in made.items()
            if value not in (None, ()) and value is not False
        }

    @property
    def data_names(self) -> str:
        """The names of the data, for a report; empty if there are none."""
        return ", ".join(Path(path).name for path in self.data)

    def sizes(self, **choices: tuple[Any, Any]) -> dict[str, Any]:
        """The sizes of an experiment by name, each given as (quick, full), and the seed.

        ``matches`` and ``hands`` are the user's, if given.
        """
        own = {"matches": self.matches, "hands": self.hands}
        chosen = {name: own.get(name) or pair[not self.quick] for name, pair in choices.items()}
        return {**chosen, "seed": self.seed}

    def run(self, tasks: Iterable[Task]) -> Iterator[TaskResult]:
        """`run_tasks` with these options. A report of unfinished parts is noted, for its verdicts.

        Tasks in the file of kept results are not run.
        """
        wanted = {task.key: task for task in tasks}
        found = 0
        kept = self._kept(wanted)
        rest = [task for key, task in wanted.items() if key not in kept]
        if self.results is not None and self.results.older:
            rest = []  # results of two versions make no report
        run = run_tasks(rest, self.store, self.jobs, self.progress, self.stored_only)
        for result in chain(kept.values(), run):
            found += 1
            if self.results is not None:
                self.results.add(result, self.store.directory)
            yield result
        look = present_look()
        if found < len(wanted):
            if look is not None:
                look.leave_out()
            if self.results is not None:
                self.results.incomplete = True

    def _kept(self, wanted: Mapping[str, Task]) -> dict[str, TaskResult]:
        """The results of those tasks that are in the file."""
        if self.results is None:
            return {}
        found = {
            key: self.results.load(task, self.store.directory, not self.stored_only)
            for key, task in wanted.items()
        }
        return {key: result for key, result in found.items() if result is not None}

    def fact(self, name: str, compute: Callable[[], Json]) -> Any:
        """Something that a report needs besides results of tasks: computed, or read from the kept file."""
        return compute() if self.results is None else self.results.fact(name, compute)


@contextmanager
def keeping(experiment: str, options: RunOptions) -> Iterator[RunOptions]:
    """Options with which tasks of the block are looked up in the file ``options.kept``, and added to it."""
    if options.kept is None:
        yield options
        return
    path = Path(options.kept)
    results = KeptResults.open(path, experiment, options.choices)
    if not options.stored_only:
        verify_writable(path, "json")
    yield replace(options, results=results, matches=results.matches)
    if not results.finish(going_on=not options.stored_only):
        raise SoulreadError(f"{options.kept!r} does not exist, and no part of {experiment!r} is finished")


def published(name: str) -> dict[str, Any]:
    """The numbers that a paper printed, with their source, from ``published/NAME.toml``."""
    file = resources.files("soulread.reproduce") / "published" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
