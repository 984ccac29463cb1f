"""What travels to workers: files of the driver's cache and working directory, each at most once per node.

The *driver* is the process that runs the work. Two kinds of files are asked for by name:

- What the cache keeps under checksums of how it was made: tables of abstractions, strategies. A worker that
  does not find one asks for it under the lock of its own cache, so every node gets it once, or makes it.
  Seals are verified as in every cache.
- Files that the work names: modules, strategies, data. Those below the working directory travel with their
  checksums; workers that do not have them go to a folder where they lie under the same names.

Nodes that share the cache's folder and the working directory ask for nothing.
"""

import hashlib
import importlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.foreign.contents import contents_of, files_of
from soulread.foreign.names import add_working_directory
from soulread.storage import cache

Content = Mapping[str, NDArray[np.uint8]]
"""The files of a folder by name; one file is a folder whose only name is empty."""

GROUPS = "soulread.agents", "soulread.models", "soulread.experiments"  # of entry points
CACHE, FILES = "cache", "files"  # the first part of a name: the folder below which it lies


@dataclass(frozen=True)
class Needs:
    """What the names in some work lead to, outside soulread."""

    contents: Mapping[str, str]  # text -> checksum of all files behind it
    files: Mapping[str, str]  # of the working directory: name -> checksum

    @property
    def key(self) -> str:
        """A checksum of all, which names the folder where workers keep the files."""
        return hashlib.sha256(repr(sorted(self.files.items())).encode()).hexdigest()[:24]


def needs_of(*work: Any) -> Needs:
    """The needs of functions and their arguments: of all texts in them."""
    contents: dict[str, str] = {}
    files: dict[str, str] = {}
    here = Path.cwd()
    for text in dict.fromkeys(texts_in(work)):
        for group in GROUPS:
            found = contents_of(text, group)
            if not found:
                continue
            contents[text] = found
            for path in files_of(text, group):
                if path.resolve().is_relative_to(here.resolve()):
                    name = path.resolve().relative_to(here.resolve()).as_posix()
                    files[name] = _checksum(path)
            break
    return Needs(contents, files)


def texts_in(value: Any) -> Iterator[str]:
    """All texts in arguments of work: in records, lists and dicts; a function is "module:name"."""
    seen: set[int] = set()
    waiting = [value]
    while waiting:
        entry = waiting.pop()
        if isinstance(entry, str):
            yield entry
        elif isinstance(entry, Mapping):
            waiting += entry.values()
        elif isinstance(entry, Sequence) and not isinstance(entry, bytes | bytearray | memoryview):
            waiting += entry
        elif is_dataclass(entry) and not isinstance(entry, type):
            if id(entry) not in seen:
                seen.add(id(entry))
                waiting += [getattr(entry, field.name) for field in fields(entry)]
        elif callable(entry) and getattr(entry, "__module__", None) and hasattr(entry, "__qualname__"):
            yield f"{entry.__module__}:{entry.__qualname__}"


def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# On the driver's node.


class Depot:
    """Gives files of the driver by name, and no others; it lives on the driver's node, as an actor of Ray."""

    def __init__(self, cache_folder: str, working_folder: str) -> None:
        self._folders = {CACHE: Path(cache_folder), FILES: Path(working_folder)}
        self._allowed: set[str] = set()
        self._given: dict[str, Any] = {}  # name -> reference to its content
        self.bytes_given = 0

    def allow(self, names: Sequence[str]) -> None:
        """Let files of the working directory be asked for."""
        self._allowed.update(f"{FILES}/{name}" for name in names)

    def give(self, name: str) -> list[Any] | None:
        """A reference to the content of a file or folder, in a list; None if there is none."""
        import ray

        if name not in self._given:
            content = self.content(name)
            if content is None:
                return None
            self._given[name] = ray.put(content)
        self.bytes_given += sum(part.nbytes for part in ray.get(self._given[name]).values())
        return [self._given[name]]

    def moved(self) -> int:
        """How many bytes were given so far."""
        return self.bytes_given

    def content(self, name: str) -> Content | None:
        """The content of a name; None if there is none, or if it is not for giving."""
        kind, *parts = PurePosixPath(name).parts
        if kind not in self._folders or not parts or ".." in parts:
            return None
        if kind == FILES and name not in self._allowed:
            return None
        path = self._folders[kind].joinpath(*parts)
        if path.is_file():
            return {"": np.fromfile(path, np.uint8)}
        if path.is_dir():
            return {file.name: np.fromfile(file, np.uint8) for file in path.iterdir() if file.is_file()}
        return None


# On workers.


def take_supplies(depot: Any, needs: Needs) -> None:
    """Let the cache of this process ask the depot, and get the files that the work names; then verify them.

    Without a depot all files are those of the driver's machine. What is not here as it is there is refused.
    """
    if depot is not None:
        cache.take_from(lambda name: _ask(depot, f"{CACHE}/{name}"))
        if any(not _is_here(name, checksum) for name, checksum in needs.files.items()):
            os.chdir(_fetched(depot, needs))
    add_working_directory()
    importlib.invalidate_caches()
    for text, expected in needs.contents.items():
        if all(contents_of(text, group) != expected for group in GROUPS):
            raise SoulreadError(
                f"{text!r} is not what it is where the work comes from: its files differ, or are missing; "
                "install the same package everywhere, or keep the files below the working directory, from "
                "where they travel"
            )


def _ask(depot: Any, name: str) -> Content | None:
    import ray

    found = ray.get(depot.give.remote(name))
    content: Content | None = None if found is None else ray.get(found[0])
    return content


def _is_here(name: str, checksum: str) -> bool:
    path = Path(name)
    return path.is_file() and _checksum(path) == checksum


def _fetched(depot: Any, needs: Needs) -> Path:
    """The folder of this node with the files of the working directory, which are fetched if need be."""
    folder = cache.cache_directory() / "travelled" / needs.key
    with cache.locked(f"travelled-{needs.key}") as unwritable:
        if unwritable:
            raise SoulreadError(
                f"files cannot travel here: {str(cache.cache_directory())!r} cannot be written ({unwritable})"
            )
        for name, checksum in needs.files.items():
            path = folder / name
            if path.is_file() and _checksum(path) == checksum:
                continue
            content = _ask(depot, f"{FILES}/{name}")
            if content is None:
                raise SoulreadError(f"{name!r} is no longer where the work comes from")
            path.parent.mkdir(parents=True, exist_ok=True)
            cache.write_content(path, content)
    return folder
