"""Gain against hands in heads-up no-limit: how soon an exploiter wins from opponents of its own menu.

    python benchmarks/gain_nolimit.py [--stacks 40] [--cards 5-5-5-5:quick:bets=usual] [--agent soul]
                                      [--hands 500] [--seed 5] [OPPONENT ...]

The agent meets every opponent in one match with real cards and real raises. After some hands what it holds is
valued against the opponent's true strategy, exactly in the tree of the menu: mb/g beyond what the equilibrium
wins, as a mean over the seats (a thousandth of a big blind is 1 mb/g). Beside it stand the best response, the
promise and the certificate. A match is one sample.
"""

import argparse
import time

import numpy as np

from soulread.games.base import CHANCE, TERMINAL
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.poker import PokerGame
from soulread.hands.record import seen_by
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.exploiters.exploiter import Exploiter, millibets_per_chip
from soulread.play.tabular import own_table
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours, Plans, in_precision, plan_from_behaviour
from soulread.solvers.exploitability import best_response_values

OPPONENTS = (
    "loose:CARDS:0.3",
    "passive:CARDS:0.3",
    "tight:CARDS:0.3",
    "aggressive:CARDS:0.3",
    "equilibrium:CARDS",
)
SHOWN = 25, 50, 100, 250, 500


def plans_of(game: SequenceGame, behaviours: Behaviours) -> Plans:
    """Both seats' plans in the precision of the game."""
    first, second = (
        plan_from_behaviour(tree, in_precision(own, game.payoff.dtype))
        for tree, own in zip(game.trees, behaviours, strict=True)
    )
    return first, second


def won(game: SequenceGame, mine: Plans, theirs: Plans) -> float:
    """Chips a hand, as a mean over the seats."""
    return (game.value(mine[0], theirs[1]) - game.value(theirs[0], mine[1])) / 2


def play(poker: PokerGame, players: tuple[Agent, Agent], seat: int, rng: np.random.Generator) -> None:
    """One hand; the first of the players sits in ``seat`` and observes it."""
    state = poker.start()
    while state.player != TERMINAL:
        if state.player == CHANCE:
            cards = [card for card, _ in state.chance_outcomes()]
            state = state.apply(int(rng.choice(cards)))
        else:
            player = players[0 if state.player == seat else 1]
            state = state.apply(player.act(state.view(state.player), rng))
    players[0].observe(seen_by(state, seat))


def main() -> None:
    """Play, and print a line for each opponent and number of hands."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("opponents", nargs="*", default=OPPONENTS)
    parser.add_argument("--stacks", type=int, default=40)
    parser.add_argument("--cards", default="5-5-5-5:quick:bets=usual")
    parser.add_argument("--agent", default="soul", help="an exploiter; its cards are added")
    parser.add_argument("--hands", type=int, default=500)
    parser.add_argument("--seed", type=int, default=5)
    chosen = parser.parse_args()
    poker = nolimit_holdem(2, chosen.stacks)
    name, _, options = chosen.agent.partition(",")
    text = f"{name}:{chosen.cards}{',' if options else ''}{options}"
    agent = parse_agent(text).make(poker)
    assert isinstance(agent, Exploiter)
    game, scale = agent.game, millibets_per_chip(agent.game)
    equilibrium = plans_of(game, agent.equilibrium.behaviours)
    print(f"{text}, stacks of {chosen.stacks}, seed {chosen.seed}; mb/g")
    for named in chosen.opponents:
        opponent = parse_agent(named.replace("CARDS", chosen.cards)).make(poker)
        table = own_table(opponent)
        if table is None or table.betting.bets != game.bets:
            raise SystemExit(f"{named} does not play from a table over {game.bets}")
        theirs = plans_of(game, table.behaviours)
        usual = won(game, equilibrium, theirs)
        best = sum(best_response_values(game, theirs)) / 2 - usual
        print(f"\n{named}: the equilibrium wins {usual * scale:.0f}, a best response {best * scale:.0f} more")
        agent.reset()
        rng, start = np.random.default_rng(chosen.seed), time.process_time()
        for number in range(1, chosen.hands + 1):
            play(poker, (agent, opponent), number % 2, rng)
            if number in SHOWN or number == chosen.hands:
                gain = won(game, plans_of(game, agent.playing.behaviours), theirs) - usual
                print(
                    f"{number:6} hands: gain {gain * scale:6.0f}   promised {agent.promise * scale:6.0f}   "
                    f"at risk {-agent.worst_case * scale:6.0f}   CPU {time.process_time() - start:.0f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
