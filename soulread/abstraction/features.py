"""How strong a holding is: exact E[HS] and E[HS^2] of every hand on every board.

On the river HS = (wins + ties / 2) / 990, over the 990 hands that villain may have. It is kept in units of
1/1980 and is therefore exact. Before the river a holding is described by the mean of HS, or of its square,
over all ways to complete the board:

    E[HS^2](hole, board) = mean over complete boards of HS(hole, complete board)^2

The square rewards hands that may become very strong (M. Johanson, "Robust strategies and
counter-strategies", 2007). All sums are whole numbers. Only the results are rounded, to units of 1/65534.
`NONE` stands for a hand that holds a card of the board.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.workers import Progress, pieces_of, run_pieces
from soulread.cards.isomorphism import (
    NUM_FLOPS,
    NUM_RIVERS,
    NUM_TURNS,
    BoardLookup,
    all_boards,
    entry_index,
    entry_renaming,
    flop_entry,
    river_entry,
    turn_entry,
)
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS
from soulread.cards.strength import DEAD, RankedBoard, rank_board, ranked_board
from soulread.kernel import kernel

STRENGTH_UNIT = 1980  # river strengths are multiples of 1/1980
FEATURE_UNIT = 65534  # E[HS] and E[HS^2] are rounded to multiples of 1/65534
NONE = 65535

LIVE_HANDS = 1081  # hands without a card of a river board
_RIVERS_OF_TURN = 46  # river cards that are possible to a player on the turn; below, turn cards on the flop
_TURNS_OF_FLOP = 47
_FLOPS_OF_HAND = 19_600


@dataclass(frozen=True, eq=False)
class Features:
    """E[HS] and E[HS^2] by canonical board and hand, in units of 1/65534; HS on the river in 1/1980."""

    hole_hs: NDArray[np.uint16]  # [1326]
    hole_hs2: NDArray[np.uint16]  # [1326]
    flop_hs: NDArray[np.uint16]  # [1755, 1326]
    flop_hs2: NDArray[np.uint16]  # [1755, 1326]
    turn_hs: NDArray[np.uint16]  # [16432, 1326]
    turn_hs2: NDArray[np.uint16]  # [16432, 1326]
    river: NDArray[np.uint16]  # [134459, 1326]


def build_features(progress: Progress | None = None) -> Features:
    """Compute all features: takes a few seconds on two cores, 0.8 GB at the peak, and keeps 0.45 GB."""
    boards = all_boards()
    river = np.empty((NUM_RIVERS, NUM_HANDS), dtype=np.uint16)

    def add_rivers(rows: slice, ranked: RankedBoard) -> None:
        _river_strengths(boards.rivers[rows], ranked, river[rows])

    run_pieces(pieces_of(NUM_RIVERS, 64), add_rivers, ranked_board, "river strengths", progress)

    turn = np.zeros((2, NUM_TURNS, NUM_HANDS), dtype=np.uint32)
    turn_hs, turn_hs2 = (np.empty((NUM_TURNS, NUM_HANDS), dtype=np.uint16) for _ in range(2))

    def add_turns(rows: slice, _: None) -> None:
        _sum_rivers(boards.lookup, boards.turns[rows], river, turn[0, rows], turn[1, rows])
        for k, out in enumerate((turn_hs, turn_hs2)):
            unit = float(_RIVERS_OF_TURN * STRENGTH_UNIT ** (k + 1))
            _round_means(HAND_CARDS, boards.turns[rows], turn[k, rows], unit, out[rows])

    run_pieces(pieces_of(NUM_TURNS, 64), add_turns, lambda: None, "turn features", progress)

    flop = np.zeros((2, NUM_FLOPS, NUM_HANDS), dtype=np.int64)
    flop_hs, flop_hs2 = (np.empty((NUM_FLOPS, NUM_HANDS), dtype=np.uint16) for _ in range(2))
    hole = np.zeros((2, 1, NUM_HANDS), dtype=np.int64)
    hole_hs, hole_hs2 = (np.empty((1, NUM_HANDS), dtype=np.uint16) for _ in range(2))
    no_board = np.empty((1, 0), dtype=np.uint8)
    for k, flop_out, hole_out in ((0, flop_hs, hole_hs), (1, flop_hs2, hole_hs2)):
        unit = float(_TURNS_OF_FLOP * _RIVERS_OF_TURN * STRENGTH_UNIT ** (k + 1))
        _sum_turns(boards.lookup, boards.flops, turn[k], flop[k])
        _sum_flops(boards.lookup, flop[k], hole[k, 0])
        _round_means(HAND_CARDS, boards.flops, flop[k], unit, flop_out)
        _round_means(HAND_CARDS, no_board, hole[k], unit * _FLOPS_OF_HAND, hole_out)
    built = Features(hole_hs[0], hole_hs2[0], flop_hs, flop_hs2, turn_hs, turn_hs2, river)
    for array in vars(built).values():
        array.flags.writeable = False
    return built


# Kernels ------------------------------------------------------------------------------------------


@kernel
def _river_strengths(boards: NDArray[np.uint8], ranked: RankedBoard, out: NDArray[np.uint16]) -> None:
    """Fill ``out`` with twice the wins plus the ties of each hand."""
    for i in range(len(boards)):
        rank_board(boards[i], ranked)
        for h in range(out.shape[1]):
            out[i, h] = ranked.twice[h] if ranked.values[h] != DEAD else NONE


@kernel
def _sum_rivers(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    river: NDArray[np.uint16],
    sums: NDArray[np.uint32],
    squares: NDArray[np.uint32],
) -> None:
    """Sum river strengths, and their squares, over the river cards; 46 * 1980^2 < 2^32 fits."""
    for i in range(len(boards)):
        a, b, c, d = boards[i]
        for card in range(52):
            if card in (a, b, c, d):
                continue
            entry = river_entry(lookup, a, b, c, d, card)
            row = river[entry_index(entry)]
            hand_map = lookup.hand_map[entry_renaming(entry)]
            for h in range(hand_map.size):
                strength = np.uint32(row[hand_map[h]])
                if strength == NONE:
                    strength = np.uint32(0)
                sums[i, h] += strength
                squares[i, h] += strength * strength


@kernel
def _sum_turns(
    lookup: BoardLookup, boards: NDArray[np.uint8], turn: NDArray[np.uint32], sums: NDArray[np.int64]
) -> None:
    """Sum over the turn cards; a hand that holds a card of the turn board adds 0 there."""
    for i in range(len(boards)):
        a, b, c = boards[i]
        for card in range(52):
            if card in (a, b, c):
                continue
            entry = turn_entry(lookup, a, b, c, card)
            row = turn[entry_index(entry)]
            hand_map = lookup.hand_map[entry_renaming(entry)]
            for h in range(hand_map.size):
                sums[i, h] += row[hand_map[h]]


@kernel
def _sum_flops(lookup: BoardLookup, flop: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
    """Sum over all real flops."""
    for c in range(52):
        for b in range(c):
            for a in range(b):
                entry = flop_entry(lookup, a, b, c)
                row = flop[entry_index(entry)]
                hand_map = lookup.hand_map[entry_renaming(entry)]
                for h in range(hand_map.size):
                    sums[h] += row[hand_map[h]]


@kernel
def _round_means(
    hand_cards: NDArray[np.uint8],
    boards: NDArray[np.uint8],
    sums: NDArray[np.integer],
    unit: float,
    out: NDArray[np.uint16],
) -> None:
    """Divide sums by ``unit`` and round to 1/65534; `NONE` for a hand that holds a card of the board."""
    for i in range(len(boards)):
        dead = np.int64(0)
        for card in boards[i]:
            dead |= np.int64(1) << np.int64(card)
        for h in range(len(hand_cards)):
            a, b = np.int64(hand_cards[h, 0]), np.int64(hand_cards[h, 1])
            if (dead >> a | dead >> b) & 1:
                out[i, h] = NONE
            else:
                out[i, h] = np.uint16(float(sums[i, h]) * FEATURE_UNIT / unit + 0.5)
