"""Archives and packed files that are damaged or malicious: named skips, and the hands around them are kept.

Every file is built here byte by byte. `benchmarks/damage.py` damages whole ones in 10,000 ways each.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import struct
import subprocess
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from test_formats_irc import HEADS_UP
from test_formats_irc import write as write_month
from test_formats_rooms import CASH

from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.hands.formats import reading, sources, unpacking
from soulread.hands.formats.base import Piece
from soulread.hands.formats.reading import FAILED, NO_TEXT, UNREADABLE, Skipped, read_hands
from soulread.hands.formats.sources import HandSource
from soulread.hands.hand import Hand

PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}
MIDDLE = ("10", "11", "12")


def text(*ids: object) -> bytes:
    """A file of hands with these ids."""
    return "\n\n".join(CASH.replace("#7001", f"#{id}") for id in ids).encode()


def ids(found: list[Hand | Skipped]) -> list[str]:
    return [entry.id for entry in found if isinstance(entry, Hand)]


def told(found: list[Hand | Skipped]) -> list[str]:
    """The skips, each as a line of the report."""
    return [str(entry) for entry in found if isinstance(entry, Skipped)]


def between(folder: Path, content: bytes, name: str = "m") -> tuple[list[str], list[str]]:
    """Read a folder where a file lies between two good ones: the ids found, and the skips.

    The good ones must be there; their ids are not returned.
    """
    folder.mkdir(exist_ok=True)
    (folder / "a").write_bytes(text(1))
    (folder / name).write_bytes(content)
    (folder / "z").write_bytes(text(2))
    found = list(read_hands(folder))
    good = ids(found)
    assert (good[0], good[-1]) == ("1", "2")
    return good[1:-1], told(found)


# Compression.


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_that_is_cut_costs_itself_only(tmp_path: Path, kind: str) -> None:
    whole = PACKERS[kind](text(*MIDDLE))
    assert between(tmp_path / "whole", whole) == (list(MIDDLE), [])
    for size in {*range(1, 40), *range(40, len(whole), 23), len(whole) - 1}:
        good, skips = between(tmp_path / "cut", whole[:size])
        assert len(skips) == 1, size
        assert good == list(MIDDLE[: len(good)])
    assert f"{tmp_path}/cut/m: {UNREADABLE}: '{tmp_path}/cut/m' cannot be read to its end" in skips[0]


def test_a_cut_file_keeps_the_hands_before_the_cut(tmp_path: Path) -> None:
    """They lie in its first bytes, which are looked at before they are read."""
    whole = gzip.compress(text(*MIDDLE), 0)
    good, skips = between(tmp_path, whole[: len(whole) * 5 // 6])
    assert good == list(MIDDLE[:2])
    assert "it ends too early" in skips[0]


@pytest.mark.parametrize("kind", PACKERS)
def test_bytes_after_a_packed_file_cost_nothing(tmp_path: Path, kind: str) -> None:
    packed = PACKERS[kind](text(*MIDDLE))
    good, skips = between(tmp_path, packed + b"trailing")
    assert good == list(MIDDLE)
    assert len(skips) == 1
    assert "something else follows its end" in skips[0]
    assert between(tmp_path, packed + bytes(600)) == (list(MIDDLE), [])  # padding
    whole = text(*MIDDLE)
    two = PACKERS[kind](whole[:700]) + bytes(8) + PACKERS[kind](whole[700:])
    assert between(tmp_path, two) == (list(MIDDLE), [])


def test_a_checksum_that_is_wrong_is_told(tmp_path: Path) -> None:
    packed = gzip.compress(text(*MIDDLE))
    (said,) = between(tmp_path, packed[:-8] + b"\0\0\0\0" + packed[-4:])[1]
    assert "incorrect data check" in said


def test_growth_is_counted_over_all_layers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of two layers grows less than it may; together they do not."""
    monkeypatch.setattr(sources, "FREE_BYTES", 2**16)
    monkeypatch.setattr(sources, "MAX_GROWTH", 600)
    inner = gzip.compress(text(*MIDDLE) + b"\n" * 2**19)
    assert len(inner) * 600 > 2**19
    assert between(tmp_path / "one", inner)[1] == []
    doll = gzip.compress(b"".join(gzip.compress(b"\n" * 2**16) for _ in range(40)))
    (said,) = between(tmp_path / "doll", doll)[1]
    assert "grows more than 600 times" in said


def test_members_of_an_archive_grow_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "FREE_BYTES", 2**18)
    monkeypatch.setattr(sources, "MAX_GROWTH", 10)
    big = text(*range(10, 40)) + b"\n" * 2**16
    files = {f"{number}.txt": big for number in range(20)}
    for content in (zipped(files), gzip.compress(tarred(files))):
        good, skips = between(tmp_path, content)
        assert 30 <= len(good) < 20 * 30
        assert len(skips) == 1
        assert "grows more than 10 times" in skips[0]


def test_a_decompressor_may_not_ask_for_any_memory(tmp_path: Path) -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "dict_size": 2**20}]
    packed = bytearray(lzma.compress(text(*MIDDLE), lzma.FORMAT_XZ, filters=filters))
    place = packed.index(b"\x21\x01")  # the filter, and the size of its properties
    packed[place + 2] = 40  # a dictionary of 4 GB
    packed[20:24] = struct.pack("<L", zlib.crc32(bytes(packed[12:20])))
    (said,) = between(tmp_path, bytes(packed))[1]
    assert "Memory usage limit exceeded" in said


# Tar.


def tarred(files: dict[str, bytes], form: int = tarfile.PAX_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, content in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def tar_header(name: str, size: int, kind: bytes = b"0") -> bytes:
    block = bytearray(512)
    block[: len(name)] = name.encode()
    block[100:108], block[124:136], block[156:157] = b"0000644\0", b"%011o\0" % size, kind
    block[257:265] = b"ustar\00000"
    block[148:156] = b"%06o\0 " % (sum(block) + 8 * 32)
    return bytes(block)


def tar_file(name: str, content: bytes, kind: bytes = b"0", size: int | None = None) -> bytes:
    header = tar_header(name, len(content) if size is None else size, kind)
    return header + content + bytes(-len(content) % 512)


def pax(*records: tuple[str, str]) -> bytes:
    content = b""
    for key, value in records:
        body = f" {key}={value}\n".encode()
        length = len(body) + 1
        while length != len(body) + len(str(length)):
            length = len(body) + len(str(length))
        content += str(length).encode() + body
    return tar_file("PaxHeaders/x", content, b"x")


GOOD = tar_file("good.txt", text(12))
END = bytes(1024)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (pax(("GNU.sparse.map", "0,1,x")) + tar_file("s", b"x"), "it is a sparse file"),
        (pax(("GNU.sparse.major", "1"), ("GNU.sparse.realsize", "9" * 25)) + tar_file("s", b"x"), "sparse"),
        (tar_file("s", b"x", b"S"), "it is a sparse file"),
        (pax(("size", "99999999999999999999")) + tar_file("s", b"x"), "the size in its header cannot be"),
        (pax(("size", "-5")) + tar_file("s", b"x"), "the size in its header cannot be"),
        (tar_file("x", b"no records", b"x") + tar_file("s", b"x"), "its extended header cannot be read"),
        (tar_file("x", b"9" * 15 + b" a=b\n", b"x") + tar_file("s", b"x"), "extended header cannot be read"),
        (tar_file("x", b"", b"x", 2**33 - 1), "a header of 8,589,934,591 bytes"),
        (tar_file("x", b"", b"L", 2**33 - 1), "a header of 8,589,934,591 bytes"),
        (tar_file("././@LongLink", b"n" * 100, b"L") * 3000, "more than 50 headers belong to one file"),
        (pax(("path", "n")) * 3000, "more than 50 headers belong to one file"),
        (b"\0" * 512 + b"?" * 512 + b"x" * 512, "a header is damaged"),
        (tar_header("x", 0)[:124] + b"zzzzzzzzzzz\0" + tar_header("x", 0)[136:], "a header is damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gz"])
def test_a_bad_member_of_a_tar(
    tmp_path: Path, bad: bytes, reason: str, pack: Callable[[bytes], bytes]
) -> None:
    """What lies before and behind it in the archive is read, and what lies beside the archive too."""
    content = tar_file("first.txt", text(10, 11)) + bad + GOOD + END
    good, skips = between(tmp_path, pack(content))
    assert good == list(MIDDLE)
    (said,) = [said for said in skips if reason in said]
    assert said.startswith(f"{tmp_path}/m")


def test_a_member_longer_than_the_archive(tmp_path: Path) -> None:
    content = tar_file("first.txt", text(10)) + tar_header("long.txt", 2**33 - 1) + text(11) + b"\n\n"
    good, skips = between(tmp_path, gzip.compress(content))
    assert good == ["10"]  # the last hand of a file that breaks off is not to be trusted
    assert len(skips) == 1
    assert "m/long.txt' cannot be read to its end: it ends too early" in skips[0]


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_names_of_every_kind_of_tar(tmp_path: Path, form: int) -> None:
    names = ["plain", "d/" * 60 + "n" * 70, "zoé"]
    (tmp_path / "x.tar").write_bytes(tarred(dict.fromkeys(names, b"?"), form))
    found = [source.name for source in sources.sources(tmp_path / "x.tar")]
    assert found == [f"{tmp_path}/x.tar/{name}" for name in names]


def test_a_flipped_byte_of_a_tar_costs_one_member(tmp_path: Path) -> None:
    files = {f"{id}.txt": text(id) for id in MIDDLE}
    whole = tarred(files, tarfile.USTAR_FORMAT)
    assert between(tmp_path, whole) == (list(MIDDLE), [])
    second = whole.index(b"11.txt")
    for place in (second, second + 124, second + 150, second + 156, second + 260):
        good, skips = between(tmp_path, whole[:place] + b"\xff" + whole[place + 1 :])
        assert good == ["10", "12"]
        assert len(skips) == 1
        assert f"'{tmp_path}/m' cannot be read: a header is damaged" in skips[0]


# Zip.


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, method)
    return out.getvalue()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_every_method_of_zips(tmp_path: Path, method: int, monkeypatch: pytest.MonkeyPatch) -> None:
    content = zipped({f"{id}.txt": text(id) for id in MIDDLE}, method)
    assert between(tmp_path, content) == (list(MIDDLE), [])
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 1)  # sizes in extra fields, as of huge files
    monkeypatch.setattr(zipfile, "ZIP_FILECOUNT_LIMIT", 1)
    large = zipped({f"{id}.txt": text(id) for id in MIDDLE}, method)
    assert b"PK\x06\x06" in large
    assert between(tmp_path, large) == (list(MIDDLE), [])


def test_a_flipped_byte_of_a_zip(tmp_path: Path) -> None:
    """Wherever it is: at most one member is lost by its content, and the good files around are kept."""
    whole = zipped({f"{id}.txt": text(id) for id in MIDDLE})
    directory = whole.index(b"PK\x01\x02")
    for place in (*range(0, directory, 17), *range(directory, len(whole), 3)):
        good, skips = between(tmp_path, whole[:place] + bytes([whole[place] ^ 0x55]) + whole[place + 1 :])
        assert skips or sorted(good) == list(MIDDLE), place
        assert place < 4 or place > directory or len(good) >= 2, place
    place = whole.index(b"PK\x01\x02", directory + 1)  # an entry of the directory
    good, skips = between(tmp_path, whole[:place] + b"??" + whole[place + 2 :])
    assert good == ["10", "12"]
    assert "an entry of its directory is damaged" in skips[0]


def test_a_name_that_is_no_text(tmp_path: Path) -> None:
    """The flag says that names are UTF-8; one is not. All members are read."""
    whole = zipped({f"zoé{id}.txt": text(id) for id in MIDDLE})
    for form in (whole, whole[: len(whole) // 2]):
        bad = form.replace("zoé11".encode(), b"zo\xff\xfe11")
        good, skips = between(tmp_path, bad)
        assert sorted(good) == (list(MIDDLE) if form is whole else [])
        assert len(skips) == (0 if form is whole else 1)
    (tmp_path / "tar").mkdir()
    bad = tarred({"zoé.txt": text(10)}, tarfile.GNU_FORMAT).replace("zoé".encode(), b"zo\xff\xfe")
    block = bytearray(bad[:512])
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    assert between(tmp_path / "tar", bytes(block) + bad[512:]) == (["10"], [])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda entry: entry[:8] + b"\x01" + entry[9:], "it is encrypted"),
        (lambda entry: entry[:10] + b"\x61\0" + entry[12:], "packed by method 97, which is not read"),
        (lambda entry: entry[:16] + b"\0\0\0\0" + entry[20:], "its checksum is wrong"),
        (lambda entry: entry[:20] + b"\x05\0\0\0" + entry[24:], "it ends too early"),
        (lambda entry: entry[:24] + b"\xff\xff\xff\x7f" + entry[28:], "it ends too early"),
        (lambda entry: entry[:42] + b"\xf0\xff\xff\x7f" + entry[46:], "its header is damaged"),
        (lambda entry: entry[:42] + b"\xff\xff\xff\xff" + entry[46:], "its header is damaged"),
    ],
    ids=["encrypted", "method", "checksum", "packed size", "size", "place", "zip64"],
)
def test_a_bad_member_of_a_zip(tmp_path: Path, change: Callable[[bytes], bytes], reason: str) -> None:
    whole = zipped({f"{id}.txt": text(id) for id in MIDDLE})
    place = whole.index(b"PK\x01\x02", whole.index(b"PK\x01\x02") + 1)
    good, skips = between(tmp_path, whole[:place] + change(whole[place:]))
    assert good == ["10", "12"] or (reason.startswith("its checksum") and good == list(MIDDLE))
    assert len(skips) == 1
    assert skips[0].startswith(f"{tmp_path}/m/11.txt: {UNREADABLE}: ")
    assert reason in skips[0]


def test_a_zip_whose_members_lie_on_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each entry of the directory names the same bytes: a small file with a huge content."""
    monkeypatch.setattr(sources, "FREE_BYTES", 2**17)
    monkeypatch.setattr(sources, "MAX_GROWTH", 3)
    whole = zipped({"x.txt": text(*range(10, 40))}, zipfile.ZIP_STORED)
    place = whole.index(b"PK\x01\x02")
    entry, end = whole[place : whole.index(b"PK\x05\x06")], whole[whole.index(b"PK\x05\x06") :]
    many = 1000
    directory = b"".join(entry.replace(b"x.txt", b"%05d" % number) for number in range(many))
    tail = end[:8] + struct.pack("<2H2L", many, many, len(directory), place) + end[20:]
    good, skips = between(tmp_path, whole[:place] + directory + tail)
    assert 30 <= len(good) < 30 * 100
    assert len(skips) == 1
    assert "grows more than 3 times" in skips[0]


@pytest.mark.parametrize("make", [zipped, tarred, lambda files: gzip.compress(tarred(files))])
def test_the_number_of_members(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[dict[str, bytes]], bytes]
) -> None:
    monkeypatch.setattr(sources, "MAX_MEMBERS", 5)
    content = make({f"{number}.txt": text(number) for number in range(10, 20)})
    good, skips = between(tmp_path, content)
    assert len(good) in (0, 5)  # a zip shows its number before any member
    assert len(skips) == 1
    assert "it has more than 5 files" in skips[0]


def test_a_directory_of_any_size_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacking, "MAX_DIRECTORY", 200)
    content = zipped({f"{number}.txt": text(number) for number in range(10, 20)})
    (said,) = between(tmp_path, content)[1]
    assert "its directory has 520 bytes; at most 200 are read" in said


# Pipes.


class Endless(io.RawIOBase):
    """Begins like a zip and has no end; counts what is read of it."""

    def __init__(self) -> None:
        self.total = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(buffer)  # type: ignore[arg-type]
        view[:] = bytes(len(view))
        if not self.total:
            view[:4] = b"PK\x03\x04"
        self.total += len(view)
        return len(view)


def piped(monkeypatch: pytest.MonkeyPatch, raw: io.RawIOBase | io.BytesIO) -> list[Hand | Skipped]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
    return list(read_hands("-"))


def test_a_zip_without_end_in_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MAX_SPOOLED", 2**20)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    endless = Endless()
    (skip,) = piped(monkeypatch, endless)
    assert "a zip in a pipe may have 1,048,576 bytes; give it as a file" in str(skip)
    assert endless.total < 2**21
    assert list(tmp_path.iterdir()) == []


def test_a_zip_that_grows_in_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "FREE_BYTES", 2**18)
    monkeypatch.setattr(sources, "MAX_GROWTH", 50)
    bomb = gzip.compress(b"PK\x03\x04" + bytes(2**23))
    for found in (piped(monkeypatch, io.BytesIO(bomb)), list(read_hands(written(tmp_path / "bomb", bomb)))):
        (skip,) = found
        assert "grows more than 50 times" in str(skip)


def test_nothing_is_left_of_a_zip_in_a_pipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even while it is read: the temporary file has no name, so a killed process leaves none."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    content = zipped({f"{id}.txt": text(id) for id in MIDDLE})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    found = read_hands("-")
    assert isinstance(next(found), Hand)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(KeyboardInterrupt):
        found.throw(KeyboardInterrupt)  # type: ignore[attr-defined]
    assert list(tmp_path.iterdir()) == []


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


# Whatever a library raises, whatever lies in a folder.


@pytest.mark.parametrize(
    "error",
    [
        MemoryError(),
        RecursionError("too deep"),
        UnicodeDecodeError("utf-8", b"x", 0, 1, "no"),
        OverflowError("huge"),
        struct.error("short"),
        NotImplementedError("later"),
        KeyError("x"),
        zlib.error("Error -3"),
        OSError(5, "Input/output error"),
        ValueError("two\nlines"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_whatever_a_library_raises_is_a_skip(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    class Bad:
        eof, needs_input, unused_data = False, True, b""

        def decompress(self, data: bytes, max_length: int = -1) -> bytes:
            raise error

    monkeypatch.setitem(unpacking._MACHINES, "gz", (b"\x1f\x8b", Bad))
    good, skips = between(tmp_path, gzip.compress(text(*MIDDLE)))
    assert good == []
    assert len(skips) == 1
    assert "\n" not in skips[0]
    assert f"{tmp_path}/m: {UNREADABLE}: '{tmp_path}/m' cannot be read to its end: " in skips[0]


def test_a_mistake_of_a_reader_ends_its_file_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = reading._cut_source

    def failing(source: HandSource, game: None) -> reading.Cut:
        if source.name.endswith("m"):
            raise IndexError("tuple index\nout of range")
        yield from real(source, game)

    monkeypatch.setattr(reading, "_cut_source", failing)
    good, skips = between(tmp_path, text(10))
    assert good == []
    assert skips == [f"{tmp_path}/m: {FAILED}: IndexError: tuple index out of range"]


def test_a_mistake_of_a_reader_in_one_hand_costs_this_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = reading._READERS["pokerstars"]

    def failing(piece: Piece) -> reading.Found:
        if piece.line > 1:
            raise IndexError("tuple index\nout of range")
        assert real is not None
        return real(piece)

    monkeypatch.setitem(reading._READERS, "pokerstars", failing)
    good, skips = between(tmp_path, text(10, 11))
    assert len(good) == 1
    assert len(skips) == 1
    assert skips[0].endswith(f": {FAILED}: IndexError: tuple index out of range")
    assert f"{tmp_path}/m, line " in skips[0]


def test_things_in_a_folder_that_are_no_files(tmp_path: Path) -> None:
    """A pipe with nobody at its other end, a link to nowhere, a name that is no text, a folder of games."""
    folder = tmp_path / "hands"
    folder.mkdir()
    os.mkfifo(folder / "b")
    (folder / "c").symlink_to(folder / "nowhere")
    (folder / "d").symlink_to(folder / "d")
    (folder / "x.game").mkdir()
    (folder / "e.log").write_bytes(b"STATE:2:rc/rf:Qs|Qh/Ks:3|-3:a|b\n")
    with open(os.fsencode(folder) + b"/f\xff", "wb") as file:
        file.write(text(11))
    good, skips = between(folder, text(10))
    assert good == ["2", "11", "10"]  # "2" is that of the log
    assert len(skips) == 3
    assert "it is a pipe, not a file" in skips[0]
    result = CliRunner().invoke(
        cli, ["import", str(folder), "--db", str(tmp_path / "x.db"), "--skipped", str(tmp_path / "skipped")]
    )
    assert result.exit_code == 0, result.output
    assert len((tmp_path / "skipped").read_text().splitlines()) == 1 + 3  # a title


def test_a_month_of_the_irc_database_in_any_archive(tmp_path: Path) -> None:
    folder = write_month(tmp_path / "limit" / "199901", HEADS_UP)
    files = {
        f"limit/199901/{path.relative_to(folder)}": path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    (expected,) = read_hands(folder)
    for content in (zipped(files), gzip.compress(tarred(files)), zipped({"in.tar": tarred(files)})):
        found = list(read_hands(written(tmp_path / "month", content)))
        assert found == [expected]
        good, skips = between(tmp_path / "folder", content)
        assert good == ["102"]
        assert skips == []
    without = {name: raw for name, raw in files.items() if not name.endswith("hdb")}
    good, skips = between(tmp_path / "folder", zipped({**without, "q.txt": text(10)}))
    assert good == ["10"]
    assert "it has no 'hdb' of the IRC poker database" in skips[0]
    cut = gzip.compress(tarred({**files, "zzz.txt": text(10, 11)}), 0)
    assert between(tmp_path / "folder", cut[:-5000])[0] == ["102"]


def test_a_single_file_that_is_damaged_says_so(tmp_path: Path) -> None:
    path = written(tmp_path / "hands.gz", gzip.compress(text(*MIDDLE))[:12])
    (skip,) = read_hands(path)
    assert "it ends too early" in str(skip)
    with pytest.raises(SoulreadError, match="it is empty"):
        list(read_hands(written(tmp_path / "empty.gz", gzip.compress(b""))))


ENDLESS = {
    "sparse.tgz": gzip.compress(
        pax(
            ("GNU.sparse.major", "1"),
            ("GNU.sparse.minor", "0"),
            ("GNU.sparse.realsize", str(2**40)),
            ("size", "99999999999999999999"),
        )
        + tar_file("s", b"1\n0\n0\n")
        + END
    ),
    "size.tgz": gzip.compress(pax(("size", "99999999999999999999")) + tar_file("s", b"x") + END),
    "old_sparse.tar": tar_header("s", 0, b"S")[:483] + b"\x80" + (2**40).to_bytes(11, "big") + bytes(17),
    "links.tgz": gzip.compress(tar_file("././@LongLink", b"n" * 200, b"L") * 3000 + GOOD + END),
    "zeros.gz": gzip.compress(gzip.compress(bytes(2**28), 9), 9),
    "header.tgz": gzip.compress(tar_file("x", b"", b"x", 2**33 - 1) + bytes(2**27)),
    "directory.zip.gz": gzip.compress(
        b"PK\x03\x04"
        + (b"PK\x01\x02" + bytes(42)) * 10**6
        + struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 46 * 10**6, 4, 0)
    ),
}


def test_what_had_no_end_takes_seconds_and_little_memory(tmp_path: Path) -> None:
    """All of them in one folder between two good files, in a process that may not grow."""
    folder = tmp_path / "hands"
    folder.mkdir()
    (folder / "a").write_bytes(text(1))
    (folder / "z").write_bytes(text(2))
    for name, content in ENDLESS.items():
        assert len(content) < 2**19
        (folder / name).write_bytes(content)
    code = (
        "import json, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_CPU, (60, 60))\n"
        "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))\n"
        "from soulread.hands.formats.reading import read_hands\n"
        "entries = list(read_hands(sys.argv[1]))\n"
        "found = [entry.id if hasattr(entry, 'players') else str(entry) for entry in entries]\n"
        "lines = open('/proc/self/status').read().splitlines()  # not the parent's, as in ru_maxrss\n"
        "peak = next(int(line.split()[1]) for line in lines if line.startswith('VmHWM')) / 1024\n"
        "print(json.dumps([found, peak]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found, peak = json.loads(done.stdout)
    assert [entry for entry in found if entry.isdigit()] == ["1", "12", "2"]
    for name in ENDLESS:
        assert any(f"{name}:" in entry or f"{name}/" in entry for entry in found), name
    assert peak < 500  # MB, with all libraries


def test_an_import_goes_on_after_every_bad_archive(tmp_path: Path) -> None:
    """The command itself: exit code 0, all good hands stored, each bad file in the report."""
    folder = tmp_path / "hands"
    folder.mkdir()
    (folder / "a").write_bytes(text(1))
    (folder / "z").write_bytes(text(2))
    bad = {
        "cut.gz": gzip.compress(text(10))[:-30],
        "cut.xz": lzma.compress(text(10))[:-30],
        "flip.zip": zipped({"x": text(10)}).replace(b"PK\x01\x02", b"PK\x01\x03"),
        "map.tar": pax(("GNU.sparse.map", "0,1,x")) + tar_file("s", b"x") + END,
    }
    for name, content in bad.items():
        (folder / name).write_bytes(content)
    db, report = tmp_path / "hands.db", tmp_path / "skipped"
    result = CliRunner().invoke(cli, ["import", str(folder), "--db", str(db), "--skipped", str(report)])
    assert result.exit_code == 0, result.output
    assert "2 new hands" in result.output
    assert f"{len(bad)} left out" in result.output
    lines = report.read_text().splitlines()[1:]
    assert len(lines) == len(bad)
    for name in bad:
        assert any(name in line for line in lines)
    strict = CliRunner().invoke(cli, ["import", str(folder), "--db", str(tmp_path / "s.db"), "--strict"])
    assert strict.exit_code == 2
    assert "1 new hand before it stored" in strict.stderr


@pytest.mark.parametrize(
    ("packed_at", "reasons"),
    [
        ((2026, 11, 18, 12, 0, 0), [NO_TEXT]),
        # The colon in these bytes makes another line of the first one, which no room writes.
        ((2026, 9, 26, 8, 2, 53), ["no hand history"]),
    ],
)
def test_a_file_that_is_not_all_text_is_told(
    packed_at: tuple[int, int, int, int, int, int], reasons: list[str], tmp_path: Path
) -> None:
    """The first bytes of a zip are damaged: a member that is not compressed reads as text, others do not."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, number, method in (("a.txt", 1, zipfile.ZIP_STORED), ("b.txt", 2, zipfile.ZIP_DEFLATED)):
            member = zipfile.ZipInfo(name, packed_at)
            archive.writestr(member, text(number).decode(), method)
    (tmp_path / "m").write_bytes(b"XX" + packed.getvalue()[2:])
    (tmp_path / "z").write_bytes(text(3))
    found = list(read_hands(tmp_path))
    hands = [entry.id for entry in found if isinstance(entry, Hand)]
    assert "3" in hands
    assert "2" not in hands
    assert [entry.reason for entry in found if isinstance(entry, Skipped)] == reasons
