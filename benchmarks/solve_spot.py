"""Solve a spot with the soulread of a checkout, as another program would: `bench_spots.py` starts it.

    python benchmarks/solve_spot.py CHECKOUT SPOT SHARES [THREADS [TRIES]] < LINES

It reads the spot from its standard input (the lines of `describe_spot`) and solves it, with a look at the
exploitability every ten iterations, until the last of the SHARES is reached ("0.5,0.1", in % of the pot). For
each share, and again for each of the TRIES, it prints iterations, CPU seconds and seconds by the clock since
the first iteration, the share reached, the bytes that the process grew by at most since it read the spot, the
value of the player out of position in % of the pot, and a checksum of the averages. Kernels are compiled and
have run before anything is measured.
"""

import hashlib
import inspect
import sys
import time
from pathlib import Path
from typing import Any

CHECKOUT, NAME, SHARES = sys.argv[1:4]
THREADS, TRIES = (*(int(word) for word in sys.argv[4:6]), 1, 1)[:2]
sys.path.insert(0, CHECKOUT)

from soulread.seqform.spot import Spot  # noqa: E402 (of the checkout)
from soulread.solvers.cfr.streamed import StreamedSolver  # noqa: E402
from soulread.solvers.real_cards.spot_files import read_spot  # noqa: E402


def main() -> None:
    described = dict(line.rstrip("\n").split("=", 1) for line in sys.stdin)
    for board in ("Td9d6hQc2s", "Td9d6hQc"):
        solve(read_spot(board, "KK,87s", "AA,JJ,T8s", 20, 20), [100.0])
    before = grow_from_here()
    for _ in range(TRIES):
        spot = read_spot(**{key: plain(value) for key, value in described.items()})
        spot.tables  # noqa: B018 (built before anything is timed)
        for figures in solve(spot, [float(share) for share in SHARES.split(",")]):
            iterations, cpu, clock, share, most, value, checksum = figures
            times = f"{cpu:.6f} {clock:.6f}"
            print(f"{iterations} {times} {share:.5f} {most - before} {value:.6f} {checksum}", flush=True)


def plain(text: str) -> Any:
    """A value of `describe_spot` from its text."""
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def solve(spot: Spot, shares: list[float]) -> list[tuple[int, float, float, float, int, float, str]]:
    """Iterations, seconds and so on at each share."""
    settings: dict[str, Any] = {"threads": THREADS}
    if "threads" not in inspect.signature(StreamedSolver).parameters:
        settings = {}
    engine = StreamedSolver(spot, **settings)
    pot, found = spot.betting.pot, []
    cpu = clock = 0.0
    for share in shares:
        reached = float("inf")
        while reached > share:
            ticks = time.process_time(), time.perf_counter()
            engine.advance(10)
            reached = 100 * engine.gap().value / pot
            cpu += time.process_time() - ticks[0]
            clock += time.perf_counter() - ticks[1]
        most, digest = memory("VmHWM"), hashlib.sha256()
        for plan in engine.plans:
            digest.update(plan.data)  # a copy would count as memory of the next share
        value, checksum = 100 * engine.value() / pot, digest.hexdigest()[:16]
        found.append((engine.iteration, cpu, clock, reached, most, value, checksum))
    return found


def grow_from_here() -> int:
    """Bytes in memory now; the most that is remembered starts from here."""
    Path("/proc/self/clear_refs").write_text("5")
    return memory("VmRSS")


def memory(key: str) -> int:
    """Bytes in memory (``VmRSS``), or the most there ever were (``VmHWM``)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith(key))


main()
