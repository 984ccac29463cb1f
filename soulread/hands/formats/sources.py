"""Files as streams of lines: folders, archives, compressed files, standard input; any usual encoding.

Nothing is read whole. A line has at most `MAX_LINE` characters; of a longer one the rest is dropped, so that
its hand fails and the next one is read. A compressed file may grow a thousandfold and no more, once it has
grown past `FREE_BYTES`; archives may lie in archives, three deep.

**Encodings.** A byte order mark decides. Without one, text with a NUL in every other byte is UTF-16, and
anything else is UTF-8; a line that is not valid UTF-8 is read as cp1252.
"""

import bz2
import codecs
import gzip
import io
import lzma
import os
import shutil
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from soulread.errors import SoulreadError
from soulread.storage.files import verify_readable

MAX_LINE = 50_000  # characters
BLOCK = 2**18  # bytes read at once
FREE_BYTES = 2**27  # unpacked before anything is found suspicious
MAX_GROWTH = 1_000
MAX_DEPTH = 3
HEAD = 2**17  # bytes that decide what a file is

STDIN = "-"

_MAGIC = (
    (b"\xfd7zXZ\x00", "xz"),
    (b"\x1f\x8b", "gz"),
    (b"BZh", "bz2"),
    (b"PK\x03\x04", "zip"),
    (b"PK\x05\x06", "zip"),
)
_BROKEN = (EOFError, OSError, lzma.LZMAError, zlib.error, tarfile.TarError, zipfile.BadZipFile, RuntimeError)


class BrokenFile(SoulreadError):
    """A file that ends too early or cannot be unpacked; what came before it was read."""


@dataclass(slots=True)
class HandSource:
    """One file, wherever it lies: its name, and its bytes as a stream that can be read once."""

    name: str  # path, and the member of an archive: "hands.zip/july.txt"
    stream: "_Stream"
    given: bool  # the user named this very file, not a folder or an archive around it
    path: Path | None = None  # where it lies on disk, if it does

    def head(self) -> str:
        """The beginning as text, without reading on."""
        return "\n".join(line for block in _line_blocks(io.BytesIO(self.stream.peek(HEAD))) for line in block)

    def texts(self) -> Iterator[list[str]]:
        """The lines in order without line breaks, many at a time; `BrokenFile` where the file is damaged."""
        try:
            yield from _line_blocks(self.stream)
        except _BROKEN as error:
            raise BrokenFile(f"{self.name!r} cannot be read to its end: {error}") from None

    def lines(self) -> Iterator[str]:
        """The same lines one by one."""
        for block in self.texts():
            yield from block


class _Stream(io.RawIOBase):
    """Bytes that can be looked at before they are read, and that do not grow without end."""

    def __init__(self, raw: IO[bytes], packed: "_Counted | None" = None) -> None:
        self._raw = raw
        self._packed = packed
        self._ahead = b""
        self._total = 0

    def peek(self, size: int) -> bytes:
        """The next ``size`` bytes, or what is left."""
        while len(self._ahead) < size:
            block = self._next(size - len(self._ahead))
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
        block = self._raw.read(size)
        self._total += len(block)
        if self._packed is not None and self._total > FREE_BYTES + MAX_GROWTH * self._packed.total:
            raise OSError(f"it grows more than {MAX_GROWTH:,} times when it is unpacked")
        return block


class _Counted(io.RawIOBase):
    """Packed bytes, counted as they are read; ``told`` is given each number."""

    def __init__(self, raw: IO[bytes], told: Callable[[int], None] | None = None) -> None:
        self._raw = raw
        self._told = told
        self.total = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        block = self._raw.read(size)
        self.total += len(block)
        if self._told is not None:
            self._told(len(block))
        return block

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast(bytearray, buffer))
        block = self.read(len(view))
        view[: len(block)] = block
        return len(block)


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
        yield from _unpacked(_Stream(sys.stdin.buffer), "standard input", True, None, 0)
        return
    yield from _file(Path(name), given, told)


def _file(place: Path, given: bool, told: Callable[[int], None] | None) -> Iterator[HandSource | BrokenFile]:
    try:
        verify_readable(place, pipes=True)
        with open(place, "rb") as file:
            raw = file if told is None else cast(BinaryIO, _Counted(file, told))
            yield from _unpacked(_Stream(raw), str(place), given, place, 0)
    except SoulreadError as error:
        if given:
            raise
        yield BrokenFile(str(error))
    except OSError as error:
        if given:
            raise SoulreadError(f"{str(place)!r} cannot be read: {error.strerror or error}") from None
        yield BrokenFile(f"{str(place)!r} cannot be read: {error.strerror or error}")


def _unpacked(
    stream: _Stream, name: str, given: bool, path: Path | None, depth: int
) -> Iterator[HandSource | BrokenFile]:
    try:
        head = stream.peek(600)
    except _BROKEN as error:
        yield BrokenFile(f"{name!r} cannot be unpacked: {error}")
        return
    kind = next((kind for magic, kind in _MAGIC if head.startswith(magic)), "")
    if not kind and head[257:262] == b"ustar":
        kind = "tar"
    if not kind:
        yield HandSource(name, stream, given, path)
        return
    if depth == MAX_DEPTH:
        yield BrokenFile(f"{name!r} is packed more than {MAX_DEPTH} times")
        return
    if kind in ("xz", "gz", "bz2"):
        counted = _Counted(cast(BinaryIO, stream))
        yield from _unpacked(_Stream(_decompressor(kind, counted), counted), name, given, None, depth + 1)
        return
    members = _zip_members(stream, path) if kind == "zip" else _tar_members(stream)
    try:
        for member, inner in members:
            yield from _unpacked(inner, f"{name}/{member}", False, None, depth + 1)
    except _BROKEN as error:
        yield BrokenFile(f"{name!r} cannot be unpacked: {error}")


def _decompressor(kind: str, packed: _Counted) -> IO[bytes]:
    raw = cast(BinaryIO, packed)
    if kind == "xz":
        return cast(IO[bytes], lzma.open(raw, "rb"))
    if kind == "gz":
        return cast(IO[bytes], gzip.open(raw, "rb"))
    return cast(IO[bytes], bz2.open(raw, "rb"))


def _tar_members(stream: _Stream) -> Iterator[tuple[str, _Stream]]:
    with tarfile.open(fileobj=cast(BinaryIO, stream), mode="r|") as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None:
                yield member.name, _Stream(file)


def _zip_members(stream: _Stream, path: Path | None) -> Iterator[tuple[str, _Stream]]:
    with _seekable(stream, path) as file, zipfile.ZipFile(file) as archive:
        for member in sorted(archive.infolist(), key=lambda info: info.filename):
            if not member.is_dir():
                with archive.open(member) as inner:
                    counted = _Counted(io.BytesIO())
                    counted.total = member.compress_size
                    yield member.filename, _Stream(inner, counted)


@contextmanager
def _seekable(stream: _Stream, path: Path | None) -> Iterator[IO[bytes]]:
    """A file one can jump in; what comes through a pipe is put on the disk first."""
    if path is not None and path.is_file():
        with open(path, "rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as spooled:
        shutil.copyfileobj(cast(BinaryIO, stream), spooled, BLOCK)
        spooled.seek(0)
        yield spooled


# Text.


def _line_blocks(stream: IO[bytes] | io.RawIOBase) -> Iterator[list[str]]:
    decode: Callable[[bytes, bool], str] | None = None
    rest = ""
    dropping = False  # inside a line that is too long
    tail = b""
    while True:
        raw = cast(IO[bytes], stream).read(BLOCK)
        if decode is None:
            raw, decode = _decoder(raw)
        last = not raw
        if decode is not _decode_lines:
            text = decode(raw, last)
        else:  # decode whole lines only, so that one bad line does not spoil the others
            raw = tail + raw
            cut = len(raw) if last else raw.rfind(b"\n") + 1
            if not cut and len(raw) > 4 * MAX_LINE:
                cut = len(raw)
            raw, tail = raw[:cut], raw[cut:]
            text = _decode_lines(raw, last)
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
    even, odd = raw[:400:2], raw[1:400:2]
    for empty, full, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if empty.count(b"\0") * 10 > 7 * len(empty) and full.count(b"\0") * 10 < len(full):
            return raw, codecs.getincrementaldecoder(name)("replace").decode
    return raw, _decode_lines
