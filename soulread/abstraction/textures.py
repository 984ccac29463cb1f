"""Classes of flops: the public part of an abstraction.

Both players see the board, yet a player who knows only how strong a holding is does not know what *the other
player's* holdings have become. An ace on the flop helps strong hole cards, a low pair helps nobody. Flops
are therefore put into classes by what they do to hole cards. A flop is described by

    m(c) = mean of E[HS^2] over the hands of kind c that do not share a card with the flop

for each of the 169 kinds of hole cards (`HAND_CELLS`), and flops are clustered by k-means. A kind counts as
much as it has hands, and a flop as often as it is dealt. All numbers are whole, so that every machine finds
the same classes.

`texture_of` puts a board of any street in words. It is coarser and needs no table.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.features import NONE
from soulread.cards.isomorphism import all_boards
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, NUM_HANDS

ITERATIONS = 100
RESTARTS = 10
SEED = 1


def texture_of(board: Sequence[int]) -> str:
    """A board of three to five cards in words: ``"two-tone, unpaired, connected"``.

    By suits: "monotone" if three cards or more share one, "two-tone" if two do, else "rainbow". "paired" if a
    rank comes twice. "connected" if three ranks lie within five, so that somebody may have a straight.
    """
    most = max(Counter(card & 3 for card in board).values())
    suits = "monotone" if most >= 3 else "two-tone" if most == 2 else "rainbow"
    ranks = {card >> 2 for card in board}
    pairs = "unpaired" if len(ranks) == len(board) else "paired"
    low_ace = ranks | ({-1} if 12 in ranks else set())
    straight = any(sum(low <= rank < low + 5 for rank in low_ace) >= 3 for low in range(-1, 9))
    return f"{suits}, {pairs}, {'connected' if straight else 'unconnected'}"


def flop_classes(values: NDArray[np.uint16], count: int) -> NDArray[np.uint8]:
    """The class 0..count - 1 of each canonical flop ``[1755]``, by a feature of hands on flops [1755, 1326].

    Class 0 has the lowest means: the flops that help the fewest hands.
    """
    points = describe_flops(values)
    return cluster_points(points, all_boards().flop_weights, CELL_SIZES, count).astype(np.uint8)


def describe_flops(values: NDArray[np.uint16]) -> NDArray[np.int64]:
    """The means m ``[flops, 169]`` of the module docstring, in the units of ``values`` and rounded down."""
    sums, sizes = (np.zeros((len(values), CELL_SIZES.size), dtype=np.int64) for _ in range(2))
    alive = values != NONE
    for hand in range(NUM_HANDS):
        sums[:, HAND_CELLS[hand]] += np.where(alive[:, hand], values[:, hand], 0)
        sizes[:, HAND_CELLS[hand]] += alive[:, hand]
    # On a flop with three cards of one rank nobody has the pair of that rank: it counts as the mean hand.
    mean = sums.sum(axis=1) // sizes.sum(axis=1)
    return np.where(sizes > 0, sums // np.maximum(sizes, 1), mean[:, None])


def cluster_points(
    points: NDArray[np.int64], weights: NDArray[np.int64], scale: NDArray[np.int64], count: int
) -> NDArray[np.int64]:
    """The cluster 0..count - 1 of each point ``[n, d]`` by k-means, with weights ``[n]`` and ``[d]``.

    The best of several starts is taken. Clusters are numbered by the mean of their centres, lowest first.
    """
    rng = np.random.default_rng(SEED)
    best, found = -1, np.zeros(len(points), dtype=np.int64)
    for _ in range(RESTARTS if count > 1 else 0):
        centres = points[_spread(points, weights, scale, count, rng)]
        nearest = np.full(len(points), -1)
        for _ in range(ITERATIONS):
            distances = np.stack([((points - centre) ** 2 * scale).sum(axis=1) for centre in centres], axis=1)
            moved = distances.argmin(axis=1)
            if np.array_equal(moved, nearest):
                break
            nearest = moved
            for k in range(count):
                mine = nearest == k
                if mine.any():
                    centres[k] = (points[mine] * weights[mine, None]).sum(axis=0) // weights[mine].sum()
        cost = int((distances.min(axis=1) // len(points) * weights).sum())
        if best < 0 or cost < best:
            rank = np.argsort(np.argsort((centres * scale).sum(axis=1), kind="stable"))
            best, found = cost, rank[nearest]
    return found


def _spread(
    points: NDArray[np.int64],
    weights: NDArray[np.int64],
    scale: NDArray[np.int64],
    count: int,
    rng: np.random.Generator,
) -> NDArray[np.int64]:
    """Points to start from, far from each other (k-means++, Arthur and Vassilvitskii, SODA 2007)."""
    chosen = []
    chances = weights.astype(np.float64)
    closest = np.full(len(points), np.iinfo(np.int64).max)
    for _ in range(count):
        ends = np.cumsum(chances)
        index = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        chosen.append(index)
        closest = np.minimum(closest, ((points - points[index]) ** 2 * scale).sum(axis=1))
        chances = closest.astype(np.float64) * weights
    return np.array(chosen)
