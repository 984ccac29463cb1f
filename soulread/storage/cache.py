"""Keeps results that take long to compute on disk, under a checksum of how they were made.

A *bundle* is a folder of ``.npy`` arrays and a ``manifest.json`` in the user's cache directory. That is the
directory named by the environment variable ``SOULREAD_CACHE``, else ``soulread`` in the platform's usual
place (``XDG_CACHE_HOME`` or ``~/.cache``, ``~/Library/Caches``, ``LOCALAPPDATA``). Arrays are memory-mapped
and read-only.

A bundle is written under another name, and renamed when it is complete and on the disk. A bundle that can be
seen is therefore whole, even if a process was killed half-way. A process that builds a bundle holds a lock,
which the operating system releases when the process ends, however it ends. A second process waits for the
lock and then finds the bundle.

The manifest has the checksum of each array and is sealed itself (`soulread.storage.files`). All are verified
once per process. A bundle that is damaged is built again, and a sentence says so.

What a process does not find it may get from elsewhere before it makes it (`take_from`): workers of a cluster
ask whoever gave them the work.

Reading needs no lock, so a full cache may be read-only. Where nothing can be written, or the disk is full,
what is built is used by this process and not kept; a sentence says that too.
"""

import hashlib
import json
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.errors import DamagedFile, SoulreadError
from soulread.notices import tell
from soulread.storage.files import UNSEALED, digest, verify_file, write_sealed

Settings = Mapping[str, str | int]

_FORMAT = 2
_MANIFEST = "manifest.json"


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
    try:
        return Path(base).expanduser() / "soulread"
    except RuntimeError:
        raise SoulreadError(
            "there is no home directory for soulread's cache; set SOULREAD_CACHE to a folder"
        ) from None


def has(recipe: Recipe) -> bool:
    """Return whether the bundle exists; it is not opened, and might be damaged."""
    return (cache_directory() / recipe.key / _MANIFEST).is_file()


def load(recipe: Recipe) -> Bundle | None:
    """Return the bundle if it exists and is undamaged, else None."""
    with suppress(DamagedFile):
        return _open(cache_directory() / recipe.key)
    return None


def load_or_build(
    recipe: Recipe,
    build: Callable[[], Mapping[str, NDArray[Any]]],
    waiting: Callable[[], None] | None = None,
) -> Bundle:
    """Return the bundle; if it does not exist, call ``build`` for its arrays and keep them first.

    ``waiting`` is called if another process is building the same bundle. If the bundle cannot be kept, it
    stays in the memory of this process.
    """
    root = cache_directory()
    path = root / recipe.key
    found = _unkept.get(path) or load(recipe)
    if found:
        return found
    with locked(recipe.key, waiting) as unwritable:
        try:
            found = _open(path)
            if not found and supplied(path):
                found = _open(path)
        except DamagedFile as error:
            tell(f"{error}; it is built again")
        if found:
            return found
        if unwritable:
            tell_unkept(recipe.name, unwritable)
        arrays = build()
        fault = unwritable or _keep(path, recipe, arrays)
    if not fault:
        found = load(recipe)
        if not found:
            raise SoulreadError(f"{str(path)!r} was written but cannot be read back; is the disk in order?")
        return found
    if not unwritable:
        tell_unkept(recipe.name, fault)
    _unkept[path] = _in_memory(path, recipe, arrays)
    return _unkept[path]


def tell_unkept(what: str, reason: str) -> None:
    """Say in one sentence that something is made and used, but not kept in the cache."""
    tell(
        f"the cache directory {str(cache_directory())!r} cannot be written ({reason}); {what} is used now "
        "and made again next time: set SOULREAD_CACHE to a folder that has room and can be written"
    )


def bundles() -> list[Bundle]:
    """Return all undamaged bundles, by name."""
    found = []
    for path in sorted(cache_directory().glob(f"*/{_MANIFEST}")):
        with suppress(DamagedFile):
            bundle = _open(path.parent)
            if bundle:
                found.append(bundle)
    return found


def remove(bundle: Bundle) -> None:
    """Delete a bundle from the disk; arrays in use stay readable where the operating system allows it."""
    shutil.rmtree(bundle.path, ignore_errors=True)


Supplier = Callable[[str], Mapping[str, NDArray[np.uint8]] | None]
"""Gives the files of a bundle by name, or one file under the empty name; None if it has none.

It is asked by the path below the cache's directory, with slashes.
"""

_supplier: Supplier | None = None


def take_from(supplier: Supplier | None) -> None:
    """From now on, ask a supplier for what is not in the cache; with None ask nobody."""
    global _supplier
    _supplier = supplier


def supplied(path: Path) -> bool:
    """Whether the supplier had the bundle or file of this path, which is now there. Only under its lock."""
    content = None if _supplier is None else _supplier(path.relative_to(cache_directory()).as_posix())
    if content is None:
        return False
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_content(path, content)
    except OSError as error:
        tell_unkept(path.name, error.strerror or str(error))
        return False
    return True


def write_content(path: Path, content: Mapping[str, NDArray[np.uint8]]) -> None:
    """Write what a `Supplier` gave, whole or not at all."""
    part = path.with_name(f"{path.name}.part-{os.getpid()}")
    try:
        if "" not in content:
            part.mkdir()
        for name, array in content.items():
            with (part / name if name else part).open("wb") as file:
                file.write(array.data)
                file.flush()
                os.fsync(file.fileno())
        shutil.rmtree(path, ignore_errors=True)
        part.replace(path)
        _sync(path.parent)
    except OSError:
        shutil.rmtree(part, ignore_errors=True)
        with suppress(OSError):
            part.unlink()
        raise


_unkept: dict[Path, Bundle] = {}  # what this process built and could not keep


def _keep(path: Path, recipe: Recipe, arrays: Mapping[str, NDArray[Any]]) -> str:
    """Write a bundle; returns why it could not be written, or nothing."""
    for stale in path.parent.glob(f"{recipe.key}.part-*"):  # left by a process that ended half-way
        shutil.rmtree(stale, ignore_errors=True)
    part = path.with_name(f"{recipe.key}.part-{os.getpid()}")
    try:
        _write(part, recipe, arrays)
        shutil.rmtree(path, ignore_errors=True)  # what is damaged
        part.rename(path)
        _sync(path.parent)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        return error.strerror or str(error)
    except SoulreadError as error:
        shutil.rmtree(part, ignore_errors=True)
        return str(error)
    return ""


def _write(path: Path, recipe: Recipe, arrays: Mapping[str, NDArray[Any]]) -> None:
    path.mkdir()
    files = {}
    for name, array in arrays.items():
        target = path / f"{name}.npy"
        with target.open("wb") as file:
            np.save(file, np.ascontiguousarray(array))
            file.flush()
            os.fsync(file.fileno())
        files[name] = {"bytes": target.stat().st_size, "digest": digest(target)}
    manifest = {
        "format": _FORMAT,
        "seal": UNSEALED,
        "name": recipe.name,
        "settings": dict(recipe.settings),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "files": files,
    }
    write_sealed(path / _MANIFEST, json.dumps(manifest, indent=1, separators=(",", ":")).encode())
    _sync(path)


def _in_memory(path: Path, recipe: Recipe, arrays: Mapping[str, NDArray[Any]]) -> Bundle:
    kept = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    for array in kept.values():
        array.flags.writeable = False
    size = sum(array.nbytes for array in kept.values())
    return Bundle(recipe.name, recipe.settings, recipe.checksum, path, datetime.now(UTC), size, kept)


def _open(path: Path) -> Bundle | None:
    """The bundle in a folder, or None if there is no such folder; a damaged one is a `DamagedFile`."""
    if not path.is_dir():
        return None
    manifest_path = path / _MANIFEST
    verify_file(manifest_path)
    try:
        manifest = json.loads(manifest_path.read_text(encoding="utf-8"))
        if manifest["format"] != _FORMAT:
            raise DamagedFile(f"{str(path)!r} has format {manifest['format']}, not {_FORMAT}")
        recipe = Recipe(manifest["name"], manifest["settings"])
        if recipe.key != path.name:
            raise DamagedFile(f"{str(path)!r} holds {recipe.key!r}, not what its name says")
        arrays = {}
        for name, expected in manifest["files"].items():
            file = path / f"{name}.npy"
            verify_file(file, expected["digest"])
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
    except DamagedFile:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{str(path)!r} cannot be read: {error}") from None


def _has_data(file: Path) -> bool:
    with file.open("rb") as stream:
        version = np.lib.format.read_magic(stream)
        read = (
            np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        )
        shape, _, _ = read(stream)
    return 0 not in shape


def _sync(folder: Path) -> None:
    """Flush the folder's list of files to the disk, where the platform can."""
    if hasattr(os, "O_DIRECTORY"):
        handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def locked(name: str, waiting: Callable[[], None] | None = None) -> Iterator[str]:
    """Hold the lock ``name`` of the cache, alone among all processes; it ends with the process at the latest.

    ``waiting`` is called once if another process holds it. Gives an empty text. If the cache cannot be
    written, nothing is locked, and the text says why.
    """
    folder = cache_directory() / "locks"
    fault, file = "", None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = (folder / f"{name}.lock").open("a+b")
    except OSError as error:
        fault = error.strerror or str(error)
    if file is None:
        yield fault
        return
    with file:
        told = False
        while not _try_lock(file.fileno()):
            if waiting and not told:
                waiting()
                told = True
            time.sleep(0.1)
        try:
            yield ""
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
