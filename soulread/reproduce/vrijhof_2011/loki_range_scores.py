"""Scores of the ranges that Loki's models predict.

A `Pick` takes one number for each hand or action out of a task's result; NaN where it does not count.
"""

import math

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate
from soulread.reproduce.kit.ranges.calibration import (
    BINS,
    Array,
    Pick,
    TaskMeans,
    in_tenth,
    named_pick,
    share_covered,
)
from soulread.reproduce.kit.ranges.scores import BASE_RATE, FOLDED, MODELS, SHOWN
from soulread.tasks import TaskResult

GOM, SOM, DAVIDSON, THRESHOLDS = "gom", "som", "som, davidson", "som, thresholds"
NAMES = tuple(MODELS)
_MOST_PROBABLE = 1e-9  # a model that gave an action no chance at all is charged as if it gave this much


def model_number(name: str) -> int:
    """The place of a model among `NAMES`."""
    return NAMES.index(name)


def _where(values: Array, condition: NDArray[np.bool_]) -> Array:
    return np.where(condition, values, np.nan)


def last_gain(result: TaskResult, model: str) -> Array:
    """``[hands]`` nats after the player's last action in the hand."""
    last = result["last"].astype(np.int64)
    found: Array = result["gains"][np.arange(last.size), model_number(model), last]
    return found


@named_pick
def shown_gain(model: str, less: str | None = None) -> Pick:
    """Nats on the cards shown, after the last action; ``less`` takes off those of another model."""

    def pick(result: TaskResult) -> Array:
        gain = last_gain(result, model) - (0.0 if less is None else last_gain(result, less))
        return _where(gain, result["fate"] == SHOWN)

    return pick


@named_pick
def softened_gain(model: str, at: int) -> Pick:
    """The same with chances to the power of ``EXPONENTS[at]``."""
    return lambda result: _where(result["tempered"][:, model_number(model), at], result["fate"] == SHOWN)


@named_pick
def covered(model: str, mass: float) -> Pick:
    """Whether the shown cards lie in the likeliest holdings that have this mass; ties count in part."""

    def pick(result: TaskResult) -> Array:
        return _where(
            share_covered(result["likelier"][:, model_number(model)], mass), result["fate"] == SHOWN
        )

    return pick


@named_pick
def loss(column: str, less: str | None = None) -> Pick:
    """Nats lost on an action with more than one choice; ``less`` takes off those of another model."""

    def one(result: TaskResult, name: str) -> Array:
        row = 0 if name == BASE_RATE else 1 + model_number(name)
        action = result["action action"].astype(np.int64)
        chance = result["action chances"][np.arange(action.size), row, action]
        return _where(-np.log(np.maximum(chance, _MOST_PROBABLE)), result["action legal"].sum(axis=1) > 1)

    return lambda result: one(result, column) - (0.0 if less is None else one(result, less))


@named_pick
def fated_gain(model: str, fate: int) -> Pick:
    """Nats after the last action, of hands that ended so."""
    return lambda result: _where(last_gain(result, model), result["fate"] == fate)


@named_pick
def gain_at_round(model: str, round: int) -> Pick:
    """Nats on the cards shown, after the last action of a round."""
    return lambda result: _where(result["gains"][:, model_number(model), round], result["fate"] == SHOWN)


@named_pick
def gain_after(model: str, low: float, high: float) -> Pick:
    """Nats on the cards shown, where ``low`` to ``high`` hands of the player were known before."""

    def pick(result: TaskResult) -> Array:
        known = result["known"]
        return _where(last_gain(result, model), (result["fate"] == SHOWN) & (known >= low) & (known < high))

    return pick


@named_pick
def in_class(kind: int) -> Pick:
    """Whether the cards shown are of a class of strength."""
    return lambda result: _where((result["strength"] == kind).astype(float), result["fate"] == SHOWN)


@named_pick
def expected_class(model: str, kind: int) -> Pick:
    """The mass that a model gave to a class of strength, of hands shown."""
    return lambda result: _where(result["classes"][:, model_number(model), kind], result["fate"] == SHOWN)


@named_pick
def gain_by_action(model: str, kind: int, low: float, high: float) -> Pick:
    """Nats gained by an action of a kind, of hands whose strength is between ``low`` and ``high``."""

    def pick(result: TaskResult) -> Array:
        place = result["step place"]
        wanted = (result["step kind"] == kind) & (place >= low) & (place < high)
        return _where(result["step gains"][:, model_number(model)], wanted)

    return pick


@named_pick
def placed(row: int, round: int, shown: bool | None = None) -> Pick:
    """Mean strength after a round, of hands that went on: the truth (row 0) or as a model expects."""

    def pick(result: TaskResult) -> Array:
        went_on = (result["fate"] != FOLDED) | (result["last"] > round)
        if shown is not None:
            went_on &= (result["fate"] == SHOWN) == shown
        return _where(result["places"][:, row, round], went_on)

    return pick


@named_pick
def raising(model: str, low: int, predicted: bool) -> Pick:
    """Predicted chances to raise of one tenth, or whether a raise came where they were predicted."""

    def pick(result: TaskResult) -> Array:
        chance = result["action chances"][:, 1 + model_number(model), 2]
        wanted = (result["action legal"][:, 2] > 0) & in_tenth(chance, low)
        return _where(chance if predicted else (result["action action"] == 2).astype(float), wanted)

    return pick


def raise_error(source: TaskMeans, model: str) -> Estimate:
    """The mean distance between predicted and observed chances to raise, over the tenths, 0 to 1.

    A distance is no mean over tasks, so its error is that of the jackknife, which leaves out each task once.
    """
    count = len(source.results)
    whole = _distance(source, model)
    if count < 2:
        return Estimate(whole, math.nan, 1)
    parts = np.array(
        [_distance(TaskMeans([*source.results[:i], *source.results[i + 1 :]]), model) for i in range(count)]
    )
    return Estimate(whole, math.sqrt((count - 1) * float(parts.var())), count)


def _distance(source: TaskMeans, model: str) -> float:
    total, off = 0.0, 0.0
    for low in range(BINS):
        predicted, came = (source.sums(raising(model, low, what)).sum(axis=0) for what in (True, False))
        total += predicted[1]
        off += abs(predicted[0] - came[0])
    return off / total if total else math.nan
