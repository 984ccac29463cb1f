"""Spots with real cards: time, memory and values beside those of postflop-solver and TexasSolver.

    python benchmarks/bench_spots.py [SPOT ...] [--share 0.5] [--operator-only] [--streamed-only]

SPOT is a (river, all hands), b (turn) or c (flop; takes a minute); the default is a and b. Everything runs on
one thread, and times are CPU time. The figures of the other programs were taken on one machine when it was
idle. A yardstick of that machine is known: iterations per second of CFR+ in Leduc with suit isomorphism. The
same yardstick is measured here before and after each spot. So a ratio compares

    our time per iteration  x  today's yardstick  with  their time  x  the yardstick of then.

"operator" is the general solver with the payoff operator of boards, "streamed" the one that goes board by
board. Memory is that of the solver's arrays, as in the figures of the others; what follows a plus is all the
rest: boards, holdings and scratch space.
The exit code is 1 if a value or a ratio is not what it should be.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from soulread.games.leduc import leduc
from soulread.machine import size_text
from soulread.report.grid import Grid, console
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.compile import compile_game
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, CFRPlus
from soulread.solvers.cfr.streamed import StreamedSolver, memory_needed
from soulread.solvers.real_cards.spot_files import read_spot

YARDSTICK = 181_777.0  # iterations/s of CFR+ in Leduc with isomorphism on the machine of the figures below
OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
TIDY: dict[str, Any] = {"add_all_in": 1.5, "force_all_in": 0.15, "merge": 0.1}


@dataclass(frozen=True)
class Known:
    """A spot, and what other programs need for it and find."""

    spot: Spot
    iterations: int  # that are timed
    postflop: float  # ms an iteration
    postflop_seconds: float  # to 0.5% of the pot
    postflop_bytes: float
    texas: float  # ms an iteration
    value: tuple[float, float]  # of the player out of position, chips; both ends included


def known(name: str) -> Known:
    """One of the three spots."""
    if name == "a":
        river = read_spot("Td9d6hQc2s", "random", "random", 200, 900, "50%,100%", "60%,100%", **TIDY)
        return Known(river, 200, 0.34, 0.02, 0.7e6, 1.6, (-6.185, -5.985))
    if name == "b":
        turn = read_spot("Td9d6hQc", OOP, IP, 200, 900, "60%,e,a", "2.5x", "river: 50%", **TIDY)
        return Known(turn, 30, 13.4, 1.35, 12e6, 45, (-8.144, -7.944))
    flop = read_spot("Td9d6h", OOP, IP, 200, 900, "50%", "60%", **TIDY)
    return Known(flop, 5, 468.5, 34, 399e6, 1530, (6.26, 6.48))


def yardstick() -> float:
    """Iterations per second of CFR+ in Leduc with isomorphism: the best of three tries, CPU time."""
    engine = RegretMinimiser(compile_game(leduc(suit_isomorphic=True)), CFRPlus())
    engine.advance(100)
    best = 0.0
    for _ in range(3):
        tick = time.process_time()
        engine.advance(10_000)
        best = max(best, 10_000 / (time.process_time() - tick))
    return best


def per_iteration(engine: RegretMinimiser | StreamedSolver, iterations: int) -> float:
    """Milliseconds of CPU, the best of three tries."""
    engine.advance(1)
    times = []
    for _ in range(3):
        tick = time.process_time()
        engine.advance(max(1, iterations // 3))
        times.append((time.process_time() - tick) / max(1, iterations // 3))
    return 1000 * min(times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("spots", nargs="*", default=["a", "b"], metavar="SPOT")
    parser.add_argument("--share", type=float, default=0.5, help="to this exploitability, %% of the pot")
    parser.add_argument("--operator-only", action="store_true")
    parser.add_argument("--streamed-only", action="store_true")
    options = parser.parse_args()
    if not set(options.spots) <= {"a", "b", "c"}:
        parser.error(f"the spots are a, b and c, not {' '.join(options.spots)}")
    table = Grid("spot", "ms", "yardstick", "x postflop", "at most", "x Texas", "s (n)", "memory", "x", "EV")
    fine = True
    for name in options.spots:
        here = known(name)
        here.spot.tables  # noqa: B018 (built before anything is timed)
        if not options.streamed_only:
            fine &= add_operator(table, name, here)
        if not options.operator_only:
            fine &= add_streamed(table, name, here, options.share)
    console.print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    console.print(f"most memory of the whole process: {size_text(peak)}; their yardstick {YARDSTICK:,.0f}/s")
    return 0 if fine else 1


def add_operator(table: Grid, name: str, here: Known) -> bool:
    """The general solver with the operator."""
    before = yardstick()
    engine = RegretMinimiser(spot_game(here.spot), DCFR())
    spent = per_iteration(engine, here.iterations)
    today = max(before, yardstick())
    ratio = spent * today / (here.postflop * YARDSTICK)
    arrays = 5 * 4 * sum(here.spot.num_sequences) + 4 * sum(here.spot.num_sets)
    table.add_row(
        f"{name} operator",
        f"{spent:.3g}",
        f"{today:,.0f}",
        f"{ratio:.2f}",
        "1.30",
        f"{spent * today / (here.texas * YARDSTICK):.2f}",
        "",
        size_text(arrays),
        f"{arrays / here.postflop_bytes:.2f}",
        "",
    )
    return ratio <= 1.3


def add_streamed(table: Grid, name: str, here: Known, share: float) -> bool:
    """Board by board, and on to an exploitability."""
    before = yardstick()
    engine = StreamedSolver(here.spot)
    spent = per_iteration(engine, here.iterations)
    today = max(before, yardstick())
    ratio = spent * today / (here.postflop * YARDSTICK)
    engine = StreamedSolver(here.spot)
    seconds = 0.0
    gap = np.inf
    while 100 * gap > share * here.spot.betting.pot:
        tick = time.process_time()
        engine.advance(10)
        gap = engine.gap().value
        seconds += time.process_time() - tick
    reached = engine.iteration
    while 100 * gap > 0.05 * here.spot.betting.pot and engine.iteration < 400:  # for the value
        engine.advance(20)
        gap = engine.gap().value
    value = engine.value()
    arrays, everything = 2 * 4 * sum(here.spot.num_sequences), memory_needed(here.spot)
    most = 0.85 if name in "bc" else np.inf
    table.add_row(
        f"{name} streamed",
        f"{spent:.3g}",
        f"{today:,.0f}",
        f"{ratio:.2f}",
        "-" if np.isinf(most) else f"{most:.2f}",
        f"{spent * today / (here.texas * YARDSTICK):.2f}",
        f"{seconds:.2f} ({reached})",
        f"{size_text(arrays)} + {size_text(everything - arrays)}",
        f"{arrays / here.postflop_bytes:.2f}",
        f"{value:.3f}",
    )
    small = arrays <= 0.9 * here.postflop_bytes
    return ratio <= most and small and here.value[0] <= value <= here.value[1]


if __name__ == "__main__":
    sys.exit(main())
