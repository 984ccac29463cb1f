"""Verdicts on claims: holds, does not, or undecided, as the intervals of the measured numbers say.

A claim is made of *conditions* such as "this number is above that bound". A condition holds if the whole 95%
interval of its number is on the right side. It does not hold if the whole interval is on the wrong side.
Otherwise it is undecided. "No better", "as good as" and "linear" name a margin: they hold only if the whole
interval lies within it, so a noisy number never passes for an equal one.

A number without an interval is exact, and decides at once: nothing that it rests on was drawn. Some numbers
decide nothing: one that was not measured; one of a single sample, such as an exact value of one random data
set; one whose samples are all alike, if there are fewer than `FEWEST_ALIKE`; and one whose samples are parts
of a single match of an agent that learns.

An interval is for a number of samples that was fixed beforehand. Where it was not (`looking`), confidence
sequences take the place of intervals. They are wider, and hold at any number of samples.

Many conditions make one claim. A claim that all of them hold is false if one of them fails, and of twenty
fair comparisons one fails by chance. `all_of` therefore asks more of a failure, the more conditions there
are, and `any_of` more of a success (Bonferroni's correction). So that these can be nested, a condition is
stored as two error probabilities.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, chance_at_any_time

Number: TypeAlias = Estimate | float | None  # a float is exact; None was not measured

MOST_WRONG = 0.025  # the largest error probability of a verdict; that of either end of a 95% interval
MOST_TIMES = 2.0**16  # as many samples as there are: with these the means themselves are at the bound
FEWEST_ALIKE = 10  # samples without any difference that decide; with fewer the next one may be another


@dataclass
class Looking:
    """Whether the number of samples was fixed before anybody looked; ``why`` says why not, if it was not."""

    why: str = ""
    partial: bool = False  # whether results were left out that are not finished

    def leave_out(self) -> None:
        """Note that unfinished parts were left out."""
        self.partial = True
        self.why = self.why or "parts of the run are not finished"


_looking: ContextVar[Looking | None] = ContextVar("looking", default=None)


@contextmanager
def looking() -> Iterator[Looking]:
    """Conditions in the block are judged by confidence sequences as soon as there is a reason for it."""
    state = Looking()
    token = _looking.set(state)
    try:
        yield state
    finally:
        _looking.reset(token)


def present_look() -> Looking | None:
    """The state of the innermost `looking`."""
    return _looking.get()


def _at_any_time() -> bool:
    state = present_look()
    return state is not None and bool(state.why)


class Verdict(StrEnum):
    """The answer of the numbers to a claim."""

    HOLDS = "holds"
    FAILS = "does not"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Condition:
    """A condition, and how well the numbers agree with its being false, and with its being true.

    ``if_false`` is the probability, were the condition just false, of numbers that speak for it as strongly
    as ours do. If it is small, the condition holds. ``if_true`` is the same with true and false exchanged.
    """

    if_false: float
    if_true: float
    n: int | None = field(default=None, compare=False)  # samples of its numbers, the fewest; None: exact
    again: "Again | None" = field(default=None, compare=False, repr=False)
    """The same condition, had there been so many times as many samples of the same means and spreads."""

    @property
    def verdict(self) -> Verdict:
        """Whether one of the two is too small to be chance."""
        if self.if_false <= MOST_WRONG:
            return Verdict.HOLDS
        return Verdict.FAILS if self.if_true <= MOST_WRONG else Verdict.UNDECIDED

    def with_samples(self, times: float) -> "Condition":
        """The condition with ``times`` as many samples; itself if its numbers are exact or missing."""
        return self if self.again is None else self.again(times)

    @property
    def more(self) -> float | None:
        """About how many times as many samples decide, if means and spreads stay what they are.

        That many make the interval narrower than the distance to the bound. None if the condition is decided,
        or if `MOST_TIMES` as many would not decide it.
        """
        if self.verdict is not Verdict.UNDECIDED:
            return None
        steps = (2.0 ** (k / 8) for k in range(1, 1 + round(8 * math.log2(MOST_TIMES))))
        return next((x for x in steps if self.with_samples(x).verdict is not Verdict.UNDECIDED), None)


Again: TypeAlias = Callable[[float], Condition]

UNKNOWN = Condition(1.0, 1.0)


def above(number: Number, bound: float = 0.0) -> Condition:
    """The number is larger than the bound."""
    return _beyond(number, bound, including=False)


def at_least(number: Number, bound: float = 0.0) -> Condition:
    """The number is the bound or larger."""
    return _beyond(number, bound, including=True)


def below(number: Number, bound: float = 0.0) -> Condition:
    """The number is smaller than the bound."""
    return negated(at_least(number, bound))


def at_most(number: Number, bound: float = 0.0) -> Condition:
    """The number is the bound or smaller."""
    return negated(above(number, bound))


def within(number: Number, low: float, high: float) -> Condition:
    """The number is neither below ``low`` nor above ``high``. It fails if its interval lies outside."""
    sides = at_least(number, low), at_most(number, high)
    return Condition(
        max(side.if_false for side in sides),
        min(side.if_true for side in sides),
        sides[0].n,
        lambda times: within(_with_samples(number, times), low, high),
    )


def agrees(number: Number, margin: float) -> Condition:
    """The number is zero, as far as a difference can be: it fails if its interval leaves zero out.

    It holds if the interval has zero in it and lies within the margin to either side. An interval that is
    wider than that decides nothing.
    """
    apart = min(above(number).if_false, below(number).if_false)
    near = within(number, -margin, margin).if_false
    return Condition(
        near if apart > MOST_WRONG else 1.0,
        apart,
        above(number).n,
        lambda times: agrees(_with_samples(number, times), margin),
    )


def share_above(hits: NDArray[np.bool_], bound: float) -> Condition:
    """The probability of a hit is above the bound, judged by the binomial distribution of independent hits.

    (Student's t would call five hits of five certain.)
    """
    if hits.size == 0:
        return UNKNOWN

    def again(times: float) -> Condition:
        size = round(hits.size * times)
        return share_above(np.arange(size) < round(size * float(hits.mean())), bound)

    if _at_any_time():
        return Condition(
            _hits_at_any_time(hits, bound), _hits_at_any_time(~hits, 1 - bound), hits.size, again
        )
    from scipy.special import bdtr, bdtrc  # imported here because it takes a twentieth of a second

    count, n = int(hits.sum()), hits.size
    as_many = 1.0 if count == 0 else float(bdtrc(count - 1, n, bound))
    return Condition(as_many, float(bdtr(count, n, bound)), n, again)


def all_of(conditions: Iterable[Condition]) -> Condition:
    """Every one of the conditions is true; unknown if there are none."""
    parts = list(conditions)
    if not parts:
        return UNKNOWN
    return Condition(
        max(part.if_false for part in parts),
        min(1.0, len(parts) * min(part.if_true for part in parts)),
        min((part.n for part in parts if part.n is not None), default=None),
        lambda times: all_of(part.with_samples(times) for part in parts),
    )


def any_of(conditions: Iterable[Condition]) -> Condition:
    """At least one of the conditions is true; unknown if there are none."""
    return negated(all_of(map(negated, conditions)))


def negated(condition: Condition) -> Condition:
    """The condition is false."""
    return Condition(
        condition.if_true,
        condition.if_false,
        condition.n,
        lambda times: negated(condition.with_samples(times)),
    )


def _with_samples(number: Number, times: float) -> Number:
    """The number, had it been of so many times as many samples of the same mean and spread."""
    if not isinstance(number, Estimate):
        return number
    error = number.standard_error / math.sqrt(times)
    return Estimate(number.mean, error, max(2, round(number.n * times)), number.one_match)


def _beyond(number: Number, bound: float, including: bool) -> Condition:
    """The number is above the bound, or the bound itself if that is ``including``."""
    if number is None:
        return UNKNOWN
    if not isinstance(number, Estimate):
        return _exactly_beyond(number, bound, including)
    if_false, if_true = _chances_beyond(number, bound, including)
    return Condition(
        if_false, if_true, number.n, lambda times: _beyond(_with_samples(number, times), bound, including)
    )


def _chances_beyond(number: Estimate, bound: float, including: bool) -> tuple[float, float]:
    """``if_false`` and ``if_true`` of the condition that a number is beyond a bound."""
    mean, error, n = number.mean, number.standard_error, number.n
    if n < 2 or math.isnan(mean) or math.isnan(error) or number.one_match:
        return 1.0, 1.0
    if error == 0:
        exact = UNKNOWN if n < FEWEST_ALIKE else _exactly_beyond(mean, bound, including)
        return exact.if_false, exact.if_true
    if _at_any_time():
        return chance_at_any_time(number, bound), chance_at_any_time(number.scaled(-1), -bound)
    from scipy.special import stdtr  # imported here because it takes a twentieth of a second

    return float(stdtr(n - 1, (bound - mean) / error)), float(stdtr(n - 1, (mean - bound) / error))


def _exactly_beyond(number: float, bound: float, including: bool) -> Condition:
    if math.isnan(number):
        return UNKNOWN
    true = number >= bound if including else number > bound
    return Condition(0.0, 1.0) if true else Condition(1.0, 0.0)


def _hits_at_any_time(hits: NDArray[np.bool_], bound: float) -> float:
    """How likely, at any number of them, hits speak as strongly against a probability up to ``bound``.

    The likelihood of the hits, averaged evenly over all probabilities above the bound, over that at the bound
    is a martingale or falls on average (Ville's inequality). With k of n hits it is
    B(k + 1, n - k + 1) (1 - I(bound)) / (1 - bound) / (bound^k (1 - bound)^(n - k)), I being the incomplete
    beta function with the same parameters.
    """
    from scipy.special import betaincc, betaln, xlog1py, xlogy

    count, n = int(hits.sum()), hits.size
    rest = float(betaincc(count + 1, n - count + 1, bound)) if bound < 1 else 0.0
    if rest <= 0 or bound <= 0:
        return 1.0 if rest <= 0 or count == 0 else 0.0
    ratio = betaln(count + 1, n - count + 1) + math.log(rest) - math.log1p(-bound)
    ratio -= float(xlogy(count, bound) + xlog1py(n - count, -bound))
    return float(min(1.0, math.exp(min(0.0, -ratio))))
