"""The matches of the zoo: win rates of players against its opponents, in mb/g.

All players meet an opponent with the same cards, so that what one wins more than another is a *paired*
difference: taken hand by hand, from the matches that both have played. Different opponents come with
different cards. So what is won from one says nothing about the luck against another, and the mean over a
family has the interval of a mean of independent means (`Estimate.average`). That interval is about the luck
in these matches with these opponents. How far other opponents of a family differ shows in the worst one.
"""

import math
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import BLOCKS, Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.catalogue.known import parse_agent
from soulread.play.opponents.deceivers import DeceiverOptions
from soulread.play.opponents.zoo import ZooOpponent
from soulread.reproduce.kit.matches import MatchGrid, match_task
from soulread.reproduce.kit.means import average, mean_won
from soulread.reproduce.ours.zoo_ceilings import ceiling_task
from soulread.tasks import Task, TaskResult

EQUILIBRIUM = "equilibrium"  # the player that all are compared with
MATCHES_PER_OPPONENT = 1000
LEAST_CEILING = 20.0
"""Mean ceiling of a family, in mb/g, below which a share of it says nothing."""


class LuckRemoval(StrEnum):
    """The way in which luck is taken off: see `soulread.play.match.judges`."""

    WORTH = "what the strategies are worth"
    AIVAT = "luck taken off (AIVAT)"
    RAW = "raw"


@dataclass(frozen=True)
class KeptPromise:
    """A promised gain over the equilibrium and what came of it in the hands that had a promise; mb/g."""

    promised: Estimate
    won: Estimate
    difference: Estimate  # won less promised
    promising: float  # share of the hands


class ZooMatches:
    """The matches of players, which are texts of agents by name, with opponents; amounts in mb/g."""

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
    ) -> None:
        self.game = game
        self.hands = hands
        self.players = dict(players)
        self.opponents = tuple(opponents)
        stakes = stakes_of(parse_game(game))
        self.scale = Unit.MILLIBETS.per_chip(stakes.small_bet, stakes.big_blind)
        cells = {
            (name, opponent.agent): [
                meeting_task(game, text, opponent, hands, seed, number, luck) for number in range(matches)
            ]
            for opponent in _in_turn(opponents)
            for name, text in players.items()
        }
        self.grid = MatchGrid(cells, results)

    @property
    def ceilings(self) -> list[Task]:
        """Tasks that compute what best responses win from the opponents; families take turns."""
        return [ceiling_task(self.game, opponent.agent) for opponent in _in_turn(self.opponents)]

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
        every = [result for place in self.grid.finished for result in self.grid.at(place)]
        return bool(every) and all("less_luck" in result.values for result in every)

    @property
    def sample(self) -> str:
        """The samples of every interval in words: "3 matches for each opponent"."""
        sizes = sorted({len(found) for found in self.grid.finished.values()})
        if not sizes:
            return "no matches"
        blocks = f"{min(BLOCKS, self.hands)} blocks of hands of one match, and another match may differ more"
        if sizes == [1]:
            return blocks
        count = f"{sizes[0]} to {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]}"
        rest = f"; where there is one match, {blocks}" if sizes[0] == 1 else ""
        return f"{count} matches for each opponent{rest}"

    def combined(
        self, weights: Mapping[str, float], opponent: ZooOpponent, *, raw: bool = False, first: int = 0
    ) -> Estimate | None:
        """A sum over players of what each won times its weight, from hand ``first`` on.

        Taken from the matches that all of them have played; None if there is none. Luck is taken off where
        that is known, unless the ``raw`` amounts are asked for.
        """
        value = "profits" if raw or not self.luckless else "less_luck"
        total = self.grid.weighed(weights, opponent.agent, value)
        if total is None or first >= self.hands:
            return None
        return mean_won(total[:, first:] * self.scale, learning=True)

    def won(
        self, player: str, opponent: ZooOpponent, *, raw: bool = False, first: int = 0
    ) -> Estimate | None:
        """The win rate of a player against an opponent."""
        return self.combined({player: 1.0}, opponent, raw=raw, first=first)

    def won_after_strike(self, player: str, opponent: ZooOpponent) -> Estimate | None:
        """The win rate of a player after a deceiver struck; None if the match is too short."""
        options = parse_agent(opponent.agent).options
        struck = isinstance(options, DeceiverOptions)
        return self.won(player, opponent, first=options.hands) if struck else None

    def gain(self, player: str, opponent: ZooOpponent, *, raw: bool = False) -> Estimate | None:
        """The win rate of a player less that of the equilibrium."""
        return self.combined({player: 1.0, EQUILIBRIUM: -1.0}, opponent, raw=raw)

    def family_gain(self, player: str, family: str, raw: bool = False) -> Estimate | None:
        """The mean gain over the equilibrium against the opponents of a family."""
        return average(self.gain(player, opponent, raw=raw) for opponent in self.members(family))

    def excess(self, player: str, rival: str, times: float, opponent: ZooOpponent) -> Estimate | None:
        """The gain of a player less ``times`` that of a rival."""
        return self.combined({player: 1.0, rival: -times, EQUILIBRIUM: times - 1.0}, opponent)

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

    def ceiling(self, opponent: ZooOpponent) -> float | None:
        """The win rate of a best response to an opponent; None where that is not known."""
        result = self.grid.results.get(ceiling_task(self.game, opponent.agent).key)
        value = math.nan if result is None else result.number("ceiling") * self.scale
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

    def kept(self, player: str, opponent: ZooOpponent) -> KeptPromise | None:
        """The promise of a player against what it won; None if it promised nothing."""
        place = player, opponent.agent
        won = self.grid.weighed(
            {player: 1.0, EQUILIBRIUM: -1.0}, opponent.agent, "less_luck" if self.luckless else "profits"
        )
        usual = self.grid.finished.get((EQUILIBRIUM, opponent.agent), {})
        found = [result for index, result in self.grid.finished.get(place, {}).items() if index in usual]
        if won is None or not all("gain" in result.values for result in found):
            return None
        promised = np.stack([result["gain"] for result in found]) * self.scale
        promising = (promised != 0).astype(np.float64)
        if np.isnan(promised).any() or not promising.any():
            return None
        won = won * self.scale
        sampling = Sampling(won.shape[0], won.shape[1], learning=True)
        return KeptPromise(
            sampling.ratio(promised * promising, promising),
            sampling.ratio(won * promising, promising),
            sampling.ratio((won - promised) * promising, promising),
            float(promising.mean()),
        )

    def family_kept(self, player: str, family: str) -> KeptPromise | None:
        """Promise and result of a player as means over a family; None if it promised nothing there."""
        parts = [kept for opponent in self.members(family) if (kept := self.kept(player, opponent))]
        if not parts:
            return None
        return KeptPromise(
            Estimate.average([part.promised for part in parts]),
            Estimate.average([part.won for part in parts]),
            Estimate.average([part.difference for part in parts]),
            sum(part.promising for part in parts) / len(parts),
        )


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
        duplicate=luck is not LuckRemoval.WORTH,
        aivat=luck is LuckRemoval.AIVAT,
        worth=luck is LuckRemoval.WORTH,
        explain=True,
    )
