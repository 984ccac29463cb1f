"""Hands of a store written to files of other programs."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.hands.formats.phh import write_phh
from soulread.hands.formats.rooms import write_room
from soulread.hands.hand import Hand
from soulread.storage import replacing


def _json_lines(hands: Iterable[Hand]) -> Iterator[str]:
    for hand in hands:
        yield hand.to_json() + "\n"


def _phhs(hands: Iterable[Hand]) -> Iterator[str]:
    for number, hand in enumerate(hands, 1):
        yield write_phh(hand, str(number)) + "\n"


def _room_texts(hands: Iterable[Hand]) -> Iterator[str]:
    for hand in hands:
        yield write_room(hand) + "\n\n\n"


WRITERS: dict[str, Callable[[Iterable[Hand]], Iterator[str]]] = {
    ".jsonl": _json_lines,
    ".phhs": _phhs,
    ".txt": _room_texts,
}
"""How hands are written, by the ending of the file's name."""


def verify_export(path: Path) -> None:
    """Raise unless the ending of a name is that of a format."""
    if path.suffix.lower() not in WRITERS:
        raise SoulreadError(f"{str(path)!r} has no ending we write; known are {', '.join(WRITERS)}")


def export_hands(hands: Iterable[Hand], path: Path) -> int:
    """Write hands to a file, whole or not at all; returns how many."""
    verify_export(path)
    count = 0

    def counted() -> Iterator[Hand]:
        nonlocal count
        for hand in hands:
            count += 1
            yield hand

    with replacing(path) as file:
        for text in WRITERS[path.suffix.lower()](counted()):
            file.write(text.encode("utf-8"))
    return count
