"""Files of rooms that write plain text, to be damaged by `mutants.Attack`; `room_subjects` has them all."""

import re
from pathlib import Path

from mutants import ACCEPTED, HARMLESS, HISTORY, Subject
from room_texts import ALL

from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand
from soulread.hands.referee import retrace

_NUMBER = re.compile(r"7[0-9]{8,9}\b|7006100-12")


def numbered(name: str, count: int) -> list[bytes]:
    """Hands of a room that differ in their numbers only: 1000, 1001 and so on."""
    return [f"{_NUMBER.sub(str(1000 + number), ALL[name])}\n".encode() for number in range(count)]


def room_subject(name: str, hands: int = 5) -> Subject:
    """A file with hands of one room. Hands that are whole come in, whatever stands around them."""
    pieces = numbered(name, hands)

    def make(folder: Path) -> list[Path]:
        path = folder / "hands"
        path.write_bytes(b"".join(pieces))
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "hands").read_bytes()
        found = [entry for entry in read_hands(folder / "hands") if isinstance(entry, Hand)]
        ids = {hand.id for hand in found}
        for number, piece in enumerate(pieces):
            last = number + 1 == len(pieces)
            after = b"" if last else _until_header(pieces[number + 1])
            start = content.find(piece + after)
            alone = start == 0 or content[start - 1 : start] == b"\n"
            if (
                start >= 0
                and alone
                and (not last or content.endswith(piece))
                and str(1000 + number) not in ids
            ):
                return ACCEPTED
        return HARMLESS if all(map(is_sound, found)) else ACCEPTED

    return Subject(f"hands {name}", make, use, mutators=HISTORY)


def _until_header(piece: bytes) -> bytes:
    """The beginning of a hand up to the line that has its number, and the next one."""
    lines = piece.split(b"\n")
    place = max(number for number, line in enumerate(lines[:4]) if re.search(rb"\b1[0-9]{3}\b", line))
    return b"\n".join(lines[: place + 2])


def is_sound(hand: Hand) -> bool:
    """Whether a hand was played by the rules, and no chips were made or lost."""
    path = retrace(hand)
    return (
        sum(hand.payoffs) + hand.rake == 0
        and hand.rake >= 0
        and len(path.steps) == len(hand.actions)
        and all(won + paid >= 0 for won, paid in zip(hand.payoffs, path.paid, strict=True))
    )


def room_subjects() -> list[Subject]:
    """Files of every room."""
    return [room_subject(name) for name in ALL]
