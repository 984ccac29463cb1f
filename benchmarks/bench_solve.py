"""Solving Leduc hold'em: ours beside OpenSpiel and, where it is installed, LiteEFG. CPU time, one run.

    python benchmarks/bench_solve.py

CFR+ in iterations a second and in seconds to an exploitability below 0.001 chips, DCFR in seconds to the
same, and the time of one exploitability. Compiling kernels, building trees and the checks on the way are
not counted. The checksum is the exploitability after 20 iterations of CFR+; the exit code is 1 if it is
wrong.
"""

import contextlib
import io
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pyspiel
from open_spiel.python.algorithms import cfr as openspiel_cfr

from soulread.games.leduc import leduc
from soulread.seqform.compile import SequenceGame, compile_factored, compile_game
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR, CFRPlus, Schedule
from soulread.solvers.exploitability import exploitability

try:
    import LiteEFG
    from LiteEFG.baselines import DCFR as LiteDCFR
    from LiteEFG.baselines import CFRplus as LiteCFRPlus
except ImportError:
    LiteEFG = None

GAP = 1e-3
CHECKSUM = 0.149672756852
CHECK_EVERY = 10  # iterations between two looks at the exploitability on the way to GAP


@dataclass
class Contender:
    name: str
    step: Callable[[int], None]  # runs so many iterations more
    gap: Callable[[], float]


def timed(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def repeat(call: Callable[[], object], count: int) -> None:
    for _ in range(count):
        call()


def repeated(call: Callable[[], object], at_least: float = 0.3) -> float:
    """CPU seconds of one call, over enough calls to be measured."""
    count, spent = 1, timed(call)
    while spent < at_least and count < 100_000:
        count *= 2
        spent = timed(partial(repeat, call, count))
    return spent / count


def ours(name: str, game: SequenceGame, schedule: Schedule) -> Callable[[], Contender]:
    def start() -> Contender:
        state = RegretMinimiser(game, schedule)
        return Contender(name, state.advance, lambda: exploitability(game, state.plans))

    return start


def openspiel(isomorphic: bool) -> Callable[[], Contender]:
    def start() -> Contender:
        game = pyspiel.load_game("leduc_poker", {"suit_isomorphism": isomorphic})
        solver = pyspiel.CFRPlusSolver(game)

        def step(iterations: int) -> None:
            for _ in range(iterations):
                solver.evaluate_and_update_policy()

        return Contender("OpenSpiel C++", step, lambda: pyspiel.exploitability(game, solver.average_policy()))

    return start


def openspiel_python(isomorphic: bool) -> Callable[[], Contender]:
    def start() -> Contender:
        game = pyspiel.load_game("leduc_poker", {"suit_isomorphism": isomorphic})
        solver = openspiel_cfr.CFRPlusSolver(game)

        def step(iterations: int) -> None:
            for _ in range(iterations):
                solver.evaluate_and_update_policy()

        return Contender("OpenSpiel Python", step, lambda: float("nan"))

    return start


def lite(isomorphic: bool, method: str) -> Callable[[], Contender]:
    def start() -> Contender:
        game = pyspiel.load_game("leduc_poker", {"suit_isomorphism": isomorphic})
        with contextlib.redirect_stdout(io.StringIO()):
            graph = LiteCFRPlus.graph() if method == "cfr+" else LiteDCFR.graph()
            env = LiteEFG.OpenSpielEnv(game, traverse_type="Enumerate", regenerate=True)
        env.set_graph(graph)

        def step(iterations: int) -> None:
            for _ in range(iterations):
                graph.update_graph(env)
                if method == "cfr+":
                    env.update_strategy(graph.current_strategy())

        def gap() -> float:
            if method == "cfr+":
                return float(sum(env.exploitability(graph.current_strategy(), "linear-avg-iterate")) / 2)
            average = graph.current_strategy("average-iterate")
            env.update_strategy(average)
            return float(sum(env.exploitability(average, "last-iterate")) / 2)

        return Contender("LiteEFG", step, gap)

    return start


def rate(start: Callable[[], Contender], iterations: int) -> float:
    contender = start()
    contender.step(1)
    return iterations / timed(lambda: contender.step(iterations))


def seconds_to_gap(start: Callable[[], Contender], limit: int = 20_000) -> tuple[float, int]:
    """CPU seconds and iterations until the gap is reached; the checks are not counted."""
    contender = start()
    spent, done = 0.0, 0
    while done < limit:
        spent += timed(lambda: contender.step(CHECK_EVERY))
        done += CHECK_EVERY
        if contender.gap() < GAP:
            return spent, done
    return float("nan"), done


def main() -> int:
    right = True
    for isomorphic in (False, True):
        game = leduc(suit_isomorphic=isomorphic)
        sparse, factored = compile_game(game), compile_factored(game)
        for compiled in (sparse, factored):  # compile the kernels
            warm = ours("", compiled, CFRPlus())()
            warm.step(2)
            warm.gap()
        print(f"\nLeduc {'with' if isomorphic else 'without'} suit isomorphism, CPU time")
        print(
            f"{'':24}{'CFR+ it/s':>12}{'CFR+ to 1e-3':>22}{'DCFR to 1e-3':>22}{'exploitability':>17}"
            f"{'checksum':>16}"
        )
        rows = [
            ("soulread sparse", ours("", sparse, CFRPlus()), ours("", sparse, DCFR()), 20_000),
            ("soulread factored", ours("", factored, CFRPlus()), ours("", factored, DCFR()), 5_000),
            ("OpenSpiel C++", openspiel(isomorphic), None, 30),
            ("OpenSpiel Python", openspiel_python(isomorphic), None, 2),
        ]
        if LiteEFG is not None:
            rows.append(("LiteEFG", lite(isomorphic, "cfr+"), lite(isomorphic, "dcfr"), 200))
        for name, plus, discounted, iterations in rows:
            speed = rate(plus, iterations)
            cells = [f"{name:24}{speed:12,.1f}"]
            for start in (plus, discounted):
                if start is None or name == "OpenSpiel Python":
                    cells.append(f"{'-':>22}")
                else:
                    spent, done = seconds_to_gap(start)
                    cells.append(f"{spent * 1000:12,.1f} ms ({done:4})")
            contender = plus()
            contender.step(20)
            if name == "OpenSpiel Python":
                cells.append(f"{'-':>17}")
            else:
                cells.append(f"{repeated(contender.gap) * 1000:14.3f} ms")
            if name.startswith("soulread"):
                checksum = contender.gap()
                right &= abs(checksum - CHECKSUM) < 1e-8
                cells.append(f"{checksum:16.12f}")
            print("".join(cells), flush=True)
    print("\nall answers are right" if right else "\nSOME ANSWERS ARE WRONG")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
