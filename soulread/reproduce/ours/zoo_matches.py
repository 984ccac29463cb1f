"""The matches of the zoo: win rates of players against its opponents, in mb/g.

Beside every player the equilibrium is valued, hand by hand against the strategy that the opponent played in
the same hand. So a gain over the equilibrium is a *paired* difference. Only opponents who learn from their
opponent meet the equilibrium in matches of its own, with the same cards.

**Samples.** A read lasts for a whole match, so a match is one sample, and its hands are not. With several
matches against each opponent the interval of an opponent is over matches, and that of a family is the
interval of a mean of independent means (`Estimate.average`): it is about the luck in these matches with these
opponents. With one match against each, nothing is known about a single opponent, and the samples of a family
are its opponents: the interval is about other opponents of this kind.

Further matches may be played against a few opponents after a look at the first ones. Whoever was chosen for
a low result would look worse than it is, so of such opponents the first matches do not count for verdicts.
"""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.catalogue.known import parse_agent
from soulread.play.match.judges import LuckRemoval
from soulread.play.opponents.deceivers import DeceiverOptions
from soulread.play.opponents.zoo import ZooOpponent, equilibrium_text
from soulread.reproduce.kit.matches import MatchGrid, match_task
from soulread.reproduce.ours.zoo_ceilings import limits_task
from soulread.reproduce.ours.zoo_records import (
    STEP,
    Attainable,
    Floats,
    KeptMatches,
    MatchRecord,
    Records,
    joined,
    step_means,
)
from soulread.tasks import Task, TaskResult

EQUILIBRIUM = "equilibrium"  # the player that all are compared with
LEARNING = "adaptive"  # the family whose opponents play otherwise against the equilibrium
MATCHES_PER_OPPONENT = 1000
LEAST_CEILING = 20.0
"""Mean of what best responses gain from a family, in mb/g, below which a share of it says nothing."""
CHOSEN = 2  # more matches than others have: an opponent that was chosen after a look
MOVING = 100  # hands of a moving mean
TENTHS = 10


class Window(NamedTuple):
    """Hands ``first`` to ``last``, counted from 1: their mean stands for the time after ``after`` hands."""

    after: int
    first: int
    last: int


WINDOWS = Window(100, 81, 120), Window(300, 261, 300), Window(1000, 901, 1000)


@dataclass(frozen=True)
class KeptPromise:
    """A promised gain over the equilibrium and what came of it in the hands that had a promise; mb/g."""

    promised: Estimate
    won: Estimate
    difference: Estimate  # won less promised
    promising: float  # share of the hands


def pooled(parts: Iterable[Estimate | None]) -> Estimate | None:
    """The mean over opponents, each counted alike; None if none was met.

    If there are several matches with each, the samples are matches; otherwise they are the opponents.
    """
    known = [part for part in parts if part is not None]
    if not known:
        return None
    if all(part.n > 1 for part in known):
        return Estimate.average(known)
    return Estimate.of(np.array([part.mean for part in known]))


class ZooMatches:
    """The matches of players, which are texts of agents by name, with opponents; amounts in mb/g.

    ``longer`` has the hands of families whose matches are not of ``hands`` hands. ``kept`` are records of
    matches that need not be played, also of players that are not among ``players``; ``limits`` the same.
    """

    def __init__(
        self,
        game: str,
        players: Mapping[str, str],
        opponents: Sequence[ZooOpponent],
        hands: int,
        matches: int,
        seed: int,
        luck: LuckRemoval = LuckRemoval.WORTH,
        results: Iterable[TaskResult] = (),
        *,
        longer: Mapping[str, int] | None = None,
        kept: Records | None = None,
        limits: Mapping[str, Attainable] | None = None,
        budget: float = math.nan,
    ) -> None:
        self.game = game
        self.hands = hands
        self.seed = seed
        self.luck = luck
        self.players = dict(players)
        self.opponents = tuple(opponents)
        self._longer = dict(longer or {})
        self._kept = dict(kept or {})
        self._limits = dict(limits or {})
        self._budget = budget
        stakes = stakes_of(parse_game(game))
        self.scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)
        cells = {
            (name, opponent.agent): [
                meeting_task(game, text, opponent, self.hands_of(opponent), seed, number, luck)
                for number in range(matches)
            ]
            for opponent in _in_turn(opponents)
            for name, text in players.items()
            if name != EQUILIBRIUM or luck is not LuckRemoval.WORTH or opponent.family == LEARNING
        }
        self.grid = MatchGrid(cells, results)

    def hands_of(self, opponent: ZooOpponent) -> int:
        """The hands of a match with an opponent."""
        return self._longer.get(opponent.family, self.hands)

    @property
    def ceilings(self) -> list[Task]:
        """Tasks that compute what can be won from the opponents; families take turns."""
        return [
            limits_task(self.game, opponent.agent, self._budget)
            for opponent in _in_turn(self.opponents)
            if opponent.agent not in self._limits
        ]

    @property
    def missing(self) -> dict[tuple[str, str], list[Task]]:
        """The matches that no kept record has, by player and text of the opponent."""
        return {
            place: left
            for place, tasks in self.grid.cells.items()
            if (left := [task for i, task in enumerate(tasks) if i not in self._known(place)])
        }

    def _known(self, place: tuple[str, str]) -> dict[int, MatchRecord]:
        return {record.number: record for record in self._kept.get(place, ())}

    @property
    def families(self) -> tuple[str, ...]:
        """The families that have an opponent here, in the order of the zoo."""
        return tuple(dict.fromkeys(opponent.family for opponent in self.opponents))

    def members(self, family: str) -> list[ZooOpponent]:
        """The opponents of a family."""
        return [opponent for opponent in self.opponents if opponent.family == family]

    @cached_property
    def records(self) -> Records:
        """All finished matches; asked for once the matches are played."""
        played = {
            place: [self._record(index, result) for index, result in found.items()]
            for place, found in self.grid.finished.items()
        }
        return joined([played, self._kept])

    def _record(self, index: int, result: TaskResult) -> MatchRecord:
        raw = step_means(result["profits"] * self.scale)
        luckless, usual, promised = (
            step_means(result[name] * self.scale) if name in result.values else None
            for name in ("less_luck", "usual", "gain")
        )
        if promised is not None and np.isnan(promised).any():
            promised = None
        won = raw if luckless is None else luckless
        hands = int(str(result.task.parameters["hands"]))
        return MatchRecord(index, hands, won, usual, promised, raw, result.seconds)

    def keep(self, version: int) -> KeptMatches:
        """All that a file needs."""
        limits = {one.agent: found for one in self.opponents if (found := self.limits(one)) is not None}
        return KeptMatches(self.game, self.seed, version, self.players, self.opponents, limits, self.records)

    @property
    def seconds(self) -> float:
        """CPU time of all that is known, kept matches included."""
        played = {task.key for tasks in self.grid.cells.values() for task in tasks}
        rest = sum(result.seconds for key, result in self.grid.results.items() if key not in played)
        return rest + sum(record.seconds for found in self.records.values() for record in found)

    @property
    def sample(self) -> str:
        """The samples of every interval in words: "3 matches for each opponent"."""
        sizes = sorted({len(found) for (player, _), found in self.records.items() if player in self.players})
        if not sizes:
            return "no matches"
        if sizes == [1]:
            return "the opponents of a family, one match with each: a single opponent has no interval"
        count = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        rest = "; where there is one match, the opponents of a family" if sizes[0] == 1 else ""
        return f"{count} matches for each opponent{rest}"

    def _series(self, player: str, opponent: ZooOpponent, raw: bool = False) -> dict[int, Floats]:
        """What a player won in the steps of each match, by its number; of the equilibrium also what it would
        have won in the matches of others."""
        found = {record.number: record for record in self.records.get((player, opponent.agent), ())}
        if found or player != EQUILIBRIUM:
            known = {number: record.raw if raw else record.won for number, record in found.items()}
            return {number: won for number, won in known.items() if won is not None}
        usual: dict[int, Floats] = {}
        for name in () if raw else self.players:
            for record in self.records.get((name, opponent.agent), ()):
                if record.usual is not None:
                    usual.setdefault(record.number, record.usual)
        return usual

    def _weighed(
        self, weights: Mapping[str, float], opponent: ZooOpponent, raw: bool = False
    ) -> dict[int, Floats]:
        """A sum over players of what each won times its weight, in the steps of the matches of all of them.

        Beside other players the equilibrium counts with what it would have won in *their* matches, from each
        as much as the player counts: so gains are paired match by match.
        """
        others = {name: self._series(name, opponent, raw) for name in weights if name != EQUILIBRIUM}
        part = weights.get(EQUILIBRIUM, 0.0)
        if not others:
            return {number: part * won for number, won in self._series(EQUILIBRIUM, opponent, raw).items()}
        if EQUILIBRIUM in weights:
            whole = sum(weights[name] for name in others)
            usual = {name: self._usual(name, opponent, raw) for name in others}
        total: dict[int, Floats] = {}
        for number in sorted(set.intersection(*map(set, others.values()))):
            parts = [(weights[name], won[number]) for name, won in others.items()]
            if EQUILIBRIUM in weights:
                if any(number not in found for found in usual.values()):
                    continue
                parts += [(weights[name] * part / whole, found[number]) for name, found in usual.items()]
            steps = min(values.size for _, values in parts)
            total[number] = np.asarray(sum(weight * values[:steps] for weight, values in parts))
        return total

    def _usual(self, player: str, opponent: ZooOpponent, raw: bool) -> dict[int, Floats]:
        """What the equilibrium would have won in the matches of a player, or won in its own."""
        found = (
            {}
            if raw
            else {
                record.number: record.usual
                for record in self.records.get((player, opponent.agent), ())
                if record.usual is not None
            }
        )
        return self._series(EQUILIBRIUM, opponent, raw) | found

    def _mean(self, values: Floats, opponent: ZooOpponent, first: int, last: int | None) -> float:
        """The mean of steps from hand ``first`` to ``last`` (not included); NaN if there are none."""
        hands = min(self.hands_of(opponent), STEP * values.size)
        part = values[-(-first // STEP) : None if last is None else -(-last // STEP)]
        if not part.size:
            return math.nan
        weights = np.full(part.size, float(STEP))
        if last is None or last >= hands:
            weights[-1] = hands - STEP * (-(-hands // STEP) - 1)
        return float(np.average(part, weights=weights))

    def combined(
        self,
        weights: Mapping[str, float],
        opponent: ZooOpponent,
        *,
        raw: bool = False,
        first: int = 0,
        last: int | None = None,
        after_look: bool = False,
    ) -> Estimate | None:
        """A sum over players of what each won times its weight, from hand ``first`` to ``last``.

        Taken from the matches that all of them have played; None if there is none. With ``after_look``
        matches by which an opponent was chosen for further ones do not count.
        """
        series = self._weighed(weights, opponent, raw)
        fewest = self._fewest if after_look else 0
        if fewest and len(series) >= fewest + CHOSEN:
            series = dict(list(series.items())[fewest:])
        means = np.array([self._mean(values, opponent, first, last) for values in series.values()])
        known = means[~np.isnan(means)]
        return Estimate.of(known) if known.size else None

    @cached_property
    def _fewest(self) -> int:
        """The matches that a player and an opponent who met have at least."""
        counts = [len(found) for (player, _), found in self.records.items() if player in self.players]
        return min(counts, default=0)

    def won(
        self,
        player: str,
        opponent: ZooOpponent,
        *,
        raw: bool = False,
        first: int = 0,
        after_look: bool = False,
    ) -> Estimate | None:
        """The win rate of a player against an opponent."""
        return self.combined({player: 1.0}, opponent, raw=raw, first=first, after_look=after_look)

    def won_after_strike(self, player: str, opponent: ZooOpponent) -> Estimate | None:
        """The win rate of a player after a deceiver struck; None if the match is too short."""
        options = parse_agent(opponent.agent).options
        struck = isinstance(options, DeceiverOptions)
        return self.won(player, opponent, first=options.hands, after_look=True) if struck else None

    def gain(
        self,
        player: str,
        opponent: ZooOpponent,
        *,
        raw: bool = False,
        first: int = 0,
        last: int | None = None,
        after_look: bool = False,
    ) -> Estimate | None:
        """The win rate of a player less that of the equilibrium."""
        weights = {player: 1.0, EQUILIBRIUM: -1.0}
        return self.combined(weights, opponent, raw=raw, first=first, last=last, after_look=after_look)

    def family_gain(
        self, player: str, family: str, raw: bool = False, first: int = 0, last: int | None = None
    ) -> Estimate | None:
        """The mean gain over the equilibrium against the opponents of a family."""
        return pooled(
            self.gain(player, opponent, raw=raw, first=first, last=last) for opponent in self.members(family)
        )

    def gain_in(self, player: str, family: str, window: Window) -> Estimate | None:
        """The mean gain against a family in the hands of a window."""
        return self.family_gain(player, family, first=window.first - 1, last=window.last)

    def excess(
        self,
        player: str,
        rival: str,
        times: float,
        opponent: ZooOpponent,
        window: Window | None = None,
    ) -> Estimate | None:
        """The gain of a player less ``times`` that of a rival."""
        first, last = (0, None) if window is None else (window.first - 1, window.last)
        weights = {player: 1.0, rival: -times, EQUILIBRIUM: times - 1.0}
        return self.combined(weights, opponent, first=first, last=last)

    def moving_gains(self, player: str, opponents: Sequence[ZooOpponent]) -> dict[int, Estimate]:
        """The gain in every `MOVING` hands on end, by the number of the last hand; a mean over opponents."""
        most = max((self.hands_of(opponent) for opponent in opponents), default=0)
        size = min(MOVING, most)
        found = {
            last: pooled(self.gain(player, one, first=last - size, last=last) for one in opponents)
            for last in range(size, most + 1, STEP)
        }
        return {last: gain for last, gain in found.items() if gain is not None}

    def less_promised(self, player: str, family: str) -> dict[int, Estimate]:
        """What was won beyond the equilibrium less what was promised, by tenths of the match, 1 to 10."""
        found = {
            tenth: pooled(self._tenth(player, opponent, tenth) for opponent in self.members(family))
            for tenth in range(1, TENTHS + 1)
        }
        return {tenth: less for tenth, less in found.items() if less is not None}

    def _tenth(self, player: str, opponent: ZooOpponent, tenth: int) -> Estimate | None:
        gains = self._weighed({player: 1.0, EQUILIBRIUM: -1.0}, opponent)
        less = []
        for record in self.records.get((player, opponent.agent), ()):
            if record.promised is not None and record.number in gains:
                part = np.array_split(gains[record.number] - record.promised, TENTHS)[tenth - 1]
                less += [part.mean()] if part.size else []
        return Estimate.of(np.array(less)) if less else None

    def curve(
        self, player: str, family: str, first: int, last: int, promised: bool = False
    ) -> Estimate | None:
        """The gain against a family from hand ``first`` to ``last``, or what was promised; a mean."""
        if not promised:
            return self.family_gain(player, family, first=first, last=last)
        parts = []
        for opponent in self.members(family):
            records = self.records.get((player, opponent.agent), ())
            means = [
                self._mean(one.promised, opponent, first, last) for one in records if one.promised is not None
            ]
            known = np.array([mean for mean in means if not math.isnan(mean)])
            parts.append(Estimate.of(known) if known.size else None)
        return pooled(parts)

    def regret(self, player: str, exploiter: str, opponent: ZooOpponent) -> Estimate | None:
        """The win rate of the better of equilibrium and exploiter, chosen afterwards, less that of a player.

        Choosing afterwards also picks whoever was luckier, so the regret is rather told too large.
        """
        rivals = {name: self.won(name, opponent) for name in (EQUILIBRIUM, exploiter)}
        known = {name: won.mean for name, won in rivals.items() if won is not None}
        if len(known) < len(rivals):
            return None
        best = max(known, key=lambda name: known[name])
        return self.combined({best: 1.0, player: -1.0} if best != player else {player: 0.0}, opponent)

    def limits(self, opponent: ZooOpponent) -> Attainable | None:
        """The best that can be won from an opponent; None if that was not computed."""
        result = self.grid.results.get(limits_task(self.game, opponent.agent, self._budget).key)
        if result is None:
            return self._limits.get(opponent.agent)
        return Attainable(*(result.number(name) * self.scale for name in ("usual", "ceiling", "within")))

    def most(self, family: str, name: str = "ceiling") -> float | None:
        """The mean of what can be gained over the equilibrium from a family, where it is known.

        ``name`` is "ceiling" or "within"; see `Attainable`.
        """
        found = [limits for one in self.members(family) if (limits := self.limits(one)) is not None]
        gains = [getattr(limits, name) - limits.usual for limits in found]
        known = [gain for gain in gains if not math.isnan(gain)]
        return sum(known) / len(known) if known else None

    def share(self, player: str, family: str, window: Window | None = None) -> float | None:
        """Of all that best responses gain over the equilibrium from a family, what a player gained.

        Only opponents whose ceiling is known count. None if that is hardly anything.
        """
        gained = most = 0.0
        count = 0
        first, last = (0, None) if window is None else (window.first - 1, window.last)
        for opponent in self.members(family):
            limits, found = self.limits(opponent), self.gain(player, opponent, first=first, last=last)
            if limits is not None and found is not None and not math.isnan(limits.ceiling):
                gained, most, count = gained + found.mean, most + limits.ceiling - limits.usual, count + 1
        return gained / most if count and most / count >= LEAST_CEILING else None

    def kept(self, player: str, opponent: ZooOpponent) -> KeptPromise | None:
        """The promise of a player against what it won; None if it promised nothing."""
        gains = self._weighed({player: 1.0, EQUILIBRIUM: -1.0}, opponent)
        found = [
            record for record in self.records.get((player, opponent.agent), ()) if record.number in gains
        ]
        series = [record.promised for record in found if record.promised is not None]
        if not found or len(series) < len(found):
            return None
        promised = np.stack(series)
        won = np.stack([gains[record.number] for record in found])
        weights = np.stack([record.weights for record in found]) * (promised != 0)
        if not weights.any():
            return None

        def ratio(amounts: Floats) -> Estimate:
            if len(found) > 1:
                return Sampling(won.shape[0], won.shape[1], learning=True).ratio(amounts * weights, weights)
            return Estimate(float((amounts * weights).sum() / weights.sum()), math.nan, 1)

        return KeptPromise(
            ratio(promised),
            ratio(won),
            ratio(won - promised),
            float(weights.sum() / sum(record.hands for record in found)),
        )

    def family_kept(self, player: str, family: str) -> KeptPromise | None:
        """Promise and result of a player as means over a family; None if it promised nothing there."""
        parts = [kept for opponent in self.members(family) if (kept := self.kept(player, opponent))]
        promised, won, difference = (
            pooled(getattr(part, name) for part in parts) for name in ("promised", "won", "difference")
        )
        if promised is None or won is None or difference is None:
            return None
        return KeptPromise(promised, won, difference, sum(part.promising for part in parts) / len(parts))


def _in_turn(opponents: Sequence[ZooOpponent]) -> list[ZooOpponent]:
    """The first of every family, then the second: a run that is cut short has met some of each."""
    families = [opponent.family for opponent in opponents]
    ranks = {opponent: families[:i].count(opponent.family) for i, opponent in enumerate(opponents)}
    return sorted(ranks, key=lambda opponent: ranks[opponent])


def some_of_each(opponents: Sequence[ZooOpponent], most: int | None) -> tuple[ZooOpponent, ...]:
    """Of every family ``most`` opponents that are spread over its list; None: all of them."""
    chosen: list[ZooOpponent] = []
    for family in dict.fromkeys(opponent.family for opponent in opponents):
        members = [opponent for opponent in opponents if opponent.family == family]
        count = len(members) if most is None else min(most, len(members))
        chosen += [members[i * len(members) // count] for i in range(count)]
    return tuple(chosen)


def meeting_task(
    game: str,
    player: str,
    opponent: ZooOpponent,
    hands: int,
    seed: int,
    number: int,
    luck: LuckRemoval = LuckRemoval.WORTH,
) -> Task:
    """Match ``number`` of a player's text against an opponent, who comes with the same cards for everybody.

    The matches of an opponent have numbers of their own, so that no two opponents come with the same cards.
    A match whose strategies are valued need not be duplicate: cards do not count in it. Beside the player
    the equilibrium is valued then, unless the opponent learns from whoever plays.
    """
    if not 0 <= number < MATCHES_PER_OPPONENT:
        raise SoulreadError(f"match {number}; an opponent has at most {MATCHES_PER_OPPONENT} matches")
    first = zlib.crc32(opponent.agent.encode()) * MATCHES_PER_OPPONENT
    valued = luck is LuckRemoval.WORTH
    return match_task(
        game,
        (player, opponent.agent),
        hands,
        seed,
        first + number,
        duplicate=not valued,
        aivat=luck is LuckRemoval.AIVAT,
        worth=valued,
        explain=True,
        usual=equilibrium_text(parse_game(game)) if valued and opponent.family != LEARNING else None,
    )
