"""Time play-outs of limit hold'em, and how far decisions overrun their budget.

    python benchmarks/bench_playouts.py [--quick]

Run with NUMBA_NUM_THREADS=1: nothing here uses a second thread. Play-outs count one by one: a deal that is
played out with a call and with a raise counts two. Every line ends with a checksum of the answer. The peer is
the slow twin of the tests, which plays hands by the rule engine.
"""

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

from soulread.games import parse_game
from soulread.games.poker import PokerState, replay
from soulread.play import boards_to_come
from soulread.play.catalogue import parse_agent
from soulread.play.deals import draws_from
from soulread.play.live import LiveHand
from soulread.play.loki import Loki
from soulread.play.outlook import Clock, Limits
from soulread.play.rollout import simulate_decision

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
import naive_rollout

SPOTS = (
    ("six-handed flop", 6, 1),
    ("six-handed, before the flop", 6, 0),
    ("six-handed turn", 6, 2),
    ("six-handed river", 6, 3),
    ("heads-up flop", 2, 1),
    ("ten-handed flop", 10, 1),
    ("ten-handed, before the flop", 10, 0),
)


def state_of(seats: int, round: int) -> PokerState:
    """Everybody has called so far."""
    cards = np.random.default_rng(7).permutation(52)[: 2 * seats + (0, 3, 4, 5)[round]].tolist()
    return replay(parse_game(f"ring-limit:{seats}"), ("c" * seats + "/") * round, cards)


def usual_bars(seats: int) -> np.ndarray:
    """Bars that rise with the bets to call; the same for all rounds and seats."""
    one = np.array([[[0.35 + 0.15 * bets, 0.15], [0.65 + 0.12 * bets, 0.15]] for bets in range(3)])
    return np.tile(np.tile(one, (4, 1, 1)), (seats, 1, 1, 1))


def speed(name: str, seats: int, round: int, playouts: int) -> None:
    """One line: play-outs a second, rows of values made anew included."""
    state = state_of(seats, round)
    view = state.view(state.player)
    tables, before = np.ones((seats, 1326)), np.tile(np.arange(1326) / 1326, (seats, 1))
    limits = Limits(playouts=playouts, clear=math.inf)
    best = math.inf
    for _ in range(3):
        boards_to_come.flop_rows.cache_clear()
        start = time.perf_counter()
        found = simulate_decision(view, tables, usual_bars(seats), before, limits, np.random.default_rng(1))
        best = min(best, time.perf_counter() - start)
    rate = f"{found.playouts / best:,.0f} play-outs/s"
    print(f"{name:<32}{rate:>24}   call {found.call:+.3f} raise {found.raise_:+.3f}")


def twin(deals: int) -> None:
    """The same six-handed flop by the rule engine."""
    state = state_of(6, 1)
    view = state.view(state.player)
    draws = draws_from(view, np.ones((6, 1326)))
    start = time.perf_counter()
    found = naive_rollout.chunk(state, deals, usual_bars(6), draws, np.random.default_rng(1))
    seconds = time.perf_counter() - start
    rate = f"{2 * deals / seconds:,.1f} play-outs/s"
    print(f"{'slow twin, six-handed flop':<32}{rate:>24}   sum {np.sum(found)}")


def overrun(decisions: int, budget: float, clock: Clock, what: str) -> None:
    """How long decisions of poki take beyond their budget by a clock, tables and bars included."""
    game = parse_game("ring-limit:6")
    agent = parse_agent(f"poki:budget={budget}").make(game)
    assert isinstance(agent, Loki)
    agent.clock = clock
    others = [parse_agent("loki:model=gom,use=none").make(game) for _ in range(5)]
    rng = np.random.default_rng(3)
    taken: list[float] = []
    names = [f"player {seat}" for seat in range(6)]
    hands = 0
    while len(taken) < decisions:
        hand = LiveHand(game, names, rng.permutation(52)[: game.num_cards].tolist())
        ours = hands % 6
        while not hand.over:
            view = hand.view(hand.to_act)
            start = clock()
            action = (agent if hand.to_act == ours else others[0]).act(view, rng)
            if hand.to_act == ours and agent.outlook is not None and len(view.legal) > 1:
                taken.append(clock() - start - budget)
            hand.act(action)
        agent.observe(hand.seen_by(ours))
        hands += 1
    over = 1e3 * np.array(taken[:decisions])
    name = f"{1e3 * budget:.0f} ms of {what}, {decisions} decisions"
    print(f"{name:<32}over by {over.max():.1f} ms at most, {np.median(over):.1f} in the median")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    for name, seats, round in SPOTS:
        speed(name, seats, round, 20_000 if quick else 200_000)
    twin(2 if quick else 10)
    overrun(30 if quick else 200, 0.05, time.thread_time, "CPU")  # what a busy machine cannot spoil
    overrun(30 if quick else 200, 0.05, time.perf_counter, "time")


if __name__ == "__main__":
    main()
