"""How fast hands of every format are imported, by the clock, and the CPU time of each process.

    python benchmarks/bench_import.py FOLDER-OR-FILE ... [--hands 20000] [--cores 1]

Each path is a format: a folder of one room's files, or a file. Its hands of hold'em are written into one file
again and again, under new numbers, until there are enough; that file is imported into a new store. Prints
hands per second by the clock, microseconds of CPU a hand of this process and of the others, and a checksum of
the keys that were stored. The clock means something only on a machine that is idle otherwise.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path

from soulread.hands.formats.base import Piece
from soulread.hands.formats.reading import cut_files, read_piece
from soulread.hands.hand import Hand
from soulread.hands.store import Store
from soulread.study.hands.importing import import_hands


def texts_of(path: str, most: int) -> Iterator[str]:
    """The hands of a path again and again, each with a number of its own, as text of the format most have."""
    found: dict[str, list[tuple[Piece, str]]] = {}
    for piece in islice((piece for piece in cut_files(path) if isinstance(piece, Piece)), most):
        hands = list(read_piece(piece))
        if len(hands) == 1 and isinstance(hands[0], Hand) and re.search("[0-9]{4}", hands[0].id):
            found.setdefault(piece.form, []).append((piece, hands[0].id))
    pieces = max(found.values(), key=len, default=[])
    for number, (piece, id) in enumerate(cycle(pieces)):
        text = piece.text.replace(max(re.findall("[0-9]+", id), key=len), str(10**9 + number))
        if piece.form == "phhs":
            text = f"[{number + 1}]\n{text}"
        elif piece.form == "ipoker":
            entries = "".join(f"<{name}>{value}</{name}>" for name, value in json.loads(piece.about).items())
            text = f'<session sessioncode="1"><general>{entries}</general>\n{text}</session>'
        yield text + "\n\n\n"


def seconds_used(whose: int) -> float:
    """CPU time of this process or of its children so far."""
    used = resource.getrusage(whose)
    return used.ru_utime + used.ru_stime


def bench(path: str, count: int, folder: str) -> None:
    """Import the hands of one format, and print a line about it."""
    file, where = Path(folder) / "hands", Path(folder) / "hands.db"
    for left in Path(folder).glob("hands*"):
        left.unlink()
    with file.open("w", encoding="utf-8", errors="surrogatepass") as out:
        out.writelines(islice(texts_of(path, count), count))
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    before, begun = [seconds_used(each) for each in whose], time.perf_counter()
    with Store.open(where) as store:
        study = import_hands(store, [str(file)])
    passed = time.perf_counter() - begun
    hands = max(1, study.read + study.left_out)
    here, others = (
        (seconds_used(each) - used) / hands * 1e6 for each, used in zip(whose, before, strict=True)
    )
    connection = sqlite3.connect(where)
    keys = b"".join(key for (key,) in connection.execute("SELECT key FROM hand ORDER BY number"))
    connection.close()
    checksum = hashlib.sha256(keys).hexdigest()[:12]
    print(
        f"{Path(path).name[:28]:<28} {study.added.new:>8,} new {study.left_out:>5,} left out "
        f"{hands / passed:>8,.0f} hands/s  CPU {here:>4.0f} + {others:>4.0f} us  {checksum}",
        flush=True,
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--cores", type=int, help="cores to use; all unless given")
    asked = parser.parse_args()
    if asked.cores is not None:
        os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: asked.cores]))
    with tempfile.TemporaryDirectory() as folder:
        for path in asked.paths:
            bench(path, asked.hands, folder)


if __name__ == "__main__":
    main()
