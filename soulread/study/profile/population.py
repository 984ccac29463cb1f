"""The spread of the regular players in every statistic, and the place of one player among them.

With enough hands every player differs from the mean of a pool. So the question is not whether a player
differs from the mean, but whether the player is outside of what the middle of the regular players do.

*Alike with alike.* Players who play more often on the button, or at short tables, put chips in more often. So
chances are counted in strata k: the position and the size of the table. With p_k the rate of all regular
players in stratum k, player j acts there with probability

    logistic(logit p_k + d_j),        d_j ~ normal with mean m and standard deviation s,

one shift d_j for each player and statistic. m and s are found by EM, with a normal approximation of each
player's posterior at its mode. So the spread s is that of the players, without the chance in their counts.

*Hands of one evening resemble each other.* The hands of each regular player are cut into stretches. Let O, E
and V be what was counted in a stretch, what was expected, and its binomial variance. The dispersion
phi = sum of (O - E)^2 / sum of V, corrected for the shift that was fitted, is 1 if decisions are independent.
Chances count for 1/phi of a chance wherever phi is above 1.

*The zone* of a statistic is the middle half of the regular players: d from m - 0.67 s to m + 0.67 s. A
player outside of it does it more often, or less often, than three of four regular players. The ends are told
as rates over the positions and tables of the player's own chances.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import betainc, expit, logit, ndtr

from soulread.encoding import keys
from soulread.estimate import wilson_interval
from soulread.hands.facts import POSITIONS, Facts, Rows
from soulread.hands.statistics import STATISTICS, Occasions, Statistic, StatisticKind

SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)  # of the regular players, at which rates are told
_NORMAL = np.array([-1.6448536269514722, -0.6744897501960817, 0.0, 0.6744897501960817, 1.6448536269514722])
REGULAR_HANDS = 500  # that a regular player has at least
LEAST_REGULARS = 20  # with whom a player is compared
MOST_REGULARS = 2000  # those with the most hands
LEAST_PLAYERS = 10.0  # worth of regular players, for a spread to be known; see `PoolSpread.players`
MIDDLE = 0.5  # share of the regular players that a zone holds
REACH = 0.6744897501960817  # of the normal distribution at 75%
_STRETCH = 250  # hands at least
_STRETCHES = 4000  # at most, of all players together
_ROUNDS_OF_EM = 60  # at most
_STILL = 1e-4  # logits; EM ends when neither mean nor deviation moves by more
_LEAST_SPREAD = 0.02  # logits; below it players are alike

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Parts: TypeAlias = Callable[[], Iterator[tuple[Ints, Facts]]]
"""Each call begins anew: the number of each seat's player, and the facts, in parts."""

TESTED: tuple[Statistic, ...] = tuple(
    statistic
    for statistic in STATISTICS
    if statistic.kind not in (StatisticKind.AMOUNT, StatisticKind.FACTOR)
)
"""The statistics that count how often something is done; not the aggression factor, which adds nothing."""

_SIZES = (3, 7)  # players at the table, between the classes: heads-up, short, full
NUM_STRATA = (len(_SIZES) + 1) * len(POSITIONS)
BY_POSITION = ("VPIP", "PFR", "limp", "3-bet", "fold to 3-bet", "4-bet", "steal", "fold to steal")
"""Statistics that are also looked at in each position."""


def shares_record(values: Sequence[float]) -> dict[str, float] | None:
    """Values at `SHARES` for JSON; None if there are none."""
    return {f"{share:.0%}": value for share, value in zip(SHARES, values, strict=False)} or None


def strata(seats: Rows) -> Ints:
    """The stratum of each seat: size of the table times position."""
    sizes = np.digitize(seats["players"], _SIZES)
    return np.asarray(sizes * len(POSITIONS) + seats["position"], np.int64)


@dataclass(frozen=True)
class Scope:
    """A statistic, over all positions or in one."""

    statistic: int  # in `TESTED`
    position: int | None = None

    @property
    def name(self) -> str:
        """``"3-bet"``, ``"3-bet in SB"``."""
        name = TESTED[self.statistic].name
        return name if self.place is None else f"{name} in {self.place}"

    @property
    def place(self) -> str | None:
        """The position in letters, such as "SB"; None for all positions."""
        return None if self.position is None else POSITIONS[self.position]

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a query that leave only hands of it."""
        return () if self.place is None else (f"position:{self.place}",)

    @property
    def strata(self) -> Ints:
        """The strata that belong to it."""
        every = np.arange(NUM_STRATA)
        return every if self.position is None else every[every % len(POSITIONS) == self.position]

    def of(self, table: Floats, rows: Ints) -> Floats:
        """``[rows, strata of the scope]`` of a table ``[rows, statistics, strata]``."""
        return table[rows][:, self.statistic][:, self.strata]


WHOLE = tuple(Scope(i) for i in range(len(TESTED)))
"""Every statistic over all positions."""

SCOPES: tuple[Scope, ...] = (
    *WHOLE,
    *(
        Scope(i, position)
        for i, statistic in enumerate(TESTED)
        if statistic.name in BY_POSITION
        for position in range(len(POSITIONS))
    ),
)


@dataclass(frozen=True, eq=False)
class Counted:
    """Chances and actions of some players, by statistic of `TESTED` and by stratum."""

    numbers: Ints  # [players] in the store
    hands: Ints  # [players]
    chances: Floats  # [players, statistics, strata]
    actions: Floats  # [players, statistics, strata]
    spots: Floats  # [players, statistics, strata] hands with a chance; in them big blinds are won
    owner: Ints  # [stretches] index of the player
    stretch_chances: Floats  # [stretches, statistics, strata]
    stretch_actions: Floats  # [stretches, statistics, strata]
    stretch_spots: Floats  # [stretches, statistics, strata]
    stretch_won: Floats  # [stretches, statistics, strata]
    stretch_squares: Floats  # [stretches, statistics, strata]
    parity: Ints  # [stretches] 0 or 1 in turn, of each player
    profit: Floats  # [players] big blinds in all hands
    profit_squares: Floats  # [players]

    def row(self, number: int) -> int:
        """The index of a player."""
        return int(np.flatnonzero(self.numbers == number)[0])

    def stretches_of(self, pool: Ints) -> tuple[Ints, Ints]:
        """The stretches of the players ``pool`` (indices), and the place of each one's player in the pool."""
        inside = np.full(self.numbers.size, -1, np.int64)
        inside[pool] = np.arange(pool.size)
        of = inside[self.owner]
        used = np.flatnonzero(of >= 0)
        return used, of[used]


def count_population(parts: Parts, always: Sequence[int] = (), least: int = REGULAR_HANDS) -> Counted:
    """Count everybody with at least ``least`` hands, and the players ``always``, in two passes."""
    hands = np.zeros(1, np.int64)
    for owners, _ in parts():
        if owners.size:
            more = np.bincount(owners, minlength=hands.size)
            more[: hands.size] += hands
            hands = more
    regular = np.flatnonzero(hands >= max(1, least))
    regular = regular[np.argsort(-hands[regular], kind="stable")][:MOST_REGULARS]
    numbers = np.union1d(regular, np.array(always, np.int64)).astype(np.int64)
    length = max(_STRETCH, -(-int(hands[numbers].sum()) // _STRETCHES))
    stretches = -(-hands[numbers] // length)
    first = np.cumsum(stretches) - stretches  # stretch of each player
    place = np.full(hands.size, -1, np.int64)
    place[numbers] = np.arange(numbers.size)
    total = int(stretches.sum())
    shape = (len(TESTED), total * NUM_STRATA)
    chances, actions, spots, won, squares = (np.zeros(shape) for _ in range(5))
    profit, profit_squares = np.zeros(numbers.size), np.zeros(numbers.size)
    seen = np.zeros(numbers.size, np.int64)
    for owners, facts in parts():
        meant = np.flatnonzero(place[owners] >= 0)
        if not meant.size:
            continue
        facts, who = facts.take(meant), place[owners[meant]]
        nth = _nth(who) + seen[who]
        seen += np.bincount(who, minlength=seen.size)
        cell = (first[who] + nth // length) * NUM_STRATA + strata(facts.seats)
        amount = facts.seats["won"] / np.maximum(facts.seats["big_blind"], 1)
        profit += np.bincount(who, amount, minlength=profit.size)
        profit_squares += np.bincount(who, amount * amount, minlength=profit.size)
        found = Occasions(facts)
        for i, statistic in enumerate(TESTED):
            had, took = found.of(statistic)
            once = had[np.diff(had, prepend=-1) > 0]
            for table, rows, weights in (
                (chances, had, None),
                (actions, took, None),
                (spots, once, None),
                (won, once, amount[once]),
                (squares, once, amount[once] ** 2),
            ):
                table[i] += np.bincount(cell[rows], weights, minlength=shape[1])
    owner = np.repeat(np.arange(numbers.size), stretches)
    by_stretch = [
        np.moveaxis(table.reshape(len(TESTED), total, NUM_STRATA), 0, 1)
        for table in (chances, actions, spots, won, squares)
    ]
    by_player = [sum_rows(table, owner, numbers.size) for table in by_stretch[:3]]
    return Counted(
        numbers=numbers,
        hands=hands[numbers],
        chances=by_player[0],
        actions=by_player[1],
        spots=by_player[2],
        owner=owner,
        stretch_chances=by_stretch[0],
        stretch_actions=by_stretch[1],
        stretch_spots=by_stretch[2],
        stretch_won=by_stretch[3],
        stretch_squares=by_stretch[4],
        parity=(np.arange(total) - first[owner]) % 2,
        profit=profit,
        profit_squares=profit_squares,
    )


def _nth(who: Ints) -> Ints:
    """For each entry, the number of equal ones before it."""
    order = np.argsort(who, kind="stable")
    ordered = who[order]
    starts = np.flatnonzero(np.diff(ordered, prepend=-1))
    before = np.arange(who.size) - np.repeat(starts, np.diff(starts, append=who.size))
    result = np.empty(who.size, np.int64)
    result[order] = before
    return result


def sum_rows(table: Floats, owner: Ints, players: int) -> Floats:
    """The rows of each player added up."""
    result = np.zeros((players, *table.shape[1:]))
    np.add.at(result, owner, table)
    return result


# The spread of a pool -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PoolSpread:
    """The spread of the regular players in one scope."""

    scope: Scope
    rates: Floats  # [strata of the scope] of all of them together
    mean: float  # m, logits
    deviation: float  # s, logits
    dispersion: float  # phi, at least 1
    players: float  # how many players with endless hands would tell as much about the spread
    regulars: int  # with at least one chance
    shifts: Floats  # [pool] posterior mean of d; those of players without a chance are m
    trust: Floats  # [pool] 0 to 1: how much of each player's shift is known

    @property
    def known(self) -> bool:
        """Whether there are players enough."""
        return self.players >= LEAST_PLAYERS

    @property
    def zone(self) -> tuple[float, float]:
        """Shifts of the middle half of the regular players."""
        return self.mean - REACH * self.deviation, self.mean + REACH * self.deviation

    def quantiles(self, chances: Floats) -> tuple[float, ...]:
        """Rates at `SHARES` of the regular players over ``chances``; empty if there are too few players."""
        if not self.known:
            return ()
        return tuple(self.rate(self.mean + self.deviation * _NORMAL, chances).tolist())

    def density(self, chances: Floats, points: int = 81) -> tuple[list[float], list[float]]:
        """The density of the regular players over ``chances``: rates of 99% of them, and heights up to 1."""
        ends = 2.5758293035489004
        z = np.linspace(-ends, ends, points)
        rates = self.rate(self.mean + self.deviation * z, chances)
        heights = np.exp(-z * z / 2) / np.maximum(np.gradient(rates), 1e-12)
        return rates.tolist(), (heights / heights.max()).tolist()

    def rate(self, shift: float | Floats, chances: Floats) -> Any:
        """The rate of a player with this shift, over ``chances [strata]``."""
        weights = chances / max(float(chances.sum()), 1e-300)
        return expit(logit(self.rates) + np.expand_dims(shift, -1)) @ weights

    def shift(self, rate: float | Floats, chances: Floats) -> Any:
        """The shift of a player who has this rate over ``chances``; the opposite of `rate`."""
        wanted = np.clip(rate, 1e-4, 1 - 1e-4)
        low, high = np.full(wanted.shape, -12.0), np.full(wanted.shape, 12.0)
        for _ in range(40):
            half = (low + high) / 2
            below = self.rate(half, chances) < wanted
            low, high = np.where(below, half, low), np.where(below, high, half)
        return (low + high) / 2

    def believed(self, chances: Floats, actions: Floats) -> Floats:
        """The most likely shift of players with ``chances [players, strata]`` and ``actions [players]``."""
        mode = np.full(actions.size, self.mean)
        for _ in range(12):
            mode, _ = _newton(
                mode, self.mean, self.deviation, logit(self.rates), chances, actions, self.dispersion
            )
        return mode

    def percentile(self, shift: float) -> float:
        """The number of a hundred regular players that have a smaller shift."""
        return float(100 * ndtr((shift - self.mean) / max(self.deviation, _LEAST_SPREAD)))


def fit_spread(scope: Scope, counted: Counted, pool: Ints, dispersion: float | None = None) -> PoolSpread:
    """The spread of players (indices) in a scope; ``dispersion`` is measured if it is not given."""
    chances, actions = scope.of(counted.chances, pool), scope.of(counted.actions, pool)
    total = chances.sum(axis=0)
    overall = (actions.sum() + 0.5) / (total.sum() + 1)
    rates = (actions.sum(axis=0) + 5 * overall) / (
        total + 5
    )  # a stratum of few chances takes the rate of all
    base = logit(rates)
    count = actions.sum(axis=1)
    phi = 1.0 if dispersion is None else dispersion
    mean, deviation, mode, variance = _fit(base, chances, count, phi)
    if dispersion is None:
        phi = _dispersion(scope, counted, pool, base, chances, count)
        if phi > 1:
            mean, deviation, mode, variance = _fit(base, chances, count, phi)
    trust = np.clip(1 - variance / deviation**2, 0.0, 1.0)
    return PoolSpread(
        scope=scope,
        rates=rates,
        mean=mean,
        deviation=deviation,
        dispersion=phi,
        players=float(trust.sum()),
        regulars=int((chances.sum(axis=1) > 0).sum()),
        shifts=mode,
        trust=trust,
    )


def _fit(base: Floats, chances: Floats, count: Floats, phi: float) -> tuple[float, float, Floats, Floats]:
    """m, s, and the mode and variance of each player's shift, by EM."""
    mean, deviation = 0.0, 0.5
    mode = np.zeros(count.size)
    variance = np.full(count.size, deviation**2)
    if not count.size:
        return mean, deviation, mode, variance
    for _ in range(_ROUNDS_OF_EM):
        for _ in range(2):
            mode, variance = _newton(mode, mean, deviation, base, chances, count, phi)
        before = mean, deviation
        mean = float(mode.mean())
        deviation = max(_LEAST_SPREAD, float(np.sqrt(np.mean((mode - mean) ** 2 + variance))))
        if max(abs(mean - before[0]), abs(deviation - before[1])) < _STILL:
            break
    return mean, deviation, mode, variance


def _newton(
    mode: Floats, mean: float, deviation: float, base: Floats, chances: Floats, count: Floats, phi: float
) -> tuple[Floats, Floats]:
    """A step of Newton's method towards the modes of the posterior, and its variance."""
    rates = expit(base + mode[:, None])
    slope = (count - (chances * rates).sum(axis=1)) / phi - (mode - mean) / deviation**2
    variance = 1 / ((chances * rates * (1 - rates)).sum(axis=1) / phi + 1 / deviation**2)
    return mode + np.clip(slope * variance, -1.0, 1.0), variance


def _dispersion(
    scope: Scope, counted: Counted, pool: Ints, base: Floats, chances: Floats, count: Floats
) -> float:
    """phi: how much more stretches of one player differ than independent decisions would."""
    _, _, own, _ = _fit(base, chances, count, 1.0)
    used, of = counted.stretches_of(pool)
    part = scope.of(counted.stretch_chances, used)
    did = scope.of(counted.stretch_actions, used).sum(axis=1)
    rates = expit(base + own[of][:, None])
    expected = (part * rates).sum(axis=1)
    noise = (part * rates * (1 - rates)).sum(axis=1)
    whole = np.bincount(of, noise, minlength=pool.size)[of]
    left = noise * (1 - noise / np.maximum(whole, 1e-300))  # of the variance, after the shift was fitted
    if left.sum() < 1:
        return 1.0
    return max(1.0, float(((did - expected) ** 2).sum() / left.sum()))


# One player among them ----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class PoolStanding:
    """The place of a player among the regular players in one scope."""

    scope: Scope
    n: float  # chances
    count: float  # actions
    rate: float | None  # None without a chance
    interval: tuple[float, float]  # of the rate, 95%, the dispersion taken into account
    chances: Floats  # [strata of the scope]
    spread: PoolSpread | None = None  # None if nobody is there to compare with
    shift: float = 0.0  # logits; the best estimate
    zone: tuple[float, float] = (
        0.0,
        1.0,
    )  # rates of the middle half, in the player's own seats
    middle: float = 0.5  # rate of the median regular player in these seats
    percentile: float | None = None
    percentiles: tuple[float, float] | None = None  # of the ends of the interval
    tail: float = 1.0  # p-value of being inside the zone, at its nearer end
    outside: int = 0  # -1 below the zone, 1 above, 0 inside; by the best estimate

    JSON = keys(
        "n too_few percentile percentiles regulars",
        name="scope.name",
        value="rate",
        low="interval.0",
        high="interval.1",
    )

    @property
    def regulars(self) -> dict[str, float] | None:
        """The ends of the zone and the median, as rates in the player's own seats; None if not known."""
        if self.spread is None:
            return None
        return {"low": self.zone[0], "median": self.middle, "high": self.zone[1]}

    @property
    def too_few(self) -> bool:
        """Whether the interval says nothing: it is 40 points wide, or holds nearly all regular players."""
        low, high = self.interval
        if self.n < 1 or high - low > 0.4:
            return True
        if self.percentiles is None:
            return False
        return self.percentiles[0] <= 5 and self.percentiles[1] >= 95


def standing(scope: Scope, chances: Floats, actions: float, spread: PoolSpread | None) -> PoolStanding:
    """The standing of a player with ``chances [strata of the scope]`` and so many actions."""
    n = float(chances.sum())
    phi = 1.0 if spread is None else spread.dispersion
    interval = wilson_interval(actions / phi, n / phi)
    alone = PoolStanding(scope, n, actions, actions / n if n else None, interval, chances)
    if not n or spread is None or not spread.known:
        return alone
    shift, low, high = spread.shift(np.array([actions / n, *interval]), chances).tolist()
    low_end, high_end = (float(spread.rate(end, chances)) for end in spread.zone)
    count, times = actions / phi, n / phi
    mirrored = times * (low_end + high_end) - count  # as far out on the other side of the zone
    above = _at_least(count, times, high_end) + _at_most(mirrored, times, high_end)
    below = _at_most(count, times, low_end) + _at_least(mirrored, times, low_end)
    return replace(
        alone,
        spread=spread,
        shift=shift,
        zone=(low_end, high_end),
        middle=float(spread.rate(spread.mean, chances)),
        percentile=spread.percentile(shift),
        percentiles=(spread.percentile(low), spread.percentile(high)),
        tail=min(1.0, above, below),
        outside=1 if shift > spread.zone[1] else -1 if shift < spread.zone[0] else 0,
    )


def _at_least(count: float, times: float, rate: float) -> float:
    """The chance of ``count`` or more of ``times``, neither of which need be whole."""
    if count <= 0:
        return 1.0
    return float(betainc(count, times - count + 1, rate)) if count <= times else 0.0


def _at_most(count: float, times: float, rate: float) -> float:
    """The chance of ``count`` or fewer of ``times``."""
    return _at_least(times - count, times, 1 - rate)


class Population:
    """The regular players of some hands, and where everybody stands among the others."""

    def __init__(self, parts: Parts, always: Sequence[int] = (), least: int = REGULAR_HANDS) -> None:
        self.least = least
        self.counted = count_population(parts, always, least)

    @property
    def regulars(self) -> Ints:
        """Indices of the regular players."""
        return np.flatnonzero(self.counted.hands >= max(1, self.least))

    def others(self, row: int) -> Ints:
        """Indices of the regular players without one of them."""
        return np.setdiff1d(self.regulars, [row])

    def spreads(self, pool: Ints, scopes: Sequence[Scope] = SCOPES) -> dict[Scope, PoolSpread]:
        """The spread of the players ``pool`` (indices) in each scope."""
        measured: dict[int, float] = {}
        found: dict[Scope, PoolSpread] = {}
        for scope in sorted(scopes, key=lambda scope: scope.position is not None):
            spread = fit_spread(scope, self.counted, pool, measured.get(scope.statistic))
            if scope.position is None:
                measured[scope.statistic] = spread.dispersion
            found[scope] = spread
        return found

    def standings(
        self, row: int, spreads: Mapping[Scope, PoolSpread], scopes: Iterable[Scope] | None = None
    ) -> dict[Scope, PoolStanding]:
        """The standing of a player (index) in each scope; a scope without a spread has no percentile."""
        return {
            scope: standing(
                scope,
                self.counted.chances[row, scope.statistic, scope.strata],
                float(self.counted.actions[row, scope.statistic, scope.strata].sum()),
                spreads.get(scope),
            )
            for scope in (spreads if scopes is None else scopes)
        }

    def rank(self, number: int, scopes: Sequence[Scope] = SCOPES) -> "Ranking":
        """A player (number in the store) among all other regular players."""
        row = self.counted.row(number)
        others = self.others(row)
        spreads = self.spreads(others, scopes) if others.size >= LEAST_REGULARS else {}
        return Ranking(row, others, spreads, tuple(self.standings(row, spreads, WHOLE).values()))


class Ranking(NamedTuple):
    """One player among the other regular players."""

    row: int  # index of the player
    others: Ints  # indices of the regular players
    spreads: dict[Scope, PoolSpread]  # of the others; empty if they are fewer than `LEAST_REGULARS`
    standings: tuple[PoolStanding, ...]  # of the player in each statistic of `TESTED`, over all positions
