"""Restricted Nash and data biased responses: what a point of a curve costs, and how tight it must be solved.

    python benchmarks/bench_restricted.py [GAME] [--opponent AGENT] [--games N]
                                          [--precision MB/G] [--ps P,P,...] [--cold]

GAME is leduc, limit:5-5-5-5 (the default) or another abstraction. The opponent, Orange unless told otherwise,
is watched in N games against Probe; then seat 0's responses are solved one after the other, each from the
regrets of the one before (with --cold from scratch), until --precision is reached. Printed are
iterations and CPU seconds beside those of the plain game and of the paper (AISTATS 2009), and what the
response wins and risks. The exit code is 1 if exploitation of the model or exploitability falls by more than
the precision allows as p grows.
"""

import argparse
import os
import sys
import time

import numpy as np

from soulread.estimate import Unit
from soulread.model.counted import FrequencyModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.watch import observe_play
from soulread.play.tabular import behaviours_in, strategy_of
from soulread.respond.confidence import p_conf, zero_to_ten
from soulread.respond.counter import data_biased, restricted_nash
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import parse_source
from soulread.seqform.tabular import tabular
from soulread.solvers.cfr.minimiser import RegretMinimiser
from soulread.solvers.cfr.regret import DCFR
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.restricted import Restriction


def seconds_per_iteration(game: SequenceGame, restriction: Restriction | None, iterations: int) -> float:
    """CPU seconds of one iteration for both players, after the kernels are compiled."""
    engine = RegretMinimiser(game, DCFR(), restriction)
    engine.advance(2)
    tick = time.process_time()
    engine.advance(iterations)
    return (time.process_time() - tick) / iterations


PAPER = (
    "Johanson & Bowling, 5-5-5-5 on the hardware of 2008: a best response roughly 10 minutes, "
    'an equilibrium to 3 mb/g "under 10 hours"'
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("game", nargs="?", default="limit:5-5-5-5")
    parser.add_argument("--opponent")
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--precision", type=float, default=2.0, help="mb/g")
    parser.add_argument("--ps", default="0.5,0.7,0.8,0.9,0.93,0.97,0.99")
    parser.add_argument("--cold", action="store_true")
    options = parser.parse_args()
    source = parse_source(options.game)
    game = source.compile()
    spec = source.name.removeprefix(source.poker.name)
    opponent = parse_agent(options.opponent or f"orange{spec}")
    rules = source.poker.rules
    scale = Unit.MILLIBETS.per_chip(rules.small_bet, rules.big_blind)
    print(f"{os.cpu_count()} cores, load {' '.join(f'{load:.2f}' for load in os.getloadavg())}")

    real = behaviours_in(opponent, game)
    observed, probe = tabular(game, real), strategy_of(parse_agent("probe"), source.poker)
    observe_play(game, observed, probe, 1)
    tick = time.process_time()
    counts = observe_play(game, observed, probe, options.games, seed=1)
    print(
        f"{options.games:,} games of {opponent} against probe counted in "
        f"{time.process_time() - tick:.2f} s CPU"
    )
    tree = game.trees[1]
    model = FrequencyModel(game).fit_counts(counts)
    sigma, seen = model.strategy(1), model.observations(1)
    print(
        f"  {np.mean(seen > 0):.1%} of his {tree.num_sets:,} sets seen, {np.mean(seen >= 10):.1%} ten times"
    )

    few = 5 if spec else 2000
    plain = seconds_per_iteration(game, None, few)
    bound = seconds_per_iteration(game, Restriction(tree, sigma, p=0.9), few)
    biased = seconds_per_iteration(game, Restriction(tree, sigma, confidence=p_conf(zero_to_ten, seen)), few)
    print(
        f"CPU of an iteration: plain {plain * 1e3:.3f} ms, restricted Nash {bound / plain:.3f} times that, "
        f"data biased {biased / plain:.3f} times\n"
    )

    equilibrium = find_equilibrium(source).behaviours[0]
    restricted_nash(game, 0, real[1], 1, default=equilibrium)  # compiles what is not yet
    tick = time.process_time()
    restricted_nash(game, 0, real[1], 1, default=equilibrium)
    print(f"CPU of a best response, one seat: {time.process_time() - tick:.2f} s")
    print(PAPER + "\n")
    fine = True
    precision = options.precision / scale
    for method in ("rnr", "dbr"):
        how = "cold" if options.cold else "warm"
        print(f"{method}, to a precision of {options.precision:g} mb/g, {how}; mb/g:")
        print("      p  iterations  CPU s     gap   model  opponent   worst case")
        start, last, total, cpu = None, None, 0, 0.0
        for p in map(float, options.ps.split(",")):
            tick = time.process_time()
            if method == "rnr":
                response = restricted_nash(game, 0, sigma, p, Stops(precision=precision), start=start)
            else:
                response = data_biased(
                    game,
                    0,
                    sigma,
                    p_conf(zero_to_ten, seen, p),
                    Stops(precision=precision),
                    start=start,
                )
            spent = time.process_time() - tick
            start = None if options.cold else response.engine
            now = response.value_against(sigma), response.worst_case
            won = response.value_against(real[1])
            print(
                f"  {p:5.2f}  {response.iterations:10,}  {spent:5.1f}  {response.gap * scale:6.3f}  "
                f"{now[0] * scale:6.1f}  {won * scale:8.1f}  {now[1] * scale:11.1f}",
                flush=True,
            )
            if last is not None and method == "rnr":
                slack = 2 * precision
                fine &= now[0] >= last[0] - slack and now[1] <= last[1] + slack
            last, total, cpu = now, total + response.iterations, cpu + spent
        print(f"  all    {total:10,}  {cpu:5.1f}\n")
    print(f"load at the end {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    print("fine" if fine else "NOT FINE: the curve falls where it must not")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
