"""Small sealed files that keep what the report of an experiment needs.

A task may return every hand of a match. Of that the file keeps what the report read: values, and summaries
that stand for large ones (`soulread.tasks.TaskResult.summary`). So the report is made again from the file
alone, figure by figure, and a run goes on on another machine: tasks in the file are not run again.

A file is JSON, a line for each task, sealed with a checksum. Its head says how the report was asked for, for
how many matches at first (`soulread.reproduce.kit.looks`), and what the values of the lines are. Arrays are
packed (`soulread.storage.packed`). Parameters are written out, but not those of tasks about people's hands:
these may name players.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from soulread import __version__
from soulread.errors import DamagedFile, SoulreadError
from soulread.storage.files import UNSEALED, verify_file, verify_readable, verify_writable, write_sealed
from soulread.storage.packed import packed, unpacked
from soulread.tasks import Json, Task, TaskResult

KIND = "results"  # of the file
_MAY_GROW = "matches"
_PEOPLE = "store"  # the parameter of tasks about people's hands


@dataclass
class KeptResults:
    """The content of a file, and what is added to it while an experiment runs."""

    path: Path
    experiment: str
    choices: dict[str, Any]  # the user's options by name; those not given are left out
    first: str | None = (
        None  # matches asked for at first: empty for the experiment's own number, None unknown
    )
    written: str = ""  # day
    release: str = __version__
    facts: dict[str, Any] = field(default_factory=dict)  # what else the report needs, by name
    entries: dict[str, dict[str, Any]] = field(default_factory=dict)  # by the identity of the task
    older: bool = False  # whether results of another version of a task were read
    incomplete: bool = False  # whether the report lacks results of tasks
    _given: list[tuple[str, TaskResult]] = field(default_factory=list)
    _before: tuple[Any, ...] | None = None  # the head when the file was opened; None: there was no file

    @classmethod
    def open(cls, path: Path, experiment: str, choices: Mapping[str, Any]) -> "KeptResults":
        """The content of a file for an experiment with these options, empty if it is not there yet.

        A file of other options is refused, but more or fewer matches may be asked for. Without a number it is
        that of the file.
        """
        if not path.exists():
            return cls(path, experiment, dict(choices))
        found = cls.read(path)
        kept, asked = (
            {"experiment": name, **{key: value for key, value in chosen.items() if key != _MAY_GROW}}
            for name, chosen in ((found.experiment, found.choices), (experiment, choices))
        )
        if kept != asked:
            raise SoulreadError(f"{str(path)!r} holds results of {_worded(kept)}, not of {_worded(asked)}")
        found._before = found._head
        matches = {name: value for name, value in found.choices.items() if name == _MAY_GROW}
        found.choices = {**matches, **choices}
        return found

    @classmethod
    def read(cls, path: Path) -> "KeptResults":
        """The content of a file; a damaged one, or one of another kind, is refused."""
        verify_readable(path)
        verify_file(path)
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
            if found["soulread"] != KIND:
                raise SoulreadError(f"{str(path)!r} does not hold results of an experiment")
            return cls(
                path,
                str(found["experiment"]),
                dict(found["options"]),
                found["first"],
                str(found["written"]),
                str(found["release"]),
                dict(found["facts"]),
                {str(entry["task"]): _with_names(entry, found["names"]) for entry in found["tasks"]},
            )
        except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
            if isinstance(error, SoulreadError):
                raise
            raise DamagedFile(f"{str(path)!r} holds no results of an experiment: {error!r}") from None

    @property
    def matches(self) -> int | None:
        """The number of matches asked for; None: the experiment's own."""
        return self.choices.get(_MAY_GROW)

    @property
    def _head(self) -> tuple[Any, ...]:
        return self.first, dict(self.facts), dict(self.choices)

    def finish(self, going_on: bool) -> bool:
        """Take over what the report read of each result, and write the file if anything is new.

        False if there is no file, and nothing to write to one.
        """
        new = self._collect()
        if self._before is None and not going_on and self.incomplete and not self.entries:
            return False
        if new or self._before != self._head:
            self.written, self.release = datetime.now(UTC).date().isoformat(), __version__
            self._write()
        return True

    def _write(self) -> None:
        verify_writable(self.path, "json")
        head: dict[str, Any] = {
            "soulread": KIND,
            "seal": UNSEALED,
            "experiment": self.experiment,
            "options": self.choices,
            "first": self.first,
            "written": self.written,
            "release": self.release,
            "facts": self.facts,
        }
        names = list(dict.fromkeys(name for entry in self.entries.values() for name in entry["values"]))
        head["names"] = names
        place = {name: str(number) for number, name in enumerate(names)}
        lines = ",\n".join(
            _compact({**entry, "values": {place[name]: data for name, data in entry["values"].items()}})
            for entry in self.entries.values()
        )
        text = _compact(head).removesuffix("}") + ',"tasks":[\n' + lines + "\n]}\n"
        write_sealed(self.path, text.encode())

    def load(self, task: Task, directory: Path, going_on: bool) -> TaskResult | None:
        """The kept part of a result; None if the task is not in the file.

        ``directory`` is that of the store: it differs from machine to machine. Results of another version of
        the task serve a report, but not a run that is ``going_on``.
        """
        entry = self.entries.get(identity(task, directory))
        if entry is None:
            return None
        if entry["version"] != task.version:
            if going_on:
                raise SoulreadError(
                    f"{str(self.path)!r} holds results of {task.short_name} of version {entry['version']}, "
                    f"and version {task.version} gives others; choose another file, or report on it with "
                    "--finished"
                )
            self.older = True
        try:
            values = {str(name): unpacked(data) for name, data in entry["values"].items()}
            return TaskResult(task, values, float(entry["seconds"]))
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DamagedFile(f"{str(self.path)!r} is damaged at {entry['task']}: {error}") from None

    def add(self, result: TaskResult, directory: Path) -> None:
        """Note a result that a report is made from."""
        self._given.append((identity(result.task, directory), result))

    def fact(self, name: str, compute: Callable[[], Json]) -> Any:
        """Something else that the report needs, such as a number of players; computed once."""
        if name not in self.facts:
            self.facts[name] = compute()
        return self.facts[name]

    def _collect(self) -> bool:
        """Take over what the report read of each result; whether anything is new."""
        new = False
        for key, result in self._given:
            entry = self.entries.get(key)
            known = {} if entry is None else entry["values"]
            missing = {name: packed(value) for name, value in result.asked.items() if name not in known}
            if entry is None or missing:
                about = {} if _PEOPLE in result.task.parameters else {"parameters": result.task.parameters}
                self.entries[key] = {
                    "task": key,
                    **about,
                    "version": result.task.version if entry is None else entry["version"],
                    "seconds": round(result.seconds, 1),
                    "values": {**known, **missing},
                }
                new = True
        self._given.clear()
        return new


def _with_names(entry: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """A line of a file, whose values are named by the head."""
    return {**entry, "values": {names[int(number)]: data for number, data in entry["values"].items()}}


def identity(task: Task, directory: Path) -> str:
    """The function's name and a checksum of the parameters, the same on every machine and in every version.

    Parameters may name a file in the ``directory`` of the store.
    """
    about = json.dumps([task.name, task.parameters], sort_keys=True, allow_nan=False)
    about = about.replace(json.dumps(str(directory))[1:-1], "")
    return f"{task.short_name}-{hashlib.sha256(about.encode()).hexdigest()[:24]}"


def command_of(experiment: str, choices: Mapping[str, Any]) -> str:
    """The command that asks for a report with these options."""
    words = ["soulread reproduce", experiment]
    names = {"players": "agents"}
    for name, value in choices.items():
        flag = f"--{names.get(name, name)}"
        if name == "seed" and value == 1:
            continue
        if value is True:
            words.append(flag)
        else:
            words += [f"{flag} {one}" for one in (value if isinstance(value, list) else [value])]
    return " ".join(words)


def _worded(about: Mapping[str, Any]) -> str:
    rest = {name: value for name, value in about.items() if name != "experiment"}
    return f"{command_of(str(about['experiment']), rest)!r} (seed {about['seed']})"


def _compact(data: Any) -> str:
    return json.dumps(data, separators=(",", ":"), allow_nan=False)
