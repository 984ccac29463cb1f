"""Weights of several forecasters, each by how well it has predicted what came.

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
from soulread.model.base import BELOW_ONE, FADING

Weights = NDArray[np.float64]


def posterior(weights: Weights, chances: Weights) -> Weights:
    """Weights after an event of these chances; they sum to one. If all chances are 0, nothing is learnt."""
    weighed = weights * chances
    if not weighed.sum() > 0:
        weighed = weights
    result: Weights = weighed / weighed.sum()
    return result


def drifted(weights: Weights, prior: Weights, drift: float) -> Weights:
    """Weights of which the share ``drift`` is dealt out anew by the ``prior`` weights."""
    result: Weights = (1 - drift) * weights + drift * prior
    return result


def from_logs(logs: Weights) -> Weights:
    """Weights that sum to one, from logarithms of any scale."""
    weights: Weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return weights


def effective_number(weights: Weights) -> float:
    """How many equal weights are as uneven as these, which sum to one."""
    return float(1 / np.dot(weights, weights))


def resampled(weights: Weights, uniform: float) -> NDArray[np.intp]:
    """As many indices as there are weights, drawn by weight at even steps from one uniform draw."""
    places = (np.arange(weights.size) + uniform) / weights.size
    return np.minimum(np.searchsorted(np.cumsum(weights), places), weights.size - 1)


class Weighing:
    """Weights that sum to one, started at ``prior``: positive numbers that sum to one."""

    def __init__(self, prior: Weights, drift: float = 0.0, keep: float = 1.0) -> None:
        if not prior.size or not (prior > 0).all():
            raise SoulreadError("an average needs members, each with a positive prior weight")
        BELOW_ONE.verify("drift", drift)
        FADING.verify("keep", keep)
        self.prior = prior
        self.drift = drift
        self.keep = keep
        self.reset()

    def reset(self) -> None:
        """Go back to the prior weights."""
        self.weights = self.prior.copy()

    def judge(self, chances: Weights) -> float:
        """Take note of the chances that each gave to what came; returns their weighted mean."""
        if self.keep < 1:
            faded = self.prior * (self.weights / self.prior) ** self.keep
            self.weights = faded / faded.sum()
        self.weights = drifted(self.weights, self.prior, self.drift)
        together = float((self.weights * chances).sum())
        self.weights = posterior(self.weights, chances)
        return together
