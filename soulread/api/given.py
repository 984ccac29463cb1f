"""Games and players as users give them: by name, or as any object that a function of soulread returned.

A game is a name ("leduc", "limit:5-5-5-5:quick"), a rule sheet, a `Source` or a compiled game. A player is
the name of an agent, an agent or its class, a solution, a strategy from a file, a table, a counter-strategy,
a fitted model, or a pair of behaviours.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.hands.hand import Hand
from soulread.model.base import Model
from soulread.model.tabular import as_table
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec
from soulread.play.catalogue.guard import ApartAgent, GuardedAgent
from soulread.play.catalogue.known import NEEDED, foreign_entry, parse_agent
from soulread.play.tabular import TabularAgent, behaviours_in
from soulread.respond.counter import CounterPair
from soulread.seqform.compile import SequenceGame, poker_of
from soulread.seqform.source import Source, Tell, parse_source
from soulread.seqform.strategy import Behaviours, move_behaviour
from soulread.seqform.tabular import TabularStrategy, tabular
from soulread.solvers.cfr.run import Solution
from soulread.solvers.equilibria import playable_strategy
from soulread.solvers.strategy_files import Strategy

AnyGame: TypeAlias = str | PokerGame | Source | SequenceGame
AnyTable: TypeAlias = Solution | Strategy | TabularStrategy | CounterPair | Behaviours
AnyAgent: TypeAlias = str | AgentSpec | Agent | type[Any] | AnyTable | Model


def source_of(game: AnyGame) -> Source:
    """The poker game that was given, with its card abstraction."""
    if isinstance(game, Source):
        return game
    if isinstance(game, PokerGame):
        return Source(game)
    if isinstance(game, SequenceGame):
        return parse_source(game.name) if game.abstract else Source(poker_of(game))
    return parse_source(game)


def hands_of(given: AnyAgent | Iterable[Hand]) -> list[Hand] | None:
    """The recorded hands that were given; None if a player was given instead."""
    if isinstance(given, str | type) or not isinstance(given, Iterable):
        return None
    if isinstance(given, tuple) and any(isinstance(item, np.ndarray) for item in given):
        return None  # a pair of behaviours
    hands: list[Any] = list(given)
    for hand in hands:
        if not isinstance(hand, Hand):
            raise SoulreadError(
                f"among the hands there is a {type(hand).__name__}; expected records of hands"
            )
    return hands


def agent_of(agent: AnyAgent | Iterable[Hand]) -> AgentSpec:
    """The agent that was given, ready to be made for any game it can play."""
    if isinstance(agent, AgentSpec):
        return agent
    if isinstance(agent, str):
        return parse_agent(agent)
    if isinstance(agent, type):
        entry = foreign_entry(agent.__name__, agent)
        return entry.spec(entry.name, parse_agent)
    if all(callable(getattr(agent, name, None)) for name in NEEDED):
        name = str(getattr(agent, "name", type(agent).__name__))
        entry = AgentEntry(name, "an agent that was given", partial(_seat, agent), foreign=True)
    else:
        name = type(agent).__name__.lower()
        entry = AgentEntry(name, "a table that was given", partial(_seat_table, agent))
    return AgentSpec(name, entry, entry.options())


def _seat(agent: Any, spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    """The agent itself, with its memory emptied; one that has a process gets another process."""
    if isinstance(agent, ApartAgent):
        return agent.anew(game)
    agent.reset()
    return agent if isinstance(agent, TabularAgent | GuardedAgent) else GuardedAgent(spec.text, agent)


def _seat_table(table: Any, spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    if isinstance(table, TabularStrategy):
        return TabularAgent(spec.text, table)
    if isinstance(table, Strategy):
        return TabularAgent(spec.text, playable_strategy(table, game, tell=tell))
    target = _game_of(table) or Source(game).compile(tell)
    if target.lookup is None:  # compiled history by history: it has no look-up of real cards
        target = Source(game).compile(tell)
    return TabularAgent(spec.text, tabular(target, behaviours_of(table, target)))


def _game_of(table: Any) -> SequenceGame | None:
    """The compiled game that a table belongs to, if it says so."""
    if isinstance(table, CounterPair):
        return table.seats[0].game
    found = getattr(table, "game", None)
    return found if isinstance(found, SequenceGame) else None


def behaviours_of(of: AnyAgent, target: SequenceGame) -> Behaviours:
    """Both seats' behaviours of what was given, laid out as in the compiled game ``target``."""
    if isinstance(of, Strategy):
        return playable_strategy(of, poker_of(target)).behaviours
    if isinstance(of, Solution | CounterPair):
        game = _game_of(of)
        assert game is not None
        if game.checksum == target.checksum:
            return of.behaviours
        first, second = (
            move_behaviour(old, new, behaviour)
            for old, new, behaviour in zip(game.trees, target.trees, of.behaviours, strict=True)
        )
        return first, second
    found = of.behaviours if isinstance(of, TabularStrategy) else of
    if isinstance(found, tuple):
        for tree, behaviour in zip(target.trees, found, strict=True):
            tree.verify_shape(behaviour, f"the behaviour, which is asked about {target.name!r},")
        return found
    if isinstance(of, str | AgentSpec | type) or callable(getattr(of, "act", None)):
        return behaviours_in(agent_of(of), target)
    return as_table(_verify_model(of), target).strategies


def _verify_model(given: Any) -> Model:
    if not callable(getattr(given, "probabilities", None)):
        raise SoulreadError(
            f"a {type(given).__name__} is no player; expected the name of an agent, an agent, a solution, a "
            "strategy, a table, a counter-strategy, a model or a pair of behaviours"
        )
    model: Model = given
    return model
