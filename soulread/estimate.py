"""A mean with its uncertainty, what its independent samples are, and the units of amounts won.

`Sampling` says which parts of played matches are independent, so that the interval of a mean is wide enough
also where an agent learns from hand to hand.

Chips are the unit inside the games. `Unit` turns chips per hand into small bets per hand (``sb/h``),
thousandths of a small bet per game (``mb/g``) or big blinds per hundred hands (``bb/100``).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.errors import SoulreadError

_NORMAL_95 = 1.959963984540054  # of the normal distribution at 97.5%


class Unit(Enum):
    """A unit for amounts won per hand."""

    CHIPS = "chips/h"
    SMALL_BETS = "sb/h"
    MILLIBETS = "mb/g"
    BIG_BLINDS_PER_100 = "bb/100"

    def per_chip(self, small_bet: float, big_blind: float) -> float:
        """How many of this unit one chip per hand is, in a game with these stakes."""
        match self:
            case Unit.CHIPS:
                return 1.0
            case Unit.SMALL_BETS:
                return 1.0 / small_bet
            case Unit.MILLIBETS:
                return 1000.0 / small_bet
            case Unit.BIG_BLINDS_PER_100:
                return 100.0 / big_blind


@dataclass(frozen=True, slots=True)
class Estimate:
    """The mean of ``n`` independent samples and its standard error.

    The 95% interval uses Student's t with ``n - 1`` degrees of freedom. One sample says nothing about
    its own spread: the standard error is then NaN and the interval unbounded. ``one_match`` says that the
    samples are parts of one match of an agent that learns: another match may differ more than they do.
    """

    mean: float
    standard_error: float
    n: int
    one_match: bool = False

    JSON = keys("mean standard_error", low="interval.0", high="interval.1", n="n")

    @classmethod
    def of(cls, samples: NDArray[np.floating[Any]]) -> "Estimate":
        """Estimate the mean of a one-dimensional array of independent samples."""
        values = np.asarray(samples, dtype=np.float64)
        if values.ndim != 1 or values.size == 0:
            raise SoulreadError(f"a mean needs at least one sample; got an array of shape {values.shape}")
        error = float(values.std(ddof=1)) / math.sqrt(values.size) if values.size > 1 else math.nan
        return cls(float(values.mean()), error, values.size)

    @property
    def half_width(self) -> float:
        """Half the length of the 95% interval."""
        if self.n < 2:
            return math.inf
        from scipy.special import stdtrit  # imported here because it takes a twentieth of a second

        return float(stdtrit(self.n - 1, 0.975)) * self.standard_error

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval, low and high."""
        return self.mean - self.half_width, self.mean + self.half_width

    def scaled(self, factor: float) -> "Estimate":
        """The same estimate in another unit."""
        return Estimate(self.mean * factor, self.standard_error * abs(factor), self.n, self.one_match)

    def minus(self, other: "Estimate") -> "Estimate":
        """The difference of two independent means; n is the smaller one, to be on the safe side."""
        error = math.hypot(self.standard_error, other.standard_error)
        one_match = self.one_match or other.one_match
        return Estimate(self.mean - other.mean, error, min(self.n, other.n), one_match)

    @classmethod
    def average(cls, parts: Sequence["Estimate"]) -> "Estimate":
        """The mean of independent means, each of which counts alike.

        Student's t has the degrees of freedom of Welch and Satterthwaite, rounded down; n is one more.
        """
        if not parts:
            raise SoulreadError("a mean of means needs at least one")
        mean = sum(part.mean for part in parts) / len(parts)
        one_match = any(part.one_match for part in parts)
        if any(part.n < 2 for part in parts):
            return cls(mean, math.nan, 1, one_match)
        squares = [(part.standard_error / len(parts)) ** 2 for part in parts]
        total = sum(squares)
        if total == 0:
            return cls(mean, 0.0, min(part.n for part in parts), one_match)
        freedom = total**2 / sum(
            square**2 / (part.n - 1) for square, part in zip(squares, parts, strict=True)
        )
        return cls(mean, math.sqrt(total), 1 + max(1, math.floor(freedom + 1e-9)), one_match)

    def text(self, digits: int = 3) -> str:
        """``"0.512 ± 0.031"``: the mean, then half the width of the 95% interval."""
        spread = f" ± {self.half_width:.{digits}f}" if self.n > 1 else " (one sample)"
        return f"{self.mean:.{digits}f}{spread}"


def wilson_interval(count: float, opportunities: float) -> tuple[float, float]:
    """The 95% interval of a frequency observed ``count`` times out of ``opportunities`` (Wilson 1927)."""
    if opportunities <= 0:
        return 0.0, 1.0
    z = _NORMAL_95**2 / opportunities
    rate = count / opportunities
    centre = (rate + z / 2) / (1 + z)
    half = math.sqrt(max(0.0, rate * (1 - rate) * z + z * z / 4)) / (1 + z)
    return max(0.0, centre - half), min(1.0, centre + half)


def exact_interval(count: float, opportunities: float, level: float = 0.05) -> tuple[float, float]:
    """The interval of a frequency that misses the truth with a probability of at most ``level``.

    It is that of Clopper and Pearson (1934): wider than Wilson's, and never too narrow, however rare the
    event.
    """
    from scipy.special import betaincinv  # imported here because it takes a twentieth of a second

    rest = opportunities - count
    low = float(betaincinv(count, rest + 1, level / 2)) if count > 0 else 0.0
    high = float(betaincinv(count + 1, rest, 1 - level / 2)) if rest > 0 else 1.0
    return low, high


def benjamini_hochberg(p_values: NDArray[np.float64], level: float) -> NDArray[np.bool_]:
    """Which of several tests reject; of these, a share of at most ``level`` is expected to be wrong.

    This is the procedure of Benjamini and Hochberg (1995).
    """
    if not p_values.size:
        return np.zeros(0, dtype=np.bool_)
    ranked = np.sort(p_values)
    below = np.flatnonzero(ranked <= level * np.arange(1, ranked.size + 1) / ranked.size)
    limit = ranked[below[-1]] if below.size else -1.0
    result: NDArray[np.bool_] = p_values <= limit
    return result


BLOCKS = 20
"""Blocks into which a single match of a learning agent is cut.

Few blocks are long, so that what a hand has in common with the next ones counts; many make Student's t
narrow. With DBBR against random in Leduc (T = 200, 1,000 hands) intervals over 5, 20 and 100 blocks held the
truth in 99%, 98% and 95% of 300 matches, and were .34, .19 and .17 sb/h wide to either side. No number of
blocks sees a read that lasts for the whole match: `benchmarks/bench_intervals.py` measures that.
"""


@dataclass(frozen=True)
class Sampling:
    """Which parts of ``matches`` matches of ``hands`` hands are independent samples.

    If no agent learns, every hand is one, or every duplicate hand. If one learns, its hands depend on those
    before, and every match is a sample. A single match is cut into blocks of hands. Blocks show how much the
    luck of this match matters. They cannot show how much an agent's first impressions matter, since these
    last to the end.
    """

    matches: int
    hands: int
    learning: bool
    duplicate: bool = False

    @property
    def text(self) -> str:
        """The number of samples and what they are, such as "12 matches"."""
        kind = "duplicate hands" if self.duplicate else "hands"
        if not self.learning:
            return f"{self.matches * self.hands:,} {kind}"
        if self.matches > 1:
            return f"{self.matches:,} matches"
        blocks = min(BLOCKS, self.hands)
        sizes = sorted({self.hands // blocks, -(-self.hands // blocks)})
        length = " or ".join(f"{size:,}" for size in sizes)
        samples = f"{blocks} blocks of {length}" if sizes != [1] else f"{blocks}"
        return f"{samples} {kind} of one match; another match may differ more"

    def estimate(self, won: NDArray[np.floating[Any]]) -> Estimate:
        """The mean of ``won [matches, hands]``, with the standard error that these samples give it."""
        if won.shape != (self.matches, self.hands):
            raise SoulreadError(f"amounts of shape {won.shape}; expected {(self.matches, self.hands)}")
        if not self.learning:
            return Estimate.of(won.ravel())
        if self.matches > 1:
            return Estimate.of(won.mean(axis=1))
        count = min(BLOCKS, self.hands)
        first = np.arange(count) * self.hands // count
        found = Estimate.of(np.add.reduceat(won[0], first) / np.diff(first, append=self.hands))
        return Estimate(float(won.mean()), found.standard_error, count, True)  # blocks may differ by a hand

    def ratio(self, amounts: NDArray[np.floating[Any]], counts: NDArray[np.floating[Any]]) -> Estimate:
        """The sum of ``amounts`` over that of ``counts``, both ``[matches, hands]``, such as nats per action.

        With a_k and c_k the sums of sample k of K, and r the ratio, the standard error is the square root of
        K / (K - 1) sum of (a_k - r c_k)^2, over the sum of all counts.
        """
        top, bottom = self._sums(amounts), self._sums(counts)
        if not bottom.sum() > 0:
            raise SoulreadError("a ratio of nothing counted; at least one count must be above zero")
        mean = float(top.sum() / bottom.sum())
        rest = top - mean * bottom
        spread = math.sqrt(float(rest @ rest) * rest.size / (rest.size - 1)) if rest.size > 1 else math.nan
        one_match = self.learning and self.matches == 1
        return Estimate(mean, spread / float(bottom.sum()), rest.size, one_match)

    def _sums(self, amounts: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
        """The sum of each sample."""
        if amounts.shape != (self.matches, self.hands):
            raise SoulreadError(f"amounts of shape {amounts.shape}; expected {(self.matches, self.hands)}")
        values = np.asarray(amounts, dtype=np.float64)
        if not self.learning:
            return values.ravel()
        if self.matches > 1:
            return np.asarray(values.sum(axis=1))
        count = min(BLOCKS, self.hands)
        return np.asarray(np.add.reduceat(values[0], np.arange(count) * self.hands // count))


FIRST_LOOK = 30  # samples before a `Watch` says anything: with fewer, the spread is not known well enough


def _mixture_rate(planned: int) -> float:
    """r of `Watch`."""
    tail = -2 * math.log(0.05)
    return (tail + math.log(tail) + 1) / planned


def chance_at_any_time(estimate: Estimate, bound: float, planned: int = 100) -> float:
    """How likely, at *any* number of samples, a mean is as far above the true one as this above ``bound``.

    At most: the smallest error probability at which a `Watch` of these samples would rule the bound out,
    halved for the one side. It is 1 before the `FIRST_LOOK`, and for a mean below the bound.
    """
    apart, n = estimate.mean - bound, estimate.n
    if n < FIRST_LOOK or not apart > 0:
        return 1.0
    if estimate.standard_error == 0:
        return 0.0
    grown = n * _mixture_rate(planned) + 1
    far = (apart / estimate.standard_error) ** 2 * (1 - 1 / grown) / 2
    return min(1.0, math.sqrt(grown) * math.exp(-far) / 2)


def half_width_at_any_time(estimate: Estimate, planned: int = 100) -> float:
    """Half the length of the interval that a `Watch` of these samples has; infinite before `FIRST_LOOK`."""
    n = estimate.n
    if n < FIRST_LOOK:
        return math.inf
    deviation, r = estimate.standard_error * math.sqrt(n), _mixture_rate(planned)
    grown = n * r + 1
    return deviation * math.sqrt(2 * grown / (n**2 * r) * math.log(math.sqrt(grown) / 0.05))


class Watch:
    """A mean that may be looked at after every sample, and still lies in its interval with 95% chance.

    An `Estimate` is for a number of samples that was fixed beforehand. Whoever looks again and again, and
    stops when the interval suits, is wrong far more often than in 5% of cases. The intervals here form a
    *confidence sequence*: with 95% chance the true mean lies in all of them, so one may stop at any time.
    With n samples of standard deviation s the half-width is

        s sqrt(2 (n r + 1) / (n^2 r) log(sqrt(n r + 1) / 0.05))

    (Waudby-Smith, Arbour, Sinha, Kennedy & Ramdas, "Time-uniform central limit theory and asymptotic
    confidence sequences", 2021, their normal mixture). r makes the interval narrowest at about ``planned``
    samples, where it is half as wide again as that of an `Estimate`. The theorem is asymptotic, so the first
    `FIRST_LOOK` samples give no interval. Samples that are very skewed, such as single hands of a player who
    folds nearly all of them, should be added up in blocks of a hundred first.
    """

    def __init__(self, planned: int = 1000) -> None:
        if planned < 1:
            raise SoulreadError(f"planned={planned}; a number of samples is at least 1")
        self._planned = planned
        self.n = 0
        self.mean = 0.0
        self._squares = 0.0  # sum of squared distances from the mean

    def add(self, samples: NDArray[np.floating[Any]]) -> None:
        """Take in independent samples, one after the other."""
        values = np.asarray(samples, dtype=np.float64).ravel()
        if not values.size:
            return
        mean, n = float(values.mean()), self.n + values.size
        apart = mean - self.mean
        self._squares += float(((values - mean) ** 2).sum()) + apart**2 * self.n * values.size / n
        self.mean += apart * values.size / n
        self.n = n

    @property
    def decided(self) -> bool:
        """Whether zero lies outside the interval."""
        return abs(self.mean) > self.half_width

    @property
    def standard_error(self) -> float:
        """Of the mean, for a number of samples that was fixed beforehand; infinite at first."""
        if self.n < FIRST_LOOK:
            return math.inf
        return math.sqrt(self._squares / (self.n - 1) / self.n)

    @property
    def half_width(self) -> float:
        """Half the length of the interval; infinite at first."""
        return half_width_at_any_time(Estimate(self.mean, self.standard_error, self.n), self._planned)

    @property
    def interval(self) -> tuple[float, float]:
        """Low and high end; with 95% chance the true mean lies in this interval at all times."""
        return self.mean - self.half_width, self.mean + self.half_width
