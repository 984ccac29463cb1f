"""Packed files and archives as streams: gz, bz2, xz, tar, zip.

The libraries only decompress. Headers of archives are read here, since they cannot be trusted: a size may be
a billion times that of the file, a header may announce thousands of others, and one bad name must not cost
the other members. Nothing is read whole, and every header is bounded. A `Member` that cannot be read has a
reason, and those after it are found all the same. How much may come out, and how often, is up to
`soulread.hands.formats.sources`.
"""

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple, Protocol

from soulread.words import printable

PIECE = 2**14  # packed bytes handed to a decompressor at once
STEP = 2**16  # bytes it gives back at most; where it fails, no more than these are lost
MAX_MEMORY = 2**28  # bytes a decompressor may ask for; xz -9 takes a quarter of it
MAX_HEADER = 2**16  # bytes of a long name, or of a tar's extended header
MAX_HEADERS = 50  # of these before one member
MAX_SIZE = 2**50  # bytes; a header that says more is wrong
MAX_DIRECTORY = 2**25  # bytes of a zip's directory
MAX_NAME = 1_000  # characters of a member's name that are kept

_TAR_BLOCK = 512
_LOW = bytes(range(128))


class Readable(Protocol):
    """Something with bytes to be read once, in order."""

    def read(self, size: int, /) -> bytes:
        """At most so many bytes, and none at the end only."""
        ...


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class TooEarly(EOFError):
    """The bytes end before they should."""

    def __init__(self) -> None:
        super().__init__("it ends too early")


class Trailing(EOFError):
    """All was read, and something else follows."""

    def __init__(self) -> None:
        super().__init__("something else follows its end")


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive: its content, or the reason why it cannot be read."""

    name: str
    content: Readable | None
    reason: str = ""


# Compression.


class _Inflater:
    """`zlib` with the manners of `bz2` and `lzma`."""

    def __init__(self, bits: int) -> None:
        self._machine = zlib.decompressobj(bits)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        return self._machine.eof

    @property
    def unused_data(self) -> bytes:
        return self._machine.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        block = self._machine.decompress(self._machine.unconsumed_tail + data, max_length)
        self.needs_input = not self._machine.unconsumed_tail and len(block) < max_length
        return block


_MACHINES: dict[str, tuple[bytes, Callable[[], _Decompressor]]] = {
    "gz": (b"\x1f\x8b", lambda: _Inflater(31)),
    "bz2": (b"BZh", bz2.BZ2Decompressor),
    "xz": (b"\xfd7zXZ\x00", lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MAX_MEMORY)),
}


class Decompressed:
    """The content of a compressed stream: one part or, with ``magic``, several one after another.

    Zeros after the last part are padding; anything else there is `Trailing`.
    """

    def __init__(self, packed: Readable, make: Callable[[], _Decompressor], magic: bytes = b"") -> None:
        self._packed = packed
        self._make = make
        self._magic = magic
        self._machine: _Decompressor | None = make()
        self._waiting = b""  # packed bytes that no part has taken

    def read(self, size: int, /) -> bytes:
        """The next bytes; raises whatever the library raises."""
        while self._machine is not None or self._begin():
            block = self._step(min(size, STEP))
            if block:
                return block
        return b""

    def _begin(self) -> bool:
        """Start the next part; False at the end."""
        waiting = self._waiting.lstrip(b"\0")
        while len(waiting) < len(self._magic):
            more = self._packed.read(PIECE)
            if not more:
                break
            waiting = (waiting + more).lstrip(b"\0")
        self._waiting = waiting
        if not waiting or not self._magic:
            return False
        if not waiting.startswith(self._magic):
            raise Trailing
        self._machine = self._make()
        return True

    def _step(self, size: int) -> bytes:
        machine = self._machine
        assert machine is not None
        if machine.needs_input and not self._waiting:
            self._waiting = self._packed.read(PIECE)
            if not self._waiting:
                raise TooEarly
        data, self._waiting = (self._waiting, b"") if machine.needs_input else (b"", self._waiting)
        block = machine.decompress(data, size)
        if machine.eof:
            self._waiting = machine.unused_data + self._waiting
            self._machine = None
        return block


def decompressed(kind: str, packed: Readable) -> Decompressed:
    """The content of a file of the kind "gz", "bz2" or "xz"."""
    magic, make = _MACHINES[kind]
    return Decompressed(packed, make, magic)


# Parts of a stream.


class _Section:
    """The next ``size`` bytes of a stream."""

    def __init__(self, stream: Readable, size: int) -> None:
        self._stream = stream
        self._left = size

    def read(self, size: int, /) -> bytes:
        block = self._stream.read(min(size, self._left)) if self._left else b""
        if self._left and size and not block:
            raise TooEarly
        self._left -= len(block)
        return block

    def pass_over(self) -> None:
        """Read what nobody read."""
        while self._left:
            self.read(STEP)


def _exactly(stream: Readable, size: int) -> bytes:
    """So many bytes; fewer at the end of the stream only."""
    blocks = []
    while size:
        block = stream.read(size)
        if not block:
            break
        blocks.append(block)
        size -= len(block)
    return b"".join(blocks)


# Tar.


class _BadHeader(ValueError):
    """A header of an archive that cannot be."""


def looks_like_tar(head: bytes) -> bool:
    """Whether a file that begins so is a tar: by its mark, or by the checksum of its first header."""
    return head[257:262] == b"ustar" or (len(head) >= _TAR_BLOCK and _has_checksum(head[:_TAR_BLOCK]))


def tar_members(stream: Readable) -> Iterator[Member]:
    """The files of a tar in order. Behind a damaged header the next one that is whole is looked for."""
    waiting = _Announced()
    lost = False  # between a damaged header and the next one that is whole
    while len(block := _exactly(stream, _TAR_BLOCK)) == _TAR_BLOCK:
        kind = block[156:157]
        if not any(block):  # padding, or the end
            continue
        if not _has_checksum(block):
            if not lost:
                yield Member("", None, "a header is damaged")
            lost, waiting = True, _Announced()
            continue
        if lost and (kind in _ANNOUNCING or block[257:262] != b"ustar"):
            continue
        lost = False
        try:
            size = _tar_number(block[124:136])
            if kind in _ANNOUNCING:
                waiting.read(kind, _small(stream, size))
                continue
        except _BadHeader as error:
            yield Member(_tar_name(block), None, str(error))
            lost, waiting = True, _Announced()
            continue
        name, size, reason = waiting.name or _tar_name(block), waiting.size or size, waiting.reason
        waiting = _Announced()
        if kind == b"S":
            reason = _SPARSE
            _pass_sparse_map(stream, block)
        content = _Section(stream, size)
        if kind in _FILES or reason:
            yield Member(name[:MAX_NAME], None if reason else content, reason)
        content.pass_over()
        _exactly(stream, -size % _TAR_BLOCK)
    if block and not lost:
        raise TooEarly


_ANNOUNCING = (b"x", b"X", b"g", b"L", b"K")
_FILES = (b"0", b"\0", b"7", b"S")
_SPARSE = "it is a sparse file, which is not read"


class _Announced:
    """What special headers say about the next member."""

    def __init__(self) -> None:
        self.name = ""
        self.size = 0
        self.reason = ""
        self._count = 0

    def read(self, kind: bytes, content: bytes) -> None:
        """Take over one header; those of links and of the whole archive say nothing that matters."""
        self._count += 1
        if self._count > MAX_HEADERS:
            raise _BadHeader(f"more than {MAX_HEADERS} headers belong to one file")
        if kind == b"L":
            self.name = _text(content.partition(b"\0")[0])
        elif kind in (b"x", b"X"):
            for key, value in _pax_records(content):
                self._take(key, value)

    def _take(self, key: bytes, value: bytes) -> None:
        if key == b"path":
            self.name = _text(value)
        elif key == b"size":
            self.size = _bounded(int(value) if value.isdigit() and len(value) < 30 else -1)
        elif key.startswith(b"GNU.sparse"):
            self.reason = _SPARSE


def _pax_records(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The records ``length key=value`` of an extended header."""
    place = 0
    while place < len(content) and content[place : place + 1] != b"\0":
        digits = content[place : place + 20].partition(b" ")[0]
        length = int(digits) if digits.isdigit() else 0
        record = content[place : place + length]
        key, mark, value = record[len(digits) + 1 : -1].partition(b"=")
        if not mark or len(record) < length or record[-1:] != b"\n":
            raise _BadHeader("its extended header cannot be read")
        yield key, value
        place += length


def _has_checksum(block: bytes) -> bool:
    """Whether the checksum of a header is right; those of old tars count bytes with a sign."""
    try:
        wanted = _tar_number(block[148:156])
    except _BadHeader:
        return False
    counted = block[:148] + b" " * 8 + block[156:]
    total = sum(counted)
    return wanted in (total, total - 256 * len(counted.translate(None, _LOW)))


def _tar_number(field: bytes) -> int:
    if field[0] == 128:
        return _bounded(int.from_bytes(field[1:], "big"))
    digits = field.partition(b"\0")[0].strip()
    if not digits.isdigit() or set(digits) & set(b"89"):
        if digits:
            raise _BadHeader("a number of its header cannot be read")
        return 0
    return _bounded(int(digits, 8))


def _bounded(size: int) -> int:
    if not 0 <= size <= MAX_SIZE:
        raise _BadHeader("the size in its header cannot be")
    return size


def _tar_name(block: bytes) -> str:
    name = block[:100].partition(b"\0")[0]
    prefix = block[345:500].partition(b"\0")[0] if block[257:263] == b"ustar\0" else b""
    return _text(prefix + b"/" + name if prefix else name)


def _text(raw: bytes) -> str:
    return printable(raw.decode("utf-8", "replace"))


def _small(stream: Readable, size: int) -> bytes:
    """The content of a special header."""
    if size > MAX_HEADER:
        raise _BadHeader(f"a header of {size:,} bytes; at most {MAX_HEADER:,} are read")
    padded = _exactly(stream, size + -size % _TAR_BLOCK)
    if len(padded) < size:
        raise TooEarly
    return padded[:size]


def _pass_sparse_map(stream: Readable, block: bytes) -> None:
    """Old GNU tars put the map of a sparse file between its header and its content."""
    more = block[482]
    while more:
        block = _exactly(stream, _TAR_BLOCK)
        if len(block) < _TAR_BLOCK:
            raise TooEarly
        more = block[504]


# Zip.

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_ENTRY = struct.Struct("<4s6H3L5H2L")
_LOCAL = struct.Struct("<4s5H3L2H")
_FULL_16, _FULL_32 = 0xFFFF, 0xFFFFFFFF
_ENCRYPTED, _LZMA_END, _UTF_8 = 0x1, 0x2, 0x800


class _Entry(NamedTuple):
    """A member as the directory of a zip has it."""

    name: str
    reason: str  # why it cannot be read, if it cannot
    flags: int = 0
    method: int = 0
    checksum: int = 0
    packed: int = 0  # bytes
    size: int = 0  # bytes
    start: int = 0  # of its own header in the file


def zip_members(file: BinaryIO, most: int) -> Iterator[Member]:
    """The files of a zip by name; more than ``most`` are refused."""
    entries: list[_Entry] = []
    for entry in _directory(file):
        if entry.size or not entry.name.endswith("/"):
            entries.append(entry)
        if len(entries) > most:
            raise _BadHeader(f"it has more than {most:,} files")
    entries.sort()
    for entry in entries:
        try:
            yield Member(entry.name[:MAX_NAME], _content(file, entry))
        except (_BadHeader, TooEarly) as error:
            yield Member(entry.name[:MAX_NAME], None, str(error))


def _directory(file: BinaryIO) -> Iterator[_Entry]:
    size, shift, end = _find_directory(file)
    if size > MAX_DIRECTORY:
        raise _BadHeader(f"its directory has {size:,} bytes; at most {MAX_DIRECTORY:,} are read")
    file.seek(end - size)
    content = file.read(size)
    place = behind = 0  # where the next entry should begin; where the last one surely ended
    while place != len(content):
        if content[place : place + 4] != b"PK\x01\x02":
            yield _Entry("", "an entry of its directory is damaged")
            place = content.find(b"PK\x01\x02", behind)
        if not 0 <= place <= len(content) - _ENTRY.size:
            return
        behind = place + _ENTRY.size
        entry, length = _entry(content, place, shift)
        yield entry
        place += length


def _find_directory(file: BinaryIO) -> tuple[int, int, int]:
    """Bytes of the directory, what to add to the places it names, and where it ends."""
    total = file.seek(0, 2)
    begin = max(0, total - _END.size - _FULL_16)
    file.seek(begin)
    tail = file.read(total - begin)
    found = tail.rfind(b"PK\x05\x06", 0, len(tail) - _END.size + 4)
    if found < 0:
        raise TooEarly
    end = begin + found
    size, start = _END.unpack_from(tail, found)[5:7]
    if found >= _LOCATOR.size and tail[found - _LOCATOR.size : found - _LOCATOR.size + 4] == b"PK\x06\x07":
        end = _LOCATOR.unpack_from(tail, found - _LOCATOR.size)[2]
        file.seek(min(end, total))
        record = file.read(_END_64.size)
        if len(record) < _END_64.size or record[:4] != b"PK\x06\x06":
            raise _BadHeader("its directory is damaged")
        size, start = _END_64.unpack(record)[8:10]
    if size > end or (end and not size):
        raise _BadHeader("its directory is damaged")
    return size, end - size - start, end


def _entry(content: bytes, place: int, shift: int) -> tuple[_Entry, int]:
    """An entry of the directory, and its length."""
    values = _ENTRY.unpack_from(content, place)
    flags, method, checksum = values[3], values[4], values[7]
    packed, size, start = values[8], values[9], values[16]
    name_length, extra_length, comment_length = values[10:13]
    after = place + _ENTRY.size
    raw = content[after : after + name_length]
    name = printable(raw.decode("utf-8" if flags & _UTF_8 else "cp437", "replace"))
    extra = content[after + name_length : after + name_length + extra_length]
    length = _ENTRY.size + name_length + extra_length + comment_length
    if _FULL_32 in (packed, size, start):
        large = _zip64_numbers(extra)
        size, packed, start = (
            next(large, value) if value == _FULL_32 else value for value in (size, packed, start)
        )
    reason = ""
    if flags & _ENCRYPTED:
        reason = "it is encrypted"
    elif method not in (0, 8, 12, 14):
        reason = f"it is packed by method {method}, which is not read"
    return _Entry(name, reason, flags, method, checksum, packed, size, start + shift), length


def _zip64_numbers(extra: bytes) -> Iterator[int]:
    """The numbers that do not fit into an entry: size, packed size and place, each if it is needed."""
    place = 0
    while place + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, place)
        field = extra[place + 4 : place + 4 + length]
        if kind == 1:
            yield from (value for (value,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8]))
        place += 4 + length


class _Range:
    """Some bytes of a file, wherever else the file is read meanwhile."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._place = start
        self._end = start + size

    def read(self, size: int, /) -> bytes:
        self._file.seek(self._place)
        block = self._file.read(min(size, self._end - self._place))
        if not block and size and self._place < self._end:
            raise TooEarly
        self._place += len(block)
        return block


class _Checked:
    """A content whose size and checksum are known; a wrong one is told at its end."""

    def __init__(self, content: Readable, size: int, checksum: int) -> None:
        self._content = content
        self._left = size
        self._checksum = checksum
        self._sum = 0

    def read(self, size: int, /) -> bytes:
        block = self._content.read(min(size, self._left)) if self._left else b""
        self._sum = zlib.crc32(block, self._sum)
        self._left -= len(block)
        if not block and size:
            if self._left:
                raise TooEarly
            if self._sum != self._checksum:
                raise _BadHeader("its checksum is wrong")
        return block


def _content(file: BinaryIO, entry: _Entry) -> Readable:
    """The content of a member; raises `_BadHeader` or `TooEarly` if there is none."""
    if entry.reason:
        raise _BadHeader(entry.reason)
    if not (0 <= entry.start <= MAX_SIZE and entry.packed <= MAX_SIZE and entry.size <= MAX_SIZE):
        raise _BadHeader("the size in its header cannot be")
    file.seek(entry.start)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != b"PK\x03\x04":
        raise _BadHeader("its header is damaged")
    name_length, extra_length = _LOCAL.unpack(header)[9:11]
    packed = _Range(file, entry.start + _LOCAL.size + name_length + extra_length, entry.packed)
    content: Readable = packed
    if entry.method == 8:
        content = Decompressed(packed, lambda: _Inflater(-15))
    elif entry.method == 12:
        content = Decompressed(packed, bz2.BZ2Decompressor)
    elif entry.method == 14:
        content = _with_lzma(packed, entry)
    return _Checked(content, entry.size, entry.checksum)


def _with_lzma(packed: _Range, entry: _Entry) -> Readable:
    """A zip's own header of LZMA turned into that of an .lzma file."""
    header = _exactly(packed, 9)
    if len(header) < 9 or header[2:4] != b"\x05\0":
        raise _BadHeader("its header is damaged")
    size = -1 if entry.flags & _LZMA_END else entry.size
    machine = lzma.LZMADecompressor(lzma.FORMAT_ALONE, memlimit=MAX_MEMORY)
    machine.decompress(header[4:] + size.to_bytes(8, "little", signed=True), 0)
    return Decompressed(packed, lambda: machine)
