"""Hands of a store written to files of other programs."""

import io
from collections.abc import Iterable
from pathlib import Path

from soulread.errors import SoulreadError
from soulread.hands.formats.reading import write_hands
from soulread.hands.hand import Hand
from soulread.storage.files import replacing, verify_writable

ENDINGS = {".phhs": "phhs", ".txt": "pokerstars", ".log": "acpc", ".jsonl": "json", ".ohh": "ohh"}
"""The format of a file, by the ending of its name."""


def verify_export(path: Path) -> str:
    """The format that the ending of a name means; raises if it means none."""
    found = ENDINGS.get(path.suffix.lower())
    if found is None:
        raise SoulreadError(f"{str(path)!r} has no ending we write; known are {', '.join(ENDINGS)}")
    return found


def export_hands(hands: Iterable[Hand], path: Path) -> int:
    """Write hands to a file, whole or not at all; returns how many."""
    verify_writable(path, verify_export(path))
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n", write_through=True)
        count = write_hands(hands, text, verify_export(path))
        text.detach()
    return count
