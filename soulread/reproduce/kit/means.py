"""Means of samples that may be missing, and ratios of means."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Sampling

Array = NDArray[np.float64]


def mean_of(samples: NDArray[Any]) -> Estimate | None:
    """The mean of the samples that are numbers; None if there are none."""
    values = np.asarray(samples, dtype=np.float64)
    known = values[~np.isnan(values)]
    return Estimate.of(known) if known.size else None


def mean_won(won: Array, learning: bool) -> Estimate:
    """The mean of ``won [matches, hands]``, with the samples of `Sampling`."""
    return Sampling(won.shape[0], won.shape[1], learning).estimate(won)


def average(estimates: Iterable[Estimate | None]) -> Estimate | None:
    """The mean of independent means, leaving out those that were not measured; None if there are none."""
    known = [estimate for estimate in estimates if estimate is not None]
    return Estimate.average(known) if known else None


def share_of(values: Array, whole: Array) -> Estimate | None:
    """The mean of ``values`` over that of ``whole``, sample by sample; None without samples.

    The standard error is that of the linear approximation of a ratio.
    """
    if whole.size == 0:
        return None
    share = values.mean() / whole.mean()
    return Estimate.of(share + (values - share * whole) / whole.mean())
