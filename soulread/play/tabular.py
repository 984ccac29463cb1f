"""Agents that play from a table, with real cards: equilibria, best responses, strategies from files."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from soulread.games.poker import PokerGame, PokerView
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.seqform.betting import betting_tree
from soulread.seqform.tabular import BlindLookup, TabularStrategy, blind_trees
from soulread.seqform.treeplex import Floats
from soulread.solve.skews import baseline_behaviour


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


def tabular_form(agent: Agent, game: PokerGame) -> TabularStrategy | None:
    """The strategy of an agent that plays from a table, or as if it did; None for any other.

    Baselines of a fixed-limit game of two are tables that do not look at the cards. They take the same draws
    as their table, or none.
    """
    if isinstance(agent, TabularAgent):
        return agent.strategy
    fixed = game.num_players == 2 and game.rules.raise_sizes is not None
    if not fixed or type(agent) not in (AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random):
        return None
    return _blind_strategy(agent.name, game)


@lru_cache(maxsize=32)
def _blind_strategy(baseline: str, game: PokerGame) -> TabularStrategy:
    betting = betting_tree(game)
    first, second = (baseline_behaviour(tree, baseline) for tree in blind_trees(betting))
    return TabularStrategy(betting, BlindLookup(len(game.rules.board_cards)), (first, second))
