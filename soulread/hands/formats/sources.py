"""Files as streams of lines: folders, archives, compressed files, standard input; any usual encoding.

Nothing is read whole. A line has at most `MAX_LINE` characters; of a longer one the rest is dropped, so that
its hand fails and the next one is read.

**What is packed** is opened here and nowhere else. A file, with all archives in it, may grow a thousandfold
and no more, once it has grown past `FREE_BYTES`. It has at most `MAX_MEMBERS` members, and is packed at most
`MAX_DEPTH` times. A zip that comes through a pipe is put on the disk first, up to `MAX_SPOOLED` bytes.
Whatever a library raises about a member becomes a `BrokenFile`, and the other members are read.

**Encodings.** A byte order mark decides. Without one, text with a NUL in every other byte is UTF-16, and
anything else is UTF-8; a line that is not valid UTF-8 is read as cp1252.
"""

import codecs
import io
import os
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from soulread.errors import SoulreadError
from soulread.hands.formats.unpacking import (
    Member,
    Readable,
    Trailing,
    decompressed,
    looks_like_tar,
    tar_members,
    zip_members,
)
from soulread.storage.files import verify_readable
from soulread.words import printable

MAX_LINE = 200_000  # characters
BLOCK = 2**18  # bytes read at once
FREE_BYTES = 2**27  # unpacked before anything is found suspicious
MAX_GROWTH = 1_000
MAX_DEPTH = 3
MAX_MEMBERS = 250_000
MAX_SPOOLED = 2**32  # bytes of a zip that comes through a pipe
HEAD = 2**19  # bytes that decide what a file is
_TELLING = 400  # bytes that decide its encoding

STDIN = "-"

_MAGIC = (
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
_REASON = 200  # characters of what a library says


class BrokenFile(SoulreadError):
    """A file that ends too early or cannot be unpacked; what came before it was read.

    ``name`` is that of the file, or of the member of an archive.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name = name


class _Budget:
    """What may come out of one file, with all that lies in it."""

    def __init__(self, size: int = 0) -> None:
        self.packed = size  # bytes of the file itself, as far as they are known
        self._unpacked = 0
        self._members = 0

    @property
    def is_spent(self) -> bool:
        """Whether nothing more may come."""
        return self._members > MAX_MEMBERS or self._unpacked > FREE_BYTES + MAX_GROWTH * self.packed

    def grow(self, size: int) -> None:
        """Count bytes that were unpacked; raises `OSError` where they are too many."""
        self._unpacked += size
        if self._unpacked > FREE_BYTES + MAX_GROWTH * self.packed:
            raise OSError(f"it grows more than {MAX_GROWTH:,} times when it is unpacked")

    def count_member(self) -> None:
        """Count a member of an archive."""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise OSError(f"it has more than {MAX_MEMBERS:,} files")


@dataclass(slots=True)
class HandSource:
    """One file, wherever it lies: its name, and its bytes as a stream that can be read once."""

    name: str  # path, and the member of an archive: "hands.zip/july.txt"
    stream: "_Stream"
    given: bool  # the user named this very file, not a folder or an archive around it
    path: Path | None = None  # where it lies on disk, if it does
    member: str = ""  # its path in the archive that holds it
    has_nuls: bool = False  # of the text that was read so far: NULs inside of lines, which no text has

    def head(self) -> str:
        """The beginning as text, without reading on."""
        return "\n".join(line for block in _line_blocks(io.BytesIO(self.stream.peek(HEAD))) for line in block)

    def texts(self) -> Iterator[list[str]]:
        """The lines in order without line breaks, many at a time; `BrokenFile` where the file is damaged."""
        self.stream.peek(_TELLING)
        yield from _line_blocks(self.stream, self._look)

    def _look(self, text: str) -> None:
        self.has_nuls = self.has_nuls or "\0" in text

    def lines(self) -> Iterator[str]:
        """The same lines one by one."""
        for block in self.texts():
            yield from block

    def binary(self) -> IO[bytes]:
        """The bytes, for a format with an encoding of its own; `BrokenFile` where the file is damaged."""
        return io.BufferedReader(self.stream, BLOCK)

    @property
    def error(self) -> BrokenFile | None:
        """What was found to be wrong with the file so far."""
        return self.stream.error


class _Stream(io.RawIOBase):
    """Bytes that can be looked at before they are read. Whatever goes wrong is a `BrokenFile`.

    Bytes that ``grows`` come out of something packed, and are counted.
    """

    def __init__(
        self,
        raw: Readable,
        name: str,
        budget: _Budget,
        grows: bool = False,
        told: Callable[[int], None] | None = None,
    ) -> None:
        self.error: BrokenFile | None = None
        self._raw = raw
        self._name = name
        self._budget = budget
        self._grows = grows
        self._told = told
        self._ahead = b""
        self._whole = False  # all was read, though something else is wrong

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes, or what is left."""
        while len(self._ahead) < size and self.error is None:
            try:
                block = self._next(size - len(self._ahead))
            except BrokenFile:
                break
            if not block:
                break
            self._ahead += block
        return self._ahead[:size]

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size is None or size < 0:
            size = BLOCK
        if self._ahead:
            block, self._ahead = self._ahead[:size], self._ahead[size:]
            return block
        return self._next(size)

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        block = self.read(len(view))
        view[: len(block)] = block
        return len(block)

    def _next(self, size: int) -> bytes:
        if self.error is not None:
            if self._whole:
                return b""
            raise self.error
        try:
            block = self._raw.read(min(size, BLOCK))
            if self._grows:
                self._budget.grow(len(block))
        except Exception as error:
            self._whole = isinstance(error, Trailing)
            self.error = error if isinstance(error, BrokenFile) else _broken(self._name, error)
            return self._next(size)
        if self._told is not None:
            self._told(len(block))
        return block


def _broken(name: str, error: Exception) -> BrokenFile:
    reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
    return BrokenFile(name, f"{name!r} cannot be read to its end: {' '.join(reason.split())[:_REASON]}")


def sources(
    path: str | os.PathLike[str], given: bool = True, told: Callable[[int], None] | None = None
) -> Iterator[HandSource | BrokenFile]:
    """Every file at ``path``, unpacked. What cannot be unpacked is a `BrokenFile` in its place.

    A path that is not there, or is no file, is a `SoulreadError` if it was ``given`` by the user, and a
    `BrokenFile` if it was found in a folder. ``told`` is called with the number of bytes of each block that
    is read of a file on disk.
    """
    name = os.fspath(path)
    if name == STDIN:
        if sys.stdin is None:
            raise SoulreadError("standard input is closed; there is nothing to read from it")
        yield from _piped(sys.stdin.buffer, "standard input", None, None)
        return
    place = Path(name)
    shown = shown_path(name)
    try:
        verify_readable(place, pipes=given)  # a pipe in a folder may have nobody at its other end
        with open(place, "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                yield from _piped(file, shown, place, told)
                return
            budget = _Budget(found.st_size)
            stream = _Stream(file, shown, budget, told=told)
            yield from _unpacked(HandSource(shown, stream, given, place), 0, budget)
    except (SoulreadError, OSError) as error:
        said = str(error) if isinstance(error, SoulreadError) else str(_broken(shown, error))
        if given:
            raise SoulreadError(said) from None
        yield BrokenFile(shown, said)


def shown_path(path: str | os.PathLike[str]) -> str:
    """The name of a file as text on one line; on disk it may be any bytes."""
    return printable(os.fspath(path))


def _piped(
    file: BinaryIO, name: str, path: Path | None, told: Callable[[int], None] | None
) -> Iterator[HandSource | BrokenFile]:
    """What comes through a pipe; how long it is shows at its end."""
    budget = _Budget()

    def count(size: int) -> None:
        budget.packed += size
        if told is not None:
            told(size)

    yield from _unpacked(HandSource(name, _Stream(file, name, budget, told=count), True, path), 0, budget)


def _unpacked(source: HandSource, depth: int, budget: _Budget) -> Iterator[HandSource | BrokenFile]:
    """The source itself if it is not packed, else the files in it."""
    kind = _kind(source.stream.peek(600))
    if not kind:
        yield source
    elif depth == MAX_DEPTH:
        yield BrokenFile(source.name, f"{source.name!r} is packed more than {MAX_DEPTH} times")
    elif kind in ("tar", "zip"):
        yield from _members(kind, source, depth, budget)
    else:
        inner = _Stream(decompressed(kind, source.stream), source.name, budget, grows=True)
        yield from _unpacked(
            HandSource(source.name, inner, source.given, None, source.member), depth + 1, budget
        )


def _kind(head: bytes) -> str:
    found = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    return found or ("tar" if looks_like_tar(head) else "")


def _members(
    kind: str, archive: HandSource, depth: int, budget: _Budget
) -> Iterator[HandSource | BrokenFile]:
    """The files of an archive; one that cannot be read is told, and so is an archive that ends too early."""
    try:
        for member in _tar(archive) if kind == "tar" else _zip(archive):
            budget.count_member()
            name = f"{archive.name}/{member.name}" if member.name else archive.name
            if member.content is None:
                yield BrokenFile(name, f"{name!r} cannot be read: {member.reason}")
                continue
            inner = _Stream(member.content, name, budget, grows=kind == "zip")
            yield from _unpacked(HandSource(name, inner, False, None, member.name), depth + 1, budget)
            if budget.is_spent or (kind == "tar" and inner.error is not None):
                return  # it was told, and there is nothing behind it
    except Exception as error:
        yield error if isinstance(error, BrokenFile) else _broken(archive.name, error)


def _tar(archive: HandSource) -> Iterator[Member]:
    return tar_members(archive.stream)


def _zip(archive: HandSource) -> Iterator[Member]:
    with _seekable(archive) as file:
        yield from zip_members(file, MAX_MEMBERS)


@contextmanager
def _seekable(archive: HandSource) -> Iterator[BinaryIO]:
    """A file one can jump in; what comes through a pipe is put on the disk first."""
    if archive.path is not None and archive.path.is_file():
        with open(archive.path, "rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as spooled:  # has no name: nothing stays, however the process ends
        total = 0
        while block := archive.stream.read(BLOCK):
            total += len(block)
            if total > MAX_SPOOLED:
                raise OSError(f"a zip in a pipe may have {MAX_SPOOLED:,} bytes; give it as a file")
            spooled.write(block)
        yield cast(BinaryIO, spooled)


# Text.


def _line_blocks(stream: Readable, looked_at: Callable[[str], None] | None = None) -> Iterator[list[str]]:
    """The lines of a stream, many at a time; ``looked_at`` is called with all text as it is decoded."""
    decode: Callable[[bytes, bool], str] | None = None
    rest = ""
    dropping = False  # inside a line that is too long
    tail = b""
    while True:
        raw = stream.read(BLOCK)
        last = not raw
        if decode is None:
            raw, decode = _decoder(raw)
        if decode is not _decode_lines:
            text = decode(raw, last)
        else:  # decode whole lines only, so that one bad line does not spoil the others
            raw = tail + raw
            cut = len(raw) if last else raw.rfind(b"\n") + 1
            if not cut and len(raw) > 4 * MAX_LINE:
                cut = len(raw)
            raw, tail = raw[:cut], raw[cut:]
            text = _decode_lines(raw, last)
        if "\0" in text:
            text = _without_separators(text, begins=not rest and not dropping)
        if looked_at is not None:
            looked_at(text)
        lines = (rest + text).split("\n")
        rest = lines.pop()
        if dropping and lines:
            lines, dropping = lines[1:], False
        if dropping:
            rest = ""
        elif len(rest) > MAX_LINE:
            lines.append(rest)
            rest, dropping = "", True
        if last and rest:
            lines.append(rest)
        if "\r" in text or len(max(lines, key=len, default="")) > MAX_LINE:
            lines = list(map(_clean, lines))
        yield lines
        if last:
            return


def _without_separators(text: str, begins: bool) -> str:
    """The text without the NUL that rooms write before a line; ``begins`` if a line begins with the text."""
    return (text.removeprefix("\0") if begins else text).replace("\n\0", "\n")


def _clean(line: str) -> str:
    if len(line) > MAX_LINE:
        return line[: MAX_LINE + 1]
    return line[:-1] if line.endswith("\r") else line


def _decode_lines(raw: bytes, last: bool) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return "\n".join(map(_decode_line, raw.split(b"\n")))


def _decode_line(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("cp1252", "replace")


def _decoder(raw: bytes) -> tuple[bytes, Callable[[bytes, bool], str]]:
    """The bytes without a byte order mark, and what decodes them and the following ones."""
    if raw.startswith(codecs.BOM_UTF8):
        return raw[len(codecs.BOM_UTF8) :], _decode_lines
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if raw.startswith(mark):
            return raw[len(mark) :], codecs.getincrementaldecoder(name)("replace").decode
    even, odd = raw[:_TELLING:2], raw[1:_TELLING:2]
    for empty, full, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if empty.count(b"\0") * 10 > 7 * len(empty) and full.count(b"\0") * 10 < len(full):
            return raw, codecs.getincrementaldecoder(name)("replace").decode
    return raw, _decode_lines
