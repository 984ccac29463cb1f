"""No-limit hold'em hand by hand: how many hands a second agents play at a table, whatever the stacks.

    python benchmarks/bench_table.py [--hands N]

Simple agents play heads-up with blinds of 50 and 100 and stacks of 20,000 and 100,000 chips. PokerKit then
plays the very same hands: the same cards and actions, and it is asked at each decision what may be raised.
Every payoff must be the same to the chip. OpenSpiel plays hands of its own, at random. Rates are hands per
second of CPU time on one core; the ratio is to PokerKit. Learners and observers are off. The exit code is 1
if a payoff differs or a pairing plays fewer than 2,000 hands a second.

Two agents that always make the smallest raise need 200 and 1,000 actions a hand at these stacks, so that
pairing is given in actions a second and not judged.
"""

import argparse
import hashlib
import sys
import time
from importlib import import_module

import numpy as np

from soulread.cards.deck import cards_name
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import CALL, FOLD, PokerGame, PokerState
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match

STACKS = 20_000, 100_000
PAIRS = (
    ("random", "always-call"),
    ("random", "random"),
    ("random", "probe"),
    ("always-raise", "always-call"),
    ("always-raise", "random"),
    ("always-call", "always-call"),
)
LEAST = 2000  # hands a second that every pairing must play
SEED = 1
OPENSPIEL = (
    "universal_poker(betting=nolimit,bettingAbstraction=fullgame,numPlayers=2,numRounds=4,blind=100 50,"
    "firstPlayer=2 1 1 1,numSuits=4,numRanks=13,numHoleCards=2,numBoardCards=0 3 1 1,stack={0} {0})"
)


def our_rate(game: PokerGame, pair: tuple[str, str], hands: int) -> tuple[float, list[PokerState]]:
    """Hands per second, and how every hand ended."""
    match = Match(game, tuple(parse_agent(text).make(game) for text in pair), hands)
    ends: list[PokerState] = []

    def keep(hand: LiveHand) -> None:
        ends.append(hand.end)

    Match(game, match.agents, 10).play(SEED)  # once for what is compiled or worked out once
    tick = time.process_time()
    match.play(SEED)
    rate = hands / (time.process_time() - tick)
    match.play(SEED, record=keep)  # again, to have the hands
    return rate, ends


def pokerkit_rate(ends: list[PokerState]) -> tuple[float, list[tuple[int, ...]]]:
    """Hands per second of PokerKit with the same cards and actions, and its payoffs."""
    rules = ends[0].rules
    stacks = rules.stacks or ()
    start_hand = import_module("check_games").pokerkit_state  # from this folder
    dealt = [[cards_name(end.cards[i : i + 2]) for i in (0, 2)] for end in ends]
    boards = [[cards_name(end.board[i:j]) for i, j in ((0, 3), (3, 4), (4, 5))] for end in ends]
    paid = []
    tick = time.process_time()
    for end, hole, board in zip(ends, dealt, boards, strict=True):
        other = start_hand(rules)
        streets = iter(board)
        for cards in hole:
            other.deal_hole(cards)
        for seat, action in end.actions:
            while other.actor_index is None:
                other.deal_board(next(streets))
            _ = other.min_completion_betting_or_raising_to_amount  # what an agent must know to choose
            _ = other.max_completion_betting_or_raising_to_amount
            if action == FOLD:
                other.fold()
            elif action == CALL:
                other.check_or_call()
            else:
                earlier = stacks[seat] - other.stacks[seat] - other.bets[seat]
                other.complete_bet_or_raise_to(action - earlier)
        while other.status:
            other.deal_board(next(streets))
        paid.append(tuple(int(chips) for chips in other.payoffs))
    return len(ends) / (time.process_time() - tick), paid


def openspiel_rate(stack: int, hands: int) -> float:
    """Hands per second of OpenSpiel, both at random: first the kind of action, then the size of a raise."""
    import pyspiel

    game = pyspiel.load_game(OPENSPIEL.format(stack))
    rng = np.random.default_rng(0)
    tick = time.process_time()
    for _ in range(hands):
        state = game.new_initial_state()
        while not state.is_terminal():
            actions = state.legal_actions()
            if state.is_chance_node():
                chosen = actions[int(rng.random() * len(actions))]
            else:
                kinds = min(len(actions), 3)
                kind = int(rng.random() * kinds)
                sizes = actions[kinds - 1 :]
                chosen = actions[kind] if kind < kinds - 1 else sizes[int(rng.random() * len(sizes))]
            state.apply_action(chosen)
    return hands / (time.process_time() - tick)


def report(stack: int, hands: int) -> bool:
    """One table; whether all is as it must be."""
    game = nolimit_holdem(stacks=stack, blinds=(50, 100))
    print(f"{game.name}, hands per second of CPU time on one core:")
    fine = True
    for pair in PAIRS:
        rate, ends = our_rate(game, pair, hands)
        few = ends[: max(hands // 10, 10)]
        pokerkit_rate(few[:2])  # once for what it imports and works out once
        theirs, paid = pokerkit_rate(few)
        same = paid == [end.payoffs() for end in few]
        digest = hashlib.sha256(repr([(end.cards, end.betting, end.payoffs()) for end in ends]).encode())
        fine &= same and rate >= LEAST
        print(
            f"  {' - '.join(pair):28s}{rate:9,.0f}   PokerKit {theirs:7,.0f}   {rate / theirs:5.1f} times   "
            f"checksum {digest.hexdigest()[:8]}   "
            + (f"{len(few):,} payoffs alike" if same else "PAYOFFS DIFFER")
            + ("" if rate >= LEAST else f"   BELOW {LEAST:,}"),
            flush=True,
        )
    rate, ends = our_rate(game, ("always-raise", "always-raise"), max(hands // 100, 5))
    actions = rate * sum(len(end.actions) for end in ends) / len(ends)
    print(f"  {'always-raise - always-raise':28s}{rate:9,.0f}   that is {actions:,.0f} actions a second")
    print(f"  OpenSpiel, random - random  {openspiel_rate(stack, max(hands // 100, 5)):9,.0f}\n", flush=True)
    return fine


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--hands", type=int, default=4000)
    hands = parser.parse_args().hands
    fine = [report(stack, hands) for stack in STACKS]
    sys.exit(0 if all(fine) else 1)


if __name__ == "__main__":
    main()
