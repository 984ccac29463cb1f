"""Sure deviations of a player from the regular players, and the results that go with them.

*Sure.* For every scope (a statistic, over all positions or in one) the null hypothesis is that the player is
inside the zone of the regular players (`soulread.study.profile.population`). Its p-value is the chance of a
count at least as far outside, on either side, for a player at the nearer end of the zone; chances count for
less where hands resemble each other. All scopes that have chances enough are tested together, and Benjamini &
Hochberg's step-up procedure keeps the expected share of false ones among the deviations called sure at
`LEVEL` or below.

*What it costs.* Nobody can see what the same player would have won by playing otherwise. What can be seen is
how those regular players fare who do it more often. For each regular player j let y_j be what was won per
hand with a chance, less the mean of all in the same strata, and x_j the player's shift. The slope of y on x,
by least squares weighted with 1 / variance of y, times the player's own distance from the mean shift, times
the chances per 100 hands, is the estimate in bb/100. Its interval is that of the slope (robust to unequal
variances). It is rough: it is an association among these players, a straight line, and players who do one
thing more often also do others.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from soulread.encoding import keys
from soulread.estimate import Estimate, benjamini_hochberg
from soulread.study.profile.population import (
    TESTED,
    Counted,
    Floats,
    Ints,
    PoolSpread,
    PoolStanding,
    Population,
    Scope,
    sum_rows,
)

LEVEL = 0.01  # of the deviations called sure, the expected share of false ones
LEAST_CHANCES = 30  # of a scope that is tested
_LEAST_POOL = 20  # players for a slope
RESULTS = ("W$SD",)  # statistics that are themselves results, not something a player does


@dataclass(frozen=True, eq=False)
class SureDeviation:
    """Something a player surely does more or less often than regular players."""

    standing: PoolStanding
    also: tuple[PoolStanding, ...]  # positions in which the same is sure
    cost: Estimate | None  # bb/100 in comparison with a regular player in the middle; None if unknown
    per_100: float  # hands with a chance, of 100 hands

    JSON = keys(
        statistic=lambda found: TESTED[found.standing.scope.statistic].name,
        position="standing.scope.place",
        direction=lambda found: "more" if found.direction > 0 else "less",
        n="standing.n",
        value="standing.rate",
        low="standing.interval.0",
        high="standing.interval.1",
        regulars="standing.regulars",
        percentile="standing.percentile",
        p_value="standing.tail",
        also=lambda found: [other.scope.name for other in found.also],
        chances_per_100_hands="per_100",
        cost_bb_per_100="cost",
    )

    @property
    def direction(self) -> int:
        """1 if the player does it more often, -1 if less often."""
        return self.standing.outside

    @property
    def name(self) -> str:
        """The name of its scope."""
        return self.standing.scope.name

    @property
    def distance(self) -> float:
        """The distance from the middle of the pool, in standard deviations between players."""
        spread = self.standing.spread
        assert spread is not None
        return abs(self.standing.shift - spread.mean) / spread.deviation


def sure_deviations(
    population: Population, row: int, pool: Ints, spreads: Mapping[Scope, PoolSpread], level: float = LEVEL
) -> tuple[tuple[SureDeviation, ...], int]:
    """The sure deviations of a player (index) from those in ``pool``, and how many scopes were tested.

    The most unusual come first.

    A position is listed under its statistic if that is sure in all positions together.
    """
    sure, tested = sure_scopes(population, row, spreads, level)
    result = []
    for scope, found in sure.items():
        whole = sure.get(Scope(scope.statistic))
        if scope.position is not None and whole is not None and whole.outside == found.outside:
            continue
        also = tuple(
            other
            for place, other in sure.items()
            if scope.position is None
            and place.position is not None
            and place.statistic == scope.statistic
            and other.outside == found.outside
        )
        spots = float(population.counted.spots[row, scope.statistic, scope.strata].sum())
        per_100 = 100 * spots / max(1, int(population.counted.hands[row]))
        cost = _cost(population.counted, pool, found, spreads[scope], per_100)
        result.append(SureDeviation(found, also, cost, per_100))
    result.sort(key=lambda one: -one.distance)
    return tuple(result), tested


def sure_scopes(
    population: Population, row: int, spreads: Mapping[Scope, PoolSpread], level: float = LEVEL
) -> tuple[dict[Scope, PoolStanding], int]:
    """The scopes in which a player (index) is surely outside of the zone, and the number of scopes tested."""
    standings = population.standings(row, spreads)
    tested = [found for found in standings.values() if found.spread is not None and found.n >= LEAST_CHANCES]
    certain = benjamini_hochberg(np.array([found.tail for found in tested]), level)
    sure = {
        found.scope: found for found, beyond in zip(tested, certain, strict=True) if beyond and found.outside
    }
    return sure, len(tested)


def _cost(
    counted: Counted, pool: Ints, found: PoolStanding, spread: PoolSpread, per_100: float
) -> Estimate | None:
    """The difference in bb/100 between players like this one and the middle of the pool; None if unknown."""
    if TESTED[spread.scope.statistic].name in RESULTS:
        return None
    slope = result_slope(counted, pool, spread)
    if slope is None:
        return None
    return slope.scaled((found.shift - spread.mean) * per_100)


def result_slope(counted: Counted, pool: Ints, spread: PoolSpread) -> Estimate | None:
    """Big blinds won per hand with a chance, for one logit more; n is the number of players less one.

    None if there are too few players. What was won in one half of the hands is set against how the player
    played in the other half, both ways, so that good cards do not make a habit look good.
    """
    every, of = counted.stretches_of(pool)
    halves = []
    for half in (0, 1):
        mine = counted.parity[every] == half
        halves.append(
            [
                sum_rows(spread.scope.of(table, every[mine]), of[mine], pool.size)
                for table in (
                    counted.stretch_chances,
                    counted.stretch_actions,
                    counted.stretch_spots,
                    counted.stretch_won,
                    counted.stretch_squares,
                )
            ]
        )
    x, y, noise, who = [], [], [], []
    for (chances, actions, *_), (_, _, spots, won, squares) in (halves, halves[::-1]):
        hands = spots.sum(axis=1)
        there = np.flatnonzero(hands > 0)
        if there.size < _LEAST_POOL:
            return None
        means = won.sum(axis=0) / np.maximum(spots.sum(axis=0), 1)
        variance = float(squares.sum() / hands.sum()) - float((won.sum() / hands.sum()) ** 2)
        x.append(spread.believed(chances, actions.sum(axis=1))[there])
        y.append((won.sum(axis=1) - spots @ means)[there] / hands[there])
        noise.append(max(variance, 1e-9) / hands[there])
        who.append(there)
    return weighted_slope(np.concatenate(x), np.concatenate(y), np.concatenate(noise), np.concatenate(who))


def weighted_slope(x: Floats, y: Floats, noise: Floats, who: Ints) -> Estimate | None:
    """The slope of y on x; ``noise`` is the variance of each y by chance alone, ``who`` its player.

    Weights are 1 / (noise + what players differ beyond it), the latter by moments. The standard error is
    robust to unequal variances, and to points of one player being alike (White 1980; Liang & Zeger 1986).
    """
    beyond = 0.0
    for _ in range(3):
        weights = 1 / (noise + beyond)
        weights /= weights.sum()
        middle = float(weights @ x)
        spread = float(weights @ (x - middle) ** 2)
        if spread <= 1e-12:
            return None
        slope = float(weights @ ((x - middle) * y)) / spread
        rest = y - float(weights @ y) - slope * (x - middle)
        beyond = max(0.0, float(weights @ (rest**2 - noise)))
    scores = np.bincount(who, weights * (x - middle) * rest)
    n = int(np.unique(who).size)
    error = np.sqrt(float((scores**2).sum()) * n / (n - 2)) / spread
    return Estimate(slope, float(error), n - 1)
