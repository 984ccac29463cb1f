"""Limit hold'em: solving abstractions, best responses, and playing the results with real cards.

    python benchmarks/bench_holdem.py [--all] [--quick] [--hands N] [--solved]

Solves 5-5-5-5, with --all 8-12-4-4 too, to 3 mb/g, each in a process of its own so that its peak memory can
be told. The tables are built first if the cache does not have them; --solved takes equilibria from the
cache. Then the last of them plays the baselines, and best responses to them, with real cards, beside what
the abstract game predicts. Hands per second of the simulator stand beside OpenSpiel's and, where it is
installed, RLCard's limit hold'em. Times are wall clock on all cores: run it on an idle machine; the load
average is printed. The exit code is 1 if a gap is not reached or a mean is off its prediction.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

from soulread.estimate import Estimate, Unit
from soulread.games.limit_holdem import limit_holdem
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import Match, play_match
from soulread.play.match.simulate import simulate
from soulread.play.tabular import behaviours_in, strategy_of
from soulread.seqform.abstract import memory_needed
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import parse_source
from soulread.seqform.strategy import Behaviours, Plan, in_precision, plan_from_behaviour
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.cfr.methods import default_gap, default_schedule
from soulread.solvers.cfr.run import solve
from soulread.solvers.equilibria import (
    abstraction_checksum,
    equilibrium_path,
    find_equilibrium,
    keep_strategy,
)
from soulread.solvers.exploitability import best_response_values
from soulread.solvers.strategy_files import Strategy
from soulread.streams import MatchStreams

BASELINES = "random", "always-fold", "always-call", "always-raise"
GS5 = dict(zip(BASELINES, (0.854, 0.646, 0.582, 0.791), strict=True))
"""sb/h that the equilibrium GS5 won (Ganzfried & Sandholm, AAMAS 2011, table 1): another equilibrium may win
other amounts, since what it does against mistakes is not determined."""

OPENSPIEL = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=4,blind=2 1,firstPlayer=2 1 1 1,numSuits=4,"
    "numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack=1200 1200,raiseSize=2 2 4 4,maxRaises=3 4 4 4)"
)


def solve_one(text: str) -> dict[str, object]:
    """Solve a game and measure; for a process of its own."""
    source = parse_source(text)
    assert source.cards is not None
    start = time.perf_counter()
    game = source.compile()
    ready = time.perf_counter()
    game.payoff.gradient(0, Plan(np.zeros(game.trees[1].num_sequences, dtype=np.float32)))
    schedule = default_schedule(source)
    solve(game, schedule, iterations=1)  # kernels are compiled, or read from Numba's cache
    warm = time.perf_counter()
    cpu = time.process_time()
    solution = solve(game, schedule, gap=default_gap(game))
    cpu = time.process_time() - cpu
    keep_strategy(
        equilibrium_path(source), Strategy.from_solution(solution, abstraction=abstraction_checksum(game))
    )
    times = []
    for _ in range(3):
        tick = time.perf_counter()
        best_response_values(game, solution.plans)
        times.append(time.perf_counter() - tick)
    return {
        "game": text,
        "sets": sum(tree.num_sets for tree in game.trees),
        "tables": ready - start,
        "warm": warm - ready,
        "iterations": solution.iterations,
        "seconds": solution.seconds,
        "cpu": cpu,
        "gap": solution.gap,
        "dealer": -solution.value,
        "response": min(times),
        "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        "needed": memory_needed(source.poker, source.cards),
    }


def load_one(text: str) -> dict[str, object]:
    """Load an equilibrium from the cache; for a process of its own."""
    start = time.perf_counter()
    find_equilibrium(parse_source(text))
    return {"seconds": time.perf_counter() - start}


def in_process(task: str, text: str) -> dict[str, float]:
    result = subprocess.run(
        [sys.executable, __file__, task, text], check=True, capture_output=True, text=True
    )
    measured = json.loads(result.stdout.splitlines()[-1])
    return {name: number for name, number in measured.items() if name != "game"}


def millibets(chips: float) -> float:
    return chips * Unit.MILLIBETS.per_chip(limit_holdem().rules.small_bet, 2)


def report_solves(texts: list[str], solved: bool) -> bool:
    fine = True
    for text in texts:
        if not solved or not equilibrium_path(parse_source(text)).exists():
            r = in_process("--solve-one", text)
            fine &= r["gap"] <= default_gap(parse_source(text))
            print(
                f"{text}: {r['sets']:,} information sets, tables in {r['tables']:.1f} s, kernels in "
                f"{r['warm']:.1f} s\n"
                f"  {millibets(r['gap']):.3f} mb/g after {r['iterations']} iterations: {r['seconds']:.1f} s "
                f"wall, {r['cpu']:.1f} s CPU, {r['seconds'] / r['iterations']:.3f} s each with checks\n"
                f"  dealer's value {millibets(r['dealer']):+.1f} mb/g; best response of both seats "
                f"{r['response']:.3f} s\n"
                f"  peak memory {r['peak'] / 1e6:,.0f} MB (foretold for solving alone: "
                f"{r['needed'] / 1e6:,.0f} MB)"
            )
        print(f"  loaded from the cache in {in_process('--load-one', text)['seconds']:.2f} s\n", flush=True)
    return fine


def report_speed(agents: list[str], hands: int) -> None:
    """Hands per second of CPU time, one core each."""
    game = limit_holdem()
    print("hands per second of CPU time, one core:")
    alike = [agents[1], agents[1]]
    for pair, duplicate in (
        (alike, False),
        (alike, True),
        (agents, False),
        (agents, True),
        (["random", "random"], False),
    ):
        match = Match(game, tuple(parse_agent(text).make(game) for text in pair), hands, duplicate)
        play_match(match, 1)  # once for the kernels and the tables
        tick = time.process_time()
        profits = play_match(match, 1)
        rate = match.hands * match.passes / (time.process_time() - tick)
        kind = ", duplicate" if duplicate else ""
        print(f"  {rate:12,.0f}  soulread: {' - '.join(pair)}{kind} (checksum {np.abs(profits).sum():.0f})")
    few = Match(game, match.agents, 2000)
    tick = time.process_time()
    few.play(1)
    print(f"  {few.hands / (time.process_time() - tick):12,.0f}  soulread: random - random, agent by agent")
    print(f"  {openspiel_rate(3000):12,.0f}  OpenSpiel universal_poker, random - random from Python")
    other = rlcard_rate(2000)
    print(
        "           not installed  RLCard" if other is None else f"  {other:12,.0f}  RLCard, random - random"
    )
    print(flush=True)


def openspiel_rate(hands: int) -> float:
    import pyspiel

    game = pyspiel.load_game(OPENSPIEL)
    rng = np.random.default_rng(0)
    tick = time.process_time()
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            state.apply_action(actions[int(rng.random() * len(actions))])
    return hands / (time.process_time() - tick)


def rlcard_rate(hands: int) -> float | None:
    try:
        import rlcard
        from rlcard.agents import RandomAgent
    except ImportError:
        return None
    env = rlcard.make("limit-holdem", config={"seed": 0})
    env.set_agents([RandomAgent(num_actions=env.num_actions) for _ in range(env.num_players)])
    tick = time.process_time()
    for _ in range(hands):
        env.run(is_training=False)
    return hands / (time.process_time() - tick)


def predicted(game: SequenceGame, hero: Behaviours, villain: Behaviours) -> float:
    """Chips per hand of hero, the mean over the seats, in the abstract game."""
    dtype = game.payoff.dtype
    plans = [
        [
            plan_from_behaviour(tree, in_precision(sigma, dtype))
            for tree, sigma in zip(game.trees, behaviours, strict=True)
        ]
        for behaviours in (hero, villain)
    ]
    return (game.value(plans[0][0], plans[1][1]) - game.value(plans[1][0], plans[0][1])) / 2


def played(hero: TabularStrategy, villain: TabularStrategy, hands: int) -> Estimate:
    """Chips per hand of hero with real cards."""
    game = limit_holdem()
    profits = simulate(game, (hero, villain), hands, MatchStreams(7), duplicate=True)
    return Estimate.of(profits[:, 0])


def report_play(text: str, hands: int) -> bool:
    """The equilibrium and the best responses against the baselines, in sb/h."""
    source = parse_source(text)
    compiled, game = source.compile(), source.poker
    spec = source.name.removeprefix(f"{game.name}:")
    equilibrium = find_equilibrium(source)
    scale = Unit.SMALL_BETS.per_chip(game.rules.small_bet, 2)
    fine = True
    print(f"{text} with real cards, sb/h, ± half the 95% interval over {hands:,} duplicate hands;")
    print("in brackets what the abstract game predicts and by how many standard errors the mean differs:")
    print(f"  {'against':14s}{'equilibrium':>40s}   {'GS5':>5s}{'best response':>40s}")
    for name in BASELINES:
        villain = strategy_of(parse_agent(name), game)
        behaviours = behaviours_in(parse_agent(name), compiled)
        cells = []
        response = strategy_of(parse_agent(f"best-response:{spec}:{name}"), game)
        for hero in (equilibrium, response):
            won, expected = played(hero, villain, hands), predicted(compiled, hero.behaviours, behaviours)
            error = max(won.standard_error, 1e-6)  # against always-fold there may be no luck at all
            off = (won.mean - expected) / error
            fine &= abs(off) < 4
            cells.append(f"{won.scaled(scale).text(4)} ({expected * scale:.4f}, {off:+.1f})")
        print(f"  {name:14s}{cells[0]:>40s}   {GS5[name]:5.3f}{cells[1]:>40s}", flush=True)
    return fine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--all", action="store_true", help="8-12-4-4 too")
    parser.add_argument("--quick", action="store_true", help="joint matrices from a part of the boards")
    parser.add_argument("--solved", action="store_true", help="take equilibria from the cache")
    parser.add_argument("--hands", type=int, default=1_000_000)
    parser.add_argument("--solve-one", metavar="GAME", help=argparse.SUPPRESS)
    parser.add_argument("--load-one", metavar="GAME", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.solve_one or options.load_one:
        done = solve_one(options.solve_one) if options.solve_one else load_one(options.load_one)
        print(json.dumps(done))
        return 0
    specs = ["5-5-5-5", "8-12-4-4"] if options.all else ["5-5-5-5"]
    ending = ":quick" if options.quick else ""
    texts = [f"limit:{spec}{ending}" for spec in specs]
    print(f"{os.cpu_count()} cores, load {' '.join(f'{load:.2f}' for load in os.getloadavg())}\n", flush=True)
    fine = report_solves(texts, options.solved)
    report_speed([f"equilibrium:{spec}{ending}" for spec in (specs[-1], specs[0])], options.hands)
    fine &= report_play(texts[-1], options.hands)
    print(f"\nload at the end {' '.join(f'{load:.2f}' for load in os.getloadavg())}")
    print("fine" if fine else "NOT FINE: a gap was not reached or a mean is off its prediction")
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
