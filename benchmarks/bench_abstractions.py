"""Card abstractions of limit hold'em side by side: what they cost, and how well their equilibria play.

    python benchmarks/bench_abstractions.py [SPEC ...] [--gap MB] [--deals N] [--seed S] [--hands N]

For each abstraction, by default those that the project names: private states per round; seconds to divide
the hands and to count the joint matrices (the features, which all share, are built before); seconds,
iterations and peak memory of solving; exploitability inside the abstraction; what a local best response wins
from the equilibrium with real cards, and how much more or less that is than from the first abstraction, deal
by deal; and what the equilibrium wins from that of the first abstraction in duplicate hands with real cards.
Intervals are 95%. LBR is a lower bound of exploitability: a smaller figure is no proof of a better strategy.

Each abstraction has a process of its own. Times are wall clock on as many cores as NUMBA_NUM_THREADS and
OPENBLAS_NUM_THREADS allow: run it on an idle machine; the load average is printed.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction import tables
from soulread.abstraction.buckets import percentile_buckets
from soulread.abstraction.joint import count_joint, some_boards
from soulread.abstraction.potential import potential_buckets
from soulread.estimate import Estimate
from soulread.games import limit_holdem
from soulread.play import MatchStreams
from soulread.play.simulate import simulate
from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.source import parse_buckets, with_cards
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solve import solve
from soulread.solve.local_best_response import play_deals
from soulread.solve.named import default_schedule

NAMED = "5-5-5-5:quick", "4-3-2-2:quick", "8-12-4-4:quick", "5-5-5-5", "8-12-4-4"
MILLIBETS = 500.0  # per chip


def measure(text: str, folder: Path, gap: float, deals: int, seed: int) -> dict[str, object]:
    """Build, solve and judge one abstraction; for a process of its own. LBR's deals go to a file."""
    buckets, rules = parse_buckets(text), limit_holdem()
    features = tables.load_features()
    start = time.perf_counter()
    make = potential_buckets if buckets.spec.kind == "potential" else percentile_buckets
    abstraction = make(buckets.spec, features)
    divided = time.perf_counter()
    weights = some_boards(tables.QUICK_BOARDS, tables.QUICK_SEED) if buckets.quick else None
    joint = count_joint(abstraction, weights)
    counted = time.perf_counter()
    game = abstract_game(rules, abstraction, joint)
    del joint
    solution = solve(game, default_schedule(with_cards(rules, buckets)), gap=gap / MILLIBETS)
    strategy = tabular(game, solution.behaviours)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    np.savez(folder / f"{name_of(text)}.npz", first=strategy.behaviours[0], second=strategy.behaviours[1])
    tick = time.perf_counter()
    played = play_deals(strategy, rules, deals, seed)
    np.save(folder / f"{name_of(text)}.npy", played.corrected.mean(axis=1) * MILLIBETS)
    return {
        "states": abstraction.num_states,
        "sets": sum(tree.num_sets for tree in game.trees),
        "divide": divided - start,
        "count": counted - divided,
        "solve": solution.seconds,
        "iterations": solution.iterations,
        "gap": solution.gap * MILLIBETS,
        "dealer": -solution.value * MILLIBETS,
        "peak": peak,
        "lbr": time.perf_counter() - tick,
    }


def name_of(text: str) -> str:
    return text.replace(":", "_")


def stored(text: str, folder: Path) -> TabularStrategy:
    """The equilibrium that `measure` left."""
    arrays = np.load(folder / f"{name_of(text)}.npz")
    lookup = AbstractLookup(tables.load_abstraction(parse_buckets(text).spec))
    return TabularStrategy(betting_tree(limit_holdem()), lookup, (arrays["first"], arrays["second"]))


def head_to_head(text: str, other: str, folder: Path, hands: int, seed: int) -> Estimate:
    """What one equilibrium wins from another with real cards, mb/g."""
    pair = stored(text, folder), stored(other, folder)
    profits = simulate(limit_holdem(), pair, hands, MatchStreams(seed), duplicate=True)
    return Estimate.of(profits[:, 0] * MILLIBETS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("specs", nargs="*", default=NAMED, metavar="SPEC")
    parser.add_argument("--gap", type=float, default=5.0, help="mb/g inside the abstraction")
    parser.add_argument("--deals", type=int, default=4000, help="of the local best response")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hands", type=int, default=500_000, help="duplicate hands against the first")
    parser.add_argument("--folder", help="where solved strategies are left")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        folder = Path(options.folder)
        print(json.dumps(measure(options.specs[0], folder, options.gap, options.deals, options.seed)))
        return 0
    print(f"{os.cpu_count()} cores, load {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    print(f"LBR over {options.deals:,} deals of seed {options.seed}; {options.hands:,} duplicate hands\n")
    first = options.specs[0]
    print(
        "| abstraction | private states | information sets | divide + count, s | solve, s (iterations) | "
        f"peak GB | inside, mb/g | LBR, mb/g | less {first} | wins from {first} |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(exist_ok=True)
        base: NDArray[np.float64] | None = None
        for text in options.specs:
            command = [sys.executable, __file__, "--one", text, "--folder", str(folder)]
            command += ["--gap", str(options.gap), "--deals", str(options.deals), "--seed", str(options.seed)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
            r = json.loads(done.stdout.splitlines()[-1])
            won = np.load(folder / f"{name_of(text)}.npy")
            base = won if base is None else base
            less = against = ""
            if text != first:
                less = Estimate.of(won - base).text(1)
                against = head_to_head(text, first, folder, options.hands, options.seed).text(1)
            print(
                f"| {text} | {' / '.join(map(str, r['states']))} | {r['sets']:,} | "
                f"{r['divide']:.0f} + {r['count']:.0f} | {r['solve']:.0f} ({r['iterations']}) | "
                f"{r['peak'] / 1e9:.2f} | {r['gap']:.1f} | {Estimate.of(won).text(1)} | {less} | {against} |",
                flush=True,
            )
    print(f"\nload at the end {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
