"""Agents, models and matches at the prompt."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from soulread.api.given import AnyAgent, AnyGame, agent_of, source_of
from soulread.errors import SoulreadError
from soulread.foreign.names import location_of, shown
from soulread.hands.hand import Hand
from soulread.model.base import Model
from soulread.model.catalogue import ModelSpec, parse_model
from soulread.model.catalogue import register as add_model
from soulread.play.agent import Agent
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.guard import ApartAgent
from soulread.play.catalogue.known import AGENTS, foreign_entry, parse_agent
from soulread.play.catalogue.known import register as add_agent
from soulread.play.match.matches import MatchResult, play_matches
from soulread.play.opponents.zoo import equilibrium_text
from soulread.processes import Jobs
from soulread.reproduce.kit.tournaments import tournament_tasks
from soulread.solvers.equilibria import find_equilibrium
from soulread.study.duels.tournament import Tournament
from soulread.study.duels.tournament_rounds import play_tournament
from soulread.study.duels.zoo import Meetings, ZooStudy, list_zoo
from soulread.study.duels.zoo import meet as meet_each
from soulread.study.strategies.leaks import watch as watch_agents
from soulread.tasks import ResultStore


def agent(of: AnyAgent, game: AnyGame) -> Agent:
    """Make an agent, ready to sit down: ``agent("dbbr:T=100", "leduc")``."""
    made = agent_of(of).make(source_of(game).poker)
    if isinstance(made, ApartAgent):
        made.settle()
    return made


def fit(model: str | ModelSpec, game: AnyGame, hands: Iterable[Hand], player: str | None = None) -> Model:
    """A model of an opponent, fitted to hands: ``fit("deviation:method=l1", "leduc", hands, "Bob")``.

    Without ``player`` it learns about the only opponent of each hand's observer.
    """
    spec = parse_model(model) if isinstance(model, str) else model
    source = source_of(game)
    return spec.make(source.compile(), find_equilibrium(source).behaviours).fit(hands, player)


def duel(
    game: AnyGame,
    *agents: AnyAgent,
    hands: int = 1000,
    matches: int = 1,
    duplicate: bool = False,
    seed: int = 0,
    jobs: Jobs = 1,
    aivat: bool = False,
    explain: bool = False,
    clock: float | None = None,
    times: bool = False,
) -> MatchResult:
    """Let agents play against each other; as many as the game has seats.

    With ``aivat`` the result also has ``less_luck``: what the first agent won with luck taken off. With
    ``explain`` it has ``notes`` of what agents promised and foresaw, for
    `soulread.study.duels.promise.explain`. Agents are waited for, unless there is a ``clock``: seconds for a
    decision. With a clock, and with ``times``, the result has the ``times`` that agents took.
    """
    return play_matches(
        source_of(game).poker,
        [agent_of(text) for text in agents],
        hands,
        matches=matches,
        duplicate=duplicate,
        seed=seed,
        jobs=jobs,
        aivat=aivat,
        explain=explain,
        clock=clock,
        times=times,
    )


def tournament(
    game: AnyGame,
    agents: Sequence[str | AgentSpec | type[Any]],
    *,
    hands: int = 1000,
    matches: int | None = None,
    ring: bool = False,
    seed: int = 0,
    raw: bool = False,
    until_decided: bool = False,
    clock: float | None = None,
    jobs: Jobs = 1,
    store: ResultStore | None = None,
) -> Tournament:
    """Let every agent play every other one in duplicate matches: ``tournament("leduc", ["soul", "loose"])``.

    With ``ring``, at a game of more than two seats, every set of agents that fills the table plays. Finished
    matches are kept in ``store``, by default in the cache, under the names of the agents; so agents are
    named, or classes that another process can import. See `soulread.study.duels.tournament` for who wins.
    """
    rules = source_of(game).poker
    return play_tournament(
        rules,
        [_named(agent) for agent in agents],
        hands,
        tournament_tasks(rules.name, hands, seed, clock),
        matches=matches,
        ring=ring,
        seed=seed,
        raw=raw,
        until_decided=until_decided,
        clock=clock,
        jobs=jobs,
        store=store,
    )


def _named(agent: str | AgentSpec | type[Any]) -> AgentSpec:
    """The agent as other processes know it, by its text alone."""
    text: str | None = None
    if isinstance(agent, str | AgentSpec):
        text = str(agent)
    elif isinstance(agent, type):
        text = location_of(agent)
    entry = AGENTS.get((text or "").partition(":")[0])
    if text is None or (entry is not None and entry.foreign):
        raise SoulreadError(
            f"{shown(agent)} cannot enter a tournament: its matches are kept by name and played by other "
            "processes; give the name of an agent, or module:Class"
        )
    return parse_agent(text)


def watch(
    game: AnyGame,
    agent: AnyAgent,
    against: AnyAgent = "equilibrium",
    hands: int = 1000,
    seed: int = 0,
    spectator: bool = True,
) -> list[Hand]:
    """Hands between two agents as a spectator sees them: no card that was not shown.

    Without ``spectator`` they are seen by ``against``, who also knows its own cards.
    """
    table = source_of(game).poker
    agents = agent_of(agent).make(table), agent_of(against).make(table)
    return watch_agents(table, agents, hands, seed, spectator=spectator)


def zoo(game: AnyGame = "limit", role: str | None = None, family: str | None = None) -> ZooStudy:
    """List opponents of different kinds in a game, all of them or those of a role or a family."""
    return list_zoo(source_of(game).poker, role, family)


def meet(
    game: AnyGame,
    agent: AnyAgent | None = None,
    *,
    role: str | None = None,
    family: str | None = None,
    hands: int = 1000,
    seed: int = 0,
    aivat: bool = False,
) -> Meetings:
    """Let an agent, by default the equilibrium, play a duplicate match against each opponent of the zoo."""
    rules = source_of(game).poker
    chosen = agent_of(equilibrium_text(rules) if agent is None else agent)
    opponents = [(found, agent_of(found.agent)) for found in list_zoo(rules, role, family).opponents]
    played = meet_each(rules, chosen, opponents, hands, seed=seed, aivat=aivat)
    return Meetings(chosen.text, tuple(played))


def register_agent(name: str, made: Any = None) -> Any:
    """Add an agent of your own to the catalogue, under a name that works wherever agents are named.

    ``made`` is a class with the methods of `Agent`, or an `AgentEntry`. Without it this is a decorator:
    ``@sr.register_agent("stubborn")`` above the class. Return what was registered.
    """
    if made is None:
        return lambda later: register_agent(name, later)
    add_agent(replace(foreign_entry(name, made), name=name))
    return made


def register_model(name: str, made: Any = None) -> Any:
    """Add a model of your own to the catalogue, as `register_agent` does with an agent."""
    if made is None:
        return lambda later: register_model(name, later)
    add_model(name, made)
    return made
