"""Damage files of every kind in 10,000 ways each and count what soulread makes of it.

    python benchmarks/damage.py [NAME] [--each 10000] [--seed 1] [--jobs 2]

With a NAME, such as "hands" or "archive zip", only kinds of files whose name has it are damaged. Strategies,
checkpoints, tables and equilibria of the cache, results of experiments, match logs, hand histories of every
format and archives of every kind are damaged by `tests/mutants.py`: bytes changed, cut, swapped, doubled,
numbers rewritten, arrays filled with NaN, texts in other encodings, parts of JSON replaced. The file there
says what counts as harmless.

Prints a line per kind of file, and whatever was accepted, crashed, took longer than five seconds, or cost
good hands. Those counts must be zero, and no process may grow by more than 50 MB while it damages files of
one kind; the exit code says whether that holds. The mutants follow from the seed, whatever the jobs are.
"""

import argparse
import logging
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from mutants import (
    ACCEPTED,
    CRASHED,
    HARMLESS,
    LOST,
    REBUILT,
    REFUSED,
    Attack,
    Subject,
    TooSlow,
    subjects,
)

SLOW = "slow"
LIMIT = 5  # seconds
GROWTH = 50  # MB
PART = 500  # mutants of one task
BAD = ACCEPTED, LOST, CRASHED, SLOW
COLUMNS = REFUSED, REBUILT, HARMLESS, *BAD


@dataclass
class Part:
    """What came of some mutants of one kind."""

    kind: int
    counts: Counter[str] = field(default_factory=Counter)
    said: list[str] = field(default_factory=list)
    longest: float = 0.0  # seconds
    peak: float = 0.0  # MB
    process: int = 0
    grown: float = 0.0  # MB that the process grew meanwhile
    seconds: float = 0.0


@lru_cache(maxsize=1)
def _subjects() -> list[Subject]:
    """All kinds, made once in each process."""
    logging.getLogger("soulread").propagate = False
    signal.signal(signal.SIGALRM, too_long)
    return subjects()


def too_long(*_: object) -> None:
    """Ends a mutant that hangs."""
    raise TooSlow


def _memory() -> float:
    """Megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def attack_part(kind: int, seed: int, part: int, mutants: int) -> Part:
    """Damage a file of one kind again and again."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["SOULREAD_CACHE"] = folder
        subject = _subjects()[kind]
        attack = Attack(subject, Path(folder) / "subject")
        rng = np.random.default_rng([seed, kind, part])
        attack(np.random.default_rng(0))  # whatever is loaded or compiled at the first use
        done = Part(kind, process=os.getpid())
        before, begun = _memory(), time.perf_counter()
        for number in range(mutants):
            started = time.perf_counter()
            signal.alarm(LIMIT)
            try:
                way, ended, said = attack(rng)
            except TooSlow:
                way, ended, said = "?", SLOW, ""
            finally:
                signal.alarm(0)
            done.longest = max(done.longest, time.perf_counter() - started)
            done.counts[ended] += 1
            if ended in BAD:
                done.said.append(f"  {subject.name}, {part}/{number}, {way}: {ended}: {said[:2000]}")
        done.grown, done.seconds = _memory() - before, time.perf_counter() - begun
        done.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return done


def _growth(parts: list[Part]) -> float:
    """The most that a process grew, its first part left out: caches are filled there."""
    grown: Counter[int] = Counter()
    seen: set[int] = set()
    for part in parts:
        if part.process in seen:
            grown[part.process] += int(part.grown)
        seen.add(part.process)
    return max(grown.values(), default=0)


def _done(jobs: int, tasks: list[tuple[int, int, int, int]]) -> Iterator[Part]:
    if jobs == 1:
        yield from (attack_part(*task) for task in tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(attack_part, *zip(*tasks, strict=True))


def main() -> int:
    """Attack every kind of file; returns how many mutants came through, and how often memory grew."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", default="")
    parser.add_argument("--each", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    names = [subject.name for subject in _subjects()]
    tasks = [
        (kind, options.seed, part, min(PART, options.each - part * PART))
        for kind, name in enumerate(names)
        if options.name in name
        for part in range(-(-options.each // PART))
    ]
    print(f"{options.each:,} mutants of each kind, seed {options.seed}, {options.jobs} jobs")
    print(f"{'':28}{'mutants':>9}" + "".join(f"{name:>10}" for name in COLUMNS) + f"{'ms':>8}{'MB':>5}")
    total: Counter[str] = Counter()
    parts: list[Part] = []
    longest = peak = 0.0
    growing = 0
    for number, part in enumerate(_done(options.jobs, tasks)):
        parts.append(part)
        for line in part.said:
            print(line)
        longest, peak = max(longest, part.longest), max(peak, part.peak)
        if number + 1 < len(tasks) and tasks[number + 1][0] == part.kind:
            continue
        counts = sum((one.counts for one in parts), Counter())
        grown, cost = _growth(parts), 1000 * sum(one.seconds for one in parts) / counts.total()
        growing += grown > GROWTH
        total += counts
        row = "".join(f"{counts[name]:>10,}" for name in COLUMNS)
        print(f"{names[part.kind]:28}{counts.total():>9,}{row}{cost:>8.1f}{grown:>5.0f}", flush=True)
        parts = []
    print(f"{'all':28}{total.total():>9,}" + "".join(f"{total[name]:>10,}" for name in COLUMNS))
    print(f"the slowest took {longest:.2f} s; memory at most {peak:,.0f} MB, growing in {growing} kinds")
    return sum(total[name] for name in BAD) + growing


if __name__ == "__main__":
    sys.exit(main() > 0)
