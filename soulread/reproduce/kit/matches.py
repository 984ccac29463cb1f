"""Matches as tasks: match m of a pairing is one task, so to play more matches is to run more tasks."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.agent import Agent, learns
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import ByAivat, ByWorth, Judge
from soulread.play.match.matches import Match, MatchResult, play_match, play_with_notes
from soulread.play.match.promise import stance_of
from soulread.reproduce.kit.report import Measure, Table
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 5  # raise it when an agent plays differently under the same name


def match_task(
    game: str,
    agents: Sequence[str],
    hands: int,
    seed: int,
    number: int,
    duplicate: bool = True,
    *,
    aivat: bool = False,
    worth: bool = False,
    explain: bool = False,
) -> Task:
    """Match ``number`` between two agents; see `play` for the result.

    A match with ``aivat``, ``worth`` or ``explain`` is another task than one without, though the same hands
    are played.
    """
    parameters: dict[str, Json] = {
        "game": game,
        "agents": list(agents),
        "hands": hands,
        "seed": seed,
        "number": number,
        "duplicate": duplicate,
    }
    asked = {
        name: True for name, wanted in (("aivat", aivat), ("worth", worth), ("explain", explain)) if wanted
    }
    return Task(play, {**parameters, **asked}, VERSION)


@kept_as("soulread.reproduce.matches:play")
def play(
    game: str,
    agents: Sequence[str],
    hands: int,
    seed: int,
    number: int,
    duplicate: bool,
    aivat: bool = False,
    worth: bool = False,
    explain: bool = False,
) -> Values:
    """Play a match of agents from `soulread.play.catalogue.known`.

    ``profits [hands]`` are chips of the first agent; ``learning`` is 1 if one of the agents learns, else 0.
    With ``aivat`` ``less_luck [hands]`` are the same chips with luck taken off, and with ``worth`` they are
    what both agents' strategies win from each other (`soulread.play.match.judges`). With ``explain``, if the
    first agent answers a model, ``gain [hands]`` are the chips it promised beyond what the equilibrium would
    have won; NaN if it does not say.
    """
    seated = tuple(_agent(text, game, seat) for seat, text in enumerate(agents))
    match = Match(parse_game(game), seated, hands, duplicate)
    learning = any(map(learns, seated))
    noted = explain and stance_of(seated[0], 0) is not None
    if not aivat and not worth and not noted:
        return {"profits": play_match(match, seed, number)[:, 0], "learning": float(learning)}
    played = play_with_notes(
        match, seed, number, None, None, _judge(game, worth) if aivat or worth else None, noted
    )
    values: dict[str, NDArray[np.float64] | float] = {
        "profits": played.profits[:, 0],
        "learning": float(learning),
    }
    if played.less_luck is not None:
        values["less_luck"] = played.less_luck
    notes = played.notes[0] if played.notes else None
    if notes is not None:
        values |= {"gain": notes.gain}
    return values


@lru_cache(maxsize=1)
def _judge(game: str, worth: bool) -> Judge:
    """Who takes luck off, kept for the next match: AIVAT holds the worth of every hand."""
    rules = parse_game(game)
    return ByWorth(rules) if worth else ByAivat(aivat_for(rules))


@lru_cache(maxsize=2)
def _agent(text: str, game: str, seat: int) -> Agent:
    """Agents are kept for the next match: making one may cost as much as playing it."""
    return parse_agent(text).make(parse_game(game))


def match_results(results: Iterable[TaskResult]) -> dict[tuple[str, ...], MatchResult]:
    """All matches of each pairing together, in order of their numbers; the keys are the agents' texts."""
    pairings: dict[tuple[str, ...], list[TaskResult]] = defaultdict(list)
    for result in results:
        agents = result.task.parameters["agents"]
        assert isinstance(agents, list)
        pairings[tuple(agents)].append(result)
    return {agents: _together(agents, found) for agents, found in pairings.items()}


def _together(agents: tuple[str, ...], results: list[TaskResult]) -> MatchResult:
    results.sort(key=lambda result: int(str(result.task.parameters["number"])))
    made = results[0].task.parameters
    first = np.stack([result["profits"] for result in results])
    judged = all("less_luck" in result.values for result in results)
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
        less_luck=np.stack([result["less_luck"] for result in results]) if judged else None,
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


def luckless_tables(
    found: Mapping[tuple[str, str], MatchResult], unit: Unit, digits: int = 3
) -> tuple[Table, ...]:
    """A table of what was won with luck taken off, by row and column; none if AIVAT was not asked for."""
    measures = [
        Measure(row, column, won)
        for (row, column), result in found.items()
        if (won := result.estimate_less_luck(unit)) is not None
    ]
    if not measures:
        return ()
    return (
        Table(
            "won, with luck taken off (AIVAT)",
            unit.value,
            tuple(measures),
            sample=sample_text(found.values()),
            note="The same hands as in the raw figures. The claims are judged by the raw figures.",
            digits=digits,
        ),
    )
