"""Ring matches as tasks: several versions of a player at one table.

A ring has a version in every seat, some of them more than once. In every match the seats are drawn anew, so
that nobody always sits behind the same player. A match is duplicate: it is played once for each rotation of
the seats, with the same cards, so every agent plays every holding of every deal. What is compared are
versions of one ring, or of two rings that were dealt the same cards: their differences have much less luck in
them than the win rates.

If an agent of the ring learns, a match is one sample; else every deal is one (`soulread.estimate`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.estimate import Estimate, Sampling, Unit
from soulread.games.named import parse_game
from soulread.hands.record import stakes_of
from soulread.play.agent import Agent, learns
from soulread.play.catalogue.known import parse_agent
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.matches import others, seated_match, stand_ins
from soulread.reproduce.kit.revisions import version_for
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.streams import stream
from soulread.tasks import Task, TaskResult, Values, kept_as

VERSION = 4  # raise it when all agents play differently; see `version_for`
POINTS = 25  # of a curve over the hands of a match, at most


def ring_task(
    game: str,
    agents: Sequence[str],
    hands: int,
    seed: int,
    number: int,
    duplicate: bool = True,
    clock: float | None = None,
) -> Task:
    """Match ``number`` between the agents, which sit in this order; see `play` for the result."""
    return Task(
        play,
        {
            "game": game,
            "agents": list(agents),
            "hands": hands,
            "seed": seed,
            "number": number,
            "duplicate": duplicate,
            **others(agents, clock),
        },
        version_for(agents, VERSION),
    )


@kept_as("soulread.reproduce.rings:play")
def play(
    game: str,
    agents: Sequence[str],
    hands: int,
    seed: int,
    number: int,
    duplicate: bool,
    contents: Sequence[str] = (),
    clock: float | None = None,
) -> Values:
    """Play a match of any number of agents.

    ``profits [hands, agents]`` are chips, in a duplicate match the mean over the rotations; ``learning`` is 1
    if one of the agents learns, else 0. ``contents`` and ``clock`` are those of a match of two
    (`soulread.reproduce.kit.matches`).
    """
    with seated_match(game, agents, hands, duplicate, clock, seated_agent) as match:
        profits = match.play(seed, number)
        return {"profits": profits, "learning": float(any(map(learns, match.agents))), **stand_ins(match)}


@lru_cache(maxsize=32)
def seated_agent(text: str, game: str, seat: int) -> Agent:
    """One agent for each seat, also where texts are alike: each has a memory of its own."""
    return parse_agent(text).make(parse_game(game))


@dataclass(frozen=True, eq=False)
class Ring:
    """Versions by name, as texts of agents, and who sits in the ring: one name for each seat."""

    name: str
    versions: Mapping[str, str]
    seats: tuple[str, ...]

    def __post_init__(self) -> None:
        unknown = sorted(set(self.seats) - set(self.versions))
        if unknown:
            raise SoulreadError(f"the ring {self.name!r} seats {unknown[0]!r}, which is no version of it")

    @property
    def game(self) -> str:
        """Limit hold'em with a seat for everybody."""
        return f"ring-limit:{len(self.seats)}"

    def seating(self, seed: int, number: int) -> tuple[str, ...]:
        """The versions in the order in which they sit in a match; it depends on places, not on versions."""
        places = stream(seed, number, "seating").permutation(len(self.seats))
        return tuple(self.seats[place] for place in places)

    def task(self, hands: int, seed: int, number: int) -> Task:
        """Match ``number`` of the ring."""
        agents = [self.versions[name] for name in self.seating(seed, number)]
        return ring_task(self.game, agents, hands, seed, number)

    def found(self, results: Mapping[int, TaskResult], seed: int) -> "RingResult":
        """The winnings of the versions in the finished matches, which are given by number."""
        names = tuple(dict.fromkeys(self.seats))
        won = []
        for number, result in results.items():
            seating = np.array(self.seating(seed, number))
            profits = result["profits"]
            won.append(np.stack([profits[:, seating == name].mean(axis=1) for name in names], axis=-1))
        learning = any(result.number("learning") > 0 for result in results.values())
        stakes = stakes_of(parse_game(self.game))
        scale = Unit.SMALL_BETS.per_chip(stakes.small_bet, stakes.big_blind)
        return RingResult(names, tuple(results), scale * np.stack(won), learning)


def play_rings(
    options: RunOptions, rings: Mapping[Ring, int], hands: int, seed: int
) -> tuple[dict[str, "RingResult"], float]:
    """Play so many matches of each ring; what was won by the name of the ring, and the CPU time.

    Rings without a finished match are left out.
    """
    grid = TaskGrid(
        {ring: [ring.task(hands, seed, n) for n in range(matches)] for ring, matches in rings.items()}
    )
    grid.run(options)
    return {ring.name: ring.found(results, seed) for ring, results in grid.finished.items()}, grid.seconds


@dataclass(frozen=True)
class RingResult:
    """The winnings of each version, ``won [matches, hands, versions]`` in sb/h, as a mean over its seats."""

    versions: tuple[str, ...]
    numbers: tuple[int, ...]  # of the matches
    won: NDArray[np.float64]
    learning: bool

    @property
    def sampling(self) -> Sampling:
        """Which parts of the matches are independent samples."""
        return Sampling(self.won.shape[0], self.won.shape[1], self.learning, duplicate=True)

    @property
    def sample(self) -> str:
        """The number of samples behind the estimates and their kind, such as "12 matches"."""
        return self.sampling.text

    def weighed(self, weights: Mapping[str, float]) -> NDArray[np.float64]:
        """A sum of versions' winnings, ``[matches, hands]``: {"a": 1, "b": -1} is how much more a won."""
        parts = [weight * self.won[:, :, self.versions.index(name)] for name, weight in weights.items()]
        return np.asarray(np.sum(parts, axis=0))

    def estimate(self, weights: Mapping[str, float]) -> Estimate:
        """The mean of a sum of versions' winnings, sb/h; winnings of the same hand are paired."""
        return self.sampling.estimate(self.weighed(weights))

    def won_by(self, version: str) -> Estimate:
        """The win rate of a version, sb/h."""
        return self.estimate({version: 1.0})

    def difference(self, version: str, other: str) -> Estimate:
        """The win rate of a version less that of another one of the same ring, sb/h."""
        return self.estimate({version: 1.0, other: -1.0})

    def part(self, first: int, end: int) -> "RingResult":
        """Hands ``first`` to ``end`` (not included) of every match."""
        return replace(self, won=self.won[:, first:end])

    def so_far(self, weights: Mapping[str, float]) -> list[tuple[int, Estimate]]:
        """The mean of the first n hands of a match, for up to `POINTS` values of n."""
        hands = self.won.shape[1]
        ends = np.unique(np.linspace(hands / POINTS, hands, POINTS).astype(int).clip(1))
        return [(int(end), self.part(0, int(end)).estimate(weights)) for end in ends]


def paired(results: Mapping[str, RingResult], weights: Mapping[str, tuple[str, float]]) -> Estimate | None:
    """A sum over rings that were dealt the same cards: ring by name, a version of it, and its weight.

    Only matches count that all these rings have played. None if there is no such match.
    """
    if not set(weights) <= set(results):
        return None
    common = set.intersection(*(set(results[ring].numbers) for ring in weights))
    if not common:
        return None
    parts = []
    for ring, (version, weight) in weights.items():
        found = results[ring]
        rows = [i for i, number in enumerate(found.numbers) if number in common]
        parts.append(found.weighed({version: weight})[rows])
    total = np.asarray(np.sum(parts, axis=0))
    learning = any(results[ring].learning for ring in weights)
    return Sampling(total.shape[0], total.shape[1], learning, duplicate=True).estimate(total)
