"""With which cards somebody does what the chances of `soulread.model.clone.chances` say.

The chances p of fold, call and raise are public: they are a mean over all the player may hold. A holding h
takes each action with the chance

    P(action | h)  is proportional to  m(action) exp(taste of the situation for h),  its mean is p(action).

A *taste* is a linear function of features of the holding: its place before the flop, its strength on the
board, its draw. The factors m are found so that the mean over the player's range is p. The range is what the
actions of this hand have left, by Bayes' rule, so at every decision the public chances hold exactly, whatever
the tastes are. Tastes say only which holdings are folded and which are raised.

Tastes are learned from cards that were shown. After a line of play the chance of holding h is proportional to
the product of P(action | h) over the player's actions, since every holding is dealt equally often. So hands
that would have been folded on the way are accounted for. Winners show more often than losers; one more
function of the strength at the end takes that up and is left out afterwards.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.cards.scales.card_facts import (
    DRAW,
    HIGH,
    LOW,
    MADE_HAND,
    OVERS,
    PLACE,
    PLACES,
    STRENGTH,
    SUITED,
    facts_on,
)
from soulread.hands.hand import Hand, Sight
from soulread.kernel import kernel
from soulread.model.clone.cells import AFTER, BEFORE, PublicDecisions

Array = NDArray[np.float64]
Ints = NDArray[np.int64]

NUM_FEATURES = 10
NUM_GROUPS = 4  # before the flop or later, nothing to call or something
NUM_KINDS = len(BEFORE) + 3 * len(AFTER)
NUM_SHOWN = 2
_STEPS = 60
_ROUNDS = 3  # in which the factors m are found anew
_NEWTON = 60
_EXACT = 1e-10  # of a chance
_LONGEST = 4.0  # step of a logarithm
DOUBT = 0.05  # the chance that an action has nothing to do with the cards
_EVERY = 7  # of so many holdings one stands for all in learning, another one in every line


@dataclass(frozen=True)
class Tastes:
    """Which holdings an action is for, in logits beside calling; see the top of the module."""

    shared: Array  # [NUM_GROUPS, 2, NUM_FEATURES] of folding and of raising
    special: Array  # [NUM_KINDS, 2, NUM_FEATURES] what a kind of situation adds
    shown: Array  # [NUM_SHOWN] how showing goes with the strength at the end

    def at(self, kind: int) -> Array:
        """``[2, NUM_FEATURES]`` of one kind of situation."""
        found: Array = self.shared[group_of(kind)] + self.special[kind]
        return found


def kind_of(state: int, round: int) -> int:
    """The kind of a situation: its state (`cells`), and after the flop its round too."""
    return state if round == 0 else state + len(AFTER) * (round - 1)


def group_of(kind: int) -> int:
    """The group of a kind of situation."""
    if kind < len(BEFORE):
        return int(BEFORE[kind] != "may check")
    return 2 + int((kind - len(BEFORE)) % len(AFTER) >= 4)


def no_tastes() -> Tastes:
    """A sensible player in round numbers: weak hands fold, strong hands raise."""
    shared = np.zeros((NUM_GROUPS, 2, NUM_FEATURES))
    shared[:, 0, 0] = -6.0
    shared[:, 1, 0] = 4.0
    return Tastes(shared, np.zeros((NUM_KINDS, 2, NUM_FEATURES)), np.zeros(NUM_SHOWN))


@lru_cache(maxsize=64)
def features_on(board: tuple[int, ...]) -> Array:
    """``[1326, NUM_FEATURES]`` features of all holdings on a board of 0, 3, 4 or 5 cards; read-only."""
    facts, _ = facts_on(np.array(board, np.int64))
    found = np.zeros((NUM_HANDS, NUM_FEATURES))
    numbers = facts.astype(np.float64)
    columns: tuple[NDArray[Any], ...]
    if not len(board):
        pair = facts[:, HIGH] == facts[:, LOW]
        place = numbers[:, PLACE] / (PLACES - 1)
        gap = numbers[:, HIGH] - numbers[:, LOW]
        columns = (
            place,
            np.maximum(place - 0.5, 0),
            np.maximum(place - 0.8, 0),
            pair,
            pair * numbers[:, HIGH] / 12,
            facts[:, SUITED] > 0,
            numbers[:, HIGH] / 12,
            numbers[:, LOW] / 12,
            facts[:, HIGH] == 12,
            (gap == 1) | (gap == 2),
        )
    else:
        strength = numbers[:, STRENGTH] / (PLACES - 1)
        draw = facts[:, DRAW]
        columns = (
            strength,
            np.maximum(strength - 0.5, 0),
            np.maximum(strength - 0.75, 0),
            np.maximum(strength - 0.9, 0),
            draw == 1,
            draw == 2,
            draw >= 3,
            numbers[:, OVERS] / 2,
            facts[:, MADE_HAND] >= 3,
            facts[:, MADE_HAND] >= 5,
        )
    for number, column in enumerate(columns):
        found[:, number] = column
    found.flags.writeable = False
    return found


@lru_cache(maxsize=64)
def alive_on(board: tuple[int, ...]) -> Array:
    """``[1326]`` 1 for each holding that shares no card with a board; read-only."""
    found = np.where((HAND_MASKS & cards_mask(board)) == 0, 1.0, 0.0)
    found.flags.writeable = False
    return found


def policy(taste: Array, features: Array, weights: Array, chances: Array) -> Array:
    """``[1326, 3]`` the chances of fold, call and raise with each holding.

    Their mean under ``weights [1326]`` is ``chances [3]``; an action whose chance is 0 is not taken.
    """
    found = np.zeros((NUM_HANDS, 3))
    _fill_policy(features @ taste.T, weights / weights.sum(), chances, found)
    return found


@kernel
def _fill_policy(tastes: Array, weights: Array, chances: Array, found: Array) -> None:
    factors = np.zeros(2)
    _find_factors(tastes, weights, chances, factors)
    for h in range(tastes.shape[0]):
        _act(tastes[h, 0], tastes[h, 1], factors, found[h])
        for a in range(3):
            found[h, a] = (1 - DOUBT) * found[h, a] + DOUBT * chances[a]


@kernel
def _act(fold: float, raised: float, factors: Array, found: Array) -> None:
    """Fill in the chances ``[3]`` of a holding; a factor of minus infinity is an action not taken."""
    a, b = fold + factors[0], raised + factors[1]
    top = max(0.0, max(a, b))
    found[0], found[1], found[2] = np.exp(a - top), np.exp(-top), np.exp(b - top)
    total = found[0] + found[1] + found[2]
    for k in range(3):
        found[k] /= total


@kernel
def _find_factors(tastes: Array, weights: Array, chances: Array, factors: Array) -> None:
    """Fill in the logarithms ``[2]`` of the factors of folding and raising beside calling.

    Newton's method on a convex problem: the mean of log(1 + sum of factor * exp(taste)) less the factors'
    logarithms times the chances. A step that makes it worse is halved.
    """
    fold, raised = chances[0] > 0, chances[2] > 0
    factors[0] = np.log(chances[0] / chances[1]) if fold else -np.inf
    factors[1] = np.log(chances[2] / chances[1]) if raised else -np.inf
    last, step, gone = factors.copy(), np.zeros(2), np.inf
    each = np.zeros(3)
    for _ in range(_NEWTON):
        value = gx = gy = xx = yy = xy = 0.0
        for h in range(weights.size):
            w = weights[h]
            if w > 0:
                _act(tastes[h, 0], tastes[h, 1], factors, each)
                pa, pb = each[0], each[2]
                value -= w * np.log(max(each[1], 1e-300))
                gx += w * pa
                gy += w * pb
                xx += w * pa * (1 - pa)
                yy += w * pb * (1 - pb)
                xy -= w * pa * pb
        if fold:
            value -= factors[0] * chances[0]
            gx -= chances[0]
        if raised:
            value -= factors[1] * chances[2]
            gy -= chances[2]
        if value > gone + 1e-12:
            step /= 2
        else:
            if max(abs(gx) * fold, abs(gy) * raised) < _EXACT:
                return
            gone = value
            last[:] = factors
            xx, yy = xx + 1e-12, yy + 1e-12
            determinant = xx * yy - xy * xy
            if fold and raised and determinant > 1e-18:
                step[0], step[1] = (yy * gx - xy * gy) / determinant, (xx * gy - xy * gx) / determinant
            else:
                step[0], step[1] = gx / xx, gy / yy
            longest = max(abs(step[0]) * fold, abs(step[1]) * raised)
            if longest > _LONGEST:
                step *= _LONGEST / longest
        if fold:
            factors[0] = last[0] - step[0]
        if raised:
            factors[1] = last[1] - step[1]


# Learning -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TasteSpread:
    """How far tastes may be from those they start at: standard deviations of the normal prior, in logits."""

    shared: float
    special: float


class ShownLines(NamedTuple):
    """Lines of play that ended with the cards on the table; a line is all that one seat did in a hand."""

    begin: Ints  # [lines + 1] of decisions
    kind: Ints  # [decisions]
    group: Ints  # [decisions]
    action: Ints  # [decisions]
    chances: Array  # [decisions, 3] public
    point: Ints  # [decisions] which row of `features`
    features: NDArray[np.float32]  # [points, 1326, NUM_FEATURES]
    alive: NDArray[np.bool_]  # [points, 1326] holdings that share no card with the board of then
    strength: NDArray[np.float32]  # [lines, 1326] at the end, 0 to 1; negative where the board has a card
    held: Ints  # [lines] of 1326


def shown_lines(
    hands: Sequence[Hand], made: PublicDecisions, chances: Array, seats: Sequence[Sequence[int]]
) -> ShownLines:
    """The lines of those among ``seats`` (of each hand) that showed two cards at the showdown.

    ``made`` are the decisions of the hands, hand by hand, and ``chances`` the public chances there.
    """
    first = np.searchsorted(made.hand, np.arange(len(hands) + 1))
    begin, chosen, points, held, strength = [0], [], [], [], []
    boards: dict[tuple[int, ...], int] = {(): 0}
    for number, hand in enumerate(hands):
        if not hand.showdown or len(hand.board) < 5:
            continue
        for seat in seats[number]:
            cards = hand.hole[seat]
            own = first[number] + np.flatnonzero(made.seat[first[number] : first[number + 1]] == seat)
            if hand.sights[seat] is not Sight.SHOWN or cards is None or len(cards) != 2:
                continue
            if not own.size or 0 in made.action[own]:
                continue
            for row in own.tolist():
                board = hand.board[: (0, 3, 4, 5)[made.round[row]]]
                points.append(boards.setdefault(board, len(boards)))
            chosen += own.tolist()
            begin.append(len(chosen))
            held.append(hand_index(*cards))
            found = features_on(hand.board)[:, 0]
            strength.append(np.where(alive_on(hand.board) > 0, found, -1.0).astype(np.float32))
    rows = np.array(chosen, np.int64)
    kinds = [kind_of(state, round) for state, round in zip(made.state[rows], made.round[rows], strict=True)]
    return ShownLines(
        np.array(begin),
        np.array(kinds, np.int64),
        np.array([group_of(kind) for kind in kinds], np.int64),
        made.action[rows],
        chances[rows],
        np.array(points, np.int64),
        np.array([features_on(board) for board in boards], np.float32),
        np.array([alive_on(board) > 0 for board in boards]),
        np.array(strength, np.float32).reshape(-1, NUM_HANDS),
        np.array(held, np.int64),
    )


def learn_tastes(start: Tastes, lines: ShownLines, spread: TasteSpread, showing: bool = False) -> Tastes:
    """The tastes of greatest posterior probability after lines that ended with the cards on the table.

    ``start`` are the tastes that are known already. How showing goes with strength is only learned if
    ``showing``.
    """
    if not lines.held.size:
        return start
    found = start
    shapes = start.shared.size, start.special.size, start.shown.size
    deviation = np.repeat([spread.shared, spread.special, 1.0 if showing else 0.0], shapes)
    moved = np.zeros(sum(shapes))
    for _ in range(_ROUNDS):
        factors = np.zeros((lines.kind.size, 2))
        _find_all_factors(lines, found.shared, found.special, factors)

        def objective(flat: Array, factors: Array = factors) -> tuple[float, Array]:
            now = _moved(start, flat * deviation)
            slopes = tuple(np.zeros_like(part) for part in (now.shared, now.special, now.shown))
            loss = _slope(lines, now.shared, now.special, now.shown, factors, _EVERY, *slopes)
            gradient = np.concatenate([part.ravel() for part in slopes]) * deviation + flat
            return loss + 0.5 * float(flat @ flat), gradient

        moved = minimize(
            objective, moved, jac=True, method="L-BFGS-B", options={"maxiter": _STEPS, "ftol": 1e-7}
        ).x
        found = _moved(start, moved * deviation)
    return found


def shown_likelihood(tastes: Tastes, lines: ShownLines) -> Array:
    """``[lines]`` log-likelihood of the cards shown, beside a random holding, in nats."""
    factors = np.zeros((lines.kind.size, 2))
    _find_all_factors(lines, tastes.shared, tastes.special, factors)
    slopes = tuple(np.zeros_like(part) for part in (tastes.shared, tastes.special, tastes.shown))
    found = np.zeros(lines.held.size)
    for line in range(found.size):
        first, last = lines.begin[line], lines.begin[line + 1]
        one = lines._replace(
            begin=np.array([0, last - first]),
            kind=lines.kind[first:last],
            group=lines.group[first:last],
            action=lines.action[first:last],
            chances=lines.chances[first:last],
            point=lines.point[first:last],
            strength=lines.strength[line : line + 1],
            held=lines.held[line : line + 1],
        )
        loss = _slope(one, tastes.shared, tastes.special, tastes.shown, factors[first:last], 1, *slopes)
        found[line] = -loss + np.log((lines.strength[line] >= 0).sum())
    return found


def _moved(start: Tastes, by: Array) -> Tastes:
    shared, special = start.shared.size, start.special.size
    return Tastes(
        start.shared + by[:shared].reshape(start.shared.shape),
        start.special + by[shared : shared + special].reshape(start.special.shape),
        start.shown + by[shared + special :],
    )


@kernel
def _tastes_of(features: NDArray[np.float32], shared: Array, special: Array, found: Array) -> None:
    """Fill in ``[1326, 2]`` the tastes of all holdings."""
    for h in range(features.shape[0]):
        for a in range(2):
            total = 0.0
            for k in range(features.shape[1]):
                total += features[h, k] * (shared[a, k] + special[a, k])
            found[h, a] = total


@kernel
def _find_all_factors(lines: ShownLines, shared: Array, special: Array, factors: Array) -> None:
    """Fill in the factors ``[decisions, 2]``, with ranges that the actions before have left."""
    count = lines.alive.shape[1]
    tastes, weights, chances = np.zeros((count, 2)), np.zeros(count), np.zeros(3)
    for line in range(lines.held.size):
        weights[:] = 1.0
        for d in range(lines.begin[line], lines.begin[line + 1]):
            alive = lines.alive[lines.point[d]]
            total = 0.0
            for h in range(count):
                if not alive[h]:
                    weights[h] = 0.0
                total += weights[h]
            for h in range(count):
                weights[h] /= total
            kind, group = lines.kind[d], lines.group[d]
            _tastes_of(lines.features[lines.point[d]], shared[group], special[kind], tastes)
            _find_factors(tastes, weights, lines.chances[d], factors[d])
            for h in range(count):
                if weights[h] > 0:
                    _act(tastes[h, 0], tastes[h, 1], factors[d], chances)
                    taken = lines.action[d]
                    weights[h] *= (1 - DOUBT) * chances[taken] + DOUBT * lines.chances[d, taken]


@kernel
def _slope(
    lines: ShownLines,
    shared: Array,
    special: Array,
    shown: Array,
    factors: Array,
    every: int,
    slope_shared: Array,
    slope_special: Array,
    slope_shown: Array,
) -> float:
    """The log-loss of the cards that were shown; its slopes are added to those given.

    The factors are held fixed. The slope of log P(h shown) is what the holding shown has of each feature,
    less what the range has of it.
    """
    count = lines.alive.shape[1]
    loss = 0.0
    logs, chances = np.zeros(count), np.zeros(3)
    for line in range(lines.held.size):
        first, last, held = lines.begin[line], lines.begin[line + 1], lines.held[line]
        each = np.zeros((last - first, count, 2))
        strength = lines.strength[line]
        for h in range(count):
            if strength[h] < 0 or not (every == 1 or h % every == line % every or h == held):
                logs[h] = -np.inf
            else:
                s = strength[h] - 0.5
                logs[h] = shown[0] * s + shown[1] * s * s
        for d in range(first, last):
            features = lines.features[lines.point[d]]
            kind, group, action = lines.kind[d], lines.group[d], lines.action[d]
            for h in range(count):
                if logs[h] == -np.inf:
                    continue
                fold = raised = 0.0
                for k in range(features.shape[1]):
                    fold += features[h, k] * (shared[group, 0, k] + special[kind, 0, k])
                    raised += features[h, k] * (shared[group, 1, k] + special[kind, 1, k])
                _act(fold, raised, factors[d], chances)
                meant = (1 - DOUBT) * chances[action]
                whole = meant + DOUBT * lines.chances[d, action]
                logs[h] += np.log(max(whole, 1e-300))
                each[d - first, h, 0] = meant / whole * ((action == 0) - chances[0])
                each[d - first, h, 1] = meant / whole * ((action == 2) - chances[2])
        top = logs.max()
        total = 0.0
        for h in range(count):
            total += np.exp(logs[h] - top)
        loss -= logs[held] - top - np.log(total)
        for h in range(count):
            if logs[h] == -np.inf:
                continue
            part = np.exp(logs[h] - top) / total - (h == held)
            s = strength[h] - 0.5
            slope_shown[0] += part * s
            slope_shown[1] += part * s * s
            for d in range(first, last):
                features = lines.features[lines.point[d]]
                kind, group = lines.kind[d], lines.group[d]
                for a in range(2):
                    push = part * each[d - first, h, a]
                    for k in range(features.shape[1]):
                        slope_shared[group, a, k] += push * features[h, k]
                        slope_special[kind, a, k] += push * features[h, k]
    return loss
