"""Hands from files of any format soulread knows, one at a time, and hands written as text.

`FORMATS` is the table of formats. `read_hands` finds out from the content what a file is. `write_hand` and
`write_hands` write a format that can be written.
"""

import lzma
import os
import tarfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TextIO

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import hand_line, looks_like_log, read_acpc
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.gamedef import game_of_log
from soulread.hands.formats.irc import read_irc
from soulread.hands.formats.phh import looks_like_phh, read_phh, write_phh
from soulread.hands.formats.rooms import looks_like_room, read_room, write_room
from soulread.hands.formats.sources import STDIN, BrokenFile, HandSource, sources
from soulread.hands.formats.texts.reading import looks_like_text, read_texts
from soulread.hands.formats.texts.unread import looks_unread, name_unread
from soulread.hands.hand import Hand, hand_from_json

__all__ = ["FORMATS", "Format", "Skipped", "read_hands", "write_hand", "write_hands"]

Found = Iterator[Hand | Skipped]


@dataclass(frozen=True, slots=True)
class Format:
    """A format by name: how its files begin, how they are read, and how a hand is written."""

    name: str
    title: str
    looks_like: Callable[[str], bool]  # (beginning of a file)
    read: Callable[[HandSource, PokerGame | None], Found]
    write: Callable[[Hand, int], str] | None = None  # (hand, its number in the file from 1) -> text


def _read_log(source: HandSource, game: PokerGame | None) -> Found:
    if game is None:
        game = game_of_log(source.head(), source.name, source.path)
    yield from read_acpc(source.lines(), game, source.name)


def _read_json(source: HandSource) -> Found:
    for number, line in enumerate(source.lines(), start=1):
        if line.strip():
            try:
                yield hand_from_json(line)
            except SoulreadError as error:
                yield Skipped(source.name, number, "", "a line is no hand", str(error)[:200])


FORMATS = (
    Format(
        "phh",
        "PHH, one hand in TOML",
        lambda head: False,  # read as PHHS
        lambda source, game: read_phh(source.texts(), source.name),
        lambda hand, number: write_phh(hand),
    ),
    Format(
        "phhs",
        "PHHS, many hands in TOML",
        looks_like_phh,
        lambda source, game: read_phh(source.texts(), source.name),
        lambda hand, number: write_phh(hand, str(number)) + "\n",
    ),
    Format(
        "rooms",
        "text of 888, Winning, PartyPoker, Bovada, Full Tilt and Unibet, and of PokerTracker's exports",
        looks_like_text,
        lambda source, game: read_texts(source.texts(), source.name),
    ),
    Format(
        "pokerstars",
        "PokerStars text, also that of GGPoker and others",
        looks_like_room,
        lambda source, game: read_room(source.texts(), source.name),
        lambda hand, number: write_room(hand) + "\n\n",
    ),
    Format(
        "json",
        "soulread's own: a hand in JSON on each line",
        lambda head: head.lstrip().startswith('{"format":'),
        lambda source, game: _read_json(source),
        lambda hand, number: hand.to_json() + "\n",
    ),
    Format(
        "acpc",
        "match log of the ACPC dealer",
        looks_like_log,
        _read_log,
        lambda hand, number: hand_line(hand),
    ),
)


def read_hands(
    path: str | os.PathLike[str],
    game: PokerGame | None = None,
    told: Callable[[int], None] | None = None,
) -> Found:
    """The hands of a file, a folder or an archive, and a `Skipped` for each hand that is left out.

    ``path`` may be compressed (``.xz .gz .bz2``), an archive (``.zip .tar .tar.*``), a folder, or ``-`` for
    standard input. ``game`` is needed only where a file does not name its game: a match log of the ACPC
    dealer without a ``.game`` file or a usual name.

    A path that is not there, and a single file that is no hand history, are `SoulreadError`. Inside a folder
    or an archive such a file is one `Skipped`. ``told`` is called with bytes of files on disk as they are
    read; in the end they come to the sizes of all files.
    """
    name = os.fspath(path)
    place = Path(name)
    if name == STDIN or not place.is_dir():
        yield from _read_file(name, game, True, told)
        return
    for folder, folders, files in os.walk(place):
        folders.sort()
        if "hdb" in files:
            folders.clear()
            yield from _read_irc(folder, folder == name)
            continue
        for file in sorted(files):
            yield from _read_file(os.path.join(folder, file), game, False, told)


def _read_file(name: str, game: PokerGame | None, given: bool, told: Callable[[int], None] | None) -> Found:
    """One file; what of it is not read as a stream, such as a zip archive, is told at its end."""
    if told is None or name == STDIN:
        yield from _read_unmeasured(name, game, given, None)
        return
    counted = 0

    def count(number: int) -> None:
        nonlocal counted
        counted += number
        told(number)

    yield from _read_unmeasured(name, game, given, count)
    with suppress(OSError):
        told(max(0, os.stat(name).st_size - counted))


def _read_unmeasured(
    name: str, game: PokerGame | None, given: bool, told: Callable[[int], None] | None
) -> Found:
    if name != STDIN and _is_irc_archive(Path(name)):
        yield from _read_irc(name, given)
        return
    for source in sources(name, given, told):
        if isinstance(source, BrokenFile):
            yield Skipped(name, 0, "", "a file cannot be read", str(source))
            continue
        try:
            yield from _read_source(source, game)
        except BrokenFile as error:
            yield Skipped(source.name, 0, "", "a file cannot be read", str(error))
        except SoulreadError as error:
            if source.given:
                raise
            yield Skipped(source.name, 0, "", "no hand history", str(error))


def _read_irc(name: str, given: bool) -> Found:
    try:
        yield from read_irc(name)
    except SoulreadError as error:
        if given:
            raise
        yield Skipped(name, 0, "", "a file cannot be read", str(error))


def _read_source(source: HandSource, game: PokerGame | None) -> Found:
    head = source.head()
    for form in FORMATS:
        if form.looks_like(head):
            yield from form.read(source, game)
            return
    if looks_unread(head):
        yield from name_unread(source.texts(), source.name)
        return
    first = next((line.strip() for line in head.split("\n") if line.strip()), "")
    kind = "it is empty" if not first else f"it begins with {first[:60]!r}"
    raise ParseError(
        f"{source.name!r} is no hand history in {', '.join(form.name for form in FORMATS)} or irc: {kind}"
    )


_IRC_FILES = ("hdb", "hroster", "pdb")


def _is_irc_archive(path: Path) -> bool:
    """Whether this is an archive of the IRC poker database; its first members show it."""
    if not path.is_file():
        return False
    try:
        with tarfile.open(path, "r|*") as archive:
            names = [PurePosixPath(member.name) for member in islice(archive, 20)]
    except (tarfile.TarError, OSError, EOFError, ValueError, TypeError, zlib.error, lzma.LZMAError):
        return False  # a TypeError where the header of a .gz ends too soon
    return any(name.name in _IRC_FILES or name.parent.name == "pdb" for name in names)


def format_named(name: str) -> Format:
    """The format of this name that can be written."""
    known = {form.name: form for form in FORMATS if form.write is not None}
    if name not in known:
        raise SoulreadError(f"{name!r} is no format to write; known are {', '.join(known)}")
    return known[name]


def write_hand(hand: Hand, form: str, number: int = 1) -> str:
    """A hand as text in the format called ``form``; ``number`` counts the hands of a file."""
    write = format_named(form).write
    assert write is not None
    return write(hand, number)


def write_hands(hands: Iterable[Hand], file: TextIO, form: str) -> int:
    """Write hands to an open file, each as it comes; how many there were. What cannot be written raises."""
    count = 0
    for count, hand in enumerate(hands, start=1):
        file.write(write_hand(hand, form, count))
    return count
