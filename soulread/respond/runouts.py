"""Boards to come: what chance may deal in the rest of a hand, round by round, as the search walks it.

A *runout* lists boards for the present round and each later one. The first round has the board that lies. A
*link* leads from a board to one of the next round and carries the chance of that deal. Boards that amount to
the same may be merged, so a later board may have links from several earlier ones.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerGame
from soulread.seqform.treeplex import Ints

ALL = 0  # in place of a number of deals: every one of them


class Links(NamedTuple):
    """Links of all rounds, for kernels. Board b of round r has those of place ``start[r] + b``."""

    sizes: Ints  # [rounds] number of boards; 0 in rounds that are over
    start: Ints  # [rounds]
    first: Ints  # [places + 1] first link of each place
    board: Ints  # [links] the board of the next round
    chance: NDArray[np.float64]  # [links]


class Runout(NamedTuple):
    """Boards of the present round and the later ones, and the links between them."""

    round: int
    boards: tuple[NDArray[np.uint8], ...]  # [rounds from the present one] of [B, cards]
    parents: tuple[Ints, ...]  # [rounds from the present one] of [B] the board each one came from
    chances: tuple[NDArray[np.float64], ...]  # likewise: the chance of the deal


def deal_out(
    game: PokerGame,
    hole: Sequence[int],
    board: Sequence[int],
    counts: Sequence[int] = (),
    rng: np.random.Generator | None = None,
) -> Runout:
    """The boards that may follow ``board`` if ``hole`` is held and nothing is known of other cards.

    ``counts`` has, for each later round, how many deals are drawn with ``rng`` after each board; `ALL` and
    numbers at least as large as that of all deals mean every deal. Without it all are listed.
    """
    sizes = game.rules.board_cards
    round = int(np.flatnonzero(np.cumsum(sizes) == len(board))[-1])
    boards = [np.array(board, dtype=np.uint8).reshape(1, -1)]
    parents, chances = [np.zeros(1, dtype=np.int32)], [np.ones(1)]
    for later, size in enumerate(sizes[round + 1 :]):
        rows, origin, weights = [], [], []
        for number, before in enumerate(boards[-1].tolist()):
            left = np.array([c for c in game.rules.deck if c not in before and c not in hole], dtype=np.uint8)
            deals = _deals(left, size, counts[later] if counts else ALL, rng)
            rows.append(np.concatenate([np.tile(boards[-1][number], (len(deals), 1)), deals], axis=1))
            origin.append(np.full(len(deals), number, dtype=np.int32))
            weights.append(np.full(len(deals), 1 / len(deals)))
        boards.append(np.concatenate(rows))
        parents.append(np.concatenate(origin))
        chances.append(np.concatenate(weights))
    return Runout(round, tuple(boards), tuple(parents), tuple(chances))


def _deals(
    left: NDArray[np.uint8], size: int, count: int, rng: np.random.Generator | None
) -> NDArray[np.uint8]:
    """``[deals, size]``: all deals from the cards left, or ``count`` random ones."""
    if size == 1 and count == ALL:
        return left[:, None]
    if rng is not None and 0 < count < _number(left.size, size):
        if size == 1:
            return rng.permutation(left)[:count, None]
        return np.stack([rng.permutation(left)[:size] for _ in range(count)])
    return left[np.array(list(combinations(range(left.size), size)), dtype=np.intp)]


def _number(cards: int, size: int) -> int:
    number = 1
    for k in range(size):
        number = number * (cards - k) // (k + 1)
    return number


def links(runout: Runout, num_rounds: int, merged: Ints | None = None) -> Links:
    """The links of a runout; ``merged`` has numbers that boards of the last round have in place of their own.

    Several links from one board to boards that are merged become one.
    """
    sizes, start = np.zeros(num_rounds, dtype=np.int32), np.zeros(num_rounds, dtype=np.int32)
    first = [np.zeros(1, dtype=np.int64)]
    boards, chances = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    places = made = 0
    last = len(runout.boards) - 1
    sizes[runout.round] = 1
    for k in range(last):
        source, chance = runout.parents[k + 1].astype(np.int64), runout.chances[k + 1]
        target = np.arange(len(source), dtype=np.int64)
        if merged is not None and k + 1 == last:
            number = int(merged.max()) + 1
            pairs, of_pair = np.unique(source * number + merged, return_inverse=True)
            chance = np.bincount(of_pair.ravel(), weights=chance).astype(np.float64)
            source, target = pairs // number, pairs % number
        before = len(runout.boards[k])
        start[runout.round + k], places = places, places + before
        first.append(made + np.cumsum(np.bincount(source, minlength=before)))  # sources ascend
        made += len(source)
        boards.append(target)
        chances.append(chance)
        sizes[runout.round + k + 1] = int(target.max()) + 1
    return Links(
        sizes,
        start,
        np.concatenate(first).astype(np.int32),
        np.concatenate(boards).astype(np.int32),
        np.concatenate(chances),
    )
