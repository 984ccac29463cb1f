"""Weight tables: how likely an opponent would have played each of the 1326 holdings as was seen.

A table starts with 1 for every holding. Each action of the opponent multiplies it:

    by thresholds   w(h) *= factor of the value of h at the bar of the action (Billings et al., 1998):
                    for a call the bar for staying, for a raise the one for raising; a check tells nothing,
                    and a fold counts the other way round
    by triples      w(h) *= chance of the action with h (Billings et al., 1999; "R")

The bar of an action comes from the frequencies of the player. A player who folds with frequency f stays in
with the better 1 - f of what the table says the player holds: mu is the value at the quantile f of the table.
One who raises with frequency r has the bar for raising at the quantile 1 - r. How far a bar is uncertain is
also said in shares of the table: with s the *spread*, but at most as far as to the nearer end,

    sigma = (value at quantile q + s  -  value at quantile q - s) / 2

so that a table in which all values are close together has close bars, and about the right share of it does
each action. The thesis does not say how the variance follows from the observations; this is ours, as is the
rule for s (`soulread.model.loki`).

No holding is ever ruled out by an action: factors are at least `FLOOR`, and no weight falls below `LEAST`
times the largest. Holdings that share a card with the board or with cards in view have weight 0 exactly.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD
from soulread.kernel import kernel
from soulread.model.triples import FLOOR, factor, ramp, triple_of
from soulread.model.values import Scale

LEAST = 1e-6  # the smallest weight, as a share of the largest
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


def bars_of(weights: Weights, scale: Scale, fold: float, raise_: float, spread: float) -> NDArray[np.float64]:
    """The two bars ``[2, 2]`` (stay, raise; mu, sigma) of a player with these two frequencies."""
    bars: NDArray[np.float64] = all_bars(weights, scale, np.array([[fold, raise_]]), np.array([spread]))[0]
    return bars


def all_bars(
    weights: Weights, scale: Scale, frequencies: NDArray[np.float64], spreads: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Bars ``[contexts, 2, 2]`` from frequencies ``[contexts, 2]`` of folding and raising, and spreads."""
    bars = np.empty((len(frequencies), 2, 2))
    _place_bars(weights, scale.values, scale.order, frequencies, spreads, bars)
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
    weights: Weights, scale: Scale, bars: NDArray[np.float64], action: int, may_fold: bool, may_raise: bool
) -> None:
    """Multiply a table by the chance of an action with each holding, in place."""
    _weigh_by_triples(weights, scale.values, bars, action, may_fold, may_raise)
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
    weights: Weights,
    values: NDArray[np.float64],
    order: NDArray[np.int64],
    frequencies: NDArray[np.float64],
    spreads: NDArray[np.float64],
    bars: NDArray[np.float64],
) -> None:
    """Quantiles of a table: the value of the first holding with which the running weight exceeds q."""
    running = np.empty(order.size)
    total = 0.0
    for i in range(order.size):
        total += weights[order[i]]
        running[i] = total
    for c in range(frequencies.shape[0]):
        for which in range(2):
            q = frequencies[c, 0] if which == 0 else 1 - frequencies[c, 1]
            s = max(0.0, min(spreads[c], q, 1 - q))
            low = _quantile(values, order, running, (q - s) * total)
            high = _quantile(values, order, running, (q + s) * total)
            bars[c, which, 0] = _quantile(values, order, running, q * total)
            bars[c, which, 1] = (high - low) / 2


@kernel
def _quantile(
    values: NDArray[np.float64], order: NDArray[np.int64], running: NDArray[np.float64], mass: float
) -> float:
    place = min(int(np.searchsorted(running, mass, side="right")), order.size - 1)
    return float(values[order[place]])


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
) -> None:
    for h in range(weights.size):
        fold, call, raised = triple_of(values[h], bars, may_fold, may_raise)
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
