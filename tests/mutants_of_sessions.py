"""Texts of rooms that soulread reads and does not write, to be damaged by `mutants`."""

from pathlib import Path

import mutants
from test_formats_ipoker import CASH_GAME, CASH_HEAD, END
from test_formats_winamax import CASH, TOURNAMENT

from soulread.hands.formats.reading import read_hands
from soulread.hands.hand import Hand


def text_subject(
    name: str, pieces: list[str], ids: list[str], before: str = "", after: str = ""
) -> "mutants.Subject":
    """A file of these hands. Those whose text is whole, with what stands before all of them, come in."""

    def make(folder: Path) -> list[Path]:
        path = folder / "hands"
        path.write_text(before + "".join(pieces) + after, encoding="utf-8")
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "hands").read_bytes()
        found = list(read_hands(folder / "hands"))
        hands = [entry for entry in found if isinstance(entry, Hand)]
        read = {hand.id for hand in hands}
        if content.startswith(before.encode()):
            for number, (piece, id) in enumerate(zip(pieces, ids, strict=True)):
                last = number + 1 == len(pieces)
                behind = after if last else pieces[number + 1].split("\n")[0] + "\n"
                start = content.find((piece + behind).encode())
                alone = start == 0 or content[start - 1 : start] == b"\n"
                if start >= 0 and alone and (behind or content.endswith(piece.encode())) and id not in read:
                    return mutants.ACCEPTED
        return mutants.HARMLESS if all(map(mutants.adds_up, hands)) else mutants.ACCEPTED

    return mutants.Subject(f"hands {name}", make, use, mutators=mutants.HISTORY)


def session_subjects() -> list["mutants.Subject"]:
    """Sessions of iPoker and texts of Winamax."""
    ids = [str(1000 + number) for number in range(6)]
    games = [CASH_GAME.replace("4411002290", id) for id in ids]
    texts = [
        (CASH if number % 2 else TOURNAMENT).replace("8871203-15", f"{id}-15").replace("99120-64", f"{id}-64")
        for number, id in enumerate(ids)
    ]
    names = [f"{id}-15-1583940117" if number % 2 else f"{id}-64-1428123510" for number, id in enumerate(ids)]
    return [
        text_subject("ipoker", games, ids, CASH_HEAD, END),
        text_subject("winamax", [text + "\n\n" for text in texts], names),
    ]
