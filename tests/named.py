"""Games and agents by their names, for tests: what the command line does at its edge."""

from collections.abc import Sequence
from typing import Any, TypeVar

from soulread.games.named import parse_game
from soulread.games.poker import PokerGame
from soulread.play.agent import Agent
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.matches import MatchResult, play_matches
from soulread.seqform.compile import SequenceGame
from soulread.seqform.source import parse_source
from soulread.seqform.tabular import TabularStrategy
from soulread.solvers.equilibria import find_equilibrium

Kind = TypeVar("Kind")


def compile_source(text: str) -> SequenceGame:
    """The game a text names, as betting tree times private states."""
    return parse_source(text).compile()


def equilibrium_of(text: str) -> TabularStrategy:
    """An equilibrium of the game a text names."""
    return find_equilibrium(parse_source(text))


def make_agent(text: str, game: PokerGame) -> Agent:
    """The agent a text names, at a game."""
    return parse_agent(text).make(game)


def make_kind(kind: type[Kind], text: str, game: PokerGame) -> Kind:
    """The agent a text names, which is one of this class."""
    agent = make_agent(text, game)
    assert isinstance(agent, kind)
    return agent


def play_named(game: str, agents: Sequence[str], hands: int, **options: Any) -> MatchResult:
    """`play_matches` with names."""
    return play_matches(parse_game(game), [parse_agent(text) for text in agents], hands, **options)
