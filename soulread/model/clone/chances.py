"""Chances of fold, call and raise by the cells of a decision, learned from what somebody did there.

    score of an action = sum over the decision's cells of  value * weight[cell, action]
    chance             = exp(score) / sum of exp(score) over the legal actions

Calling has score 0, so a cell has two weights: for folding and for raising. The weights are those of greatest
posterior probability: the likelihood of what was done, times a normal prior around weights that are known
already (`Spread`). At the maximum

    sum of value * (1 if taken, else 0)  =  sum of value * chance  +  (weight - mean) / deviation^2

for each weight, so the chances of a cell add up to what was done in it, up to the pull of the prior. That is
why a player's statistics come out as they were seen: each is a sum over cells.

Learning goes from many observations to few: people in general, whose weights come with soulread; then
everybody whom the player met; then the player. Each step starts from the weights of the one before.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.kernel import kernel
from soulread.model.clone.cells import COARSE, NUM_CELLS, TABLES, PublicDecisions

Array = NDArray[np.float64]

_STEPS = 300  # of the search
_ROOM = 1e-9  # relative change of the objective at which it ends


@dataclass(frozen=True)
class Spread:
    """How far weights may be from those they start at: standard deviations of the normal prior, in logits."""

    coarse: float  # of the cells of `COARSE` tables
    fine: float  # of all others

    def each(self) -> Array:
        """``[NUM_CELLS, 1]`` the deviation of each weight."""
        found = np.full((NUM_CELLS, 1), self.fine)
        for name in COARSE:
            first, size = TABLES[name]
            found[first : first + size] = self.coarse
        return found


def no_weights() -> Array:
    """``[NUM_CELLS, 2]`` weights of somebody who does everything that is legal equally often."""
    return np.zeros((NUM_CELLS, 2))


def chances_at(weights: Array, made: PublicDecisions) -> Array:
    """``[decisions, 3]`` chances of fold, call and raise."""
    found = np.zeros((len(made), 3))
    _chances(weights, made.cells, made.values, made.legal, found)
    return found


def learn_weights(start: Array, made: PublicDecisions, spread: Spread, counted: Array | None = None) -> Array:
    """``[NUM_CELLS, 2]`` the weights of greatest posterior probability after decisions that had a choice.

    ``start`` are the weights that are known already. ``counted [decisions]`` says how much each decision
    counts; without it all count 1.
    """
    kept = made.chosen
    some = made.take(kept)
    counts = np.ones(len(some)) if counted is None else np.asarray(counted, np.float64)[kept]
    if not len(some):
        return start.copy()
    deviation = spread.each()
    used = np.zeros(NUM_CELLS, np.bool_)
    used[some.cells[some.values > 0]] = True
    places = np.flatnonzero(used)

    def objective(flat: Array) -> tuple[float, Array]:
        step = np.zeros((NUM_CELLS, 2))
        step[places] = flat.reshape(-1, 2)
        slope = np.zeros((NUM_CELLS, 2))
        loss = _slope(
            start + step * deviation, some.cells, some.values, some.legal, some.action, counts, slope
        )
        gradient = (slope * deviation)[places].ravel() + flat
        return loss + 0.5 * float(flat @ flat), gradient

    best = minimize(
        objective,
        np.zeros(2 * places.size),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": _STEPS, "ftol": _ROOM, "maxcor": 20},
    )
    found = start.copy()
    found[places] += best.x.reshape(-1, 2) * deviation[places]
    return found


@kernel
def _scores(
    weights: Array, cells: NDArray[np.int32], values: NDArray[np.float32], legal: NDArray[np.bool_]
) -> tuple[float, float, float]:
    """Log-weights of folding and raising at a decision, where calling has 0, and the greatest legal one."""
    fold = raised = 0.0
    for k in range(cells.size):
        if values[k] != 0:
            fold += values[k] * weights[cells[k], 0]
            raised += values[k] * weights[cells[k], 1]
    top = 0.0
    if legal[0]:
        top = max(top, fold)
    if legal[2]:
        top = max(top, raised)
    return fold, raised, top


@kernel
def _chances(
    weights: Array,
    cells: NDArray[np.int32],
    values: NDArray[np.float32],
    legal: NDArray[np.bool_],
    found: Array,
) -> None:
    for n in range(cells.shape[0]):
        fold, raised, top = _scores(weights, cells[n], values[n], legal[n])
        found[n, 0] = np.exp(fold - top) if legal[n, 0] else 0.0
        found[n, 1] = np.exp(-top)
        found[n, 2] = np.exp(raised - top) if legal[n, 2] else 0.0
        total = found[n, 0] + found[n, 1] + found[n, 2]
        for a in range(3):
            found[n, a] /= total


@kernel
def _slope(
    weights: Array,
    cells: NDArray[np.int32],
    values: NDArray[np.float32],
    legal: NDArray[np.bool_],
    action: NDArray[np.int64],
    counts: Array,
    slope: Array,
) -> float:
    """The log-loss of decisions in nats, each as often as it counts; its slope is added to ``slope``."""
    loss = 0.0
    for n in range(cells.shape[0]):
        fold, raised, top = _scores(weights, cells[n], values[n], legal[n])
        folds = np.exp(fold - top) if legal[n, 0] else 0.0
        raises = np.exp(raised - top) if legal[n, 2] else 0.0
        total = folds + np.exp(-top) + raises
        taken = fold if action[n] == 0 else raised if action[n] == 2 else 0.0
        loss += counts[n] * (np.log(total) + top - taken)
        down = counts[n] * (folds / total - (action[n] == 0))
        up = counts[n] * (raises / total - (action[n] == 2))
        for k in range(cells.shape[1]):
            if values[n, k] != 0:
                slope[cells[n, k], 0] += values[n, k] * down
                slope[cells[n, k], 1] += values[n, k] * up
    return loss
