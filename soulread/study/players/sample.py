"""Hands that come with soulread, to try things on: 3,000 hands of no-limit hold'em with 6 seats, all made up.

25 simulated players play them, and `benchmarks/make_sample_hands.py` says which habit each was given. The
hands are text as PokerStars writes it, seen by one of the players, the hero.
"""

import lzma
from dataclasses import dataclass
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.storage.files import write_file

SAMPLE = Path(__file__).with_name("sample_hands.txt.xz")
HERO = "RileyRiver"
_FIRST = "Sample Hand #"


@dataclass(frozen=True)
class SampleStudy:
    """What was written: the files, and how many hands are in them."""

    folder: str
    files: tuple[str, ...]
    hands: int
    hero: str


def sample_text() -> str:
    """All hands as one text."""
    return lzma.decompress(SAMPLE.read_bytes()).decode("ascii")


def write_sample(folder: Path, *, force: bool = False) -> SampleStudy:
    """Write the hands into a folder, which is made if it is not there: a file for each 250.

    A file that is there with another content is only written over with ``force``.
    """
    tables: dict[str, list[str]] = {}
    for number, hand in enumerate(_hands()):
        tables.setdefault(f"sample-{1 + number // 250:02d}.txt", []).append(hand)
    contents = {folder / name: "".join(hands).encode("ascii") for name, hands in tables.items()}
    if folder.exists() and not folder.is_dir():
        raise SoulreadError(f"{str(folder)!r} is a file; expected a folder, or the name of a new one")
    for path, content in contents.items():
        if path.exists() and not force and (not path.is_file() or path.read_bytes() != content):
            raise SoulreadError(
                f"{str(path)!r} is there already and is no sample of ours; name another folder"
            )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SoulreadError(f"{str(folder)!r} cannot be made: {error.strerror}") from None
    for path, content in contents.items():
        write_file(path, content)
    return SampleStudy(str(folder), tuple(tables), sum(map(len, tables.values())), HERO)


def _hands() -> list[str]:
    return [_FIRST + rest for rest in sample_text().split(_FIRST)[1:]]
