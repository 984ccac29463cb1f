"""Hand rank: the place of a holding among all holdings on a complete board, from 0 to 1.

Of n holdings that share no card with the board, let a holding beat ``below`` and tie with ``equal`` (itself
included). It covers the places from below / n to (below + equal) / n, and its hand rank HR is their middle.
So the best holding has nearly 1, and holdings of one value share a place: whoever holds one of them beats
half of the others.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.seqform.holdings import DEAD, HandTable, HoldemTable, hand_table, values_on

_CHUNK = 2048  # boards at a time, so that memory stays small


class Place(NamedTuple):
    """The places that a holding covers among all holdings, within 0 and 1."""

    low: float
    high: float

    @property
    def rank(self) -> float:
        """The hand rank."""
        return (self.low + self.high) / 2


def place_of(game: PokerGame, hole: Sequence[int], board: Sequence[int]) -> Place:
    """The place of a holding on a complete board."""
    if len(board) != sum(game.rules.board_cards):
        raise SoulreadError(
            f"{len(board)} board cards; in {game.name!r} a complete board has {sum(game.rules.board_cards)}"
        )
    table = hand_table(game)
    boards = np.array([board], dtype=np.uint8).reshape(1, -1)
    below, equal, count = _counts(_values(table, boards), table.index(hole))[0].tolist()
    if not equal:
        raise SoulreadError(f"the cards {tuple(hole)!r} clash with the board {tuple(board)!r}")
    return Place(below / count, (below + equal) / count)


def ranks_on(game: PokerGame, hole: Sequence[int], boards: NDArray[np.uint8]) -> NDArray[np.float64]:
    """``[boards]`` the hand rank of a holding on complete boards ``[boards, cards]`` without its cards."""
    table = hand_table(game)
    own = table.index(hole)
    ranks = np.empty(len(boards))
    for first in range(0, len(boards), _CHUNK):
        below, equal, count = _counts(_values(table, boards[first : first + _CHUNK]), own).T
        ranks[first : first + _CHUNK] = (below + equal / 2) / count
    return ranks


def _values(table: HandTable, boards: NDArray[np.uint8]) -> NDArray[np.int16]:
    """``[boards, H]`` values of all holdings; -1 for those that share a card with the board."""
    if isinstance(table, HoldemTable):
        return values_on(boards)
    rng = np.random.default_rng(0)  # not used: the boards are complete
    return np.concatenate([table.values(board, 1, rng) for board in boards.tolist()])


def _counts(values: NDArray[np.int16], own: int) -> NDArray[np.int64]:
    """``[boards, 3]``: holdings that a holding beats and that it ties with, and how many there are."""
    counts = np.zeros((len(values), 3), dtype=np.int64)
    _fill_counts(values, own, counts)
    return counts


@kernel
def _fill_counts(values: NDArray[np.int16], own: int, counts: NDArray[np.int64]) -> None:
    for i in range(len(values)):
        mine = values[i, own]
        below = equal = alive = 0
        for h in range(values.shape[1]):
            value = values[i, h]
            if value != DEAD:
                alive += 1
                below += value < mine
                equal += value == mine
        counts[i, 0], counts[i, 1], counts[i, 2] = below, equal if mine != DEAD else 0, alive
