"""Suit isomorphism: the renamings of the suits, and for each board its canonical one.

No suit is better than another in hold'em, so boards that differ only in the names of the suits count as one.
`CARD_MAPS` and `HAND_MAPS` say what each of the 24 renamings makes of a card and of a hand.

Features and buckets are stored for each of the 1326 hands on one board per class of suit-isomorphic boards.
With the order of their cards ignored there are 1755 flops, 16432 turns and 134459 rivers. A real board is
found in three steps. Sort it, take its colexicographic rank

    rank(a < b < c < ...) = C(a, 1) + C(b, 2) + C(c, 3) + ...

and read the *entry* ``index << 5 | renaming`` at that rank. One more look-up renames a hand along with its
board.

Where the order of the board cards matters, the turn card is given by its *position* 0..3 in the sorted
canonical turn board.
"""

from dataclasses import dataclass
from functools import cache
from itertools import permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS
from soulread.cards.ranges import HAND_CARDS
from soulread.kernel import kernel

# The new suit of each suit, ``[24, 4]``.
SUIT_RENAMINGS: NDArray[np.int64] = np.array(list(permutations(range(4))))
CARD_MAPS: NDArray[np.int64] = np.array(
    [[(card & ~3) + suits[card & 3] for card in range(NUM_CARDS)] for suits in SUIT_RENAMINGS]
)  # [24, 52] the card after each renaming


def _hand_maps() -> NDArray[np.int64]:
    low, high = np.sort(CARD_MAPS[:, HAND_CARDS.astype(np.intp)], axis=2).transpose(2, 0, 1)
    hands: NDArray[np.int64] = high * (high - 1) // 2 + low
    return hands


HAND_MAPS = _hand_maps()  # [24, 1326] the hand after each renaming
for _array in (SUIT_RENAMINGS, CARD_MAPS, HAND_MAPS):
    _array.setflags(write=False)

NUM_FLOPS, NUM_TURNS, NUM_RIVERS = 1_755, 16_432, 134_459

_SHIFT = 5
_RENAMING = 2**_SHIFT - 1
_UNSEEN = 2**32 - 1


class BoardLookup(NamedTuple):
    """Tables for the kernels that find boards; about 12 MB."""

    flop: NDArray[np.uint32]  # [C(52, 3)] entries by rank
    turn: NDArray[np.uint32]  # [C(52, 4)]
    river: NDArray[np.uint32]  # [C(52, 5)]
    choose: NDArray[np.int64]  # [6, 52] C(card, k) at [k, card]
    card_map: NDArray[np.uint8]  # [24, 52] the card after a renaming
    hand_map: NDArray[np.uint16]  # [24, 1326] the hand after a renaming


@dataclass(frozen=True, eq=False)
class CanonicalBoards:
    """The canonical boards, in lexicographic order, and how many real boards each one stands for."""

    flops: NDArray[np.uint8]  # [1755, 3] ascending cards
    turns: NDArray[np.uint8]  # [16432, 4]
    rivers: NDArray[np.uint8]  # [134459, 5]
    flop_weights: NDArray[np.int64]  # [1755], they sum to C(52, 3)
    turn_weights: NDArray[np.int64]  # [16432]
    river_weights: NDArray[np.int64]  # [134459]
    lookup: BoardLookup


class Places(NamedTuple):
    """Where to find a dealt board on the flop, turn and river; see `find_board`."""

    flop: int  # canonical index
    flop_map: int  # renaming
    turn: int
    turn_map: int
    position: int  # of the turn card
    river: int
    river_map: int


@cache
def all_boards() -> CanonicalBoards:
    """Return the canonical boards and the look-up tables, built at the first call (0.2 s) and kept."""
    card_map, hand_map = CARD_MAPS.astype(np.uint8), HAND_MAPS.astype(np.uint16)
    back = np.argsort(SUIT_RENAMINGS, axis=1)  # [24, 4] the renaming that undoes each one
    opposite = (back[:, None] == SUIT_RENAMINGS).all(axis=2).argmax(axis=1).astype(np.uint32)
    choose = np.array([[comb(n, k) for n in range(NUM_CARDS)] for k in range(6)], dtype=np.int64)
    boards, weights, entries = [], [], []
    for num_cards, size in ((3, NUM_FLOPS), (4, NUM_TURNS), (5, NUM_RIVERS)):
        boards.append(np.empty((size, num_cards), dtype=np.uint8))
        weights.append(np.zeros(size, dtype=np.int64))
        entries.append(np.full(comb(NUM_CARDS, num_cards), _UNSEEN, dtype=np.uint32))
        _fill_entries(choose, card_map, opposite, boards[-1], weights[-1], entries[-1])
    arrays: list[NDArray[Any]] = [*boards, *weights, *entries, choose, card_map, hand_map]
    for array in arrays:
        array.flags.writeable = False
    lookup = BoardLookup(entries[0], entries[1], entries[2], choose, card_map, hand_map)
    return CanonicalBoards(boards[0], boards[1], boards[2], weights[0], weights[1], weights[2], lookup)


@kernel
def _fill_entries(
    choose: NDArray[np.int64],
    card_map: NDArray[np.uint8],
    opposite: NDArray[np.uint32],
    boards: NDArray[np.uint8],
    weights: NDArray[np.int64],
    entries: NDArray[np.uint32],
) -> None:
    """Walk all boards in lexicographic order; a board not yet seen is the canonical one of its class.

    It is renamed in all 24 ways. The entry of each board found that way is the renaming that leads back. The
    identity comes last, so that a canonical board leads to itself unchanged.
    """
    num_cards = boards.shape[1]
    board = np.arange(num_cards)
    renamed = np.empty(num_cards, dtype=np.int64)
    found = 0
    while True:
        rank = 0
        for j in range(num_cards):
            rank += choose[j + 1, board[j]]
        if entries[rank] == _UNSEEN:
            for k in range(len(card_map) - 1, -1, -1):
                for j in range(num_cards):
                    card = np.int64(card_map[k, board[j]])
                    i = j
                    while i > 0 and renamed[i - 1] > card:
                        renamed[i] = renamed[i - 1]
                        i -= 1
                    renamed[i] = card
                rank = 0
                for j in range(num_cards):
                    rank += choose[j + 1, renamed[j]]
                weights[found] += entries[rank] == _UNSEEN
                entries[rank] = found << _SHIFT | opposite[k]
            for j in range(num_cards):
                boards[found, j] = board[j]
            found += 1
        i = num_cards - 1
        while i >= 0 and board[i] == 52 - num_cards + i:
            i -= 1
        if i < 0:
            return
        board[i] += 1
        for j in range(i + 1, num_cards):
            board[j] = board[j - 1] + 1


@kernel
def entry_index(entry: int) -> int:
    """Canonical index of an entry."""
    return int(entry >> _SHIFT)


@kernel
def entry_renaming(entry: int) -> int:
    """Renaming 0..23 of an entry."""
    return int(entry & _RENAMING)


@kernel
def flop_entry(boards: BoardLookup, a: int, b: int, c: int) -> int:
    """Entry of three cards in any order."""
    a, b = min(a, b), max(a, b)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    n = boards.choose
    return int(np.int64(boards.flop[n[1, a] + n[2, b] + n[3, c]]))


@kernel
def turn_entry(boards: BoardLookup, a: int, b: int, c: int, d: int) -> int:
    """Entry of four cards in any order."""
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    n = boards.choose
    return int(np.int64(boards.turn[n[1, a] + n[2, b] + n[3, c] + n[4, d]]))


@kernel
def river_entry(boards: BoardLookup, a: int, b: int, c: int, d: int, e: int) -> int:
    """Entry of five cards in any order."""
    a, b = min(a, b), max(a, b)
    c, d = min(c, d), max(c, d)
    a, c = min(a, c), max(a, c)
    b, d = min(b, d), max(b, d)
    b, c = min(b, c), max(b, c)
    d, e = min(d, e), max(d, e)
    c, d = min(c, d), max(c, d)
    b, c = min(b, c), max(b, c)
    a, b = min(a, b), max(a, b)
    n = boards.choose
    return int(np.int64(boards.river[n[1, a] + n[2, b] + n[3, c] + n[4, d] + n[5, e]]))


@kernel
def turn_position(boards: BoardLookup, renaming: int, a: int, b: int, c: int, turn: int) -> int:
    """Position 0..3 of the turn card among the four cards of the canonical board."""
    card_map = boards.card_map[renaming]
    card = card_map[turn]
    return int(np.int64(card_map[a] < card) + np.int64(card_map[b] < card) + np.int64(card_map[c] < card))


@kernel
def find_board(boards: BoardLookup, a: int, b: int, c: int, turn: int, river: int) -> Places:
    """Find a board in all three rounds; its flop is ``a b c`` in any order."""
    flop = flop_entry(boards, a, b, c)
    four = turn_entry(boards, a, b, c, turn)
    five = river_entry(boards, a, b, c, turn, river)
    turn_map = entry_renaming(four)
    return Places(
        entry_index(flop),
        entry_renaming(flop),
        entry_index(four),
        turn_map,
        turn_position(boards, turn_map, a, b, c, turn),
        entry_index(five),
        entry_renaming(five),
    )
