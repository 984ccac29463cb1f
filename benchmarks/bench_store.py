"""How fast hands go into a store and statistics come out, how much memory that takes, and a checksum.

    python benchmarks/bench_store.py FILE [--db FILE] [--copies N]

FILE is any hand history, such as a PHHS file of 100,000 hands. It is imported into a new store: read, played
again by the rules, stored. Then all statistics of all players are counted, and those of the player with the
most hands. With ``--copies`` the hands are stored again under new ids until there are that many, and the one
player is counted again. Set ``OPENBLAS_NUM_THREADS=1``: all this runs on one core.
"""

import argparse
import hashlib
import os
import resource
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from soulread.hands.store import Store
from soulread.study.hands.importing import ImportStudy, import_hands
from soulread.study.hands.statistics import count_everybody, study_player, study_players


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--db", help="keep the store here; if it is there, nothing is imported")
    parser.add_argument("--copies", type=int, default=0, help="hands to copy the store up to")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        where = asked.db or os.path.join(folder, "hands.db")
        if not os.path.exists(where):
            bench_import(asked.file, where)
        bench_statistics(where)
        if asked.copies:
            large = os.path.join(folder, "large.db")
            copy_up_to(where, large, asked.copies)
            bench_statistics(large)


def bench_import(file: str, where: str) -> None:
    """Import once, and once more, which adds nothing."""
    with Store.open(where) as store:
        memory: list[float] = []

        def note(_: ImportStudy) -> None:
            memory.append(peak())

        study = import_hands(store, [file], progress=note)
        print(f"import: {study.conclusion}")
        size = Path(where).stat().st_size / max(1, study.added.new)
        print(
            f"  {size:,.0f} bytes a hand; peak memory {memory[0]:,.0f} MB after the first batch, "
            f"{memory[-1]:,.0f} MB after the last"
        )
        print(f"again:  {import_hands(store, [file]).conclusion}")


def bench_statistics(where: str) -> None:
    """Everybody's statistics as a table, and one player's, the best of three."""
    with Store.open(where, read_only=True) as store:
        print(f"store of {len(store):,} hands")
        begun = time.perf_counter()
        counted = count_everybody(store)
        passed = time.perf_counter() - begun
        table = study_players(store)
        whole = time.perf_counter() - begun - passed
        first = table.rows[0]
        times = []
        for _ in range(3):
            begun = time.perf_counter()
            study_player(store, first.player)
            times.append(time.perf_counter() - begun)
        numbers = b"".join(part.round(6).tobytes() for part in (counted.chances, counted.actions))
        print(f"  counting everybody {passed:.2f} s; a table of {len(table.rows):,} players {whole:.2f} s")
        print(f"  one player of {first.hands:,} hands: {min(times):.3f} s")
        print(f"  peak memory {peak():,.0f} MB; checksum {hashlib.sha256(numbers).hexdigest()[:16]}")


def copy_up_to(where: str, large: str, hands: int) -> None:
    """Copy a store to another file, and its hands there again and again under new keys."""
    with Store.open(where, read_only=True) as source, Store.open(large) as target:
        count = len(source)
        for copy in range(-(-hands // count)):
            target.add(replace(hand, id=f"{hand.id}/{copy}") if copy else hand for _, hand in source.find())


def peak() -> float:
    """The most memory this process has used, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
