"""What was won in the matches of `soulread.reproduce.ours.zoo`, by player and opponent, in mb/g.

All players meet an opponent with the same cards, so that what one wins more than another is a *paired*
difference: taken hand by hand, from the matches that both have played. Different opponents come with
different cards. So what is won from one says nothing about the luck against another, and the mean over a
family has the interval of a mean of independent means (`Estimate.average`). That interval is about the luck
in these matches with these opponents. How far other opponents of a family differ shows in the worst one.
"""

import math
import zlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import BLOCKS, Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.opponents.zoo import ZooOpponent
from soulread.reproduce.kit.matches import match_task
from soulread.tasks import Task, TaskResult

Floats = NDArray[np.float64]
Term = tuple[str, float]  # a player, and how often what it won counts


class Luck(StrEnum):
    """What is done about luck: see `soulread.play.match.judges`."""

    WORTH = "what the strategies are worth"
    AIVAT = "luck taken off (AIVAT)"
    RAW = "raw"


@dataclass(frozen=True)
class Kept:
    """A promised gain over the equilibrium and what came of it in the hands that had a promise; mb/g."""

    promised: Estimate
    won: Estimate
    difference: Estimate  # won less promised
    promising: float  # share of the hands


class Found:
    """The matches that were played, and what follows from them; amounts in mb/g.

    ``players`` are texts of agents by name; the one that all are compared with is called "equilibrium".
    """

    def __init__(
        self,
        game: str,
        hands: int,
        players: dict[str, str],
        opponents: Sequence[ZooOpponent],
        results: Iterable[TaskResult],
    ) -> None:
        self.hands = hands
        self.players = players
        self.opponents = tuple(opponents)
        stakes = stakes_of(parse_game(game))
        self.scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)
        self._matches: dict[tuple[str, str], dict[int, TaskResult]] = defaultdict(dict)
        self._ceilings: dict[str, float] = {}
        for result in results:
            made = result.task.parameters
            if "agents" not in made:
                self._ceilings[str(made["agent"])] = result.number("ceiling") * self.scale
                continue
            agents = made["agents"]
            assert isinstance(agents, list)
            self._matches[agents[0], agents[1]][int(str(made["number"]))] = result

    @property
    def families(self) -> tuple[str, ...]:
        """The families that have an opponent here, in the order of the zoo."""
        return tuple(dict.fromkeys(opponent.family for opponent in self.opponents))

    def members(self, family: str) -> list[ZooOpponent]:
        """The opponents of a family."""
        return [opponent for opponent in self.opponents if opponent.family == family]

    @property
    def luckless(self) -> bool:
        """Whether luck was taken off in every match."""
        every = [result for matches in self._matches.values() for result in matches.values()]
        return bool(every) and all("less_luck" in result.values for result in every)

    @property
    def sample(self) -> str:
        """What the samples of every interval are: "3 matches for each opponent"."""
        sizes = sorted({len(matches) for matches in self._matches.values() if matches})
        if not sizes:
            return "no matches"
        blocks = f"{min(BLOCKS, self.hands)} blocks of hands of one match, and another match may differ more"
        if sizes == [1]:
            return blocks
        count = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        rest = f"; where there is one match, {blocks}" if sizes[0] == 1 else ""
        return f"{count} matches for each opponent{rest}"

    def combined(
        self, terms: Sequence[Term], opponent: ZooOpponent, *, raw: bool = False, first: int = 0
    ) -> Estimate | None:
        """A sum over players of what each won times its weight, from hand ``first`` on; mb/g.

        Taken from the matches that all of them have played; None if there is none. Luck is taken off where
        that is known, unless the ``raw`` amounts are asked for.
        """
        played = [self._matches[self.players[player], opponent.agent] for player, _ in terms]
        numbers = sorted(set.intersection(*(set(matches) for matches in played)))
        hands = self.hands - first
        if not numbers or hands < 1:
            return None
        raw = raw or not self.luckless
        total = np.zeros((len(numbers), hands))
        for matches, (_, weight) in zip(played, terms, strict=True):
            total += weight * np.stack([_won(matches[number], raw)[first:] for number in numbers])
        return self._sampling(len(numbers), hands).estimate(total * self.scale)

    def won(
        self, player: str, opponent: ZooOpponent, *, raw: bool = False, first: int = 0
    ) -> Estimate | None:
        """What a player won from an opponent."""
        return self.combined([(player, 1.0)], opponent, raw=raw, first=first)

    def gain(self, player: str, opponent: ZooOpponent, *, raw: bool = False) -> Estimate | None:
        """How much more a player won than the equilibrium did."""
        return self.combined([(player, 1.0), ("equilibrium", -1.0)], opponent, raw=raw)

    def excess(self, player: str, rival: str, times: float, opponent: ZooOpponent) -> Estimate | None:
        """How much more a player's gain is than ``times`` that of a rival."""
        terms = [(player, 1.0), (rival, -times), ("equilibrium", times - 1.0)]
        return self.combined(terms, opponent)

    def regret(self, player: str, exploiter: str, opponent: ZooOpponent) -> Estimate | None:
        """What the better of equilibrium and exploiter, chosen afterwards, won more than a player.

        Choosing afterwards also picks whoever was luckier, so the regret is rather told too large.
        """
        rivals = {name: self.won(name, opponent) for name in ("equilibrium", exploiter)}
        known = {name: won.mean for name, won in rivals.items() if won is not None}
        if len(known) < len(rivals):
            return None
        best = max(known, key=lambda name: known[name])
        return self.combined([(best, 1.0), (player, -1.0)], opponent)

    def ceiling(self, opponent: ZooOpponent) -> float | None:
        """What a best response wins from an opponent; None where that is not known."""
        value = self._ceilings.get(opponent.agent, math.nan)
        return None if math.isnan(value) else value

    def share(self, player: str, family: str) -> float | None:
        """Of all that best responses win from a family, what a player won; None if that is hardly anything.

        Only opponents whose ceiling is known count.
        """
        won = most = 0.0
        count = 0
        for opponent in self.members(family):
            ceiling, found = self.ceiling(opponent), self.won(player, opponent)
            if ceiling is not None and found is not None:
                won, most, count = won + found.mean, most + ceiling, count + 1
        return won / most if count and most / count >= LEAST_CEILING else None

    def kept(self, player: str, opponent: ZooOpponent) -> Kept | None:
        """The promise of a player against what it won; None if it promised nothing."""
        matches, usual = (
            self._matches[self.players[name], opponent.agent] for name in (player, "equilibrium")
        )
        numbers = [n for n in sorted(matches) if n in usual and "gain" in matches[n].values]
        if not numbers:
            return None
        promised = np.stack([matches[n]["gain"] for n in numbers]) * self.scale
        promising = (promised != 0).astype(np.float64)
        if np.isnan(promised).any() or not promising.any():
            return None
        raw = not self.luckless
        won = np.stack([_won(matches[n], raw) - _won(usual[n], raw) for n in numbers]) * self.scale
        sampling = self._sampling(len(numbers), self.hands)
        return Kept(
            sampling.ratio(promised * promising, promising),
            sampling.ratio(won * promising, promising),
            sampling.ratio((won - promised) * promising, promising),
            float(promising.mean()),
        )

    @staticmethod
    def _sampling(matches: int, hands: int) -> Sampling:
        """Matches are the samples, blocks of hands if there is one match only."""
        return Sampling(matches, hands, learning=True, duplicate=True)


def some_of_each(opponents: Sequence[ZooOpponent], most: int | None) -> tuple[ZooOpponent, ...]:
    """Of every family ``most`` opponents that are spread over its list; None: all of them."""
    chosen: list[ZooOpponent] = []
    for family in dict.fromkeys(opponent.family for opponent in opponents):
        members = [opponent for opponent in opponents if opponent.family == family]
        count = len(members) if most is None else min(most, len(members))
        chosen += [members[i * len(members) // count] for i in range(count)]
    return tuple(chosen)


def meeting_task(
    game: str, player: str, opponent: ZooOpponent, hands: int, seed: int, number: int, luck: Luck = Luck.WORTH
) -> Task:
    """Match ``number`` of a player's text against an opponent, who comes with the same cards for everybody.

    The matches of an opponent have numbers of their own, so that no two opponents come with the same cards.
    A match whose strategies are valued need not be duplicate: cards do not count in it.
    """
    if not 0 <= number < MATCHES_PER_OPPONENT:
        raise SoulreadError(f"match {number}; an opponent has at most {MATCHES_PER_OPPONENT} matches")
    first = zlib.crc32(opponent.agent.encode()) * MATCHES_PER_OPPONENT
    return match_task(
        game,
        (player, opponent.agent),
        hands,
        seed,
        first + number,
        duplicate=luck is not Luck.WORTH,
        aivat=luck is Luck.AIVAT,
        worth=luck is Luck.WORTH,
        explain=True,
    )


MATCHES_PER_OPPONENT = 1000

LEAST_CEILING = 20.0
"""Mean ceiling of a family, in mb/g, below which a share of it says nothing."""


def average(estimates: Iterable[Estimate | None]) -> Estimate | None:
    """The mean of those that were measured; None if there are none."""
    known = [estimate for estimate in estimates if estimate is not None]
    return Estimate.average(known) if known else None


def _won(result: TaskResult, raw: bool) -> Floats:
    """Chips of the first agent, ``[hands]``."""
    return result["profits"] if raw else result["less_luck"]
