"""Weights of several forecasters, each by how well it has foretold what came.

After every event the weight of a forecaster is multiplied by the chance it gave to what came: Bayes' rule.
Two settings let the past fade, for sources that change:

    drift   before every event this share of all weight is dealt out anew by the prior weights, so one that
            was wrong for long can come back soon
    keep    before every event the logarithms of weight / prior are multiplied by this; below 1 an event of n
            events ago counts keep^n, so that the latest 1 / (1 - keep) events decide
"""

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError


class Weighing:
    """Weights that sum to one, started at ``prior`` (any positive numbers)."""

    def __init__(self, prior: NDArray[np.float64], drift: float = 0.0, keep: float = 1.0) -> None:
        if not prior.size or not (prior > 0).all():
            raise SoulreadError("an average needs members, each with a positive prior weight")
        if not 0 <= drift < 1:
            raise SoulreadError(f"drift={drift!r}; a share between 0 and 1 was expected")
        if not 0 < keep <= 1:
            raise SoulreadError(f"keep={keep!r}; it lies above 0 and is at most 1")
        self.prior: NDArray[np.float64] = prior / prior.sum()
        self.drift = drift
        self.keep = keep
        self.weights: NDArray[np.float64] = self.prior.copy()

    def reset(self) -> None:
        """Go back to the prior weights."""
        self.weights = self.prior.copy()

    def judge(self, chances: NDArray[np.float64]) -> float:
        """Take note of the positive chances that each gave to what came; returns their weighted mean."""
        if self.keep < 1:
            faded = self.prior * (self.weights / self.prior) ** self.keep
            self.weights = faded / faded.sum()
        self.weights = (1 - self.drift) * self.weights + self.drift * self.prior
        together = float(self.weights @ chances)
        self.weights = self.weights * chances / together
        return together
