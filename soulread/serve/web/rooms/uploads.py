"""Hands that a browser has sent: brought into the store, and what was left out."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from soulread.errors import SoulreadError
from soulread.hands.formats.reading import Skipped
from soulread.hands.store import Store, default_store
from soulread.processes import tell_owner
from soulread.study.hands.importing import ImportStudy, import_hands, size_of
from soulread.words import printable

MOST_EXAMPLES = 3  # of a reason


def take_in(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Bring the files of a folder into the store; a job.

    A hand that is there already adds nothing, so an import that was killed begins anew and goes on. The
    folder is removed when all of it is in the store.
    """
    folder = Path(arguments["folder"])
    where = arguments["where"]
    path = str(default_store()) if where is None else where
    if where is None:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
    if not folder.is_dir():
        raise SoulreadError("these files have been taken in already; send them again")
    total = size_of([str(folder)]) or 0

    def told(study: ImportStudy) -> None:
        words = f"{study.read:,} hands read, {study.added.new:,} new, {study.left_out:,} left out"
        tell_owner({"line": words, "share": study.bytes_read / total if total else None})

    with Store.open(path) as store:
        study = import_hands(store, [str(folder)], progress=told)
    found = _tally(study, folder)
    shutil.rmtree(folder, ignore_errors=True)
    return found


def _tally(study: ImportStudy, folder: Path) -> dict[str, Any]:
    """What came in and what was left out, by reason, with a few examples each."""
    return {
        "conclusion": study.conclusion,
        "new": study.added.new,
        "known": study.added.known,
        "left_out": study.left_out,
        "reasons": [
            {
                "reason": printable(reason),
                "hands": count,
                "other_game": other,
                "examples": [_place(one, folder) for one in study.examples.get(reason, ())[:MOST_EXAMPLES]],
            }
            for counted, other in ((study.bad, False), (study.other_games, True))
            for reason, count in counted.most_common()
        ],
    }


def _place(skipped: Skipped, folder: Path) -> str:
    """Where a hand that was left out stands, without the folder and the number of the file here."""
    return printable(re.sub(f"{re.escape(str(folder))}/[0-9]+-", "", str(skipped)))
