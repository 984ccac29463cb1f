"""The clocks of a match, and how long decisions took.

As with the dealer of the competition there are three limits, all in seconds: for a decision, for all
decisions of a player in one hand, and for the mean over the hands of the match. The last one is an account: a
player may think longer in one hand and less in another.
"""

import math
from collections import Counter
from dataclasses import dataclass, field

from soulread.encoding import keys
from soulread.errors import SoulreadError
from soulread.words import milliseconds, plural

_STEPS = 50  # classes of times for each factor e: a time is known to 2%


@dataclass(frozen=True)
class ClockLimits:
    """The limits of each player, in seconds."""

    decision: float = 600.0
    hand: float = 600.0
    mean: float = 7.0  # a hand, over the whole match

    def __post_init__(self) -> None:
        for name in ("decision", "hand", "mean"):
            seconds = getattr(self, name)
            if not 0 < seconds <= 1e9:
                raise SoulreadError(f"a limit of {seconds:g} s for a {name}; expected more than 0")


class Clock:
    """The time that the players of a match of ``hands`` hands have used."""

    def __init__(self, limits: ClockLimits, players: int, hands: int) -> None:
        self.limits = limits
        self.hands = hands
        self.match = [0.0] * players  # [players] seconds used in all hands
        self.hand = [0.0] * players  # [players] seconds used in this hand

    def left(self, player: int) -> float:
        """The seconds that a player has for the decision that begins now."""
        limits = self.limits
        return min(
            limits.decision,
            limits.hand - self.hand[player],
            limits.mean * self.hands - self.match[player],
        )

    def spend(self, player: int, seconds: float) -> None:
        """Note the time of a decision."""
        self.hand[player] += seconds
        self.match[player] += seconds

    def next_hand(self) -> None:
        """A new hand begins."""
        self.hand = [0.0] * len(self.hand)

    def excess(self, player: int) -> str:
        """Which limit a player reaches first, in words."""
        limits = self.limits
        found = {
            limits.decision: f"{limits.decision:g} s for a decision",
            limits.hand - self.hand[player]: f"{limits.hand:g} s for the decisions of a hand",
            limits.mean * self.hands - self.match[player]: f"{limits.mean:g} s a hand over the match",
        }
        return found[min(found)]


@dataclass
class Times:
    """How long decisions took, in seconds. Memory does not grow with their number; times are known to 2%."""

    number: int = 0
    longest: float = 0.0
    _classes: Counter[int] = field(default_factory=Counter)

    JSON = keys("number longest median p99")

    def add(self, seconds: float) -> None:
        """Note the time of a decision."""
        self.number += 1
        if seconds > self.longest:
            self.longest = seconds
        self._classes[math.ceil(_STEPS * math.log(max(seconds, 1e-7)))] += 1

    def merge(self, other: "Times") -> None:
        """Note all times of another record too."""
        self.number += other.number
        self.longest = max(self.longest, other.longest)
        self._classes.update(other._classes)

    def quantile(self, share: float) -> float:
        """The time that ``share`` of all decisions did not exceed; 0 if there were none."""
        left = share * self.number
        for step in sorted(self._classes):
            left -= self._classes[step]
            if left <= 0:
                return min(math.exp(step / _STEPS), self.longest)
        return self.longest

    @property
    def median(self) -> float:
        """The time that half of all decisions did not exceed."""
        return self.quantile(0.5)

    @property
    def p99(self) -> float:
        """The time that 99 of 100 decisions did not exceed."""
        return self.quantile(0.99)

    @property
    def text(self) -> str:
        """The times in words."""
        shown = ", ".join(
            f"{name} {milliseconds(seconds)} ms"
            for name, seconds in (("median", self.median), ("p99", self.p99), ("longest", self.longest))
        )
        return f"{plural(self.number, 'decision')}: {shown}"


@dataclass
class AgentTimes:
    """How long an agent took in a match, in seconds: for its decisions, and to learn from hands."""

    decisions: Times = field(default_factory=Times)
    learning: Times = field(default_factory=Times)

    def merge(self, other: "AgentTimes") -> None:
        """Note the times of another match too."""
        self.decisions.merge(other.decisions)
        self.learning.merge(other.learning)
