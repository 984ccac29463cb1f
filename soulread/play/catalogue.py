"""Agents by name: the texts the command line and experiments use.

Some agents are a plain word (`AGENTS`), others a word and what follows its colon (`FACTORIES`). A folder to
the right, or an experiment, may add its own to either.
"""

from collections.abc import Callable

from soulread.errors import ParseError
from soulread.games.poker import PokerGame
from soulread.play.agent import Agent
from soulread.play.baselines import AlwaysCall, AlwaysFold, AlwaysRaise, Probe, Random
from soulread.play.changing import CHANGING
from soulread.play.dbbr import dbbr_agent
from soulread.play.dbr import dbr_agent
from soulread.play.learners import LEARNERS
from soulread.play.opponents import OPPONENTS
from soulread.play.safe_agents import SAFE_AGENTS
from soulread.play.solved import best_response_agent, equilibrium_agent, file_agent
from soulread.play.td_cfr import td_cfr_agent

Tell = Callable[[str], None]  # told in words what is going on
Factory = Callable[[str, PokerGame, Tell | None], Agent]  # from the whole text

AGENTS: dict[str, Callable[[], Agent]] = {
    "random": Random,
    "always-fold": AlwaysFold,
    "always-call": AlwaysCall,
    "always-raise": AlwaysRaise,
    "probe": Probe,
}

FACTORIES: dict[str, Factory] = {
    "equilibrium": equilibrium_agent,
    "best-response": best_response_agent,
    "file": file_agent,
    "dbbr": dbbr_agent,
    "dbr": dbr_agent,
    "td-cfr": td_cfr_agent,
    **CHANGING,
    **LEARNERS,
    **SAFE_AGENTS,
    **OPPONENTS,
}


def parse_agent(text: str, game: PokerGame, tell: Tell | None = None) -> Agent:
    """Make the agent that ``text`` names, ready to sit down at ``game``.

    That may take minutes when something must be solved first; ``tell`` hears how far it is.
    """
    if text in AGENTS:
        return AGENTS[text]()
    name = text.partition(":")[0]
    if name not in FACTORIES:
        raise ParseError(f"{text!r} is not an agent; known are {', '.join((*AGENTS, *FACTORIES))}")
    return FACTORIES[name](text, game, tell)
