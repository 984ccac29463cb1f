"""Agents that play from a table, with real cards: equilibria, best responses, strategies from files."""

from dataclasses import dataclass, replace

import numpy as np

from soulread.games.poker import PokerView
from soulread.play.agent import MemorylessAgent
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats


@dataclass(frozen=True, eq=False)
class TabularAgent(MemorylessAgent):
    """Plays a `TabularStrategy`: finds betting node and private state, and draws an action.

    Every decision takes one double of the agent's stream, so that `soulread.play.simulate` can replay
    its matches bit by bit.
    """

    name: str
    strategy: TabularStrategy

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the node and state in view."""
        strategy = self.strategy
        node = strategy.betting.decision(view.betting)
        return strategy.draw(node, strategy.lookup.state(view.hole, view.board), rng.random())

    def with_behaviours(self, name: str, behaviours: tuple[Floats, Floats]) -> "TabularAgent":
        """An agent of another name that plays other behaviours over the same private states."""
        return TabularAgent(name, replace(self.strategy, behaviours=behaviours))
