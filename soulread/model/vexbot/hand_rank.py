"""Hand rank: the place of a holding among all holdings on a complete board, from 0 to 1.

Of n holdings that share no card with the board, let a holding beat ``below`` and tie with ``equal`` (itself
included). It covers the places from below / n to (below + equal) / n, and its hand rank HR is their middle.
So the best holding has nearly 1. Holdings of one value share a place, as if each beat half of the others.

In hold'em the 1081 holdings of a board need not be looked at one by one. Without a flush a holding's value
depends on its two ranks alone, and there are 91 pairs of ranks. Where the board has three cards of a suit or
more, each pair falls into four parts, by which of the two cards has that suit. Where it has not, the counts
depend on the ranks of the board alone, and are kept for the next board with the same ranks.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.evaluate import KEY_BITS, NUM_RANKS, Tables, plain_value, tables, value_of
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.seqform.holdings import DEAD, HoldemTable, hand_table

_FLUSH_DRAW = 3  # board cards of a suit with which two more make a flush
_KEPT = 1024  # boards without a flush whose counts are kept; a power of two


class HandRank(NamedTuple):
    """The places that a holding covers among all holdings, within 0 and 1."""

    low: float
    high: float

    @property
    def rank(self) -> float:
        """The hand rank."""
        return (self.low + self.high) / 2


def place_of(game: PokerGame, hole: Sequence[int], board: Sequence[int]) -> HandRank:
    """The place of a holding on a complete board."""
    if len(board) != sum(game.rules.board_cards):
        raise SoulreadError(
            f"{len(board)} board cards; in {game.name!r} a complete board has {sum(game.rules.board_cards)}"
        )
    boards = np.array([board], dtype=np.uint8).reshape(1, -1)
    below, equal, count = _counts(game, hole, boards)[0].tolist()
    if not equal:
        raise SoulreadError(f"the cards {tuple(hole)!r} clash with the board {tuple(board)!r}")
    return HandRank(below / count, (below + equal) / count)


def ranks_on(game: PokerGame, hole: Sequence[int], boards: NDArray[np.uint8]) -> NDArray[np.float64]:
    """``[boards]`` the hand rank of a holding on complete boards ``[boards, cards]`` without its cards."""
    below, equal, count = _counts(game, hole, boards).T
    ranks: NDArray[np.float64] = (below + equal / 2) / count
    return ranks


def _counts(game: PokerGame, hole: Sequence[int], boards: NDArray[np.uint8]) -> NDArray[np.int64]:
    """``[boards, 3]``: holdings that a holding beats and that it ties with, and how many there are."""
    table = hand_table(game)
    counts = np.zeros((len(boards), 3), dtype=np.int64)
    if isinstance(table, HoldemTable):
        _count_by_ranks(tables(), np.array(hole, dtype=np.int64), boards, counts)
        return counts
    rng = np.random.default_rng(0)  # not used: the boards are complete
    own = table.index(hole)
    for row, board in zip(counts, boards.tolist(), strict=True):
        values = table.values(board, 1, rng)[0]
        alive = values != DEAD
        if alive[own]:
            row[:2] = (values[alive] < values[own]).sum(), (values == values[own]).sum()
        row[2] = alive.sum()
    return counts


@kernel
def _count_by_ranks(
    tables: Tables, hole: NDArray[np.int64], boards: NDArray[np.uint8], counts: NDArray[np.int64]
) -> None:
    """Hold'em: see the top of the module."""
    left = np.empty(NUM_RANKS, dtype=np.int64)  # cards of each rank that are not on the board
    suited = np.empty(NUM_RANKS, dtype=np.int64)  # of these, the one of the flush's suit: 0 or 1
    num_suited = np.empty(4, dtype=np.int64)
    kept_key = np.full(_KEPT, -1, dtype=np.int64)
    kept_board = np.empty(_KEPT, dtype=np.int64)
    for i in range(len(boards)):
        left[:] = 4
        num_suited[:] = 0
        word = mask = np.int64(0)
        clash = False
        for card in boards[i]:
            word += tables.words[card]
            mask += tables.masks[card]
            left[card >> 2] -= 1
            num_suited[card & 3] += 1
            clash |= card == hole[0] or card == hole[1]
        mine = np.int64(-1)
        if not clash:
            mine = value_of(
                tables,
                word + tables.words[hole[0]] + tables.words[hole[1]],
                mask + tables.masks[hole[0]] + tables.masks[hole[1]],
            )
        suit = np.argmax(num_suited)
        flush = num_suited[suit] >= _FLUSH_DRAW
        key = word & ((1 << KEY_BITS) - 1)  # of the ranks on the board
        place = (key ^ (key >> 10)) & (_KEPT - 1)
        if not flush and not clash:
            if kept_key[place] == key:
                counts[i] = counts[kept_board[place]]
                continue
            kept_key[place], kept_board[place] = key, i
        ranks = (mask >> (16 * suit)) & ((1 << NUM_RANKS) - 1)  # of the flush's suit, on the board
        for rank in range(NUM_RANKS):
            suited[rank] = 1 - ((ranks >> rank) & 1) if flush else 0
        below = equal = alive = np.int64(0)
        for a in range(NUM_RANKS):
            for b in range(a + 1):
                plain = plain_value(tables, word + tables.words[4 * a] + tables.words[4 * b])
                for part in range(4 if flush else 1):  # bit 0: the first card has the suit, bit 1: the second
                    with_a, with_b = part & 1, part >> 1
                    first = suited[a] if with_a else left[a] - suited[a]
                    second = suited[b] if with_b else left[b] - suited[b]
                    number = first * second
                    if a == b:
                        if part == 0:
                            number = first * (first - 1) // 2
                        elif part != 1:
                            number = 0  # counted with the parts exchanged, or two cards of one suit and rank
                    if number == 0:
                        continue
                    value = plain
                    if flush and num_suited[suit] + with_a + with_b >= 5:
                        value = np.int64(tables.flushes[ranks | (with_a << a) | (with_b << b)])
                    alive += number
                    below += number * (value < mine)
                    equal += number * (value == mine)
        counts[i, 0], counts[i, 1], counts[i, 2] = below, equal, alive
