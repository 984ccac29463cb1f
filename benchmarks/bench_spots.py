"""Spots with real cards: time and memory, values, schedules, and beside them another program, if it is here.

    python benchmarks/bench_spots.py [SPOT ...] [--share 0.5] [--threads 1] [--peer COMMAND]
    python benchmarks/bench_spots.py choosing --schedules "dcfr dcfr:1.5,0.5,4" [--share 0.5]

SPOT is a (river, all hands), b (turn), c (flop), or a number from 1 to 20: spots that a seeded generator
made, eight rivers, eight turns and four small flops. "choosing" are the odd ones, from which the defaults of
the solver were chosen, and "reporting" the even ones. Without a SPOT a and b are run. Times are CPU time of
one thread; with more threads they are times by the clock.

COMMAND starts another solver, which is no part of soulread. It is called with the name of the spot and the
exploitability to reach in % of the pot, and reads the spot from its standard input, in lines such as
"board=Td9d6h" (those of `describe_spot`). It solves the spot and prints iterations, seconds (CPU, or by the
clock if it runs several threads), and the exploitability reached in % of the pot. It runs right after our
solve of the spot, so both figures are of one machine under one load. "x s" is our time by theirs, "x ms" that
of an iteration, checks of the exploitability included. Without --peer nothing is compared.

"operator" is the general solver with the payoff operator of boards, "streamed" the one that goes board by
board (--operator-only, --streamed-only). Memory is that of the solver's arrays; what follows a plus is all
the rest: boards, holdings and scratch space. --schedules counts iterations alone. The exit code is 1 if a
value is not what it should be.
"""

import argparse
import resource
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from soulread.cards.deck import cards_name
from soulread.cards.ranges import HAND_CELLS, Range, format_range, parse_range
from soulread.machine import size_text
from soulread.report.grid import Grid, console
from soulread.seqform.board_payoff import spot_game
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, Schedule, parse_schedule
from soulread.solvers.cfr.streamed import StreamedSolver, memory_needed
from soulread.solvers.real_cards.spot_files import describe_spot, read_spot

OOP = "66+,A8s+,A5s-A4s,AJo+,K9s+,KQo,QTs+,JTs,96s+,85s+,75s+,65s,54s"
IP = "QQ-22,AQs-A2s,ATo+,K5s+,KJo+,Q8s+,J8s+,T7s+,96s+,86s+,75s+,64s+,53s+"
TIDY: dict[str, Any] = {"add_all_in": 1.5, "force_all_in": 0.15, "merge": 0.1}


@dataclass(frozen=True)
class Known:
    """A spot, how long it is timed, and what three programs found."""

    spot: Spot
    iterations: int  # that are timed
    value: tuple[float, float] | None  # of the player out of position, chips; both ends included


def known(name: str) -> Known:
    """One of the three spots, or one of those that are made."""
    if name.isdecimal():
        return Known(made(int(name)), 10, None)
    if name == "a":
        river = read_spot("Td9d6hQc2s", "random", "random", 200, 900, "50%,100%", "60%,100%", **TIDY)
        return Known(river, 200, (-6.185, -5.985))
    if name == "b":
        turn = read_spot("Td9d6hQc", OOP, IP, 200, 900, "60%,e,a", "2.5x", "river: 50%", **TIDY)
        return Known(turn, 30, (-8.144, -7.944))
    flop = read_spot("Td9d6h", OOP, IP, 200, 900, "50%", "60%", **TIDY)
    return Known(flop, 5, (6.26, 6.48))


SEED = 20
STREETS = ("river",) * 4 + ("turn",) * 4 + ("flop",) * 2


def made(number: int) -> Spot:
    """One of twenty spots, each of its own random numbers."""
    rng = np.random.default_rng([SEED, number])
    street = STREETS[(number - 1) // 2]
    cards = rng.choice(52, {"river": 5, "turn": 4, "flop": 3}[street], replace=False)
    least, most = (10, 60) if street != "flop" else (8, 16)
    oop, ip = (some_range(rng, int(rng.integers(least, most))) for _ in range(2))
    stack = int(rng.choice([200, 500, 900, 1800] if street != "flop" else [200, 400]))
    bets = {
        "river": ["50%,100%", "33%,75%,a", "60%,e,a"],
        "turn": ["33%,75%", "60%,e,a", "75%"],
        "flop": ["50%", "75%"],
    }[street]
    board = cards_name(tuple(int(card) for card in cards))
    raises = str(rng.choice(["60%", "2.5x"]))
    return read_spot(board, oop, ip, 200, stack, str(rng.choice(bets)), raises, **TIDY)


def some_range(rng: np.random.Generator, part: int) -> str:
    """The best so many percent of the hands, without some classes of hands."""
    weights = parse_range(f"{part}%").weights * (rng.random(169) > 0.15)[HAND_CELLS]
    return format_range(Range((weights > 0).astype(np.float64)))


@dataclass(frozen=True)
class Peer:
    """What another program printed about a spot."""

    iterations: int
    seconds: float
    share: float  # exploitability reached, % of the pot


def ask_peer(command: str, name: str, spot: Spot, share: float) -> Peer:
    """Let another program solve the spot."""
    words = [*shlex.split(command), name, f"{share:g}"]
    lines = "".join(f"{key}={value}\n" for key, value in describe_spot(spot).items())
    done = subprocess.run(words, input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} failed with {done.returncode}: {done.stderr.strip()}")
    return read_peer(done.stdout)


def read_peer(text: str) -> Peer:
    """Iterations, CPU seconds and exploitability in % of the pot, from what a program printed."""
    try:
        iterations, seconds, share = text.split()
        found = Peer(int(iterations), float(seconds), float(share))
    except ValueError:
        found = Peer(0, 0.0, 0.0)
    if found.iterations < 1 or not found.seconds > 0 or not found.share >= 0:
        raise SystemExit(
            f"the peer printed {text.strip()!r}; expected iterations, CPU seconds and exploitability in % of "
            "the pot, such as '90 1.3 0.48'"
        )
    return found


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
    parser.add_argument("--threads", type=int, default=1, help="of our solve; the time is then by the clock")
    parser.add_argument("--peer", metavar="COMMAND", help="another solver: COMMAND SPOT SHARE")
    parser.add_argument("--schedules", help="count their iterations to the exploitability, and time nothing")
    parser.add_argument("--operator-only", action="store_true")
    parser.add_argument("--streamed-only", action="store_true")
    options = parser.parse_args()
    numbers = [str(number) for number in range(1, 21)]
    names = [
        name
        for word in options.spots
        for name in {"choosing": numbers[::2], "reporting": numbers[1::2]}.get(word, [word])
    ]
    if not set(names) <= {"a", "b", "c", *numbers}:
        parser.error(f"the spots are a, b, c and 1 to 20, not {' '.join(options.spots)}")
    if options.schedules:
        compare_schedules(names, options.schedules.split(), options.share)
        return 0
    table = Grid(
        "spot", "ms", "s (n)", "% of the pot", "peer: s (n)", "% of the pot", "x s", "x ms", "memory", "EV"
    )
    fine = True
    for name in names:
        here = known(name)
        here.spot.tables  # noqa: B018 (built before anything is timed)
        if not options.streamed_only:
            add_operator(table, name, here)
        if not options.operator_only:
            fine &= add_streamed(table, name, here, options.share, options.threads, options.peer)
    console.print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    console.print(f"most memory of the whole process: {size_text(peak)}")
    return 0 if fine else 1


def add_operator(table: Grid, name: str, here: Known) -> None:
    """The general solver with the operator."""
    spent = per_iteration(RegretMinimiser(spot_game(here.spot), DCFR()), here.iterations)
    arrays = 5 * 4 * sum(here.spot.num_sequences) + 4 * sum(here.spot.num_sets)
    table.add_row(f"{name} operator", f"{spent:.3g}", *[""] * 6, size_text(arrays), "")


def add_streamed(
    table: Grid, name: str, here: Known, share: float, threads: int, command: str | None
) -> bool:
    """Board by board, on to an exploitability, and the other program right after it."""
    spent = per_iteration(StreamedSolver(here.spot, threads=1), here.iterations)
    engine = StreamedSolver(here.spot, threads=threads)
    seconds = 0.0
    gap = np.inf
    clock = time.process_time if threads == 1 else time.perf_counter
    while 100 * gap > share * here.spot.betting.pot:
        tick = clock()
        engine.advance(10)
        gap = engine.gap().value
        seconds += clock() - tick
    reached, got = engine.iteration, 100 * gap / here.spot.betting.pot
    beside = [""] * 4
    if command is not None:
        peer = ask_peer(command, name, here.spot, share)
        each = 1000 * peer.seconds / peer.iterations
        beside = [
            f"{peer.seconds:.2f} ({peer.iterations})",
            f"{peer.share:.3f}",
            f"{seconds / peer.seconds:.2f}",
            f"{1000 * seconds / reached / each:.2f}",
        ]
    while here.value and 100 * gap > 0.05 * here.spot.betting.pot and engine.iteration < 400:  # for the value
        engine.advance(20)
        gap = engine.gap().value
    value = engine.value()
    arrays, everything = 2 * 4 * sum(here.spot.num_sequences), memory_needed(here.spot)
    table.add_row(
        f"{name} streamed",
        f"{spent:.3g}",
        f"{seconds:.2f} ({reached})",
        f"{got:.3f}",
        *beside,
        f"{size_text(arrays)} + {size_text(everything - arrays)}",
        f"{value:.3f}",
    )
    return here.value is None or here.value[0] <= value <= here.value[1]


def compare_schedules(names: list[str], schedules: list[str], share: float) -> None:
    """Print iterations to an exploitability, checked every five iterations."""
    table = Grid("spot", "board", "sequences", *schedules)
    counts = []
    for name in names:
        spot = known(name).spot
        counts.append([iterations_to(spot, parse_schedule(text), share) for text in schedules])
        size = f"{sum(spot.num_sequences):,}"
        table.add_row(name, cards_name(spot.board), size, *map(str, counts[-1]))
    means = np.exp(np.log(counts).mean(axis=0))
    table.add_row("mean", "", "", *(f"{mean:.0f}" for mean in means))
    console.print(table)


def iterations_to(spot: Spot, schedule: Schedule, share: float, most: int = 1500) -> int:
    """Iterations until the exploitability is this % of the pot; ``most`` if it is not reached."""
    engine = StreamedSolver(spot, schedule, threads=1)
    while engine.iteration < most:
        engine.advance(5)
        if 100 * engine.gap().value <= share * spot.betting.pot:
            break
    return engine.iteration


if __name__ == "__main__":
    sys.exit(main())
