"""Local best response with real cards against equilibria of card abstractions, and against answers of `soul`.

    python benchmarks/bench_real_cards.py [SPEC ...] [--deals N] [--seed S] [--against AGENT ...] [--hands N]

The first table has a row for each abstraction: exploitability inside; the winnings of LBR with real cards;
the difference from the first abstraction, in the same deals. The second table has the answers that `soul`
over the first abstraction holds after ``--hands`` hands against each AGENT: the promise; the risk that is
certified in the abstraction; the winnings of LBR from the answer, and beyond those from the equilibrium, in
the same deals. Amounts are in mb/g, intervals 95%, seconds those of one core. LBR is a lower bound of
exploitability: of two strategies the one that loses less to LBR need not be the better one.

Equilibria come from the cache, or are solved first. Set NUMBA_NUM_THREADS and OPENBLAS_NUM_THREADS to 1.
"""

import argparse
import sys
import time

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.games.limit_holdem import limit_holdem
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.soul import Soul
from soulread.play.match.matches import Match
from soulread.respond.counter import pair_of
from soulread.seqform.source import parse_source
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.real_cards.local_best_response import play_deals

SPECS = "5-5-5-5:quick", "8-8-4-4:quick"
MILLIBETS = 500.0  # per chip


def winnings(strategy: TabularStrategy, deals: int, seed: int) -> tuple[NDArray[np.float64], float]:
    """Winnings of LBR in each deal, mb/g, and seconds of one core."""
    start = time.process_time()
    found = play_deals(strategy, limit_holdem(), deals, seed).corrected.mean(axis=1) * MILLIBETS
    return found, time.process_time() - start


def print_equilibria(specs: list[str], deals: int, seed: int) -> None:
    print(f"LBR over {deals:,} deals, each from both seats, seed {seed}\n")
    print(f"| abstraction | private states | inside | LBR | less {specs[0]} | seconds of LBR |")
    print("|---|---|---|---|---|---|", flush=True)
    first: NDArray[np.float64] | None = None
    for spec in specs:
        source = parse_source(f"limit:{spec}")
        strategy = find_equilibrium(source)
        game = source.compile()
        inside = pair_of(game, strategy.behaviours).exploitability * MILLIBETS
        states = " / ".join(map(str, strategy.lookup.num_states))
        del game
        won, seconds = winnings(strategy, deals, seed)
        first = won if first is None else first
        less = Estimate.of(won - first).text(1) if spec != specs[0] else ""
        print(
            f"| {spec} | {states} | {inside:.1f} | {Estimate.of(won).text(1)} | {less} | {seconds:.0f} |",
            flush=True,
        )


def print_answers(spec: str, opponents: list[str], hands: int, deals: int, seed: int) -> None:
    print(f"\nAnswers of soul:{spec} after {hands:,} hands, seed {seed}; LBR over {deals:,} deals\n")
    print("| opponent | promise | certified | LBR | beyond the equilibrium |")
    print("|---|---|---|---|---|", flush=True)
    rules = limit_holdem()
    for opponent in opponents:
        agent = parse_agent(f"soul:{spec},lbr={deals}").make(rules)
        assert isinstance(agent, Soul)
        Match(rules, (agent, parse_agent(opponent).make(rules)), hands).play(seed)
        agent.finish()
        (figure,) = (found.scaled(MILLIBETS) for found in agent.real_cards)
        print(
            f"| {opponent} | {agent.promise * MILLIBETS:.0f} | {figure.certified:.0f} | "
            f"{figure.won.text(0)} | {figure.beyond.text(0)} |",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("specs", nargs="*", default=SPECS, metavar="SPEC")
    parser.add_argument("--deals", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--against", nargs="*", default=[], metavar="AGENT")
    parser.add_argument("--hands", type=int, default=300)
    options = parser.parse_args()
    print_equilibria(list(options.specs), options.deals, options.seed)
    if options.against:
        print_answers(options.specs[0], options.against, options.hands, options.deals, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
