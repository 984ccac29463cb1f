"""Hands of rooms that soulread does not read yet, so that they are named by their room."""

import re
from collections.abc import Iterable, Iterator

from soulread.hands.formats.base import Skipped

_BLANK = "\ufeff\x00 \t"
_MOST = 200  # characters of a line that are looked at
_KNOWN = (
    (re.compile(r"Stage #[A-Z]?[0-9]+"), "Absolute Poker"),
    (re.compile(r"Hand#[0-9A-Z-]{6,} - "), "Cake"),
    (re.compile(r"Game # [0-9]+ - "), "Entraction"),
    (re.compile(r"\*{5} Hand history for game #[0-9]+ \*{5}", re.IGNORECASE), "Everleaf"),
    (re.compile(r"\*{5} History for hand [A-Z0-9-]+ \*{5}"), "OnGame"),
    (re.compile(r"Starting Hand #[0-9]+"), "PKR"),
    (re.compile(r"Hand #[0-9]+-[0-9]+ - [0-9]{4}-"), "Poker Mavens"),
    (re.compile(r"<HISTORY ID=", re.IGNORECASE), "Boss"),
    (re.compile(r"<Game [^>]*hhversion=", re.IGNORECASE), "Microgaming (XML)"),
    (re.compile(r"<game id=\"[0-9-]+\" starttime="), "Merge (XML)"),
)
_NAMED = re.compile(
    r"(?:\*{5} (?P<first>[A-Z][\w. ]{1,40}?) Hand History for Game [0-9A-Za-z]+"
    r"|(?P<second>[A-Z][\w.]{1,20}(?: [A-Z][\w.]{1,20}){0,3}) (?:Game|Hand) ?#[A-Z]{0,4}[0-9-]{3,30}\b)"
)


def unread_room(line: str) -> str:
    """The room that is not read and whose hands begin with such a line; empty for any other line."""
    for pattern, room in _KNOWN:
        if pattern.match(line):
            return room
    found = _NAMED.match(line)
    return (found["first"] or found["second"]).strip() if found else ""


def looks_unread(head: str) -> bool:
    """Whether a file that begins so has hands of a room that is not read."""
    return any(unread_room(line.strip(_BLANK)[:_MOST]) for line in head.split("\n"))


def name_unread(texts: Iterable[list[str]], source: str) -> Iterator[Skipped]:
    """A `Skipped` for each hand of a file of a room that is not read."""
    place = 0
    for lines in texts:
        for line in lines:
            place += 1
            text = line.strip(_BLANK)[:_MOST]
            room = unread_room(text)
            if room:
                yield Skipped(source, place, "", f"this is a hand of {room}; not read yet", repr(text[:60]))
