"""How fast hands are read from files and replayed, beside pokerkit on the same hands; CPU time of one core.

    python benchmarks/bench_formats.py FILE.phhs[.xz] [--hands 20000] [--pokerkit 1000] [--seed 1]

Ours is the whole way from the file to `Hand` records: unpacking, parsing, replay through the rules, pots, who
wins. Pokerkit parses and replays a random part of the same hands. Prints hands per second of both, the ratio,
how many of the hands were compared decision by decision and agree, and a checksum of all payoffs.
"""

import argparse
import hashlib
import random
import sys
import time
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from pokerkit_twin import compare, replay_pokerkit

from soulread.hands.formats.phh import parse_entries, read_entries, split_hands
from soulread.hands.formats.reading import Skipped, read_hands
from soulread.hands.formats.sources import HandSource, sources
from soulread.hands.referee import Unfit


def ours(path: str, count: int) -> tuple[float, int, str]:
    """Seconds, hands skipped, and the checksum of the payoffs."""
    list(islice(read_hands(path), 100))  # compilers and caches are warm
    digest = hashlib.sha256()
    skipped = 0
    start = time.process_time()
    for found in islice(read_hands(path), count):
        if isinstance(found, Skipped):
            skipped += 1
        else:
            digest.update(repr((found.id, found.payoffs, found.rake)).encode())
    return time.process_time() - start, skipped, digest.hexdigest()[:16]


def texts_of(path: str, count: int) -> list[list[str]]:
    """The first hands of a file as lines."""
    for source in sources(path):
        if isinstance(source, HandSource):
            return [block for _, _, block in islice(split_hands(source.texts()), count)]
    return []


def main() -> int:
    """Print the comparison; returns how many hands differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--hands", type=int, default=20_000)
    parser.add_argument("--pokerkit", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    seconds, skipped, checksum = ours(options.file, options.hands)
    blocks = texts_of(options.file, options.hands)
    rate = len(blocks) / seconds
    print(f"soulread  {len(blocks):>8,} hands {seconds:8.2f} s {rate:10,.0f} hands/s, {skipped} skipped")
    chosen = random.Random(options.seed).sample(blocks, min(options.pokerkit, len(blocks)))
    start = time.process_time()
    for block in chosen:
        replay_pokerkit("\n".join(block))
    seconds = time.process_time() - start
    print(f"pokerkit  {len(chosen):>8,} hands {seconds:8.2f} s {len(chosen) / seconds:10,.0f} hands/s")
    print(f"ratio     {rate * seconds / len(chosen):8.1f}")
    decisions = differ = compared = 0
    for block in chosen:
        try:
            hand = read_entries(parse_entries(block), options.file)
        except Unfit:
            continue
        compared += 1
        try:
            decisions += compare("\n".join(block), hand)
        except AssertionError as error:
            differ += 1
            print(f"differs: {error}")
    print(f"agree     {compared - differ:,} of {compared:,} hands, {decisions:,} decisions compared")
    print(f"checksum  {checksum}")
    return differ


if __name__ == "__main__":
    sys.exit(min(main(), 1))
