"""The agent that plays rivers with real cards.

    real-river                               in limit hold'em, over an equilibrium of 5-5-5-5 buckets
    real-river:8-12-4-4:quick,iterations=200

Before the river it plays an equilibrium of a card abstraction. When the river card is dealt it solves the
rest of the hand anew with real cards (`soulread.solvers.real_cards.river`), and plays the solution. A solve
takes about 60 ms with 100 iterations; the decisions of one river share it.
"""

from dataclasses import dataclass, field

import numpy as np

from soulread.cards.ranges import hand_index
from soulread.games.poker import PokerGame, PokerView
from soulread.options import Options, option
from soulread.play.agent import MemorylessAgent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, cards_option, source_for, where_tables_reach
from soulread.play.tabular import strategy_of
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.source import Buckets, Tell
from soulread.seqform.strategy import draw_index
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium
from soulread.solvers.real_cards.river import DEFAULT_ITERATIONS, RiverPlay, RiverSolver


@dataclass(frozen=True)
class RiverOptions(Options):
    """Options of `real-river`."""

    cards: Buckets | None = cards_option("5-5-5-5")
    iterations: int = option(DEFAULT_ITERATIONS, "iterations of CFR+ on each river", low=1)


@dataclass(eq=False)
class RiverAgent(MemorylessAgent):
    """Plays a table, and rivers as `RiverSolver` solves them. Every decision takes one double."""

    name: str
    rivers: RiverSolver
    _solved: dict[tuple[int, tuple[int, ...]], RiverPlay] = field(default_factory=dict, repr=False)

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the table or, on the river, of the river's solution."""
        strategy, uniform = self.rivers.strategy, rng.random()
        node = strategy.betting.decision(view.betting)
        if strategy.betting.arrays.round[node] < self.rivers.last_round:
            return strategy.draw(view, uniform)
        play = self.river(self.rivers.start_of(node), tuple(view.board))
        actions = strategy.betting.actions[node]
        chances = play.behaviour[play.place[node], : len(actions), hand_index(*view.hole)]
        return actions[draw_index(chances.astype(np.float64), uniform)]

    def river(self, start: int, board: tuple[int, ...]) -> RiverPlay:
        """The solution of a river; only the last one is kept."""
        if (start, board) not in self._solved:
            self._solved = {(start, board): self.rivers.solve(start, board)}
        return self._solved[start, board]


def where_rivers_are_solved(game: PokerGame) -> str | None:
    """Only heads-up limit hold'em has abstractions, and rivers to solve."""
    reason = where_tables_reach(game)
    if reason is None and not has_abstraction(game):
        return "it solves the rivers of heads-up limit hold'em"
    return reason


def known_opponent(
    spec: AgentSpec, game: PokerGame, tell: Tell | None = None
) -> tuple[TabularStrategy, RiverSolver | None]:
    """The table of an agent whose strategy is known exactly, and its solver of rivers if it has one."""
    if spec.entry is RIVER:
        agent = spec.make(game, tell)
        assert isinstance(agent, RiverAgent)
        return agent.rivers.strategy, agent.rivers
    return strategy_of(spec, game, tell), None


def _make(spec: AgentSpec, game: PokerGame, tell: Tell | None) -> RiverAgent:
    source = source_for(spec, game)
    return RiverAgent(spec.text, RiverSolver(find_equilibrium(source, tell), game, spec.options.iterations))


RIVER = AgentEntry(
    "real-river",
    "an equilibrium over buckets that solves each river anew with real cards; it is harder to exploit",
    _make,
    RiverOptions,
    where_rivers_are_solved,
    examples=("real-river:5-5-5-5:quick",),
)
