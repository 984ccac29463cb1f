"""Runs that can be watched from elsewhere: a small file in the folder of results says how far a run is.

A command that writes its results to a folder keeps ``NAME.run.json`` there while it runs and when it has
ended: what was asked, how far it is, how it ended. The page reads these files. The file is written whole at
most every half second, and a disk that is full does not end the run.
"""

import json
import os
import platform
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

from soulread.encoding import json_text, plain_data
from soulread.errors import SoulreadError
from soulread.storage.files import write_file

ENDING = ".run.json"
_EVERY = 0.5  # seconds between two writes
_LONGEST = 80  # characters of a name


class RunNote:
    """The file of one run; see the module."""

    def __init__(self, folder: Path, name: str, kind: str, asked: Mapping[str, Any]) -> None:
        self.folder, self.name = folder, name
        self._record: dict[str, Any] = {
            "name": name,
            "kind": kind,
            "asked": plain_data(asked),
            "standing": "running",
            "done": 0,
            "total": None,
            "words": "",
            "error": "",
            "begun": time.time(),
            "changed": time.time(),
            "process": os.getpid(),
            "machine": platform.node(),
        }
        self._written = 0.0

    @property
    def path(self) -> Path:
        """The file."""
        return self.folder / f"{self.name}{ENDING}"

    def say(self, done: int | None = None, total: int | None = None, words: str | None = None) -> None:
        """Take in how far the run is; what is None stays as it was."""
        told = {"done": done, "total": total, "words": words}
        self._record.update({name: value for name, value in told.items() if value is not None})
        if time.monotonic() >= self._written + _EVERY:
            self.write()

    def add(self, done: int, total: int) -> None:
        """Take in that so many more of ``total`` are done."""
        self.say(self._record["done"] + done, total)

    def write(self) -> None:
        """Write the file now."""
        self._written = time.monotonic()
        self._record["changed"] = time.time()
        with suppress(OSError, SoulreadError):
            write_file(self.path, json_text(self._record).encode())

    def end(self, standing: str, error: str = "") -> None:
        """Take in how the run ended: "done", "failed" or "interrupted"."""
        self._record.update(standing=standing, error=error)
        self.write()


_current: RunNote | None = None


def current_run() -> RunNote | None:
    """The run of this process that is noted; None if there is none."""
    return _current


@contextmanager
def noted_run(folder: Path, name: str, kind: str, asked: Mapping[str, Any]) -> Iterator[RunNote]:
    """Note a run in a folder, which is made if need be, while the block runs, and how the block ends."""
    global _current
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(f"cannot write to {str(folder)!r}: {error.strerror}") from None
    note = RunNote(folder, name, kind, asked)
    note.write()
    before, _current = _current, note
    try:
        yield note
    except BaseException as error:
        note.end("failed" if isinstance(error, Exception) else "interrupted", str(error))
        raise
    else:
        note.end("done")
    finally:
        _current = before


def run_name(words: list[str], asked: Mapping[str, Any]) -> str:
    """A name for the files of a run: its words, and a digest of all that was asked."""
    text = re.sub("[^A-Za-z0-9.]+", "-", "-".join(words)).strip("-.")[:_LONGEST]
    digest = blake2b(json.dumps(plain_data(asked), sort_keys=True).encode(), digest_size=3).hexdigest()
    return f"{text}-{digest}"


def read_run(path: Path) -> dict[str, Any] | None:
    """The record of a run; None if the file is none. A run whose process has ended stands as "killed"."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return None
    if found.get("standing") == "running" and found.get("machine") == platform.node():
        process = found.get("process")
        if not (isinstance(process, int) and _lives(process)):
            found["standing"] = "killed"
    return found


def _lives(process: int) -> bool:
    if process <= 0:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
