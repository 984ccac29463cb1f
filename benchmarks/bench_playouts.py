"""Time play-outs of limit and no-limit hold'em, and how far decisions overrun their budget.

    python benchmarks/bench_playouts.py [--quick]

Run with NUMBA_NUM_THREADS=1: nothing here uses a second thread. Play-outs count one by one: a deal that is
played out with a call and with a raise counts two, in no-limit one for each size. Every line ends with a
checksum of the answer. The peer is the slow twin of the tests, which plays hands by the rule engine.
"""

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

from soulread.cards.scales import boards_to_come
from soulread.games.named import parse_game
from soulread.games.poker import CALL, PokerState, replay
from soulread.model.loki.model import DOUBT, default_frequencies
from soulread.model.strength_tables import CompletedModel
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.opponents.plain import habits_of
from soulread.play.search.deals import draws_from
from soulread.play.search.formula import PlayStyle
from soulread.play.search.loki import Loki
from soulread.play.search.nolimit_rollout import LEVELS, Policy, actions_of
from soulread.play.search.nolimit_rollout import simulate_decision as nolimit_decision
from soulread.play.search.outlook import Clock, Limits
from soulread.play.search.ponsen import Ponsen
from soulread.play.search.rollout import Acting, new_acting, simulate_decision

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


def usual_acting(seats: int) -> Acting:
    """Bars that rise with the bets to call, the same for all rounds and seats; everybody is doubted."""
    one = np.array([[[0.35 + 0.15 * bets, 0.15], [0.65 + 0.12 * bets, 0.15]] for bets in range(3)])
    found = new_acting(seats)
    found.bars[:] = np.tile(one, (4, 1, 1))
    found.rates[:] = default_frequencies(seats)
    found.doubts[:] = DOUBT
    return found


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
        found = simulate_decision(view, tables, usual_acting(seats), before, limits, np.random.default_rng(1))
        best = min(best, time.perf_counter() - start)
    rate = f"{found.playouts / best:,.0f} play-outs/s"
    print(f"{name:<32}{rate:>24}   call {found.call:+.3f} raise {found.raise_:+.3f}")


def twin(deals: int) -> None:
    """The same six-handed flop by the rule engine."""
    state = state_of(6, 1)
    view = state.view(state.player)
    draws = draws_from(view, np.ones((6, 1326)))
    start = time.perf_counter()
    found = naive_rollout.chunk(state, deals, usual_acting(6), draws, np.random.default_rng(1))
    seconds = time.perf_counter() - start
    rate = f"{2 * deals / seconds:,.1f} play-outs/s"
    print(f"{'slow twin, six-handed flop':<32}{rate:>24}   sum {np.sum(found)}")


def nolimit_state(seats: int, round: int) -> PokerState:
    """Everybody has called so far, 100 big blinds deep."""
    cards = np.random.default_rng(7).permutation(52)[: 2 * seats + (0, 3, 4, 5)[round]].tolist()
    game = parse_game("nolimit" if seats == 2 else f"nolimit:players={seats}")
    return replay(game, ("c" * seats + "/") * round, cards)


def usual_policy(seats: int) -> Policy:
    """Everybody plays by the tables of a stranger."""
    stranger = CompletedModel(parse_game("nolimit"))
    sizes = np.cumsum(stranger.size_chances, axis=1)
    chances = np.tile(stranger.chances, (seats, 1, 1, 1))
    return Policy(habits_of(PlayStyle(), seats), chances, np.tile(sizes, (seats, 1, 1)))


def nolimit_speed(name: str, seats: int, round: int, playouts: int) -> None:
    """One line: play-outs a second with a call, three sizes and all-in; seconds of CPU."""
    state = nolimit_state(seats, round)
    view = state.view(state.player)
    tables, before = np.ones((seats, 1326)), np.tile(np.arange(1326) / 1326, (seats, 1))
    limits = Limits(playouts=playouts, clear=math.inf)
    actions = actions_of(view, (0.5, 1.0, 2.0))
    best = math.inf
    for _ in range(3):
        boards_to_come.flop_rows.cache_clear()
        start = time.process_time()
        found = nolimit_decision(
            view, actions, tables, usual_policy(seats), before, limits, np.random.default_rng(1)
        )
        best = min(best, time.process_time() - start)
    rate = f"{found.playouts / best:,.0f} play-outs/s"
    print(f"{name:<32}{rate:>24}   call {found.call:+.3f} best raise {found.raise_:+.3f}")


def nolimit_twin(times: int) -> None:
    """Single play-outs of the same six-handed flop by the rule engine, without drawing cards."""
    state = nolimit_state(6, 1)
    rng, policy = np.random.default_rng(1), usual_policy(6)
    board = (*state.board, *[card for card in range(52) if card not in state.cards][:2])
    won = 0
    start = time.process_time()
    for _ in range(times):
        deal = naive_rollout.naive_deal(
            state, {seat: state.hole(seat) for seat in range(6)}, board, 6
        )._replace(uniforms=rng.random((4, LEVELS, 6)))
        won += naive_rollout.play_out_nolimit(
            state, CALL, policy.own, policy.chances, policy.sizes, deal, board
        )[0]
    seconds = time.process_time() - start
    print(f"{'slow twin, six-handed flop':<32}{f'{times / seconds:,.1f} play-outs/s':>24}   sum {won}")


def overrun(
    decisions: int, budget: float, clock: Clock, what: str, text: str, other: str, table: str
) -> None:
    """How long decisions of an agent take beyond their budget by a clock, ranges included."""
    game = parse_game(table)
    seats = game.num_players
    agent = parse_agent(f"{text}budget={budget}").make(game)
    assert isinstance(agent, Loki | Ponsen)
    agent.clock = clock
    opponent = parse_agent(other).make(game)
    rng = np.random.default_rng(3)
    taken: list[float] = []
    names = [f"player {seat}" for seat in range(seats)]
    hands = 0
    while len(taken) < decisions:
        hand = LiveHand(game, names, rng.permutation(52)[: game.num_cards].tolist())
        ours = hands % seats
        while not hand.over:
            view = hand.view(hand.to_act)
            start = clock()
            action = (agent if hand.to_act == ours else opponent).act(view, rng)
            if hand.to_act == ours and agent.outlook is not None and len(view.legal) > 1:
                taken.append(clock() - start - budget)
            hand.act(action)
        agent.observe(hand.seen_by(ours))
        hands += 1
    over = 1e3 * np.array(taken[:decisions])
    title = f"{text}budget={budget:g}, {table}, {what}, {decisions} times"
    print(f"{title:<72}over by {over.max():.1f} ms at most, {np.median(over):.1f} in the median", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    for name, seats, round in SPOTS:
        speed(name, seats, round, 20_000 if quick else 200_000)
    twin(2 if quick else 10)
    for name, seats, round in SPOTS:
        if seats < 10:
            nolimit_speed(f"no-limit: {name}", seats, round, 20_000 if quick else 200_000)
    nolimit_twin(5 if quick else 20)
    times = 30 if quick else 200
    for clock, what in (
        (time.thread_time, "CPU"),
        (time.perf_counter, "time"),
    ):  # CPU: also on a busy machine
        overrun(times, 0.05, clock, what, "poki:", "loki:model=gom,use=none", "ring-limit:6")
        for seats in (2, 6, 9):
            overrun(times, 0.05, clock, what, "ponsen:", "plain", f"nolimit:players={seats}")
        overrun(times, 0.1, clock, what, "ponsen:learner=tree,", "plain", "nolimit:players=6")


if __name__ == "__main__":
    main()
