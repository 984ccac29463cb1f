"""The opponents for experiments: how exploitable they are in an abstraction, and at least with real cards.

    python benchmarks/bench_opponents.py [GAME] [DEALS]

GAME is "limit:5-5-5-5:quick" if not given; tables and equilibria are taken from the cache or made first,
which takes minutes. Prints Orange for both readings of its bonus and both conventions of the seats beside
the paper's 28 mb/g, the baselines and the skewed equilibria in mb/g (mean over the seats), and what local
best response wins against some of them in DEALS deals (2000), with 95% interval and hands per second of
CPU time. The checksum is the exploitability of always-fold; the exit code is 1 if it is wrong.
"""

import sys
import time

from soulread.play.opponents.skewed import PRESETS, find_orange
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviours, Plans, in_precision, plan_from_behaviour
from soulread.seqform.tabular import tabular
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.judge import Judgement, judge
from soulread.solvers.real_cards.local_best_response import local_best_response
from soulread.solvers.skews import BASELINES, baseline_behaviour, parse_skews, skew_behaviours
from soulread.solvers.variants import READINGS, deviation_gains, with_winner_bonus

PUBLISHED_ORANGE = 28.0  # mb/g, Johanson & Bowling 2009, section 3.2
ALWAYS_FOLD = {"limit": 750.0, "leduc": 500.0, "leduc:iso": 500.0, "kuhn": 1000.0}  # mb/g
MORE_SKEWS = (
    "loose=0.3,rounds=preflop",
    "loose=0.3,hands=weak",
    "passive=0.3,hands=strong",
    "aggressive=0.3,rounds=river,hands=weak",
    "percent=80/120/100",
)


def main() -> int:
    text = sys.argv[1] if len(sys.argv) > 1 else "limit:5-5-5-5:quick"
    deals = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    source = parse_source(text)
    game = source.compile()
    to_millibets = 1000 / source.poker.rules.small_bet

    def plans_of(behaviours: Behaviours) -> Plans:
        first, second = (
            plan_from_behaviour(tree, in_precision(behaviour, game.payoff.dtype))
            for tree, behaviour in zip(game.trees, behaviours, strict=True)
        )
        return first, second

    def judged(behaviours: Behaviours) -> Judgement:
        return judge(game, plans_of(behaviours))

    equilibrium = find_equilibrium(source).behaviours
    print(f"{text}, exploitability in mb/g")
    result = judged(equilibrium)
    print(f"  equilibrium: {result.exploitability * to_millibets:.2f}")

    print(
        f"Orange (paper: {PUBLISHED_ORANGE:g})                mean    sum   seats lose at most   left to gain"
    )
    oranges = {}
    for of in READINGS:
        oranges[of] = find_orange(source, of).behaviours
        result = judged(oranges[of])
        gains = deviation_gains(with_winner_bonus(game, of=of), plans_of(oranges[of]))
        mean = result.exploitability * to_millibets
        seats = [-worst * to_millibets for worst in result.worst_cases]
        print(
            f"  +7% of the {of:20s} {mean:6.1f} {2 * mean:6.1f}   {seats[0]:8.1f} {seats[1]:8.1f}"
            f" {sum(gains) / 2 * to_millibets:14.2f}"
        )

    print("baselines and skewed equilibria")
    opponents: dict[str, Behaviours] = {
        name: (baseline_behaviour(game.trees[0], name), baseline_behaviour(game.trees[1], name))
        for name in BASELINES
    }
    for skew in (*map(str, PRESETS.values()), *(MORE_SKEWS if text.startswith("limit") else ())):
        opponents[skew] = skew_behaviours(game, equilibrium, parse_skews(skew))
    found = {}
    for name, behaviours in opponents.items():
        found[name] = judged(behaviours).exploitability * to_millibets
        print(f"  {name:40s} {found[name]:8.1f}")

    print(f"local best response with real cards, {deals:,} deals from both seats, seed 1")
    rows = {"equilibrium": equilibrium, "Orange, win": oranges["win"], "Orange, pot": oranges["pot"]}
    for name in ("loose=0.2", "always-call"):
        rows[name] = opponents[name]
    for name, behaviours in rows.items():
        strategy = tabular(game, behaviours)
        local_best_response(strategy, source.poker, 2)
        start = time.process_time()
        value = local_best_response(strategy, source.poker, deals, 1)
        spent = time.process_time() - start
        print(
            f"  {name:40s} {value.in_millibets(value.value).text(1):>16s}   {2 * deals / spent:6.0f} hands/s"
        )

    expected = ALWAYS_FOLD[source.poker.name]
    good = abs(found["always-fold"] - expected) < 0.01
    print(f"checksum: {found['always-fold']:.2f} {'as expected' if good else f'but expected {expected}'}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
