"""Boards to come: the deals of chance in the rest of a hand, round by round, as the search walks it.

A *runout* lists boards for the present round and each later one. The first round has the board that lies.
*Deals* are the matrices of the chances with which boards of one round lead to those of the next. Boards that
amount to the same may be merged, so a later board may come of several earlier ones.
"""

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.games.poker import PokerGame
from soulread.seqform.treeplex import Ints

ALL = 0  # in place of a number of deals: every one of them


class Deals(NamedTuple):
    """How many boards each round has, and the chances of the deals between them."""

    sizes: tuple[int, ...]  # [rounds] number of boards; 0 in rounds that are over
    chances: tuple[NDArray[np.float64], ...]  # [rounds - 1] of [boards of the round, boards of the next]


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
        more, source = _deals(game, hole, boards[-1], size, counts[later] if counts else ALL, rng)
        boards.append(np.concatenate([boards[-1][source], more], axis=1))
        parents.append(source)
        chances.append(1 / np.bincount(source)[source])
    return Runout(round, tuple(boards), tuple(parents), tuple(chances))


def _deals(
    game: PokerGame,
    hole: Sequence[int],
    boards: NDArray[np.uint8],
    size: int,
    count: int,
    rng: np.random.Generator | None,
) -> tuple[NDArray[np.uint8], Ints]:
    """``[deals, size]`` cards, all or ``count`` random ones, and ``[deals]`` the boards they come after."""
    deck = np.array(game.rules.deck, dtype=np.uint8)
    free = ~np.isin(deck, hole) & (boards[:, :, None] != deck).all(axis=1)  # [boards, deck]
    left = int(free[0].sum())
    if rng is None or not 0 < count < comb(left, size):
        if size == 1:
            source, place = np.nonzero(free)
            return deck[place][:, None], source.astype(np.int32)
        choices = np.array(list(combinations(range(left), size)), dtype=np.intp)
        rows = [deck[row][choices] for row in free]
    else:
        rows = [_drawn(deck[row], size, count, rng) for row in free]
    return np.concatenate(rows), np.repeat(np.arange(len(boards), dtype=np.int32), len(rows[0]))


def _drawn(left: NDArray[np.uint8], size: int, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """``[count, size]`` random deals from the cards left; single cards are all different."""
    if size == 1:
        return rng.permutation(left)[:count, None]
    return np.stack([rng.permutation(left)[:size] for _ in range(count)])


def deals(runout: Runout, num_rounds: int, merged: Ints | None = None) -> Deals:
    """The deals of a runout; ``merged`` has other numbers for the boards of the last round."""
    sizes = [0] * num_rounds
    sizes[runout.round] = 1
    chances: list[NDArray[np.float64]] = [np.zeros((0, 0))] * (num_rounds - 1)
    last = len(runout.boards) - 1
    for k in range(1, last + 1):
        target = np.arange(len(runout.boards[k])) if merged is None or k < last else merged
        before, after = len(runout.boards[k - 1]), int(target.max()) + 1
        places = runout.parents[k].astype(np.int64) * after + target
        found = np.bincount(places, weights=runout.chances[k], minlength=before * after)
        chances[runout.round + k - 1] = found.astype(np.float64).reshape(before, after)
        sizes[runout.round + k] = after
    return Deals(tuple(sizes), tuple(chances))
