"""Damage stored files in 10,000 ways and count what soulread makes of it.

    python benchmarks/damage.py [MUTANTS] [SEED] [NAME]

MUTANTS is how many in all; with a NAME, such as "hands", only kinds of files whose name has it are damaged.
Strategies, checkpoints, tables and equilibria of the cache, results of experiments, match logs and hand
histories are damaged by `tests/mutants.py`: bytes changed, cut, swapped, doubled, numbers rewritten, arrays
filled with NaN, texts in other encodings. Prints a line per kind of file, and whatever was accepted, crashed,
or took longer than five seconds. Those counts must be zero; the exit code says whether they are.
"""

import logging
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from mutants import ACCEPTED, CRASHED, HARMLESS, REBUILT, REFUSED, Attack, subjects

SLOW = "slow"
LIMIT = 5  # seconds
COLUMNS = REFUSED, REBUILT, HARMLESS, ACCEPTED, CRASHED, SLOW


def too_long(*_: object) -> None:
    """Ends a mutant that hangs."""
    raise TimeoutError


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(mutants: int, seed: int, name: str = "") -> int:
    """Attack every kind of file with its share of the mutants; returns how many came through."""
    logging.getLogger("soulread").propagate = False
    signal.signal(signal.SIGALRM, too_long)
    total: Counter[str] = Counter()
    longest = 0.0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOULREAD_CACHE"] = folder
        kinds = [subject for subject in subjects() if name in subject.name]
        print(f"{mutants:,} mutants, seed {seed}")
        print(f"{'':28}{'mutants':>9}" + "".join(f"{name:>10}" for name in COLUMNS))
        for number, subject in enumerate(kinds):
            attack = Attack(subject, Path(folder) / str(number))
            rng = np.random.default_rng([seed, number])
            counts: Counter[str] = Counter()
            share = mutants * (number + 1) // len(kinds) - mutants * number // len(kinds)
            for _ in range(share):
                started = time.perf_counter()
                signal.alarm(LIMIT)
                try:
                    way, ended, said = attack(rng)
                except TimeoutError:
                    way, ended, said = "?", SLOW, ""
                finally:
                    signal.alarm(0)
                longest = max(longest, time.perf_counter() - started)
                counts[ended] += 1
                if ended in (ACCEPTED, CRASHED, SLOW):
                    print(f"  {subject.name}, {way}: {ended}: {said[:300]}")
            total += counts
            print(
                f"{subject.name:28}{share:>9,}" + "".join(f"{counts[name]:>10,}" for name in COLUMNS),
                flush=True,
            )
    print(f"{'all':28}{mutants:>9,}" + "".join(f"{total[name]:>10,}" for name in COLUMNS))
    print(f"the slowest took {longest:.2f} s; memory at most {_peak():,.0f} MB")
    return total[ACCEPTED] + total[CRASHED] + total[SLOW]


if __name__ == "__main__":
    words = sys.argv[1:]
    mutants, seed = [*map(int, words[:2]), *(10_000, 1)[len(words) :]][:2]
    sys.exit(main(mutants, seed, "".join(words[2:3])) > 0)
