"""Scores of predictors of a player's actions, in the order of time.

Every hand is predicted before the predictors learn from it. Decisions without a choice are not counted. For
the rest

    accuracy    the share at which the likeliest legal action was the one taken (the first of equals)
    log-loss    the mean of -log(chance given to the action taken), in nats

Two predictors that look at nothing stand beside the others (`BASE_RATES`): always the player's commonest
action so far, and the commonest among decisions with the same legal actions.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.encoding import keys
from soulread.hands.facts import seconds_of
from soulread.hands.hand import Hand
from soulread.model.predict.features import NAMES, NUM_SITUATION, Array, FeatureRows, Ints
from soulread.model.predict.predictors import ActionPredictor

COMMONEST, COMMONEST_LEGAL = "commonest action", "commonest legal action"
BASE_RATES = COMMONEST, COMMONEST_LEGAL
ACTIONS = "fold", "call", "raise"
SMALLEST = 1e-9  # an action that was given no chance at all is charged as if it had been given this much
BINS = 10  # of a calibration curve


@dataclass(frozen=True)
class Predictions:
    """The chances that each predictor gave at each decision of a player, and the action taken."""

    names: tuple[str, ...]
    chances: Array  # [predictors, decisions, 3]
    action: Ints  # [decisions]
    legal: NDArray[np.bool_]  # [decisions, 3]
    known: Ints  # [decisions] hands of the player known before
    hand: Ints  # [decisions] number of the hand

    def given(self, name: str) -> Array:
        """``[decisions, 3]`` the chances that one predictor gave."""
        found: Array = self.chances[self.names.index(name)]
        return found

    def correct(self, name: str) -> NDArray[np.bool_]:
        """``[decisions]`` whether the likeliest action was the one taken."""
        found: NDArray[np.bool_] = self.given(name).argmax(axis=1) == self.action
        return found

    def loss(self, name: str) -> Array:
        """``[decisions]`` the log-loss in nats."""
        taken = self.given(name)[np.arange(self.action.size), self.action]
        found: Array = -np.log(np.maximum(taken, SMALLEST))
        return found


def predict_in_order(
    predictors: Mapping[str, ActionPredictor], rows: FeatureRows, earlier: FeatureRows | None = None
) -> Predictions:
    """Predict the decisions of one player hand by hand, each hand before the predictors learn from it.

    ``rows`` are the player's alone. ``earlier`` are decisions that the predictors know already, so that the
    base rates know them too.
    """
    first = np.flatnonzero(np.diff(rows.hand, prepend=-1))
    parts = [rows.take(np.arange(a, b)) for a, b in zip(first, [*first[1:], len(rows)], strict=True)]
    given: list[Array] = []
    kept: list[FeatureRows] = []
    hands: list[int] = []
    whole, by_legal = np.ones(3), np.ones((2, 2, 3))
    if earlier is not None:
        _count(earlier.take(earlier.chosen), whole, by_legal)
    for number, part in enumerate(parts):
        counted = part.take(part.chosen)
        if len(counted):
            base = [np.tile(whole / whole.sum(), (len(counted), 1)), _among(by_legal, counted.legal)]
            each = [predictor.foresee(counted) for predictor in predictors.values()]
            given.append(np.array([*base, *each]))
            kept.append(counted)
            hands += [number] * len(counted)
        _count(counted, whole, by_legal)
        for predictor in predictors.values():
            predictor.learn(part)
    numbers = np.array(hands, np.int64)
    return Predictions(
        (*BASE_RATES, *predictors),
        np.concatenate(given, axis=1) if given else np.zeros((2 + len(predictors), 0, 3)),
        np.concatenate([part.action for part in kept]) if kept else numbers,
        np.concatenate([part.legal for part in kept]) if kept else np.zeros((0, 3), np.bool_),
        numbers + (0 if earlier is None else np.unique(earlier.hand).size),
        numbers,
    )


def _count(rows: FeatureRows, whole: Array, by_legal: Array) -> None:
    """Add actions to the counts of the base rates."""
    legal = rows.legal.astype(np.int64)
    np.add.at(whole, rows.action, 1.0)
    np.add.at(by_legal, (legal[:, 0], legal[:, 2], rows.action), 1.0)


def _among(counts: Array, legal: NDArray[np.bool_]) -> Array:
    """Chances by counts ``[may fold, may raise, action]``."""
    found = counts[legal[:, 0].astype(np.int64), legal[:, 2].astype(np.int64)] * legal
    total: Array = found / found.sum(axis=1, keepdims=True)
    return total


def confusion(chances: Array, action: Ints) -> Array:
    """``[3, 3]`` shares of decisions: actions taken (rows) and predicted (columns); they sum to one."""
    found = np.zeros((3, 3))
    np.add.at(found, (action, chances.argmax(axis=1)), 1.0)
    return found / max(action.size, 1)


@dataclass(frozen=True)
class Calibration:
    """The frequency of an action by its predicted chance: one point for each tenth."""

    action: str
    given: tuple[float, ...]  # mean chance within the tenth
    came: tuple[float, ...]  # share of the decisions at which the action was taken
    count: tuple[int, ...]

    JSON = keys("action given came", n="count")


def calibration(chances: Array, action: Ints, legal: NDArray[np.bool_]) -> tuple[Calibration, ...]:
    """The calibration of each action, over the decisions at which it was legal."""
    found = []
    for number, name in enumerate(ACTIONS):
        given, came = chances[legal[:, number], number], action[legal[:, number]] == number
        which = np.minimum((given * BINS).astype(np.int64), BINS - 1)
        count = np.bincount(which, minlength=BINS)
        some = np.flatnonzero(count)
        means = np.bincount(which, given, BINS)[some] / count[some]
        shares = np.bincount(which, came, BINS)[some] / count[some]
        found.append(
            Calibration(name, tuple(means.tolist()), tuple(shares.tolist()), tuple(count[some].tolist()))
        )
    return tuple(found)


def importance(
    predictor: ActionPredictor, rows: FeatureRows, repeats: int = 3, seed: int = 0
) -> tuple[tuple[str, float], ...]:
    """By how many nats the log-loss rises when a feature is shuffled among decisions; the largest first.

    Only features of the situation are told: the style of one player is the same at all decisions.
    """
    kept = rows.take(rows.chosen)
    inputs, taken = predictor.inputs(kept), (np.arange(len(kept)), kept.action)
    rng = np.random.default_rng(seed)

    def loss(changed: Array) -> float:
        return float(-np.log(np.maximum(predictor.chances(changed, kept)[taken], SMALLEST)).mean())

    before = loss(inputs)
    found = []
    for column in range(NUM_SITUATION):
        rise = 0.0
        for _ in range(repeats):
            changed = inputs.copy()
            changed[:, column] = rng.permutation(changed[:, column])
            rise += (loss(changed) - before) / repeats
        found.append((NAMES[column], rise))
    return tuple(sorted(found, key=lambda item: -item[1]))


def hands_in_time(hands: Iterable[Hand]) -> list[Hand]:
    """Hands in the order they were played; those without a time come first, as they were given."""
    return sorted(hands, key=seconds_of)
