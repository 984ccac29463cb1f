"""Habits: how often a player does something, how often an equilibrium does, and whether they surely differ.

A habit is *surely* off if the player's count is beyond chance for every frequency within ``slack`` of the
equilibrium's. The decisions counted may have different frequencies in the equilibrium, whose mean is then
taken (`soulread.model.deviation.leak_tests.binomial_p_value`). All habits of a study are tested together: of
the claims, at most `LEVEL` are expected to be false (Benjamini and Hochberg).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from soulread.encoding import keys
from soulread.estimate import benjamini_hochberg, wilson_interval
from soulread.model.deviation.leak_tests import binomial_p_value

LEVEL = 0.05  # of the claims that a habit is off, at most this part is expected to be false
LEAST_SEEN = 10  # decisions of a habit that is tested

HABIT_COLUMNS = "the player", "action", "does", "95% interval", "n", "equilibrium", "verdict"


@dataclass(frozen=True)
class Habit:
    """What the player does at one kind of decision, beside the equilibrium."""

    at: str  # where, in words
    action: str
    n: int
    rate: float
    equilibrium: float
    slack: float = 0.0  # a habit that is off is so by more than this
    sure: bool = False
    numbers: tuple[int, ...] = ()  # of the hands in the store, one for each decision; empty if not kept

    JSON = keys("at action n rate equilibrium sure numbers", low="interval.0", high="interval.1")

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the rate (Wilson's)."""
        return wilson_interval(self.rate * self.n, self.n)

    @property
    def p_value(self) -> float:
        """The chance of a count this far off if the player were within ``slack`` of the equilibrium."""
        low, high = max(0.0, self.equilibrium - self.slack), min(1.0, self.equilibrium + self.slack)
        return binomial_p_value(self.rate * self.n, self.n, low, high)

    @property
    def verdict(self) -> str:
        """Whether it is too often or too seldom, if that is sure."""
        if not self.sure:
            return "too few" if self.n < LEAST_SEEN else "not sure"
        return "too often" if self.rate > self.equilibrium else "too seldom"

    @property
    def words(self) -> tuple[str, ...]:
        """The condition that finds the hands behind it (`soulread.hands.conditions`); empty if not known."""
        return (f"#{','.join(map(str, self.numbers))}",) if self.numbers else ()

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of a table with `HABIT_COLUMNS`."""
        low, high = self.interval
        interval = f"{low:.0%} to {high:.0%}"
        rates = f"{self.rate:.0%}", interval, f"{self.n:,}", f"{self.equilibrium:.0%}"
        return self.at, self.action, *rates, self.verdict


def judge(habits: Sequence[Habit]) -> tuple[Habit, ...]:
    """The habits, each told whether it is surely off."""
    p_values = np.array([habit.p_value if habit.n >= LEAST_SEEN else 1.0 for habit in habits])
    tested = np.array([habit.n >= LEAST_SEEN for habit in habits], np.bool_)
    sure = np.zeros(len(habits), np.bool_)
    sure[tested] = benjamini_hochberg(p_values[tested], LEVEL)
    return tuple(replace(habit, sure=off) for habit, off in zip(habits, sure.tolist(), strict=True))
