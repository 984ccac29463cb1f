"""Agents by name: the texts the command line and experiments use."""

from collections.abc import Callable

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.play.agent import Agent
from soulread.play.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random

AGENTS: dict[str, Callable[[], Agent]] = {
    "random": Random,
    "always-fold": AlwaysFold,
    "always-call": AlwaysCall,
    "always-raise": AlwaysRaise,
    "probe": Probe,
}


def parse_agent(text: str, game: PokerGame) -> Agent:
    """Make the agent that ``text`` names, ready to sit down at ``game``."""
    if text not in AGENTS:
        raise ParseError(f"{text!r} is not an agent; known are {', '.join(AGENTS)}")
    return AGENTS[text]()
