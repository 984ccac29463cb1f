"""Learners in Leduc: milliseconds per hand, and how much of the best response's value they win.

    python benchmarks/bench_learners.py [--opponents 40] [--hands 1000] [--kinds simple complex equilibrium]
                                        [--learners explicit implicit:act=mean learner ...]

Each learner plays every opponent of a population of skewed equilibria (`soulread.solvers.skews`), none of
whom it has in its portfolio. Values are exact: small bets per hand of what it plays, averaged over the ten
hands up to each mark, and the part of a best response's value that is. ``±`` is half the 95% interval over
opponents. Times are of updating and responding, the exact value and the hand itself included, without
compiling. The checksum is the sum of all profits.
"""

import argparse
import time

import numpy as np

from soulread.estimate import Estimate
from soulread.games.leduc import leduc
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.learners import learning_setting, make_learner
from soulread.play.match.card_tables import play_learner
from soulread.solvers.skews import random_skews, skew_behaviours

LEARNERS = [
    "explicit",
    "explicit:act=thompson",
    "explicit:act=map",
    "explicit:act=mean",
    "implicit",
    "implicit:act=mean",
    "implicit:act=map",
    "implicit:act=exp3",
    "implicit:act=exp4",
    "bootstrap",
    "subpolicy",
    "subpolicy:parts=discovered",
    "subbootstrap",
    "learner:trust=1",
    "learner",
]
MARKS = 50, 200, 1000
WIDTH = 10  # hands averaged up to each mark


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--opponents", type=int, default=40)
    parser.add_argument("--hands", type=int, default=1000)
    parser.add_argument("--kinds", nargs="+", default=["simple", "complex", "equilibrium"])
    parser.add_argument("--learners", nargs="+", default=LEARNERS)
    arguments = parser.parse_args()
    setting = learning_setting(leduc())
    marks = [mark for mark in MARKS if mark <= arguments.hands]
    print("sb/h up to hand " + ", ".join(map(str, marks)) + " (part of the best response)")
    for kind in arguments.kinds:
        rng = np.random.default_rng(1)
        opponents = [
            setting.equilibrium
            if kind == "equilibrium"
            else skew_behaviours(setting.game, setting.equilibrium, random_skews(kind, rng))
            for _ in range(arguments.opponents)
        ]
        for text in arguments.learners:
            values, best, profits = [], [], 0.0
            seconds = 0.0
            for number, villain in enumerate(opponents):
                options = f"seed={1000 + number}"
                if "implicit" in text or "boot" in text or "subpolicy" in text:
                    population = "complex" if kind == "complex" else "simple"
                    options += f",portfolio={population}:5"
                spec = parse_agent(f"{text}{',' if ':' in text else ':'}{options}")
                learner = make_learner(spec.entry.name, spec.options, setting)
                cards, choices = (np.random.default_rng([number, key]) for key in (1, 2))
                start = time.perf_counter()
                run = play_learner(
                    setting.table, learner, villain, arguments.hands, cards, choices, setting.responder
                )
                seconds += time.perf_counter() - start if number else 0.0  # the first one compiles
                values.append(run.values / 2)
                best.append(run.best / 2)
                profits += run.profits.sum()
            table, bound = np.array(values), np.array(best)
            words = []
            for mark in marks:
                part = table[:, mark - WIDTH : mark].mean(axis=1)
                most = bound[:, mark - WIDTH : mark].mean()
                share = f"({part.mean() / most:4.0%})" if most > 1e-6 else ""
                words.append(f"{Estimate.of(part).text(4)} {share}")
            mean = Estimate.of(table[:, :200].mean(axis=1))
            each = 1e3 * seconds / arguments.hands / max(arguments.opponents - 1, 1)
            print(
                f"{kind:12}{text:28}{'  '.join(words)}  mean of first 200 {mean.text(4)}  "
                f"{each:.3f} ms/hand  checksum {profits:.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
