"""Probability triples: the chance that a hand of a given value folds, calls, raises (Billings et al., 1999).

A player has two bars on the scale of values from 0 to 1, one for staying in and one for raising. Each is a
threshold mu of which only this much is known: it lies within mu - sigma and mu + sigma. A hand of value v is
above it with the chance

    ramp(v) = 0 below mu - sigma,   1 above mu + sigma,   linear between them

The triple of a hand is then

    fold = 1 - stay,     call = stay - raise,     raise = ramp of the bar for raising, at most stay

where stay is 1 if there is nothing to call, and raise is 0 if nobody may raise. A share `FLOOR` of every
triple is spread evenly over what is legal, so that no action is impossible with any hand.

With the chance *doubt* an action is taken for another reason than the value of the hand: whatever the hand,
as often as the mean of the triples over all that the player may hold. Tables, predictions and play-outs share
this one law (`doubted_triple`).

Bars depend on the *context*: the round, and whether 0, 1 or more bets are to be called. There are 12.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel

FLOOR = 0.01  # the smallest factor of a re-weighting, and the share of a triple that is spread evenly
NUM_ROUNDS = 4
MOST_TO_CALL = 2  # bets to call: 0, 1, and 2 or more
NUM_CONTEXTS = NUM_ROUNDS * (MOST_TO_CALL + 1)

Bars = NDArray[np.float64]  # [NUM_CONTEXTS, 2, 2]: context; 0 stay, 1 raise; 0 mu, 1 sigma


class Triple(NamedTuple):
    """The chances of one hand at one decision; they sum to one."""

    fold: float
    call: float
    raise_: float


@kernel
def context_of(round: int, to_call: int) -> int:
    """The number of a context: round 0 to 3, and bets to call."""
    return round * (MOST_TO_CALL + 1) + min(to_call, MOST_TO_CALL)


@kernel
def ramp(value: float, mu: float, sigma: float) -> float:
    """The chance that a hand of this value is above a bar; with sigma = 0 the bar is a step."""
    if value >= mu + sigma:
        return 1.0
    if value <= mu - sigma:
        return 0.0
    return (value - (mu - sigma)) / (2 * sigma)


@kernel
def factor(value: float, mu: float, sigma: float) -> float:
    """The re-weighting factor of a hand of this value: from `FLOOR` below the bar to 1 above it."""
    return FLOOR + (1 - FLOOR) * ramp(value, mu, sigma)


@kernel
def triple_of(value: float, bars: NDArray[np.float64], may_fold: bool, may_raise: bool) -> Triple:
    """The triple of a hand of this value; ``bars`` are the two of its context, ``[2, 2]``."""
    stay = ramp(value, bars[0, 0], bars[0, 1]) if may_fold else 1.0
    above = min(stay, ramp(value, bars[1, 0], bars[1, 1])) if may_raise else 0.0
    share = FLOOR / (1 + may_fold + may_raise)
    kept = 1 - FLOOR
    return Triple(
        kept * (1 - stay) + share * may_fold,
        kept * (stay - above) + share,
        kept * above + share * may_raise,
    )


@kernel
def usual_triple(rates: NDArray[np.float64], may_fold: bool, may_raise: bool) -> Triple:
    """What a player does who folds and raises as often as ``rates [2]`` say, whatever the hand."""
    fold = rates[0] if may_fold else 0.0
    raised = min(rates[1], 1 - fold) if may_raise else 0.0
    return Triple(fold, 1 - fold - raised, raised)


@kernel
def doubted_triple(
    value: float,
    bars: NDArray[np.float64],
    rates: NDArray[np.float64],
    doubt: float,
    may_fold: bool,
    may_raise: bool,
) -> Triple:
    """The triple of a hand, of which the share ``doubt`` follows ``rates [2]`` of folds and raises."""
    sure = triple_of(value, bars, may_fold, may_raise)
    if doubt == 0:
        return sure
    usual = usual_triple(rates, may_fold, may_raise)
    return Triple(
        (1 - doubt) * sure.fold + doubt * usual.fold,
        (1 - doubt) * sure.call + doubt * usual.call,
        (1 - doubt) * sure.raise_ + doubt * usual.raise_,
    )
