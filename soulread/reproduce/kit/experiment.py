"""The options of an experiment, and the numbers that papers printed."""

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from soulread.machine import verify_room
from soulread.options import Options, option
from soulread.reproduce.kit.verdict import present_look
from soulread.tasks import Progress, ResultStore, Task, TaskResult, Tell, run_tasks
from soulread.words import plural

_TASK_BYTES = 4000  # of memory for a task that waits for its turn


@dataclass(frozen=True)
class RunOptions(Options):
    """The user's choices for an experiment. `None` stands for the experiment's own choice."""

    quick: bool = False
    matches: int | None = option(None, "matches of each pairing", low=1)
    hands: int | None = option(None, "hands of each match", low=1)
    seed: int = option(1, "same seed, same result", low=0)
    jobs: int = option(1, "processes to spread the work over", low=1)
    stored_only: bool = False
    game: str | None = None  # for experiments of several games
    aivat: bool | None = None  # whether luck is taken off, for experiments that play matches
    data: tuple[str, ...] = ()  # files and folders with hands, for experiments that read them
    players: tuple[str, ...] = ()  # the only players, for experiments of many
    only: tuple[str, ...] = ()  # the only opponents that are played
    kept: str | None = None  # file of small records: matches in it are not played again, new ones are added
    beside: tuple[str, ...] = ()  # LABEL=FILE: results of another version, to compare with
    store: ResultStore = field(default_factory=ResultStore.default)
    tell: Tell | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        matches, hands = self.matches or 1, self.hands or 1
        amount = plural(matches, "match", "matches") + " of " + plural(hands, "hand")
        verify_room(amount, matches * (_TASK_BYTES + 8 * hands))

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
        """`run_tasks` with these options. A report of unfinished parts is noted, for its verdicts."""
        wanted = list(tasks)
        found = 0
        for result in run_tasks(wanted, self.store, self.jobs, self.progress, self.stored_only):
            found += 1
            yield result
        look = present_look()
        if look is not None and found < len({task.key for task in wanted}):
            look.leave_out()


def published(name: str) -> dict[str, Any]:
    """The numbers that a paper printed, with their source, from ``published/NAME.toml``."""
    file = resources.files("soulread.reproduce") / "published" / f"{name}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))
