"""How many play-outs a decision of `ponsen` needs: what fewer of them cost, by its own values.

    python benchmarks/choose_playouts.py nolimit 25 plain:style=loose

At every decision of a match the agent's choice after some number of play-outs is valued by many more of them.
What it loses to the best action is printed in chips a decision and in bb/100, with a decision's CPU time.
The opponents are the agents behind the number of hands; seed 1.
"""

import math
import sys
import time

import numpy as np

from soulread.games.named import parse_game
from soulread.games.poker import FOLD, PokerView
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.live import LiveHand
from soulread.play.match.matches import Match
from soulread.play.search.outlook import Limits
from soulread.play.search.ponsen import MARGIN, Ponsen

NUMBERS = 1500, 5000, 20_000, 50_000, 200_000
MANY = 250_000  # play-outs that value a choice


class Valuer:
    """An onlooker that values what the agent would have chosen after fewer play-outs."""

    def __init__(self, agent: Ponsen) -> None:
        self.agent = agent
        self.lost: dict[int, list[float]] = {number: [] for number in NUMBERS}  # chips
        self.took: dict[int, list[float]] = {number: [] for number in NUMBERS}  # seconds
        self._rng = np.random.default_rng(99)

    def begin(self, hand: LiveHand, agents: object) -> None:
        """Nothing was decided yet."""

    def end(self, hand: LiveHand, agents: object) -> None:
        """Everything was valued."""

    def act(self, hand: LiveHand, agents: object, view: PokerView, action: int, seconds: float) -> None:
        """Value the choices at a decision of the agent."""
        if hand.players[view.seat] != self.agent.name or len(view.legal) == 1:
            return
        may_fold = FOLD in view.legal
        truth = self.agent.simulate(view, Limits(playouts=MANY, clear=math.inf), self._rng)
        worth = dict(zip(truth.actions, truth.values, strict=True)) | ({FOLD: 0.0} if may_fold else {})
        for number in NUMBERS:
            began = time.process_time()
            found = self.agent.simulate(view, Limits(playouts=number), self._rng)
            self.took[number].append(time.process_time() - began)
            self.lost[number].append(max(worth.values()) - worth[found.careful(may_fold, MARGIN)])


def main() -> None:
    """Play a match and print a line for each number of play-outs."""
    text, hands, *others = sys.argv[1:]
    game = parse_game(text)
    agent = parse_agent("ponsen:playouts=5000").make(game)
    assert isinstance(agent, Ponsen)
    valuer = Valuer(agent)
    agents = agent, *(parse_agent(other).make(game) for other in others)
    Match(game, agents, int(hands), onlookers=(valuer,)).play(1)
    for number in NUMBERS:
        lost, took = np.array(valuer.lost[number]), np.array(valuer.took[number])
        half = 1.96 * lost.std() / math.sqrt(lost.size)
        per_100 = 100 * lost.sum() / game.rules.big_blind / int(hands)
        print(
            f"{number:>7,} play-outs: lost {lost.mean():.3f} ± {half:.3f} chips in {lost.size} decisions, "
            f"{per_100:.1f} bb/100; CPU mean {took.mean():.3f} s, longest {took.max():.3f} s"
        )


if __name__ == "__main__":
    main()
