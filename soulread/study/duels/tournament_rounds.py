"""Playing a tournament: its matches as tasks, round by round, and what happens if some fail.

A round is the match of one number in every encounter. Rounds are looked at in order, so a result depends on
neither the number of processes nor on what was kept of an earlier run. An encounter that fails counts for
nothing, and its later matches are not played.
"""

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.foreign.apart import ProcessScope
from soulread.games.poker import PokerGame
from soulread.hands.record import stakes_of
from soulread.machine import verify_room
from soulread.play.catalogue.entry import AgentSpec
from soulread.play.catalogue.guard import ApartAgent
from soulread.play.match.aivat import aivat_for
from soulread.play.match.judges import LuckRemoval
from soulread.play.opponents.rated import tells_strategy
from soulread.play.table.clock import ClockLimits
from soulread.play.table.punctual import is_prompt
from soulread.processes import Jobs, runner_of
from soulread.streams import verify_seed
from soulread.study.duels.tournament import Encounter, EncounterResult, Floats, Tournament
from soulread.tasks import FailedTask, Progress, ResultStore, Task, Tell, try_tasks
from soulread.words import plural

TaskOf: TypeAlias = Callable[[Sequence[str], int, LuckRemoval], Task]
"""The task of a match: agents in the order of their seats, its number, and how luck is taken off."""

MATCHES = 10  # of each encounter, if nobody says how many
MOST_MATCHES = 200  # if a tournament ends when it is decided
_TASK_BYTES = 4000  # of memory for a task that waits for its turn


def play_tournament(
    game: PokerGame,
    agents: Sequence[AgentSpec],
    hands: int,
    task_of: TaskOf,
    *,
    matches: int | None = None,
    ring: bool = False,
    seed: int = 0,
    raw: bool = False,
    until_decided: bool = False,
    clock: float | None = None,
    jobs: Jobs = 1,
    store: ResultStore | None = None,
    progress: Progress | None = None,
    tell: Tell | None = None,
) -> Tournament:
    """Play ``matches`` duplicate matches of ``hands`` hands of every encounter.

    ``jobs`` says on how many processes, or on which runner. ``task_of`` gives the task of a match, played
    with the same ``hands``, ``seed`` and ``clock``; results are kept in ``store``, so a tournament that was
    broken off goes on. The result depends on none of these. A ``ring`` is for tables of more than two. Unless
    ``raw``, luck is taken off where strategies are known: where both are, winnings are what the strategies
    are worth; where one is, they are those of AIVAT. With ``until_decided`` rounds are played until the
    winner by total bankroll is ahead beyond chance; ``matches`` is then the most. An agent that cannot play
    is named before anything is played. An encounter that fails is told in the result, and the others go on.
    """
    if clock is not None:
        ClockLimits(decision=clock)
    usual = MOST_MATCHES if until_decided else MATCHES
    most = usual if matches is None else matches
    runner_of(jobs)
    _verify_sizes(game, agents, hands, most, ring)
    verify_seed(seed)
    encounters = _encounters(game, _verify_agents(game, agents, clock, tell), raw)
    amount = f"{plural(len(encounters), 'encounter')} of {plural(most, 'match', 'matches')}"
    verify_room(amount, len(encounters) * most * (6 * 8 * hands * game.num_players + _TASK_BYTES))
    if any(encounter.luck is LuckRemoval.AIVAT for encounter in encounters):
        aivat_for(game, tell)  # so that it is solved once, and told
    rounds = _Rounds(
        tuple(encounters),
        [
            [task_of([agents[i].text for i in e.seating(seed, number)], number, e.luck) for e in encounters]
            for number in range(most)
        ],
    )

    def result() -> Tournament:
        found = rounds.results(seed)
        return Tournament(
            game=game.name,
            stakes=stakes_of(game),
            agents=tuple(agent.text for agent in agents),
            hands=hands,
            matches=rounds.complete,
            seed=seed,
            encounters=found,
            left_out=tuple(agents[i].text for i in _left_out(found, agents)),
            most=most if until_decided else None,
            clock=clock,
            by_clock=tuple(
                spec.text for spec in agents if spec.by_clock or (clock is not None and not is_prompt(spec))
            ),
        )

    for _ in rounds.play(ResultStore.default() if store is None else store, jobs, progress):
        if until_decided and result().decided:
            break
    return result()


def _verify_sizes(game: PokerGame, agents: Sequence[AgentSpec], hands: int, matches: int, ring: bool) -> None:
    """Raise unless there is something to play."""
    seats = game.num_players
    if ring and seats == 2:
        raise SoulreadError(f"{game.name!r} seats two; a ring is for tables of more, such as ring-limit:3")
    if not ring and seats > 2:
        raise SoulreadError(f"{game.name!r} seats {seats} players, so pairs cannot meet; ask for a ring")
    if len(agents) < seats:
        raise SoulreadError(
            f"a tournament of {game.name!r} needs at least {seats} agents, but {len(agents)} came"
        )
    texts = [agent.text for agent in agents]
    twice = [text for i, text in enumerate(texts) if text in texts[:i]]
    if twice:
        raise SoulreadError(f"{twice[0]!r} is entered twice; every agent of a tournament is another one")
    for number, what in (
        (hands, "a match has at least one hand"),
        (matches, "there must be at least one match"),
    ):
        if number < 1:
            raise SoulreadError(f"{what}, not {number}")


def _verify_agents(
    game: PokerGame, agents: Sequence[AgentSpec], clock: float | None, tell: Tell | None
) -> list[bool]:
    """Make every agent once; raise, with the names of all that cannot play. Whether each tells its strategy.

    On the clock an agent that may be late cannot say what was played in its place.
    """
    found, wrong = [], []
    for spec in agents:
        try:
            with ProcessScope():
                agent = spec.make(game, tell)
                if isinstance(agent, ApartAgent):
                    agent.settle()
                waited = clock is None or is_prompt(spec)
                found.append(waited and tells_strategy(agent, game))
        except SoulreadError as error:
            wrong.append(str(error))
    if wrong:
        several = f"{len(wrong)} of {len(agents)} agents cannot play: " if len(wrong) > 1 else ""
        raise SoulreadError(several + "; ".join(wrong))
    return found


def _encounters(game: PokerGame, tells: Sequence[bool], raw: bool) -> list[Encounter]:
    """Everybody with everybody; AIVAT judges the first agent, so whoever is known comes first."""
    found = []
    for agents in itertools.combinations(range(len(tells)), game.num_players):
        known = [tells[agent] for agent in agents]
        if raw or len(agents) > 2 or not any(known):
            found.append(Encounter(agents))
        elif all(known):
            found.append(Encounter(agents, LuckRemoval.WORTH))
        else:
            found.append(Encounter(agents if known[0] else agents[::-1], LuckRemoval.AIVAT))
    return found


class _Rounds:
    """The matches of a tournament. A round is the match of one number in every encounter."""

    def __init__(self, encounters: tuple[Encounter, ...], tasks: Sequence[Sequence[Task]]) -> None:
        self.encounters = encounters
        self.complete = 0  # rounds, from the first one on
        self._tasks = tasks  # [rounds][encounters]
        self._places = {
            task.key: (i, number) for number, row in enumerate(tasks) for i, task in enumerate(row)
        }
        self._found: dict[tuple[int, int], Mapping[str, NDArray[Any]]] = {}
        self._failed: dict[int, tuple[int, str]] = {}  # by encounter, the first match that failed, and why

    def play(self, store: ResultStore, jobs: Jobs, progress: Progress | None) -> Iterator[int]:
        """Play all matches that are not in the store; yield the number of rounds whenever one is complete.

        Which rounds are complete when something is decided depends on neither store nor processes.
        """
        tasks = [task for row in self._tasks for task in row]
        for outcome in try_tasks(tasks, store, jobs, progress, wanted=self._is_wanted):
            i, number = self._places[outcome.task.key]
            if not isinstance(outcome, FailedTask):
                self._found[i, number] = outcome.values
            elif i not in self._failed or number < self._failed[i][0]:
                self._failed[i] = number, outcome.reason
            while self._is_complete(self.complete):
                self.complete += 1
                yield self.complete

    def _is_wanted(self, task: Task) -> bool:
        i, number = self._places[task.key]
        return not self._has_failed(i, number)

    def _has_failed(self, i: int, number: int) -> bool:
        """Whether a match of an encounter, or one before it, has failed."""
        return i in self._failed and self._failed[i][0] <= number

    def _is_complete(self, number: int) -> bool:
        return number < len(self._tasks) and all(
            (i, number) in self._found or self._has_failed(i, number) for i in range(len(self.encounters))
        )

    def results(self, seed: int) -> tuple[EncounterResult, ...]:
        """The encounters, as far as rounds are complete."""
        return tuple(self._result(i, encounter, seed) for i, encounter in enumerate(self.encounters))

    def _result(self, i: int, encounter: Encounter, seed: int) -> EncounterResult:
        last = self.complete - 1
        failed, reason = self._failed.get(i, (self.complete, ""))
        rows = [(number, self._found[i, number]) for number in range(min(failed, self.complete))]
        won = [_chips(encounter, encounter.seating(seed, number), values) for number, values in rows]
        nothing = np.empty((0, 0, len(encounter.agents)))
        return EncounterResult(
            encounter,
            np.stack([luckless for luckless, _ in won]) if won else nothing,
            np.stack([raw for _, raw in won]) if won else nothing,
            any(float(values["learning"]) > 0 for _, values in rows),
            reason if failed <= last else "",
            _stand_ins(encounter, [(encounter.seating(seed, number), values) for number, values in rows]),
        )


def _stand_ins(
    encounter: Encounter, matches: Iterable[tuple[Sequence[int], Mapping[str, NDArray[Any]]]]
) -> tuple[int, ...]:
    """How often something stood in for each agent of an encounter, over all matches, given by seating."""
    found: Counter[int] = Counter()
    for seating, values in matches:
        if "stand_ins" not in values:
            return ()
        found.update({agent: int(n) for agent, n in zip(seating, values["stand_ins"], strict=True)})
    return tuple(found[agent] for agent in encounter.agents)


def _chips(
    encounter: Encounter, seating: Sequence[int], values: Mapping[str, NDArray[Any]]
) -> tuple[Floats, Floats]:
    """Chips of a match ``[hands, agents]`` in the order of the encounter: with luck taken off, and raw."""
    profits = np.asarray(values["profits"], dtype=np.float64)
    if profits.ndim == 2:
        found = profits[:, [seating.index(agent) for agent in encounter.agents]]
        return found, found
    luckless = values["less_luck"] if encounter.luck is not LuckRemoval.RAW else profits
    return np.stack([luckless, -luckless], axis=-1), np.stack([profits, -profits], axis=-1)


def _left_out(results: Sequence[EncounterResult], agents: Sequence[AgentSpec]) -> list[int]:
    """Agents without whom no encounter has failed: those with the most failures go first.

    Of two with as many, one from outside soulread goes, or the later one.
    """
    failed = [result.encounter.agents for result in results if result.failed]
    out: list[int] = []
    while failed:
        counts = Counter(agent for encounter in failed for agent in encounter)
        worst = max(counts, key=lambda agent: (counts[agent], agents[agent].foreign, agent))
        out.append(worst)
        failed = [encounter for encounter in failed if worst not in encounter]
    return sorted(out)
