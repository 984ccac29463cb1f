"""Kept promises: the part of an answer's promised gain that later hands confirm.

An answer is the best one to a model that is a little wrong, and it is best where the model errs in its
favour. So it wins less than the model says. How much less differs from opponent to opponent: little with a
large fault, everything with an opponent who plays another equilibrium. The hands *after* an answer was
computed are independent of that choice. Say the model had learnt from n hands when it promised v, and
that m hands later it values the same answer at w. The model is about the mean of what all hands said, so the
m new hands alone say x, where

    w = (n v + m x) / (n + m),     thus     x = v - (v - w) (n + m) / m

The part of promises that is kept is the sum of m x over that of m v. Before there is a record it is `KEPT`,
which counts as much as `PRIOR` hands.
"""

from dataclasses import dataclass

KEPT = 0.8
"""Part of a promise that is kept, before anything is known.

Against the opponents for choosing 129 of 153 mb/g were won in Leduc and 114 of 148 in limit hold'em, when no
record was kept (`benchmarks/choose_soul.py`).
"""

PRIOR = 200  # hands that `KEPT` counts for


@dataclass(slots=True)
class KeptPromises:
    """Promises against one opponent, and what later hands found; both are chips per hand times hands."""

    promised: float = 0.0
    found: float = 0.0
    hands: int = 0  # that the model had learnt from at the last promise
    last: float = 0.0  # the last promise

    def look_back(self, value: float, hands: int) -> None:
        """Note the gain of the last answer, ``value``, by the model after ``hands`` hands."""
        new = hands - self.hands
        if new > 0 and self.hands > 0:
            self.promised += new * self.last
            self.found += new * self.last - hands * (self.last - value)

    def promise(self, value: float, hands: int) -> None:
        """Note the promise of a new answer."""
        self.last, self.hands = value, hands

    def kept(self, value: float) -> float:
        """The part of a promise of ``value`` that can be expected, at most 1; it may be negative."""
        prior = PRIOR * max(value, 0.0)
        known = prior + max(self.promised, 0.0)
        return min(1.0, (KEPT * prior + self.found) / known) if known > 0 else 0.0
