"""Agents by name: soulread's own, those of installed packages, and any "module:Class".

`AGENTS` lists soulread's own. A package adds its own through the entry-point group ``soulread.agents``, a
program through `register`. A foreign agent is a class with the methods of `soulread.play.agent.Agent`. It is
made with the game, and with its options if it has a dataclass ``Options``:

    class Stubborn:
        \"""Calls until the river, then raises.\"""      the first line is what `soulread agents` shows

        def __init__(self, game): ...
        def reset(self): ...
        def act(self, view, rng): ...
        def observe(self, hand): ...

The class may have a static method ``refuses(game)``. It says why the agent cannot sit at a game; None means
that it can.
"""

from dataclasses import replace
from functools import partial
from typing import Any

from soulread import foreign
from soulread.errors import ParseError, SoulreadError
from soulread.games.poker import PokerGame
from soulread.options import read_options
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, ParseAgent, anywhere
from soulread.play.catalogue.guard import GuardedAgent
from soulread.play.exploiters.dbbr import DBBR
from soulread.play.exploiters.dbr import DBR
from soulread.play.exploiters.learners import LEARNERS
from soulread.play.exploiters.portfolio import PORTFOLIO
from soulread.play.exploiters.safe_agents import SAFE_AGENTS
from soulread.play.exploiters.soul import SOUL
from soulread.play.exploiters.td_cfr import TD_CFR
from soulread.play.opponents.baselines import SIMPLE
from soulread.play.opponents.changing import CHANGING
from soulread.play.opponents.deceivers import DECEIVER
from soulread.play.opponents.person import PERSON
from soulread.play.opponents.plain import PLAIN
from soulread.play.opponents.rule_player import RULE
from soulread.play.opponents.skewed import OPPONENTS
from soulread.play.search.loki import LOKI, POKI
from soulread.play.search.ponsen import PONSEN
from soulread.play.search.river_agent import RIVER
from soulread.play.search.vexbot import VEXBOT
from soulread.play.solved import SOLVED
from soulread.seqform.source import Tell

GROUP = "soulread.agents"
NEEDED = "reset", "act", "observe"

AGENTS: dict[str, AgentEntry] = {
    entry.name: entry
    for entry in (
        *SIMPLE,
        *SOLVED,
        SOUL,
        PORTFOLIO,
        RIVER,
        DBBR,
        DBR,
        *SAFE_AGENTS,
        *LEARNERS,
        TD_CFR,
        LOKI,
        POKI,
        PONSEN,
        VEXBOT,
        *OPPONENTS,
        RULE,
        PLAIN,
        PERSON,
        *CHANGING,
        DECEIVER,
    )
}


def register(entry: AgentEntry) -> AgentEntry:
    """Add an agent to the catalogue of this program; processes it starts know it too."""
    if ":" in entry.name or not entry.name:
        raise SoulreadError(f"an agent cannot be called {entry.name!r}; a name has no colon")
    AGENTS[entry.name] = replace(entry, foreign=True)
    return AGENTS[entry.name]


def known_agents() -> dict[str, AgentEntry]:
    """Every agent by name, those of installed packages too."""
    found = {
        name: foreign_entry(name, foreign.load_offered(at)) for name, at in foreign.offered(GROUP).items()
    }
    return {**AGENTS, **{name: entry for name, entry in found.items() if name not in AGENTS}}


def find_agent(text: str) -> AgentEntry:
    """The entry of the agent a text begins with."""
    name = text.partition(":")[0]
    if name in AGENTS:
        return AGENTS[name]
    offered = foreign.offered(GROUP)
    if name in offered:
        return foreign_entry(name, foreign.load_offered(offered[name]))
    found = foreign.find_class(text)
    if found is None:
        known = ", ".join((*AGENTS, *offered))
        raise ParseError(f"{text!r} is not an agent; known are {known}, and module:Class")
    return foreign_entry(*found)


def parse_agent(text: str) -> AgentSpec:
    """The agent a text names; `AgentSpec.make` seats it at a game."""
    return find_agent(text).spec(text, parse_agent)


def foreign_entry(name: str, made: Any) -> AgentEntry:
    """A catalogue entry of a foreign class, whose agents are guarded; or the entry that a package offers."""
    if isinstance(made, AgentEntry):
        return replace(made, foreign=True)
    foreign.verify_methods(name, made, NEEDED)
    return AgentEntry(
        name,
        foreign.about(made),
        partial(_make_foreign, made),
        foreign.options_of(made),
        getattr(made, "refuses", anywhere),
        _read_foreign,
        foreign=True,
    )


def _make_foreign(made: type[Any], spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    return GuardedAgent(spec.text, foreign.build(spec.entry.name, made, game, spec.options))


def _read_foreign(text: str, options: type[Any], parse: ParseAgent) -> Any:
    """The options behind "name" or "module:Class"."""
    found = foreign.find_class(text) if text.partition(":")[0] not in foreign.offered(GROUP) else None
    name = found[0] if found else text.partition(":")[0]
    return read_options(name.replace(":", ".") + text[len(name) :], options, parse)
