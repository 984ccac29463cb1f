"""Agents that play from a table, with real cards: equilibria, best responses, strategies from files."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, runtime_checkable

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, PokerView
from soulread.play.agent import Agent, MemorylessAgent
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.opponents.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.seqform.betting import betting_tree
from soulread.seqform.compile import SequenceGame, lookup_of, poker_of
from soulread.seqform.lookup import BlindLookup
from soulread.seqform.source import Tell
from soulread.seqform.strategy import Behaviour, Behaviours
from soulread.seqform.tabular import TabularStrategy, blind_trees
from soulread.solvers.skews import BASELINES, baseline_behaviour


@dataclass(frozen=True, eq=False)
class TabularAgent(MemorylessAgent):
    """Plays a `TabularStrategy`: finds betting node and private state, and draws an action.

    Every decision takes one double of the agent's stream, so that `soulread.play.match.simulate` can replay
    its matches bit by bit.
    """

    name: str
    strategy: TabularStrategy

    def act(self, view: PokerView, rng: np.random.Generator) -> int:
        """Draw an action of the node and state in view."""
        return self.strategy.draw(view, rng.random())

    def played(self, seat: int) -> TabularStrategy:
        """The strategy of every hand."""
        return self.strategy


def with_seat(strategy: TabularStrategy, seat: int, behaviour: Behaviour) -> TabularStrategy:
    """The strategy with another behaviour in one seat."""
    first, second = strategy.behaviours
    return replace(strategy, behaviours=(behaviour, second) if seat == 0 else (first, behaviour))


@runtime_checkable
class Disclosing(Protocol):
    """An agent that can say which strategy it followed in the hand that has just ended."""

    def played(self, seat: int) -> TabularStrategy:
        """The strategy in ``seat``, with any cards; called after a hand and before `Agent.observe`."""


def strategy_played(agent: Agent, game: PokerGame, seat: int) -> TabularStrategy | None:
    """The strategy of an agent in ``seat`` in the hand that has just ended; None if it cannot say.

    A strategy over a menu of raises is none of the game at the table.
    """
    if isinstance(agent, Disclosing):
        played = agent.played(seat)
        return played if played.betting.bets is None else None
    return tabular_form(agent, game)


def strategy_of(spec: AgentSpec, game: PokerGame, tell: Tell | None = None) -> TabularStrategy:
    """The strategy, for real cards, of an agent that plays from a table; any other agent is refused."""
    strategy = tabular_form(spec.make(game, tell), game)
    if strategy is None:
        raise SoulreadError(
            f"{spec.text!r} does not play {game.name!r} from a table, so its strategy is not known exactly"
        )
    return strategy


def behaviours_in(spec: AgentSpec, game: SequenceGame, tell: Tell | None = None) -> Behaviours:
    """Both seats' behaviours in a compiled game, for a baseline or an agent that plays from a table."""
    if spec.entry.name in BASELINES:
        first, second = (baseline_behaviour(tree, spec.entry.name) for tree in game.trees)
        return first, second
    table = own_table(spec.make(poker_of(game), tell))
    if table is None:
        raise SoulreadError(f"{spec.text!r} does not play from a table, so no response to it can be computed")
    bets = table.betting.bets
    if bets != game.bets:
        menus = ["all raises" if menu is None else f"bets={menu}" for menu in (bets, game.bets)]
        raise SoulreadError(
            f"{spec.text!r} plays over {menus[0]}, but {game.name!r} has {menus[1]}; both need the same"
        )
    expected = tuple(tree.num_sequences for tree in game.trees)
    if tuple(behaviour.size for behaviour in table.behaviours) != expected:
        raise SoulreadError(
            f"{spec.text!r} plays over {table.lookup.num_states} private states, but "
            f"{game.name!r} has {lookup_of(game).num_states}; both need the same abstraction"
        )
    return table.behaviours


def own_table(agent: Agent) -> TabularStrategy | None:
    """The table that an agent plays from, over a menu of raises too; None for any other."""
    found = getattr(agent, "strategy", None)
    return found if isinstance(found, TabularStrategy) else None


def tabular_form(agent: Agent, game: PokerGame) -> TabularStrategy | None:
    """The strategy of an agent that plays from a table, or as if it did; None for any other.

    In a fixed-limit game for two, baselines are tables too, which do not look at the cards. A baseline takes
    as many random draws as its table does, or none.
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
