"""Files of rooms that write plain text: the hands of a file, whichever rooms they are of."""

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from soulread.hands.formats.base import Piece, Skipped, skip_piece
from soulread.hands.formats.rooms import MAX_LINES, looks_like_room
from soulread.hands.formats.rooms import read_block as read_stars
from soulread.hands.formats.texts.bovada import Bovada
from soulread.hands.formats.texts.fulltilt import Everest, FullTilt, Unibet
from soulread.hands.formats.texts.pacific import Pacific
from soulread.hands.formats.texts.party import Party
from soulread.hands.formats.texts.telling import HandText, MoreDecimals
from soulread.hands.formats.texts.trackers import IPoker, Merge, Microgaming
from soulread.hands.formats.texts.winning import OldWinning, Winning
from soulread.hands.hand import Hand
from soulread.hands.referee import Draft, Unfit, judge

ROOMS: tuple[type[HandText], ...] = (
    Pacific,
    Party,
    Winning,
    OldWinning,
    Bovada,
    FullTilt,
    Everest,
    Unibet,
    IPoker,
    Merge,
    Microgaming,
)
MAX_TEXT = 600  # characters of a line that are looked at
_BLANK = "\ufeff\x00 \t"
_BEGINS = re.compile(
    r"(?:\*{4,5} |Game Hand #|Hand #|Game started at: |Bovada|Ignition|Bodog|Full ?Tilt|Everest|Game #|GAME #"
    r"|MERGE_GAME|Merge Game|\*\* Game ID |\*\* Hand # )"
)
_PREFACE = re.compile(r"#Game No|Game #[0-9]+ starts|\*{10,}|Transcript|Hand history", re.IGNORECASE)


def room_of(line: str) -> type[HandText] | None:
    """The room whose hands begin with such a line; None for any other line."""
    if _BEGINS.match(line) is None:
        return None
    return next((room for room in ROOMS if room.FIRST.match(line)), None)


def looks_like_text(head: str) -> bool:
    """Whether a file that begins so has hands of one of these rooms."""
    return any(room_of(line.strip(_BLANK)[:MAX_TEXT]) for line in head.split("\n"))


def cut_texts(texts: Iterable[list[str]], source: str) -> Iterator[Piece]:
    """The hands of a file, of whichever room."""
    for start, block in _blocks(texts):
        yield Piece("rooms", source, start, "\n".join(block))


def read_texts(piece: Piece) -> Iterator[Hand | Skipped]:
    """The hand of a piece, or a `Skipped`."""
    block, id = piece.text.split("\n"), ""
    room = room_of(block[0])
    try:
        if room is not None:
            found = room.FIRST.match(block[0])
            id = found["id"] if found else ""
            yield read_text(block, room)
        elif looks_like_room(block[0]):
            yield read_stars(block)
        else:
            raise Unfit("a hand without its first line", repr(block[0][:60]))
    except Unfit as error:
        yield skip_piece(error, piece, id)


def read_text(lines: Sequence[str], room: type[HandText]) -> Hand:
    """The hand of one block of lines; raises `Unfit`."""
    if len(lines) > MAX_LINES:
        raise Unfit("a hand is too long", f"more than {MAX_LINES} lines")
    for reading in range(1, room.READINGS):
        with suppress(Unfit):
            return judge(_draft(lines, room, reading - 1))
    try:
        return judge(_draft(lines, room, room.READINGS - 1))
    except Unfit:
        return judge(_draft(lines, room, 0))  # its reason is the one to tell


def _draft(lines: Sequence[str], room: type[HandText], reading: int) -> Draft:
    try:
        return room(lines, 0, reading).draft()
    except MoreDecimals:
        return room(lines, 2, reading).draft()


def _blocks(texts: Iterable[list[str]]) -> Iterator[tuple[int, list[str]]]:
    """The place of each hand, and its lines without blanks and empty ones."""
    block: list[str] = []
    start = place = 0
    for lines in texts:
        for line in lines:
            place += 1
            text = line.strip(_BLANK)[:MAX_TEXT]
            if not text:
                continue
            if (_BEGINS.match(text) and room_of(text)) or (" #" in text and looks_like_room(text)):
                if block:
                    yield start, block
                block, start = [text], place
            elif not block and _PREFACE.match(text):
                pass
            elif len(block) <= MAX_LINES:
                if not block:
                    start = place
                block.append(text)
    if block:
        yield start, block
