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
    whole: dict[str, Hand] = {}

    def make(folder: Path) -> list[Path]:
        path = folder / "m"
        path.write_text(before + "".join(pieces) + after, encoding="utf-8")
        whole.update((hand.id, hand) for hand in mutants.hands_of(path))
        assert sorted(whole) == sorted(ids)
        mutants.make_neighbours(folder)
        return [path]

    def use(folder: Path, changed: bool) -> str:
        content = (folder / "m").read_bytes()
        wanted = set()
        for number, (piece, id) in enumerate(zip(pieces, ids, strict=True)):
            last = number + 1 == len(pieces)
            behind = after if last else pieces[number + 1].split("\n")[0] + "\n"
            start = content.find((piece + behind).encode())
            alone = start == 0 or content[start - 1 : start] == b"\n"
            if start >= 0 and alone and (behind or content.endswith(piece.encode())):
                wanted.add(whole[id])
        if not content.startswith(before.encode()):
            wanted = set()
        return mutants.Reading(list(read_hands(folder))).ended(set(whole.values()), wanted)

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
