"""Spots with real cards: time and memory, values, schedules, and other solvers beside, if they are here.

    python benchmarks/bench_spots.py [SPOT ...] [--operator-only | --streamed-only]
    python benchmarks/bench_spots.py all --beside CHECKOUT --peer COMMAND [--shares 0.5,0.1] [--threads 1]
    python benchmarks/bench_spots.py all --bits
    python benchmarks/bench_spots.py choosing --schedules "dcfr dcfr:1.5,0.5,4" [--shares 0.5]

SPOT is a (river, all hands), b (turn), c (flop), or a number from 1 to 20: spots that a seeded generator
made, eight rivers, eight turns and four small flops. "choosing" are the odd ones, from which the defaults of
the solver were chosen, "reporting" the even ones, and "all" all twenty. Without a SPOT a and b are run.

The first form times an iteration (the best of three tries, CPU): "operator" is the general solver with the
payoff operator of boards, "streamed" the one that goes board by board. Memory is that of the solver's arrays;
what follows a plus is all the rest: boards, holdings and scratch space. The exit code is 1 if a value is not
what it should be.

The second form solves each spot to each of the --shares, exploitabilities in % of the pot, with two or
three programs by turns: the soulread of an older CHECKOUT (a clone of the repository), this one, and COMMAND,
another solver, which is no part of soulread. Each is a process of its own, started --rounds times, and solves
a spot several times if that is quick; of all these, the fastest counts. CPU time is that of the whole process
while it solves, the clock's is beside it. Neither has the time in which the tree and the boards are made.
COMMAND is called with the name of the spot, the shares in falling order, the number of threads and how often
to solve the spot. It reads the spot from its standard input, in lines such as "board=Td9d6h" (those of
`describe_spot`), and prints for each solve and share: iterations, CPU seconds, seconds by the clock, the
exploitability reached in % of the pot, and, if it likes, the bytes by which the process grew. The largest
difference between the values of both checkouts stands below the table; it may not be more than both gaps.

--bits compares averages and regrets of one, two and four threads after some iterations. --schedules counts
iterations alone, to the first of the shares.
"""

import argparse
import hashlib
import os
import resource
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
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
class Solve:
    """What a program printed about one solve, up to one exploitability."""

    iterations: int
    cpu: float  # seconds
    clock: float
    share: float  # exploitability reached, % of the pot
    grown: int  # bytes; 0 if it did not say
    value: float = np.nan  # of the player out of position, % of the pot


def ask(command: Sequence[str], name: str, spot: Spot, shares: str, threads: int, tries: int) -> list[Solve]:
    """Let a program solve the spot; the fastest of its tries for each share."""
    words = [*command, name, shares, str(threads), str(tries)]
    lines = "".join(f"{key}={value}\n" for key, value in describe_spot(spot).items())
    done = subprocess.run(words, input=lines, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{shlex.join(words)} failed with {done.returncode}: {done.stderr.strip()}")
    found, count = read_solves(done.stdout), len(shares.split(","))
    if len(found) != count * tries:
        raise SystemExit(f"{shlex.join(words)} printed {len(found)} lines; expected {count * tries}")
    return [fastest(found[i::count]) for i in range(count)]


def fastest(found: Sequence[Solve]) -> Solve:
    """The least time of each kind, and the least memory."""
    return replace(
        found[0],
        cpu=min(solve.cpu for solve in found),
        clock=min(solve.clock for solve in found),
        grown=min(solve.grown for solve in found),
    )


def read_solves(text: str) -> list[Solve]:
    """What a program printed, line by line; a checksum at the end of a line is left out."""
    found = []
    for line in text.splitlines():
        words = line.split()
        try:
            solve = Solve(
                int(words[0]),
                float(words[1]),
                float(words[2]),
                float(words[3]),
                int(words[4]) if words[4:] else 0,
                float(words[5]) if words[5:] else np.nan,
            )
        except (ValueError, IndexError):
            solve = Solve(0, 0.0, 0.0, 0.0, 0)
        if solve.iterations < 1 or not solve.cpu > 0 or not solve.clock > 0 or not solve.share >= 0:
            raise SystemExit(
                f"the peer printed {line.strip()!r}; expected iterations, CPU seconds, seconds by the clock "
                "and exploitability in % of the pot, such as '90 1.3 1.4 0.48', and the bytes it grew by"
            )
        found.append(solve)
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
    parser.add_argument("--beside", metavar="CHECKOUT", help="the soulread of another checkout")
    parser.add_argument("--peer", metavar="COMMAND", help="another solver: COMMAND SPOT SHARES THREADS TRIES")
    parser.add_argument(
        "--shares", default="0.5,0.1", help="to these exploitabilities, %% of the pot, falling"
    )
    parser.add_argument("--threads", type=int, default=1, help="of each program")
    parser.add_argument("--rounds", type=int, default=2, help="how often each program is started for a spot")
    parser.add_argument("--bits", action="store_true", help="compare one, two and four threads")
    parser.add_argument("--schedules", help="count their iterations to the exploitability, and time nothing")
    parser.add_argument("--operator-only", action="store_true")
    parser.add_argument("--streamed-only", action="store_true")
    options = parser.parse_args()
    numbers = [str(number) for number in range(1, 21)]
    groups = {"choosing": numbers[::2], "reporting": numbers[1::2], "all": numbers}
    names = [name for word in options.spots for name in groups.get(word, [word])]
    if not set(names) <= {"a", "b", "c", *numbers}:
        parser.error(f"the spots are a, b, c and 1 to 20, not {' '.join(options.spots)}")
    if options.schedules:
        compare_schedules(names, options.schedules.split(), float(options.shares.split(",")[0]))
        return 0
    if options.bits:
        return 0 if compare_bits(names) else 1
    if options.beside or options.peer:
        programs = {"now": own_command(Path(__file__).parents[1])}
        if options.beside:
            programs = {"before": own_command(Path(options.beside)), **programs}
        if options.peer:
            programs["theirs"] = shlex.split(options.peer)
        fine = compare_programs(programs, names, options.shares, options.threads, options.rounds)
        return 0 if fine else 1
    table = Grid("spot", "ms", "memory", "EV")
    fine = True
    for name in names:
        here = known(name)
        here.spot.tables  # noqa: B018 (built before anything is timed)
        if not options.streamed_only:
            add_operator(table, name, here)
        if not options.operator_only:
            fine &= add_streamed(table, name, here)
    console.print(table)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    console.print(f"most memory of the whole process: {size_text(peak)}")
    return 0 if fine else 1


def own_command(checkout: Path) -> list[str]:
    """The command that solves spots with the soulread of a checkout."""
    if not (checkout / "soulread" / "__init__.py").exists():
        raise SystemExit(f"{checkout} is no checkout of soulread")
    return [sys.executable, str(Path(__file__).with_name("solve_spot.py")), str(checkout)]


def compare_programs(
    programs: Mapping[str, Sequence[str]], names: Sequence[str], shares: str, threads: int, rounds: int
) -> bool:
    """Solve each spot with all programs by turns, and print what they took; whether values agree."""
    labels = " / ".join(programs)
    others = [label for label in programs if label != "now"]
    table = Grid(
        "spot",
        "to",
        f"iterations: {labels}",
        f"CPU ms: {labels}",
        *(f"by {label}" for label in others),
        f"clock ms: {labels}",
        *(f"by {label}" for label in others),
        f"grew by MB: {labels}",
    )
    console.print(f"load before: {os.getloadavg()[0]:.1f}; {threads} thread(s), {rounds} rounds")
    furthest, agree = 0.0, True
    for name in names:
        spot = known(name).spot
        tries = {3: 1, 4: 2, 5: 20}[len(spot.board)]
        found: dict[str, list[list[Solve]]] = {label: [] for label in programs}
        for _ in range(rounds):
            for label, command in programs.items():
                found[label].append(ask(command, name, spot, shares, threads, tries))
        for i, share in enumerate(shares.split(",")):
            best = {label: fastest([turn[i] for turn in turns]) for label, turns in found.items()}
            now = best["now"]
            table.add_row(
                f"{name}, {('flop', 'turn', 'river')[len(spot.board) - 3]}",
                f"{share}%",
                " / ".join(str(solve.iterations) for solve in best.values()),
                " / ".join(f"{1000 * solve.cpu:.4g}" for solve in best.values()),
                *(f"{now.cpu / best[label].cpu:.2f}" for label in others),
                " / ".join(f"{1000 * solve.clock:.4g}" for solve in best.values()),
                *(f"{now.clock / best[label].clock:.2f}" for label in others),
                " / ".join(f"{solve.grown / 1e6:.2f}" for solve in best.values()),
            )
            if "before" in best:
                apart = abs(now.value - best["before"].value)
                furthest = max(furthest, apart)
                agree &= apart <= now.share + best["before"].share
        console.print(f"{name} done, load {os.getloadavg()[0]:.1f}")
    console.print(table)
    if "before" in programs:
        within = "all within both gaps" if agree else "NOT all within both gaps"
        console.print(f"values before and now differ by at most {furthest:.4f}% of the pot, {within}")
    return agree


def compare_bits(names: Sequence[str]) -> bool:
    """Whether one, two and four threads come to the same regrets and averages, in whole and half memory."""
    same = True
    for name in names:
        spot = known(name).spot
        for half in (False, True):
            sums = []
            for threads in (1, 2, 4):
                engine = StreamedSolver(spot, threads=threads, half=half)
                engine.advance(3)
                digest = hashlib.sha256(f"{engine.gap().value!r}".encode())
                for array in engine.tensors().values():
                    digest.update(array.tobytes())
                sums.append(digest.hexdigest())
            same &= len(set(sums)) == 1
            words = "the same bits" if len(set(sums)) == 1 else "DIFFERENT bits"
            console.print(f"{name}{', half memory' if half else ''}: {words} with 1, 2 and 4 threads")
    return same


def add_operator(table: Grid, name: str, here: Known) -> None:
    """The general solver with the operator."""
    spent = per_iteration(RegretMinimiser(spot_game(here.spot), DCFR()), here.iterations)
    arrays = 5 * 4 * sum(here.spot.num_sequences) + 4 * sum(here.spot.num_sets)
    table.add_row(f"{name} operator", f"{spent:.3g}", size_text(arrays), "")


def add_streamed(table: Grid, name: str, here: Known) -> bool:
    """Board by board; whether the value is what it should be."""
    spent = per_iteration(StreamedSolver(here.spot, threads=1), here.iterations)
    engine = StreamedSolver(here.spot, threads=1)
    while here.value and engine.iteration < 400:
        engine.advance(20)
        if 100 * engine.gap().value <= 0.05 * here.spot.betting.pot:
            break
    arrays, everything = 2 * 4 * sum(here.spot.num_sequences), memory_needed(here.spot, 1)
    value = f"{engine.value():.3f}" if here.value else ""
    memory = f"{size_text(arrays)} + {size_text(everything - arrays)}"
    table.add_row(f"{name} streamed", f"{spent:.3g}", memory, value)
    return here.value is None or here.value[0] <= engine.value() <= here.value[1]


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
