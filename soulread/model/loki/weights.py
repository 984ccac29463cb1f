"""Weight tables: how likely an opponent would have played each of the 1326 holdings as was seen.

A table starts with 1 for every holding. Each action of the opponent multiplies it:

    by thresholds   w(h) *= factor of the value of h at the bar of the action (Billings et al., 1998):
                    for a call the bar for staying, for a raise the one for raising; a check tells nothing,
                    and a fold counts the other way round
    by triples      w(h) *= chance of the action with h (Billings et al., 1999; "R")

The bar of an action comes from the frequencies of the player. A player who folds with frequency f stays in
with the better 1 - f of all holdings that the board leaves, each counted alike: the bar is at the quantile
q = f of the scale. One who raises with frequency r has the bar for raising at the quantile q = 1 - r. How far
a bar is uncertain is also said in shares of the holdings, by the *spread* s: the ramp goes from the value at
the quantile q - s to that at q + s. So on a board on which all values are close together bars are close.

A bar does not depend on the table. At a quantile of what the player is believed to hold, each bet would raise
the bar of the next one, and who bets twice would be believed to hold next to nothing but the best.

Where q is nearer than s to an end of the scale, such a ramp would have the wrong mean. It then reaches beyond
the end, and is moved until the mean is right (`ramp_ends`): one who raises 10% of hands at a spread of .4
does not always raise the best ones, and sometimes raises worse ones.

If all holdings around a bar have the same value, as on a board that plays for most, the ramp is very narrow
there, and placed so that the right part of them is above it.

No holding is ever ruled out by an action: factors are at least `FLOOR`, and no weight falls below `LEAST`
times the largest. By triples an action may also be doubted (`reweigh_by_triples`). Holdings that share a card
with the board or with cards in view have weight 0 exactly.

The quantile is that of the thesis ("a median hand value" given by frequencies). It does not say how the
variance follows from the observations: spread, ends and doubt are ours.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask
from soulread.cards.scales.values import Scale
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.kernel import kernel
from soulread.model.loki.triples import FLOOR, doubted_triple, factor, ramp, triple_of

LEAST = 1e-6  # the smallest weight, as a share of the largest
_TIED = 1e-6  # half the width of a ramp between holdings that all have the same value
_SMALL = 1e-9  # tables whose largest weight is below this are scaled up, so that nothing underflows

Weights = NDArray[np.float64]  # [1326]


def even_weights() -> Weights:
    """The table of an opponent who has not acted."""
    return np.ones(NUM_HANDS)


def initial_weights(rates: NDArray[np.float64], mu: float, sigma: float) -> Weights:
    """Weights from income rates: 1 for rates of mu + sigma and more, `FLOOR` for mu - sigma and less.

    Rates and bar are in the same unit, mb/g or places on the scale.
    """
    if not 0 <= sigma < np.inf or not np.isfinite(mu):
        raise SoulreadError(f"a threshold of {mu!r} +- {sigma!r}; expected numbers, the second not negative")
    weights = np.ones(rates.size)
    _weigh_by_threshold(weights, rates, mu, sigma, False)
    return weights


def possible_weights(weights: Weights, *seen: Sequence[int]) -> Weights:
    """A table as chances that sum to one: holdings that share a card with those seen have none."""
    mask = cards_mask([card for cards in seen for card in cards])
    left = weights * ((HAND_MASKS & mask) == 0)
    total = left.sum()
    if not total > 0:
        raise SoulreadError("no holding of the table is possible beside the cards that were seen")
    result: Weights = left / total
    return result


def bars_of(scale: Scale, rates: NDArray[np.float64], spread: float) -> NDArray[np.float64]:
    """The two bars ``[2, 2]`` (stay, raise; mu, sigma) of a player who folds and raises at ``rates [2]``."""
    bars: NDArray[np.float64] = all_bars(scale, rates[None], np.array([spread]))[0]
    return bars


def all_bars(scale: Scale, rates: NDArray[np.float64], spreads: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bars ``[contexts, 2, 2]`` from frequencies ``[contexts, 2]`` of folding and raising, and spreads."""
    bars = np.empty((len(rates), 2, 2))
    _place_bars(scale.values, scale.order, rates, spreads, bars)
    return bars


def reweigh_by_threshold(
    weights: Weights, scale: Scale, bars: NDArray[np.float64], action: int, may_fold: bool
) -> None:
    """Multiply a table by the factors of an action at its bar, in place."""
    if action == CALL and not may_fold:
        return
    bar = bars[0 if action in (FOLD, CALL) else 1]
    _weigh_by_threshold(weights, scale.values, bar[0], bar[1], action == FOLD)
    _keep_above_least(weights)


def reweigh_by_triples(
    weights: Weights,
    scale: Scale,
    bars: NDArray[np.float64],
    action: int,
    may_fold: bool,
    may_raise: bool,
    doubt: float = 0.0,
) -> None:
    """Multiply a table by the chance of an action with each holding, in place.

    ``doubt`` is the chance that the action was taken for another reason than the value of the holding; it
    then says nothing. The chance is (1 - doubt) of the triple's, and doubt of the mean over the table.
    """
    rates = np.zeros(2)
    if doubt > 0:
        possible = weights * (scale.values >= 0)
        rates = mean_triple(possible / possible.sum(), scale, bars, may_fold, may_raise)[[FOLD, RAISE]]
    _weigh_by_triples(weights, scale.values, bars, action, may_fold, may_raise, rates, doubt)
    _keep_above_least(weights)


def mean_triple(
    chances: Weights, scale: Scale, bars: NDArray[np.float64], may_fold: bool, may_raise: bool
) -> NDArray[np.float64]:
    """Chances ``[3]`` to fold, call and raise, over holdings with these chances (which sum to one)."""
    found = np.zeros(3)
    _add_triples(chances, scale.values, bars, may_fold, may_raise, found)
    return found


# Kernels; each has a slow twin in tests/naive_loki.py ----------------------------------------------


@kernel
def _place_bars(
    values: NDArray[np.float64],
    order: NDArray[np.int64],
    rates: NDArray[np.float64],
    spreads: NDArray[np.float64],
    bars: NDArray[np.float64],
) -> None:
    """Quantiles of a scale: the value of the first holding with which the number so far exceeds q of all."""
    for c in range(rates.shape[0]):
        for which in range(2):
            q = min(max(rates[c, 0] if which == 0 else 1 - rates[c, 1], 0.0), 1.0)
            s = spreads[c]
            begin, end = ramp_ends(q, s)
            low = _quantile(values, order, max(begin, 0.0))
            high = _quantile(values, order, min(end, 1.0))
            if begin < 0 or end > 1:  # the ramp goes on beyond the worst or the best holding
                slope = (high - low) / max(min(end, 1.0) - max(begin, 0.0), 1e-9)
                low += slope * min(begin, 0.0)
                high += slope * max(end - 1.0, 0.0)
            bars[c, which, 0] = (low + high) / 2
            bars[c, which, 1] = (high - low) / 2
            if high - low < _TIED:
                bars[c, which, 0] += _TIED * (1 - 2 * _part_above(values, order, low, q))
                bars[c, which, 1] = _TIED


@kernel
def _part_above(values: NDArray[np.float64], order: NDArray[np.int64], value: float, q: float) -> float:
    """Of the holdings that all have this value, the part above a bar with the share q of all below it."""
    below, upto = 0, 0
    for i in range(order.size):
        below += values[order[i]] < value
        upto += values[order[i]] <= value
    return min(max((upto - q * order.size) / max(upto - below, 1), 0.0), 1.0)


@kernel
def ramp_ends(q: float, s: float) -> tuple[float, float]:
    """Where a ramp of half-width s begins and ends, in quantiles, so that its mean over a table is 1 - q.

    Ends below 0 or above 1 mean that the worst holding is not surely below the bar, or the best not above.
    """
    if s <= q <= 1 - s:
        return q - s, q + s
    if s >= 0.5 and abs(q - 0.5) <= 0.5 - 0.25 / s:  # it covers the whole table and more
        begin = 0.5 - 2 * s * (1 - q)
        return begin, begin + 2 * s
    if q > 0.5:
        begin = 1 - 2 * math.sqrt(s * (1 - q))
        return begin, begin + 2 * s
    end = 2 * math.sqrt(s * q)
    return end - 2 * s, end


@kernel
def _quantile(values: NDArray[np.float64], order: NDArray[np.int64], q: float) -> float:
    return float(values[order[min(int(q * order.size), order.size - 1)]])


@kernel
def _weigh_by_threshold(
    weights: Weights, values: NDArray[np.float64], mu: float, sigma: float, below: bool
) -> None:
    for h in range(weights.size):
        if below:
            weights[h] *= FLOOR + (1 - FLOOR) * (1 - ramp(values[h], mu, sigma))
        else:
            weights[h] *= factor(values[h], mu, sigma)


@kernel
def _weigh_by_triples(
    weights: Weights,
    values: NDArray[np.float64],
    bars: NDArray[np.float64],
    action: int,
    may_fold: bool,
    may_raise: bool,
    rates: NDArray[np.float64],
    doubt: float,
) -> None:
    for h in range(weights.size):
        fold, call, raised = doubted_triple(values[h], bars, rates, doubt, may_fold, may_raise)
        weights[h] *= fold if action == 0 else call if action == 1 else raised


@kernel
def _keep_above_least(weights: Weights) -> None:
    largest = 0.0
    for h in range(weights.size):
        largest = max(largest, weights[h])
    scaled = 1 / largest if largest < _SMALL else 1.0
    for h in range(weights.size):
        weights[h] = max(weights[h], LEAST * largest) * scaled


@kernel
def _add_triples(
    chances: Weights,
    values: NDArray[np.float64],
    bars: NDArray[np.float64],
    may_fold: bool,
    may_raise: bool,
    found: NDArray[np.float64],
) -> None:
    for h in range(chances.size):
        if chances[h] > 0:
            fold, call, raised = triple_of(values[h], bars, may_fold, may_raise)
            found[0] += chances[h] * fold
            found[1] += chances[h] * call
            found[2] += chances[h] * raised
