"""How likely hands of different strength are inside a leaf of a model: a smooth factor for each class.

The trees of a model ask few questions about cards. All holdings that answer them alike get one weight, so
that limped aces would be as likely as limped A2s. Among the cards that people showed they are not. For each
kind of action before the flop (`KINDS`) a smooth function of the two ranks says how much likelier a class is
than the trees have it:

    factor of class c  =  exp( sum over the player's actions before the flop of  w_kind . f(c) ),

with the features f of `class_features`. ``w`` was fitted by `benchmarks/fit_line_strength.py` to cards shown
at showdowns, each beside the model's range after everything the player did in the hand. So hands that would
have folded on the way are accounted for. Winners show more often than losers. The fit therefore has one more
term, for the strength on the final board, which takes up that bias and is then left out.

Not everybody is like those people. The player's own shown cards say how much of the factor holds
(`borne_out`).
"""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

KINDS = (
    "limp or call of the blind",
    "first raise",
    "call of a raise",
    "3-bet",
    "call of a 3-bet or more",
    "4-bet or more",
)
"""Actions before the flop by number: twice the raises before it (at most two), one more if it is a raise."""

FEATURES = (
    "pair",
    "pair x rank",
    "pair x rank squared",
    "suited",
    "suited x low rank",
    "high rank",
    "high rank squared",
    "low rank",
    "low rank squared",
    "high rank x low rank",
    "gap",
    "ace",
)
"""Ranks go from 0 (deuce) to 1 (ace); those of high and low rank, gap and ace are 0 for pairs."""


def kind_of(raises: int, raised: bool) -> int:
    """The number in `KINDS` of a call or raise before the flop after so many raises."""
    return 2 * min(raises, 2) + int(raised)


@lru_cache(maxsize=1)
def class_features() -> NDArray[np.float64]:
    """``[169, features]`` of the classes of starting hands, in the order of a grid."""
    rows, columns = np.divmod(np.arange(169), 13)
    high, low = 1 - np.minimum(rows, columns) / 12, 1 - np.maximum(rows, columns) / 12
    pair, suited = (rows == columns).astype(float), (columns > rows).astype(float)
    other = 1 - pair
    found = np.stack(
        [
            pair,
            pair * high,
            pair * high**2,
            suited,
            suited * low,
            other * high,
            other * high**2,
            other * low,
            other * low**2,
            other * high * low,
            np.minimum(12 * (high - low), 5) / 5,
            other * (high == 1),
        ],
        axis=1,
    )
    found.setflags(write=False)
    return found


def strength_factor(counts: NDArray[np.floating[Any]] | NDArray[np.int64]) -> NDArray[np.float64]:
    """``[169]`` by how much likelier each class is than a model has it, up to a constant.

    ``counts`` has the number of actions of each kind that the player made before the flop, each perhaps times
    how far the player's own cards bear the factor out (`borne_out`).
    """
    return np.asarray(np.exp(class_features() @ (np.asarray(counts) @ WEIGHTS)))


def shown_factor(strength: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much likelier cards are to be shown by their strength on the final board, from 0 to 1."""
    return np.asarray(np.exp(SHOWN[0] * (strength - 0.5) + SHOWN[1] * (strength - 0.5) ** 2))


def borne_out(
    ranges: NDArray[np.float64], counts: NDArray[np.int64], classes: NDArray[np.int64]
) -> NDArray[np.float64]:
    """``[kinds]`` how far a player's own cards bear the factor of each kind out, from 0 to 1.

    For each of the player's hands that were shown: the model's range ``[n, 169]`` at the end of the hand, the
    actions of each kind ``[n, kinds]``, and the class that was shown ``[n]``. All of the factor, half of it
    and nothing of it are as likely beforehand; the answer is the mean afterwards. Without hands it is a half.
    """
    parts = np.array([0.0, 0.5, 1.0])
    scores = class_features() @ WEIGHTS.T  # [169, kinds]
    found = np.zeros(len(KINDS))
    for kind in range(len(KINDS)):
        mine = np.flatnonzero(counts[:, kind] > 0)
        rows = np.arange(mine.size)
        likelihood = []
        for part in parts:
            scale = np.ones(len(KINDS))
            scale[kind] = part
            weights = ranges[mine] * np.exp(counts[mine] * scale @ scores.T)
            likelihood.append(float(np.log(weights[rows, classes[mine]] / weights.sum(axis=1)).sum()))
        chance = np.exp(np.array(likelihood) - max(likelihood))
        found[kind] = float(chance @ parts / chance.sum())
    return found


WEIGHTS: NDArray[np.float64] = np.array(
    [
        (0.57, -1.99, 1.29, 0.61, -0.98, -0.66, 0.99, 1.35, -1.91, 0.22, -0.34, -0.17),
        (1.21, -1.38, 0.76, 0.34, -0.45, -1.90, 0.64, 0.23, 0.20, 1.55, 0.85, 0.14),
        (1.10, -1.69, 0.53, 0.86, -0.78, -0.43, -0.62, 0.08, 1.11, 0.40, 0.49, 0.12),
        (2.38, -0.72, -0.44, -0.76, 0.50, -1.56, 0.02, -0.53, 1.29, 1.90, 2.10, 0.41),
        (0.60, -1.25, 0.57, 0.26, -0.40, -1.32, 0.01, -0.03, 0.20, 0.95, 0.55, 0.04),
        (1.40, -0.58, 0.55, -0.89, 0.64, -0.51, 0.14, -0.25, 0.53, 0.55, 0.44, 0.71),
    ]
)
"""``[kinds, features]``; fitted to the cards of all players of a store but the 20 with the most hands."""

SHOWN = (1.37, -1.54)
"""Of the same fit: cards shown at the showdown are stronger than those that were not."""
