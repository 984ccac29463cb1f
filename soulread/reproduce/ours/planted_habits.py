"""Crowds of simulated players with planted habits, and a task that profiles them.

*The truth* is measured, not assumed: the same crowd plays 400,000 hands more. A sure claim says that a player
does something more often than three of four others (or less often). It is false if in the long run fewer than
three of four others are below (or above). This does not use the model of the spread that the profile uses.

A planted habit is *found* if a sure claim of its statistic has its direction, over all positions or in one.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.hands.facts import Facts
from soulread.reproduce.kit.simulated_pool import HABITS, SEATS, SimulatedPool
from soulread.study.profile.deviations import LEVEL, sure_scopes
from soulread.study.profile.population import MIDDLE, TESTED, Population, Scope
from soulread.tasks import Values, kept_as

HANDS = (500, 2_000, 10_000)
PLAYERS = 60
PLANTED = 16  # players with planted habits
CLEAN = 8  # other players who are profiled
SIZES = (0.8, 1.4)  # logits; the habits of the crowd have a standard deviation of about 0.4
LONG = 400_000  # hands for the truth
_PART = 100_000
_OWN, _STYLE = 0.3, 0.2  # standard deviations: of each habit, and of looseness and boldness

NAMES = tuple(statistic.name for statistic in TESTED)
PLANTABLE = tuple(habit for habit in HABITS if habit in NAMES)
_LOOSE = ("limp", "call a raise"), ("fold to 3-bet", "fold to steal", "fold to c-bet flop", "fold")
_BOLD = ("open", "steal", "3-bet", "4-bet", "raise c-bet", "donk", "bet", "raise", "check-raise"), ()


class Trial:
    """A crowd with planted habits, its truth, and what is known of its players after so many hands."""

    def __init__(
        self,
        seed: int,
        players: int = PLAYERS,
        planted: int = PLANTED,
        clean: int = CLEAN,
        long: int = LONG,
        hands: Sequence[int] = HANDS,
    ) -> None:
        rng = np.random.default_rng(seed)
        habits = _habits(players, rng)
        self.plan: list[tuple[int, int, float]] = []  # player, habit, direction times size
        for player in range(planted):
            for k, habit in enumerate(rng.choice(len(PLANTABLE), 2, replace=False)):
                amount = SIZES[(player + k) % 2] * (1 if rng.random() < 0.5 else -1)
                self.plan.append((player, int(habit), amount))
                habits[player, HABITS.index(PLANTABLE[habit])] = amount
        crowd = SimulatedPool(habits)
        self.shares = _truth(crowd, long, seed)
        most = max(hands)
        owners, facts = crowd.play(int(1.15 * most * players / SEATS), rng)
        lengths = np.exp(rng.uniform(np.log(500), np.log(most), players)).astype(np.int64)
        self.population, self._rows = _versions(owners, facts, lengths, hands, planted + clean)
        pool = np.arange(players)
        self._spreads = [self.population.spreads(pool[pool != player]) for player in range(planted + clean)]

    def judge(self, level: float = LEVEL) -> Values:
        """Claims, false claims, and which planted habits were found.

        ``claims`` and ``false`` are ``[hands, profiled]``, the planted players first. ``found`` is ``[hands,
        planted habits]``; ``size`` and ``habit`` say which these are, ``real`` whether the long run confirms
        them.
        """
        claims = np.zeros(self._rows.shape, np.int64)
        false = np.zeros_like(claims)
        found = np.zeros((len(claims), len(self.plan)), np.bool_)
        for player, spreads in enumerate(self._spreads):
            mine = [(i, *planted[1:]) for i, planted in enumerate(self.plan) if planted[0] == player]
            for h, row in enumerate(self._rows[:, player].tolist()):
                sure, _ = sure_scopes(self.population, row, spreads, level)
                sides = {scope: standing.outside for scope, standing in sure.items()}
                claims[h, player] = len(sides)
                false[h, player] = sum(
                    not is_true(self.shares[scope][player], side) for scope, side in sides.items()
                )
                for i, habit, amount in mine:
                    name = NAMES.index(PLANTABLE[habit])
                    found[h, i] = any(
                        scope.statistic == name and side == np.sign(amount) for scope, side in sides.items()
                    )
        real = [
            is_true(self.shares[Scope(NAMES.index(PLANTABLE[habit]))][player], int(np.sign(amount)))
            for player, habit, amount in self.plan
        ]
        return {
            "claims": claims,
            "false": false,
            "found": found,
            "real": np.array(real, np.bool_),
            "habit": np.array([habit for _, habit, _ in self.plan], np.int64),
            "size": np.array([abs(amount) for _, _, amount in self.plan]),
        }


@kept_as("soulread.reproduce.profile_leaks:judge_crowd")
def judge_crowd(seed: int, long: int, level: float, margin: float) -> Values:
    """One crowd, judged: a task. ``margin`` is always 0; it belongs to the keys of kept results."""
    return Trial(seed, long=long).judge(level)


def _habits(players: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Habits around the crowd's: of each its own, and two styles that move many of them together."""
    habits = _OWN * rng.standard_normal((players, len(HABITS)))
    for more, less in (_LOOSE, _BOLD):
        style = _STYLE * rng.standard_normal(players)
        for names, sign in ((more, 1), (less, -1)):
            for name in names:
                habits[:, HABITS.index(name)] += sign * style
    return habits


def _truth(crowd: SimulatedPool, hands: int, seed: int) -> dict[Scope, NDArray[np.float64]]:
    """For each scope and player, the share of the other players who do it less often in the long run."""
    rng = np.random.default_rng((seed, 1))
    made = [crowd.play(min(_PART, hands - first), rng) for first in range(0, hands, _PART)]
    long = Population(lambda: iter(made), least=1)
    shares = {}
    for scope, spread in long.spreads(long.regulars).items():
        order = spread.shifts[:, None] > spread.shifts[None, :]
        shares[scope] = order.sum(axis=1) / (order.shape[0] - 1)
    return shares


def is_true(share: float, side: int) -> bool:
    """Whether a player with this share of others below is really on this side of the middle."""
    edge = (1 + MIDDLE) / 2
    return share >= edge if side > 0 else 1 - share >= edge


def _versions(
    owners: NDArray[np.int64],
    facts: Facts,
    lengths: NDArray[np.int64],
    hands: Sequence[int],
    profiled: int,
) -> tuple[Population, NDArray[np.int64]]:
    """One population in which each player is there with the hands of the pool, and again with fewer or more.

    Returns it and the index of each profiled player's version ``[hands, profiled]``.
    """
    players = lengths.size
    order = np.argsort(owners, kind="stable")
    nth = np.empty(owners.size, np.int64)
    starts = np.searchsorted(owners[order], np.arange(players))
    nth[order] = np.arange(owners.size) - starts[owners[order]]
    made = [(np.flatnonzero(nth < lengths[owners]), 0)]
    for h, most in enumerate(hands):
        made.append((np.flatnonzero((nth < most) & (owners < profiled)), (h + 1) * players))

    def parts() -> Iterator[tuple[NDArray[np.int64], Facts]]:
        for chosen, number in made:
            yield owners[chosen] + number, facts.take(chosen)

    population = Population(parts, least=1)
    numbers = np.arange(profiled) + players * (1 + np.arange(len(hands)))[:, None]
    return population, np.searchsorted(population.counted.numbers, numbers)
