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

A foreign class is imported, and its agents play, in processes of their own (`soulread.foreign.apart`). Only a
class that no other process can import, and agents of an entry that a package or a program adds, play in this
process.
"""

from dataclasses import replace
from functools import lru_cache, partial
from importlib.metadata import EntryPoint
from typing import Any

from soulread.errors import ParseError, SoulreadError
from soulread.foreign.apart import describe, refusal
from soulread.foreign.child import ForeignClass
from soulread.foreign.names import (
    about,
    build,
    load_offered,
    location_of,
    name_in,
    offered,
    options_of,
    verify_methods,
)
from soulread.games.poker import PokerGame
from soulread.hands import wire
from soulread.options import read_options
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentEntry, AgentSpec, ParseAgent, anywhere
from soulread.play.catalogue.guard import ApartAgent, GuardedAgent
from soulread.play.exploiters.dbbr import DBBR
from soulread.play.exploiters.dbr import DBR
from soulread.play.exploiters.learners import LEARNERS
from soulread.play.exploiters.portfolio import PORTFOLIO
from soulread.play.exploiters.safe_agents import SAFE_AGENTS
from soulread.play.exploiters.soul import SOUL
from soulread.play.exploiters.td_cfr import TD_CFR
from soulread.play.opponents.baselines import SIMPLE
from soulread.play.opponents.changing import CHANGING
from soulread.play.opponents.clone import CLONE
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
        CLONE,
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
        name: _offered_entry(name, at, name) for name, at in offered(GROUP).items() if name not in AGENTS
    }
    return {**AGENTS, **found}


def find_agent(text: str) -> AgentEntry:
    """The entry of the agent a text begins with."""
    name = text.partition(":")[0]
    if name in AGENTS:
        return AGENTS[name]
    others = offered(GROUP)
    if name in others:
        return _offered_entry(name, others[name], text)
    location = name_in(text)
    found = None if location is None else _apart_entry(location, location, text)
    if found is None:
        known = ", ".join((*AGENTS, *others))
        raise ParseError(f"{text!r} is not an agent; known are {known}, and module:Class")
    return found


def parse_agent(text: str) -> AgentSpec:
    """The agent a text names; `AgentSpec.make` seats it at a game."""
    return find_agent(text).spec(text, parse_agent)


def foreign_entry(name: str, made: Any) -> AgentEntry:
    """A catalogue entry of a foreign class, whose agents are guarded; or the entry itself, if it is one."""
    if isinstance(made, AgentEntry):
        return replace(made, foreign=True)
    verify_methods(name, made, NEEDED)
    location = location_of(made)
    named = _named(name, location or "")
    return AgentEntry(
        name,
        about(made),
        partial(_make_here, made) if location is None else partial(_make_apart, named),
        options_of(made),
        getattr(made, "refuses", anywhere),
        partial(_read, named),
        foreign=True,
    )


def _offered_entry(name: str, at: EntryPoint, text: str) -> AgentEntry:
    """The entry of an agent that a package offers: a class, or an entry of its own."""
    found = _apart_entry(name, at.value, text) if name_in(at.value) == at.value else None
    return foreign_entry(name, load_offered(at)) if found is None else found


def _apart_entry(name: str, location: str, text: str) -> AgentEntry | None:
    """The entry of a class that is only imported elsewhere; None if its module does not exist.

    For an entry that a package offers in place of a class it is None too.
    """
    named = _named(name, location)
    found = describe("agent", named, text)
    if found is None or "entry" in found.also:
        return None
    return AgentEntry(
        name,
        found.about,
        partial(_make_apart, named),
        found.options,
        partial(_refuses, named) if "refuses" in found.also else anywhere,
        partial(_read, named),
        foreign=True,
    )


def _named(name: str, location: str) -> ForeignClass:
    return ForeignClass(name, location, NEEDED, f"{__name__}:parse_agent", wire.__name__)


def _make_apart(named: ForeignClass, spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    return ApartAgent(spec.text, named, game)


def _make_here(made: type[Any], spec: AgentSpec, game: PokerGame, tell: Tell | None) -> Agent:
    return GuardedAgent.make(spec.text, game, lambda: build(made, game, spec.options))


@lru_cache(maxsize=64)
def _refuses(named: ForeignClass, game: PokerGame) -> str | None:
    return refusal("agent", named, named.name, game)


def _read(named: ForeignClass, text: str, options: type[Any], parse: ParseAgent) -> Any:
    """The options behind "name" or "module:Class"."""
    return read_options(named.written(text), options, parse)
