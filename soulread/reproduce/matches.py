"""Matches as tasks: match m of a pairing is one task, so to play more matches is to run more tasks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from soulread.games import parse_game
from soulread.hands.record import stakes_of
from soulread.play.agent import Agent
from soulread.play.catalogue import parse_agent
from soulread.play.match import Match, MatchResult, play_match
from soulread.reproduce.experiment import Json, Result, Task, Values

VERSION = 2  # raise it when an agent plays differently under the same name


def match_task(
    game: str, agents: Sequence[str], hands: int, seed: int, number: int, duplicate: bool = True
) -> Task:
    """Match ``number`` between two agents; its result has ``profits [hands]``, chips of the first agent."""
    parameters: dict[str, Json] = {
        "game": game,
        "agents": list(agents),
        "hands": hands,
        "seed": seed,
        "number": number,
        "duplicate": duplicate,
    }
    return Task(f"{__name__}:play", parameters, VERSION)


def play(game: str, agents: Sequence[str], hands: int, seed: int, number: int, duplicate: bool) -> Values:
    """Play a match; agents come from `soulread.play.catalogue`."""
    seated = tuple(_agent(text, game, seat) for seat, text in enumerate(agents))
    match = Match(parse_game(game), seated, hands, duplicate)
    return {"profits": play_match(match, seed, number)[:, 0]}


@lru_cache(maxsize=2)
def _agent(text: str, game: str, seat: int) -> Agent:
    """Agents are kept for the next match: making one may cost as much as playing it."""
    return parse_agent(text).make(parse_game(game))


def match_results(results: Iterable[Result]) -> dict[tuple[str, ...], MatchResult]:
    """All matches of each pairing together, in order of their numbers; the keys are the agents' texts."""
    pairings: dict[tuple[str, ...], list[Result]] = defaultdict(list)
    for result in results:
        agents = result.task.parameters["agents"]
        assert isinstance(agents, list)
        pairings[tuple(agents)].append(result)
    return {agents: _together(agents, found) for agents, found in pairings.items()}


def _together(agents: tuple[str, ...], results: list[Result]) -> MatchResult:
    results.sort(key=lambda result: int(str(result.task.parameters["number"])))
    made = results[0].task.parameters
    first = np.stack([result["profits"] for result in results])
    return MatchResult(
        game=str(made["game"]),
        stakes=stakes_of(parse_game(str(made["game"]))),
        agents=agents,
        hands=first.shape[1],
        matches=len(results),
        duplicate=bool(made["duplicate"]),
        seed=int(str(made["seed"])),
        profits=np.stack([first, -first], axis=-1),
    )
