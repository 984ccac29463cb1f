"""Hands from files of any format soulread knows, one at a time, and hands written as text.

`FORMATS` is the table of formats. `cut_files` finds out from the content what a file is, and cuts it into
pieces, one for each hand; `read_piece` reads one; `read_hands` does both. `write_hand` and `write_hands`
write a format that can be written.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.formats.acpc import hand_line, looks_like_log, read_acpc
from soulread.hands.formats.base import MAX_DETAIL, Piece, Skipped
from soulread.hands.formats.gamedef import game_of_log
from soulread.hands.formats.irc import Months, read_irc
from soulread.hands.formats.phh import cut_phh, looks_like_phh, read_phh, write_phh
from soulread.hands.formats.records import cut_records, looks_like_records, read_records
from soulread.hands.formats.rooms import cut_room, looks_like_room, read_room, write_room
from soulread.hands.formats.seated.ipoker import cut_ipoker, looks_like_ipoker, read_ipoker
from soulread.hands.formats.seated.ohh import cut_ohh, looks_like_ohh, read_ohh, write_ohh
from soulread.hands.formats.seated.winamax import cut_winamax, looks_like_winamax, read_winamax
from soulread.hands.formats.sources import STDIN, BrokenFile, HandSource, shown_path, sources
from soulread.hands.formats.texts.reading import cut_texts, looks_like_text, read_texts
from soulread.hands.formats.texts.unread import looks_unread, name_unread
from soulread.hands.hand import Hand

__all__ = [
    "FORMATS",
    "Format",
    "Skipped",
    "cut_files",
    "read_hands",
    "read_piece",
    "read_pieces",
    "verify_path",
    "write_hand",
    "write_hands",
]

UNREADABLE = "a file cannot be read"
NO_TEXT = "bytes that are no text"
FAILED = "soulread failed on a file"  # a mistake of a reader, which must not end an import

Found = Iterator[Hand | Skipped]
Cut = Iterator[Piece | Hand | Skipped]  # hands of formats that are read whole come as they are


@dataclass(frozen=True, slots=True)
class Format:
    """A format by name: how its files begin, are cut and read, and how a hand is written."""

    name: str
    title: str
    looks_like: Callable[[str], bool]  # (beginning of a file)
    cut: Callable[[HandSource, PokerGame | None], Cut]
    read: Callable[[Piece], Found] | None = None  # None if the format is read whole
    write: Callable[[Hand, int], str] | None = None  # (hand, its number in the file from 1) -> text


def _read_log(source: HandSource, game: PokerGame | None) -> Found:
    if game is None:
        game = game_of_log(source.head(), source.name, source.path)
    yield from read_acpc(source.lines(), game, source.name)


FORMATS = (
    Format(
        "phh",
        "PHH, one hand in TOML",
        lambda head: False,  # read as PHHS
        lambda source, game: cut_phh(source.texts(), source.name),
        read_phh,
        lambda hand, number: write_phh(hand),
    ),
    Format(
        "phhs",
        "PHHS, many hands in TOML",
        looks_like_phh,
        lambda source, game: cut_phh(source.texts(), source.name),
        read_phh,
        lambda hand, number: write_phh(hand, str(number)) + "\n",
    ),
    Format(
        "rooms",
        "text of 888, Winning, PartyPoker, Bovada, Full Tilt and Unibet, and of PokerTracker's exports",
        looks_like_text,
        lambda source, game: cut_texts(source.texts(), source.name),
        read_texts,
    ),
    Format(
        "pokerstars",
        "PokerStars text, also that of GGPoker and others",
        looks_like_room,
        lambda source, game: cut_room(source.texts(), source.name),
        read_room,
        lambda hand, number: write_room(hand) + "\n\n",
    ),
    Format(
        "ohh",
        "Open Hand History, hands in JSON",
        looks_like_ohh,
        lambda source, game: cut_ohh(source.texts(), source.name),
        read_ohh,
        lambda hand, number: write_ohh(hand) + "\n",
    ),
    Format(
        "ipoker",
        "iPoker, sessions in XML",
        looks_like_ipoker,
        lambda source, game: cut_ipoker(source.texts(), source.name),
        read_ipoker,
    ),
    Format(
        "winamax",
        "Winamax text",
        looks_like_winamax,
        lambda source, game: cut_winamax(source.texts(), source.name),
        read_winamax,
    ),
    Format(
        "json",
        "soulread's own: a hand in JSON on each line",
        looks_like_records,
        lambda source, game: cut_records(source.lines(), source.name),
        read_records,
        lambda hand, number: hand.to_json() + "\n",
    ),
    Format(
        "acpc",
        "match log of the ACPC dealer",
        looks_like_log,
        _read_log,
        None,
        lambda hand, number: hand_line(hand),
    ),
)


_READERS = {form.name: form.read for form in FORMATS}


def read_hands(
    path: str | os.PathLike[str],
    game: PokerGame | None = None,
    told: Callable[[int], None] | None = None,
) -> Found:
    """The hands of a file, a folder or an archive, and a `Skipped` for each hand that is left out.

    The arguments are those of `cut_files`.
    """
    return read_pieces(cut_files(path, game, told))


def read_pieces(pieces: Iterable[Piece | Hand | Skipped]) -> Found:
    """The hands of pieces, and whatever stands between these, in order."""
    for found in pieces:
        if isinstance(found, Piece):
            yield from read_piece(found)
        else:
            yield found


def read_piece(piece: Piece) -> Found:
    """The hand of a piece, or a `Skipped`; in Open Hand History there may be both."""
    read = _READERS[piece.form]
    assert read is not None
    try:
        yield from read(piece)
    except Exception as error:
        yield _failed(piece.source, piece.line, error)


def cut_files(
    path: str | os.PathLike[str],
    game: PokerGame | None = None,
    told: Callable[[int], None] | None = None,
) -> Cut:
    """The pieces of a file, a folder or an archive, and a `Skipped` for what cannot be cut into such.

    ``path`` may be compressed (``.xz .gz .bz2``), an archive (``.zip .tar .tar.*``), a folder, or ``-`` for
    standard input. ``game`` is needed only where a file does not name its game: a match log of the ACPC
    dealer without a ``.game`` file or a usual name.

    A path that is not there, and a single file that is no hand history, are `SoulreadError`. Inside a folder
    or an archive such a file is one `Skipped`. ``told`` is called with bytes of files on disk as they are
    read; in the end they come to the sizes of all files.
    """
    name = os.fspath(path)
    verify_path(name)
    place = Path(name)
    if name == STDIN or not place.is_dir():
        yield from _cut_file(name, game, True, told)
        return
    hidden: list[OSError] = []
    for folder, folders, files in os.walk(place, onerror=hidden.append):
        folders.sort()
        if "hdb" in files:
            folders.clear()
            yield from _read_irc(folder, folder == name)
            continue
        for file in sorted(files):
            yield from _cut_file(os.path.join(folder, file), game, False, told)
    for error in hidden:
        yield Skipped(shown_path(error.filename), 0, "", UNREADABLE, error.strerror or "")


def verify_path(path: str) -> None:
    """Raise for the empty path, which is no file; Python takes it for this folder."""
    if not path:
        raise SoulreadError("a path is empty; name a file or a folder, or . for this folder")


def _cut_file(name: str, game: PokerGame | None, given: bool, told: Callable[[int], None] | None) -> Cut:
    """One file; what of it is not read as a stream, such as a zip archive, is told at its end."""
    if told is None or name == STDIN:
        yield from _cut_unmeasured(name, game, given, None)
        return
    counted = 0

    def count(number: int) -> None:
        nonlocal counted
        counted += number
        told(number)

    yield from _cut_unmeasured(name, game, given, count)
    with suppress(OSError):
        told(max(0, os.stat(name).st_size - counted))


def _cut_unmeasured(
    name: str, game: PokerGame | None, given: bool, told: Callable[[int], None] | None
) -> Cut:
    with Months() as months:  # of the IRC database, whose files are read together
        for source in sources(name, given, told):
            if isinstance(source, BrokenFile):
                yield _unreadable(source)
                continue
            if months.takes(source):
                months.add(source)
            else:
                yield from _cut_any(source, game)
            if source.error is not None:
                yield _unreadable(source.error)
            elif source.has_nuls:
                yield Skipped(source.name, 0, "", NO_TEXT, "it may be damaged, and hands may be missing")
        yield from _guarded(months.hands(), shown_path(name))


def _cut_any(source: HandSource, game: PokerGame | None) -> Cut:
    """The pieces of one file; an error ends this file only, unless the user named it."""
    try:
        yield from _guarded(_cut_source(source, game), source.name)
    except BrokenFile:
        return  # it stays the error of the source
    except SoulreadError as error:
        if source.error is not None:
            return
        if source.given:
            raise
        yield Skipped(source.name, 0, "", "no hand history", str(error))


def _guarded(found: Cut, name: str) -> Cut:
    """The same; a mistake of a reader, which raises anything but a `SoulreadError`, ends only this file."""
    try:
        yield from found
    except SoulreadError:
        raise
    except Exception as error:
        yield _failed(name, 0, error)


def _failed(name: str, line: int, error: Exception) -> Skipped:
    said = f"{type(error).__name__}: {error}"
    return Skipped(name, line, "", FAILED, " ".join(said.split())[:MAX_DETAIL])


def _unreadable(error: BrokenFile) -> Skipped:
    return Skipped(error.name, 0, "", UNREADABLE, str(error))


def _read_irc(name: str, given: bool) -> Cut:
    try:
        yield from _guarded(read_irc(name), shown_path(name))
    except SoulreadError as error:
        if given:
            raise
        yield Skipped(shown_path(name), 0, "", UNREADABLE, str(error))


def _cut_source(source: HandSource, game: PokerGame | None) -> Cut:
    head = source.head()
    for form in FORMATS:
        if form.looks_like(head):
            yield from form.cut(source, game)
            return
    if looks_unread(head):
        yield from name_unread(source.texts(), source.name)
        return
    first = next((line.strip() for line in head.split("\n") if line.strip()), "")
    kind = "it is empty" if not first else f"it begins with {first[:60]!r}"
    raise ParseError(
        f"{source.name!r} is no hand history in {', '.join(form.name for form in FORMATS)} or irc: {kind}"
    )


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
