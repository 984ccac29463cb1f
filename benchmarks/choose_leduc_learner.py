"""Compare settings of our Leduc learner, on bases and with a seed that are never reported.

    python benchmarks/choose_leduc_learner.py "learner" "learner:shape=40" --members 30

prints, for each setting and population, the share of a best response's gain after so many hands, and what is
lost to equilibria. `soulread.reproduce.tansey_2013.populations.CHOOSING` says on which bases;
`soulread reproduce leduc-bases` judges the setting that was chosen on others.
"""

import argparse
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from soulread.reproduce.tansey_2013.matches import POPULATIONS
from soulread.reproduce.tansey_2013.populations import AFTER, CHOOSING, ORACLE, play


def matches(learner: str, kind: str, base: str, hands: int, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Values ``[matches, reads]`` and best values ``[matches]``."""
    result = play(learner, kind, base, hands, CHOOSING.seed, 0, count)
    return np.asarray(result["values"]), np.asarray(result["best"])


def main() -> None:
    """Print one line per setting and population."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("settings", nargs="+", help="texts of learners")
    parser.add_argument("--members", type=int, default=20, help="opponents of each population")
    parser.add_argument("--matches", type=int, default=8, help="matches against each equilibrium; 0: none")
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    chosen = parser.parse_args()
    with ProcessPoolExecutor(chosen.jobs) as workers:

        def run(learner: str, kind: str, bases: tuple[str, ...], count: int) -> list[tuple[np.ndarray, ...]]:
            jobs = [workers.submit(matches, learner, kind, base, chosen.hands, count) for base in bases]
            return [job.result() for job in jobs]

        for learner in (ORACLE, *chosen.settings):
            print(learner, flush=True)
            for kind in POPULATIONS:
                start = time.perf_counter()
                found = run(learner, kind, CHOOSING.bases, chosen.members)
                shares = [100 * values.mean(axis=0) / best.mean() for values, best in found]
                values, best = (np.concatenate(parts) for parts in zip(*found, strict=True))
                share = values.mean(axis=0) / best.mean()
                error = (values - np.outer(best, share)).std(axis=0) / best.mean() / np.sqrt(best.size)
                told = "  ".join(
                    f"{h}: {100 * s:.0f} ± {196 * e:.0f}"
                    for h, s, e in zip(AFTER, share, error, strict=False)
                )
                by_base = "; ".join(
                    f"{base} {'/'.join(f'{s:.0f}' for s in part[3:])}"
                    for base, part in zip(CHOOSING.bases, shares, strict=True)
                )
                took = (time.perf_counter() - start) / best.size
                print(f"  {kind:12} {told}  ({by_base}), {took:.2f} s a match", flush=True)
            if learner == ORACLE or not chosen.matches:
                continue
            found = run(learner, "equilibrium", CHOOSING.equilibria, chosen.matches)
            means = np.array([values.mean(axis=0) for values, _ in found])
            told = "  ".join(
                f"{h}: {m:.4f}, worst {w:.4f}"
                for h, m, w in zip(AFTER, means.mean(axis=0), means.min(axis=0), strict=False)
            )
            print(f"  equilibria   {told}", flush=True)


if __name__ == "__main__":
    main()
