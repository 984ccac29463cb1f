"""Matches as tasks: match m of a pairing is one task, so to play more matches is to run more tasks."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache

import numpy as np

from soulread.games import parse_game
from soulread.hands.record import stakes_of
from soulread.play.agent import Agent, learns
from soulread.play.catalogue import parse_agent
from soulread.play.match import Match, MatchResult, play_match
from soulread.reproduce.experiment import Json, Result, Task, Values

VERSION = 2  # raise it when an agent plays differently under the same name


def match_task(
    game: str, agents: Sequence[str], hands: int, seed: int, number: int, duplicate: bool = True
) -> Task:
    """Match ``number`` between two agents; see `play` for the result."""
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
    """Play a match of agents from `soulread.play.catalogue`.

    ``profits [hands]`` are chips of the first agent; ``learning`` is 1 if one of the agents learns, else 0.
    """
    seated = tuple(_agent(text, game, seat) for seat, text in enumerate(agents))
    match = Match(parse_game(game), seated, hands, duplicate)
    learning = any(map(learns, seated))
    return {"profits": play_match(match, seed, number)[:, 0], "learning": float(learning)}


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
        learning=any(result.number("learning") > 0 for result in results),
    )


def sample_text(results: Iterable[MatchResult]) -> str:
    """What the samples behind the estimates of several pairings are.

    Example: "12 matches; 6,000 duplicate hands where no agent learns".
    """
    texts: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for result in results:
        texts[result.learning][result.sample] = None
    learning, still = (" or ".join(texts[kind]) for kind in (True, False))
    if not learning or not still:
        return learning or still
    return f"{learning}; {still} where no agent learns"
