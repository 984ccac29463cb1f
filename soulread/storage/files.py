"""Files: written whole or not at all, and sealed with a checksum of their content.

**Writing.** `replacing` writes under another name and renames the file once it is complete and on the disk.
Whoever reads the file meanwhile sees the old one or the new one. A disk that is full leaves the old one.

**Sealing.** A text file or a file with a text header carries a *seal*: the entry ``"seal"`` of its JSON,
which is the checksum of every other byte of the file. A file that carries none, such as an array, has its
checksum in a sealed file beside it. `verify_file` compares; one changed byte anywhere is a `DamagedFile`.

The checksum is SHA-256 of the SHA-256 of pieces of 1 MB, so that several threads can share a large file. It
is computed once per process and file. A file counts as the same while its size, its place on the disk and its
time of change stay the same.
"""

import glob
import hashlib
import itertools
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from soulread.errors import DamagedFile, SoulreadError
from soulread.storage.kinds import verify_kind

UNSEALED = "0" * 64  # stands where the seal will be
_SEAL = b'"seal":"'  # what is before it
_PIECE = 2**20  # bytes
_MAX_THREADS = 8
_SETTLED = 2 * 10**9  # nanoseconds; a file changed so recently may change again without a new time of change

Range = tuple[int, int]
Stamp = tuple[int, int, int, int, int]

_verified: dict[tuple[str, str], Stamp] = {}  # what this process has verified of which file


# Writing ------------------------------------------------------------------------------------------


def verify_writable(path: str | os.PathLike[str], kind: str) -> None:
    """Raise unless ``path`` can be written: better before a long solve than after it.

    A file that is there must be of the ``kind`` of what is to be written; see `soulread.storage.kinds`.
    """
    target = Path(path)
    if target.is_dir():
        raise SoulreadError(f"{str(target)!r} cannot be written: it is a folder")
    if _is_special(target):
        if not os.access(target, os.W_OK):
            raise SoulreadError(f"{str(target)!r} cannot be written: permission denied")
        return
    if not target.parent.is_dir():
        raise SoulreadError(f"{str(target)!r} cannot be written: there is no folder {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK) or (target.exists() and not os.access(target, os.W_OK)):
        raise SoulreadError(f"{str(target)!r} cannot be written: permission denied")
    verify_kind(target, kind)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write to and read from, which becomes ``path`` when the block ends.

    If the block raises, or the disk is full, ``path`` stays as it was and nothing is left behind; an
    `OSError` becomes a `SoulreadError`. A process that was killed leaves its temporary file, which the next
    one to write removes. A device or a pipe (``/dev/stdout``) is written to directly.
    """
    target = Path(os.path.realpath(path))
    temporary = target.with_name(f".{target.name}.{os.getpid()}.part")
    special = _is_special(target)
    try:
        if special:
            with target.open("wb") as file:
                yield file
            return
        with temporary.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        temporary.replace(target)
    except OSError as error:
        raise SoulreadError(f"{str(path)!r} cannot be written: {error.strerror or error}") from None
    finally:
        if not special:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
    for part in target.parent.glob(f".{glob.escape(target.name)}.*.part"):
        if _is_abandoned(part):
            part.unlink(missing_ok=True)


def write_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file whole, or leave what was there; see `replacing`."""
    with replacing(path) as file:
        file.write(content)


def write_sealed(path: str | os.PathLike[str], content: bytes, *more: memoryview) -> None:
    """Write a file whose JSON has `UNSEALED` as its entry "seal", which is replaced by the checksum.

    The JSON is in ``content``; ``more`` follows it.
    """
    place = content.index(_SEAL + UNSEALED.encode()) + len(_SEAL)
    parts = [memoryview(content), *more]
    starts = list(itertools.accumulate(map(len, parts), initial=0))

    def read(start: int, stop: int) -> bytes:
        return b"".join(
            part[max(start - first, 0) : max(stop - first, 0)]
            for part, first in zip(parts, starts, strict=False)
        )

    checksum = _digest(read, [(0, place), (place + len(UNSEALED), starts[-1])])
    with replacing(path) as file:
        file.write(parts[0][:place])
        file.write(checksum.encode())
        file.write(parts[0][place + len(UNSEALED) :])
        for part in more:
            file.write(part)


def _is_special(path: Path) -> bool:
    """Whether there is something that is neither a regular file nor a folder: a device, a pipe."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _is_abandoned(part: Path) -> bool:
    """Whether the process that wrote this file has ended; False where that cannot be found out."""
    number = part.name.split(".")[-2]
    if os.name != "posix" or not number.isdigit():
        return False
    try:
        os.kill(int(number), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


# Reading ------------------------------------------------------------------------------------------

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
)


def verify_readable(path: str | os.PathLike[str], pipes: bool = False) -> None:
    """Raise unless ``path`` is a regular file that can be read, or a pipe if ``pipes``.

    A device such as ``/dev/zero`` may have no end. The message says what the path is.
    """
    target = Path(path)
    try:
        mode = target.stat().st_mode
        kind = next((name for is_kind, name in _KINDS if is_kind(mode)), "")
        if kind and not (pipes and kind == "a pipe"):
            raise SoulreadError(f"{str(target)!r} cannot be read: it is {kind}, not a file")
        if not os.access(target, os.R_OK):
            raise SoulreadError(f"{str(target)!r} cannot be read: permission denied")
    except FileNotFoundError:
        raise SoulreadError(f"{str(target)!r} does not exist") from None
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        if isinstance(error, SoulreadError):
            raise
        raise SoulreadError(f"{str(target)!r} cannot be read: {_reason(error)}") from None


def verify_file(path: Path, expected: str | None = None) -> None:
    """Raise `DamagedFile` unless the content of a file has the checksum ``expected``.

    Without it, the file's own seal says what is expected; a file without a seal is refused.
    """

    def compare() -> None:
        place = _find_seal(path) if expected is None else None
        size = path.stat().st_size
        ranges, wanted = [(0, size)], expected
        if expected is None:
            if place is None:
                raise DamagedFile(
                    f"{str(path)!r} has no checksum: it is damaged, or was written by an older soulread"
                )
            with path.open("rb") as file:
                file.seek(place)
                wanted = file.read(len(UNSEALED)).decode("ascii", errors="replace")
            ranges = [(0, place), (place + len(UNSEALED), size)]
        if _digest_file(path, ranges) != wanted:
            raise DamagedFile(f"{str(path)!r} is damaged: its content is not what was written")

    once(path, f"content {expected}", compare)


def once(path: Path, what: str, verify: Callable[[], None]) -> None:
    """Call ``verify`` unless it was called for this file and ``what`` before, and did not raise.

    A file that changed is another file. One that cannot be read is a `DamagedFile`.
    """
    try:
        found = path.stat()
        stamp = found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
        if _verified.get((str(path), what)) == stamp:
            return
        verify()
    except OSError as error:
        raise DamagedFile(f"{str(path)!r} cannot be read: {_reason(error)}") from None
    if time.time_ns() - max(found.st_mtime_ns, found.st_ctime_ns) > _SETTLED:
        _verified[str(path), what] = stamp


def digest(path: Path) -> str:
    """The checksum of a file, 64 hexadecimal digits."""
    return _digest_file(path, [(0, path.stat().st_size)])


def _reason(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or str(error)


def _find_seal(path: Path) -> int | None:
    """Where the seal of a file begins; None if there is none."""
    before = b""
    with path.open("rb") as file:
        while block := file.read(_PIECE):
            text = before + block
            found = text.find(_SEAL)
            if found >= 0:
                return file.tell() - len(text) + found + len(_SEAL)
            before = text[-len(_SEAL) :]
    return None


def _digest_file(path: Path, ranges: Sequence[Range]) -> str:
    def read(start: int, stop: int) -> bytes:
        with path.open("rb", buffering=0) as file:
            file.seek(start)
            return file.read(stop - start)

    return _digest(read, ranges)


def _digest(read: Callable[[int, int], bytes | memoryview], ranges: Sequence[Range]) -> str:
    """The checksum of some ranges of a content; ``read`` gives its bytes from one place to another."""
    pieces = [
        (start, min(start + _PIECE, last)) for first, last in ranges for start in range(first, last, _PIECE)
    ]

    def of(piece: Range) -> bytes:
        return hashlib.sha256(read(*piece)).digest()

    threads = min(len(pieces) // 2, _MAX_THREADS, os.cpu_count() or 1)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            found = list(pool.map(of, pieces))
    else:
        found = [of(piece) for piece in pieces]
    return hashlib.sha256(repr(ranges).encode() + b"".join(found)).hexdigest()
