"""Card abstractions of limit hold'em side by side: what they cost, and how well their equilibria play.

    python benchmarks/bench_abstractions.py [SPEC ...] [--gap MB] [--deals N] [--seed S] [--hands N]
                                            [--rivers N] [--folder FOLDER]

For each abstraction, by default those that the project names: private states per round; processor seconds to
divide the hands and to count the joint matrices (the features, which all share, are built before), and to
solve; peak memory; exploitability inside the abstraction; what a local best response wins from the
equilibrium with real cards, and how much more or less that is than from the first abstraction, deal by deal;
and what the equilibrium wins from that of the first abstraction in duplicate hands with real cards. With
``--rivers N`` it also says how much less LBR wins from the first equilibrium if rivers are solved anew
(`soulread.solvers.real_cards.river`), over N deals of the next seed. Intervals are 95%. LBR is a lower bound
of exploitability: a smaller figure is no proof of a better strategy.

Each abstraction has a process of its own. Set NUMBA_NUM_THREADS and OPENBLAS_NUM_THREADS to 1, so that
processor seconds are those of one core. What is in the folder already is not solved again.
"""

import argparse
import json
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
from soulread.games.limit_holdem import limit_holdem
from soulread.play.match.simulate import simulate
from soulread.seqform.abstract import abstract_game
from soulread.seqform.betting import betting_tree
from soulread.seqform.lookup import AbstractLookup
from soulread.seqform.source import parse_buckets, with_cards
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.cfr.methods import default_schedule
from soulread.solvers.cfr.run import solve
from soulread.solvers.real_cards.local_best_response import play_deals
from soulread.solvers.real_cards.river import RiverSolver
from soulread.streams import MatchStreams

NAMED = "5-5-5-5:quick", "4-3-2-2:quick", "8-12-4-4:quick", "5-5-5-5", "8-12-4-4"
MILLIBETS = 500.0  # per chip


def measure(text: str, folder: Path, gap: float) -> None:
    """Build and solve one abstraction; for a process of its own. Figures and strategy go to the folder."""
    buckets, rules = parse_buckets(text), limit_holdem()
    features = tables.load_features()
    start = time.process_time()
    make = potential_buckets if buckets.spec.kind == "potential" else percentile_buckets
    abstraction = make(buckets.spec, features)
    weights = some_boards(tables.QUICK_BOARDS, tables.QUICK_SEED) if buckets.quick else None
    joint = count_joint(abstraction, weights)
    counted = time.process_time()
    game = abstract_game(rules, abstraction, joint)
    del joint
    solution = solve(game, default_schedule(with_cards(rules, buckets)), gap=gap / MILLIBETS)
    solved = time.process_time()
    first, second = solution.behaviours
    np.savez(folder / f"{name_of(text)}.npz", first=first, second=second)
    figures = {
        "states": abstraction.num_states,
        "sets": sum(tree.num_sets for tree in game.trees),
        "build": counted - start,
        "solve": solved - counted,
        "iterations": solution.iterations,
        "gap": solution.gap * MILLIBETS,
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
    }
    (folder / f"{name_of(text)}.json").write_text(json.dumps(figures))


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


def real_rivers(text: str, folder: Path, deals: int, seed: int) -> Estimate:
    """How much more LBR wins, mb/g, if the rivers of an equilibrium are solved anew; below zero if less."""
    strategy, rules = stored(text, folder), limit_holdem()
    plain = play_deals(strategy, rules, deals, seed)
    solved = play_deals(strategy, rules, deals, seed, rivers=RiverSolver(strategy, rules))
    return Estimate.of((solved.won - plain.won).mean(axis=1) * MILLIBETS)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("specs", nargs="*", default=NAMED, metavar="SPEC")
    parser.add_argument("--gap", type=float, default=5.0, help="mb/g inside the abstraction")
    parser.add_argument("--deals", type=int, default=4000, help="of the local best response")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hands", type=int, default=500_000, help="duplicate hands against the first")
    parser.add_argument("--rivers", type=int, default=0, help="deals with rivers solved anew")
    parser.add_argument("--folder", help="where figures and strategies are left")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        measure(options.specs[0], Path(options.folder), options.gap)
        return 0
    first = options.specs[0]
    print(f"LBR over {options.deals:,} deals of seed {options.seed}; {options.hands:,} duplicate hands\n")
    print(
        "| abstraction | private states | information sets | build, s | solve, s (iterations) | "
        f"peak GB | inside, mb/g | LBR, mb/g | less {first} | wins from {first}, mb/g |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(exist_ok=True)
        base: NDArray[np.float64] | None = None
        for text in options.specs:
            figures = folder / f"{name_of(text)}.json"
            if not figures.exists():
                command = [sys.executable, __file__, "--one", text, "--folder", str(folder)]
                subprocess.run([*command, "--gap", str(options.gap)], check=True)
            r = json.loads(figures.read_text())
            played = play_deals(stored(text, folder), limit_holdem(), options.deals, options.seed)
            won = played.corrected.mean(axis=1) * MILLIBETS
            base = won if base is None else base
            less = against = ""
            if text != first:
                less = Estimate.of(won - base).text(1)
                against = head_to_head(text, first, folder, options.hands, options.seed).text(1)
            print(
                f"| {text} | {' / '.join(map(str, r['states']))} | {r['sets']:,} | {r['build']:.0f} | "
                f"{r['solve']:.0f} ({r['iterations']}) | {r['peak'] / 1e9:.2f} | {r['gap']:.1f} | "
                f"{Estimate.of(won).text(1)} | {less} | {against} |",
                flush=True,
            )
        if options.rivers:
            change = real_rivers(first, folder, options.rivers, options.seed + 1)
            assert base is not None
            plain = Estimate.of(base)
            both = Estimate(
                plain.mean + change.mean,
                float(np.hypot(plain.standard_error, change.standard_error)),
                change.n,
            )
            print(f"\n{first} with rivers solved anew: LBR wins {both.text(1)}: {change.text(1)} more")
            print(f"(the change over {options.rivers:,} deals of seed {options.seed + 1})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
