"""Keeps results that take long to compute on disk, under a checksum of how they were made.

A *bundle* is a folder of ``.npy`` arrays and a ``manifest.json`` in the user's cache directory. That is the
directory named by the environment variable ``SOULREAD_CACHE``, else ``soulread`` in the platform's usual
place (``XDG_CACHE_HOME`` or ``~/.cache``, ``~/Library/Caches``, ``LOCALAPPDATA``). Arrays are memory-mapped
and read-only.

A bundle is written under another name, and renamed when it is complete and on the disk. A bundle that can be
seen is therefore whole, even if a process was killed half-way. A process that builds a bundle holds a lock,
which the operating system releases when the process ends, however it ends. A second process waits for the
lock and then finds the bundle. A bundle that is damaged all the same is built again.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError

Settings = Mapping[str, str | int]

_FORMAT = 1
_MANIFEST = "manifest.json"
_DIGEST_LIMIT = 2**26  # when opened, arrays up to 64 MB are checked byte by byte, larger ones by their size


@dataclass(frozen=True)
class Recipe:
    """How a bundle is made: a readable name, and everything its numbers depend on."""

    name: str
    settings: Settings

    @property
    def checksum(self) -> str:
        """Sixteen hexadecimal digits that depend on all settings."""
        text = json.dumps(dict(self.settings), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def key(self) -> str:
        """Name of the bundle's folder."""
        return f"{self.name.replace(':', '-')}-{self.checksum}"


@dataclass(frozen=True, eq=False)
class Bundle:
    """Arrays on disk, and how and when they were made."""

    name: str
    settings: Settings
    checksum: str
    path: Path
    created: datetime
    num_bytes: int
    arrays: Mapping[str, NDArray[Any]]


def cache_directory() -> Path:
    """Return the directory for everything that soulread keeps; it need not exist yet."""
    chosen = os.environ.get("SOULREAD_CACHE")
    if chosen:
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "soulread"


def has(recipe: Recipe) -> bool:
    """Return whether the bundle exists; it is not opened, and might be damaged."""
    return (cache_directory() / recipe.key / _MANIFEST).is_file()


def load(recipe: Recipe) -> Bundle | None:
    """Return the bundle if it exists and is undamaged, else None."""
    return _open(cache_directory() / recipe.key)


def load_or_build(
    recipe: Recipe,
    build: Callable[[], Mapping[str, NDArray[Any]]],
    waiting: Callable[[], None] | None = None,
) -> Bundle:
    """Return the bundle; if it does not exist, call ``build`` for its arrays and keep them first.

    ``waiting`` is called if another process is building the same bundle.
    """
    found = load(recipe)
    if found:
        return found
    root = cache_directory()
    path = root / recipe.key
    with locked(recipe.key, waiting):
        found = load(recipe)
        if found:
            return found
        for stale in root.glob(f"{recipe.key}.part-*"):  # left by a process that ended half-way
            shutil.rmtree(stale, ignore_errors=True)
        shutil.rmtree(path, ignore_errors=True)
        arrays = build()
        part = root / f"{recipe.key}.part-{os.getpid()}"
        try:
            _write(part, recipe, arrays)
            part.rename(path)
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise SoulreadError(
                f"cannot keep {recipe.name} in the cache directory {str(root)!r}: {error.strerror}"
            ) from error
        _sync(root)
    found = load(recipe)
    if not found:
        raise SoulreadError(f"{str(path)!r} was written but cannot be read back; is the disk in order?")
    return found


def bundles() -> list[Bundle]:
    """Return all undamaged bundles, by name."""
    found = (_open(path.parent) for path in sorted(cache_directory().glob(f"*/{_MANIFEST}")))
    return [bundle for bundle in found if bundle and ".part-" not in bundle.path.name]


def remove(bundle: Bundle) -> None:
    """Delete a bundle from the disk; arrays in use stay readable where the operating system allows it."""
    shutil.rmtree(bundle.path, ignore_errors=True)


def _write(path: Path, recipe: Recipe, arrays: Mapping[str, NDArray[Any]]) -> None:
    path.mkdir()
    files = {}
    for name, array in arrays.items():
        target = path / f"{name}.npy"
        with target.open("wb") as file:
            np.save(file, np.ascontiguousarray(array))
            file.flush()
            os.fsync(file.fileno())
        files[name] = {
            "bytes": target.stat().st_size,
            "digest": _digest(target) if array.nbytes <= _DIGEST_LIMIT else None,
        }
    manifest = {
        "format": _FORMAT,
        "name": recipe.name,
        "settings": dict(recipe.settings),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": files,
    }
    with (path / _MANIFEST).open("w") as text:
        json.dump(manifest, text, indent=1)
        text.flush()
        os.fsync(text.fileno())
    _sync(path)


def _open(path: Path) -> Bundle | None:
    """The bundle in a folder, or None if it does not exist, is damaged or has another format."""
    try:
        manifest = json.loads((path / _MANIFEST).read_text())
        if manifest["format"] != _FORMAT:
            return None
        recipe = Recipe(manifest["name"], manifest["settings"])
        arrays = {}
        for name, expected in manifest["files"].items():
            file = path / f"{name}.npy"
            if file.stat().st_size != expected["bytes"]:
                return None
            if expected["digest"] is not None and expected["digest"] != _digest(file):
                return None
            # As a plain array, because kernels do not know np.memmap. Empty arrays cannot be mapped.
            arrays[name] = np.asarray(np.load(file, mmap_mode="r")) if _has_data(file) else np.load(file)
            arrays[name].flags.writeable = False
        return Bundle(
            name=recipe.name,
            settings=recipe.settings,
            checksum=recipe.checksum,
            path=path,
            created=datetime.fromisoformat(manifest["created"]),
            num_bytes=sum(expected["bytes"] for expected in manifest["files"].values()),
            arrays=arrays,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _has_data(file: Path) -> bool:
    with file.open("rb") as stream:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, _ = read(stream)
    return 0 not in shape


def _digest(file: Path) -> str:
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def _sync(folder: Path) -> None:
    """Flush the folder's list of files to the disk, where the platform can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def locked(name: str, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock ``name`` of the cache, alone among all processes; it ends with the process at the latest.

    ``waiting`` is called once if another process holds it.
    """
    folder = cache_directory() / "locks"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(
            f"cannot write to the cache directory {str(folder.parent)!r} ({error.strerror}); "
            "set SOULREAD_CACHE to one that can be written"
        ) from error
    with (folder / f"{name}.lock").open("a+b") as file:
        told = False
        while not _try_lock(file.fileno()):
            if waiting and not told:
                waiting()
                told = True
            time.sleep(0.1)
        try:
            yield
        finally:
            _unlock(file.fileno())


if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: int) -> bool:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _unlock(handle: int) -> None:
        os.lseek(handle, 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
