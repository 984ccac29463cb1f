"""Matches as tasks: match m of a pairing is one task, so to play more matches is to run more tasks."""

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Unit
from soulread.foreign.apart import ProcessScope
from soulread.foreign.contents import contents_of
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.agent import Agent, learns
from soulread.play.catalogue.known import GROUP, parse_agent
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import ByAivat, ByWorth, Judge
from soulread.play.match.matches import Match, MatchResult, make_match, play_match, play_with_notes
from soulread.play.match.promise import expectation_of
from soulread.play.tabular import strategy_of
from soulread.reproduce.kit.means import mean_won
from soulread.reproduce.kit.report import Measure, ResultTable
from soulread.reproduce.kit.revisions import version_for
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.tasks import Json, Task, TaskResult, Values, kept_as

VERSION = 7  # raise it when all agents play differently; see `version_for`


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
    usual: str | None = None,
    clock: float | None = None,
) -> Task:
    """Match ``number`` between two agents; see `play` for the result.

    A match with ``aivat``, ``worth``, ``explain`` or ``usual`` is another task than one without, though the
    same hands are played. So is one with a ``clock``, and one whose agents' own files have changed
    (`soulread.foreign.contents`).
    """
    parameters: dict[str, Json] = {
        "game": game,
        "agents": list(agents),
        "hands": hands,
        "seed": seed,
        "number": number,
        "duplicate": duplicate,
    }
    asked: dict[str, Json] = {
        name: True for name, wanted in (("aivat", aivat), ("worth", worth), ("explain", explain)) if wanted
    }
    if usual is not None:
        asked["usual"] = usual
    version = version_for([*agents, usual or ""], VERSION)
    return Task(play, {**parameters, **asked, **others(agents, clock)}, version)


def others(agents: Sequence[str], clock: float | None) -> dict[str, Json]:
    """The parameters that only some matches have.

    ``contents`` are checksums of the files that agents from elsewhere rest on, ``clock`` the limit of a
    decision in seconds.
    """
    found = [contents_of(text, GROUP) for text in agents]
    limit: dict[str, Json] = {} if clock is None else {"clock": clock}
    return {**({"contents": found} if any(found) else {}), **limit}


def match_cells(
    game: str,
    rows: Mapping[str, str],
    columns: Mapping[str, str],
    hands: int,
    seed: int,
    numbers: Iterable[int],
    duplicate: bool = True,
    aivat: bool = False,
) -> dict[tuple[str, str], list[Task]]:
    """The matches with these numbers of all players with all opponents, whose texts are given by name."""
    chosen = tuple(numbers)
    return {
        (row, column): [
            match_task(game, (text, villain), hands, seed, number, duplicate, aivat=aivat)
            for number in chosen
        ]
        for row, text in rows.items()
        for column, villain in columns.items()
    }


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
    usual: str | None = None,
    contents: Sequence[str] = (),
    clock: float | None = None,
) -> Values:
    """Play a match of agents from `soulread.play.catalogue.known`.

    ``profits [hands]`` are chips of the first agent; ``learning`` is 1 if one of the agents learns, else 0.
    With ``aivat`` ``less_luck [hands]`` are the same chips with luck taken off, and with ``worth`` they are
    what both agents' strategies win from each other (`soulread.play.match.judges`). With ``explain``, if the
    first agent answers a model, ``gain [hands]`` are the chips it promised beyond what the equilibrium would
    have won; NaN if it does not say. With ``worth`` and ``usual``, the text of an agent that plays from a
    table, ``usual [hands]`` are the chips that this agent's strategy wins from what the opponent played.
    ``contents`` only tells apart agents of one name (`match_task`). With ``clock``, the limit of a decision
    in seconds, ``stand_ins [agents]`` says how often something stood in for an agent that was late.
    """
    with seated_match(game, agents, hands, duplicate, clock) as match:
        learning = any(map(learns, match.agents))
        noted = explain and expectation_of(match.agents[0], 0) is not None
        if not aivat and not worth and not noted:
            profits = play_match(match, seed, number)[:, 0]
            return {"profits": profits, "learning": float(learning), **stand_ins(match)}
        judge = _judge(game, worth, usual) if aivat or worth else None
        played = play_with_notes(match, seed, number, None, None, judge, noted)
    values: dict[str, NDArray[np.float64] | float] = {
        "profits": played.profits[:, 0],
        "learning": float(learning),
        **stand_ins(match),
    }
    if played.less_luck is not None:
        values["less_luck"] = played.less_luck
    if isinstance(judge, ByWorth) and judge.beside:
        values["usual"] = np.array(judge.beside)
    notes = played.notes[0] if played.notes else None
    if notes is not None:
        values |= {"gain": notes.gain}
    return values


@lru_cache(maxsize=1)
def _judge(game: str, worth: bool, usual: str | None = None) -> Judge:
    """The judge that takes luck off, kept for the next match: AIVAT holds the worth of every hand."""
    rules = parse_game(game)
    if not worth:
        return ByAivat(aivat_for(rules))
    return ByWorth(rules, usual=None if usual is None else strategy_of(parse_agent(usual), rules))


@lru_cache(maxsize=2)
def _agent(text: str, game: str, seat: int) -> Agent:
    """Agents are kept for the next match: making one may cost as much as playing it."""
    return parse_agent(text).make(parse_game(game))


@contextmanager
def seated_match(
    game: str,
    agents: Sequence[str],
    hands: int,
    duplicate: bool,
    clock: float | None = None,
    kept: Callable[[str, str, int], Agent] = _agent,
) -> Iterator[Match]:
    """A match of agents, which ``kept`` makes by text, game and seat, or knows from the match before.

    If one comes from elsewhere, or there is a ``clock``, all are made for this match, and their processes end
    with the block.
    """
    rules = parse_game(game)
    specs = [parse_agent(text) for text in agents]
    if clock is not None or any(spec.foreign for spec in specs):
        with ProcessScope():
            yield make_match(rules, specs, hands, duplicate, clock=clock)
        return
    yield Match(rules, tuple(kept(text, game, seat) for seat, text in enumerate(agents)), hands, duplicate)


def stand_ins(match: Match) -> dict[str, NDArray[np.float64]]:
    """The value ``stand_ins [agents]`` of a match with a clock; nothing without one."""
    if match.clock is None:
        return {}
    return {"stand_ins": np.array([float(found.total()) for found in match.stand_ins])}


def together(results: Iterable[TaskResult]) -> MatchResult:
    """All matches of one pairing as one result, in the order of their numbers."""
    found = sorted(results, key=lambda result: int(str(result.task.parameters["number"])))
    made = found[0].task.parameters
    first = np.stack([result["profits"] for result in found])
    judged = all("less_luck" in result.values for result in found)
    return MatchResult(
        game=str(made["game"]),
        stakes=stakes_of(parse_game(str(made["game"]))),
        agents=agents_of(found[0]),
        hands=first.shape[1],
        matches=len(found),
        duplicate=bool(made["duplicate"]),
        seed=int(str(made["seed"])),
        profits=np.stack([first, -first], axis=-1),
        learning=any(result.number("learning") > 0 for result in found),
        less_luck=np.stack([result["less_luck"] for result in found]) if judged else None,
    )


def agents_of(result: TaskResult) -> tuple[str, ...]:
    """The texts of the agents that played a match."""
    agents = result.task.parameters["agents"]
    assert isinstance(agents, list)
    return tuple(agents)


class MatchGrid(TaskGrid[tuple[str, str]]):
    """Matches by row and column: the rows are our players, the columns their opponents.

    Amounts won are those of the row, in one unit per hand.
    """

    def __init__(
        self,
        cells: Mapping[tuple[str, str], Sequence[Task]],
        results: Iterable[TaskResult] = (),
        unit: Unit = Unit.SMALL_BETS,
    ) -> None:
        super().__init__(cells, results)
        self.unit = unit

    @cached_property
    def played(self) -> dict[tuple[str, str], MatchResult]:
        """All finished matches of each pairing together, by row and column."""
        return {place: together(self.at(place)) for place in self.finished}

    def part(self, row: str, column: str, first: int = 0, last: int | None = None) -> MatchResult | None:
        """The hands ``first`` to ``last`` (not included) of a pairing; None if none of them was played."""
        result = self.played.get((row, column))
        if result is None or first >= min(last or result.hands, result.hands):
            return None
        profits = result.profits[:, first:last]
        return replace(result, profits=profits, hands=profits.shape[1])

    def won(self, row: str, column: str, first: int = 0, last: int | None = None) -> Estimate | None:
        """The win rate of a row in the hands ``first`` to ``last``."""
        part = self.part(row, column, first, last)
        return None if part is None else part.estimate(0, self.unit)

    def weighed(
        self, weights: Mapping[str, float], column: str, value: str = "profits"
    ) -> NDArray[np.float64] | None:
        """A sum over rows of what each won times its weight, in chips, ``[matches, hands]``.

        Only matches count that all rows have played, with the same cards; None if there are none.
        """
        played = [
            {int(str(result.task.parameters["number"])): result for result in self.at((row, column))}
            for row in weights
        ]
        numbers = sorted(set.intersection(*map(set, played)))
        if not numbers:
            return None
        parts = [
            weight * np.stack([results[number][value] for number in numbers])
            for results, weight in zip(played, weights.values(), strict=True)
        ]
        return np.asarray(sum(parts))

    def difference(self, row: str, other: str, column: str, times: float = 1.0) -> Estimate | None:
        """The win rate of a row less ``times`` that of another row against the same opponent.

        Taken match by match, from the matches that both played with the same cards. If there are none, from
        all matches of both.
        """
        mine, theirs = (self.played.get((name, column)) for name in (row, other))
        if mine is None or theirs is None:
            return None
        more = self.weighed({row: 1.0, other: -times}, column)
        if more is None:
            return mine.estimate(0, self.unit).minus(theirs.estimate(0, self.unit).scaled(times))
        found = mean_won(more, mine.learning or theirs.learning)
        return found.scaled(self.unit.per_chip(mine.stakes.small_bet, mine.stakes.big_blind))

    def sample(self, rows: Container[str]) -> str:
        """The samples behind the estimates of some rows in words; see `sample_text`."""
        return sample_text(result for (row, _), result in self.played.items() if row in rows)

    def luckless(self, rows: Container[str], digits: int = 3) -> tuple[ResultTable, ...]:
        """A table of what some rows won with luck taken off; none if AIVAT was not asked for."""
        measures = [
            Measure(row, column, won)
            for (row, column), result in self.played.items()
            if row in rows and (won := result.estimate_less_luck(self.unit)) is not None
        ]
        if not measures:
            return ()
        note = "The same hands as in the raw figures. The claims are judged by the raw figures."
        title = "won, with luck taken off (AIVAT)"
        return (ResultTable(title, self.unit.value, measures, self.sample(rows), note, digits),)


def cost_table(results: Iterable[TaskResult], rows: Mapping[str, str]) -> ResultTable:
    """CPU time of a hand, both agents together, by our player; ``rows`` has the players' texts by name."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for result in results:
        made = result.task.parameters
        passes = 2 if made["duplicate"] else 1
        seconds[agents_of(result)[0]].append(result.seconds / (int(str(made["hands"])) * passes))
    measures = [
        Measure("both agents", row, 1000 * float(np.mean(seconds[text])) if text in seconds else None)
        for row, text in rows.items()
    ]
    return ResultTable("CPU time of a hand, on the machines that played", "ms", measures, digits=1)


def sample_text(results: Iterable[MatchResult]) -> str:
    """The samples behind the estimates of several pairings in words.

    Example: "12 matches; 6,000 duplicate hands where no agent learns".
    """
    texts: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for result in results:
        texts[result.learning][result.sample] = None
    learning, still = (" or ".join(texts[kind]) for kind in (True, False))
    if not learning or not still:
        return learning or still
    return f"{learning}; {still} where no agent learns"
