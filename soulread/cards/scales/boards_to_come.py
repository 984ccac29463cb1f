"""How good every holding will be on boards that are still to come, for simulations of limit hold'em.

A holding's value on a board has two parts (`soulread.cards.strength`): HS, the share of all other holdings it
beats now, and PPot, the chance to come from behind. Against n live opponents the value is

    EHS = HS^n + (1 - HS^n) PPot

HS is exact on every board. PPot of the board that lies on the table is exact too. On boards to come it
would take 14 ms each, so there it is estimated from the gain of HS with the next card:

    PPot ~ GROSS * E[max(0, HS then - HS now)] / (1 - HS now)

over all next cards. This counts the net gain against all holdings at once, while PPot counts every single
holding that is overtaken. `GROSS` makes up for that on average; it was measured.

From the flop on, rows of values are made when a play-out first needs them and kept for the flop
(`FlopRows`): all 1176 rivers take about 40 ms. Before the flop there are too many boards. A `BoardPool` is
dealt once and kept on disk. Play-outs draw from it, with suits exchanged at random, so that each board stands
for 24.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import hand_of
from soulread.cards.deck import NUM_CARDS
from soulread.cards.isomorphism import HAND_MAPS
from soulread.cards.ranges import NUM_HANDS
from soulread.cards.scales.values import strengths
from soulread.cards.strength import DEAD, RankedBoard, rank_board, ranked_board
from soulread.kernel import kernel
from soulread.storage.cache import Recipe, load_or_build
from soulread.streams import stream

GROSS = 1.05  # by least squares over all holdings on 12 turns; EHS is then off by .009 (root mean square)
POOL_BOARDS = 1024
_KEPT_FLOPS = 2  # 8 MB each


@lru_cache(maxsize=1)
def room() -> RankedBoard:
    """Work space of `fill_row`; one for all, because kernels run one at a time."""
    return ranked_board()


@kernel
def fill_row(board: NDArray[np.int64], room: RankedBoard, row: NDArray[np.float32]) -> None:
    """HS of every holding on a board of 3 to 5 cards, against even weights; 0 where the two share a card."""
    rank_board(board, room)
    others = 52 - board.size - 2
    share = 1.0 / (others * (others - 1))  # of half a holding
    for i in range(row.size):
        row[i] = room.twice[i] * share if room.values[i] != DEAD else 0.0


class FlopRows(NamedTuple):
    """Values of all holdings on the turns and rivers of one flop; rows that are not made yet are garbage."""

    flop: NDArray[np.int64]  # [3]
    turn_hs: NDArray[np.float32]  # [52, 1326] by the card of the turn
    turn_ppot: NDArray[np.float32]  # [52, 1326]
    river_hs: NDArray[np.float32]  # [1326, 1326] by the two cards of turn and river, as a holding is numbered
    turn_made: NDArray[np.bool_]  # [52]
    river_made: NDArray[np.bool_]  # [1326]


@lru_cache(maxsize=_KEPT_FLOPS)
def flop_rows(flop: tuple[int, int, int]) -> FlopRows:
    """The rows of a flop, none of them made yet. They depend on the flop alone, so players share them."""
    return FlopRows(
        np.array(flop, np.int64),
        np.empty((NUM_CARDS, NUM_HANDS), np.float32),
        np.empty((NUM_CARDS, NUM_HANDS), np.float32),
        np.empty((NUM_HANDS, NUM_HANDS), np.float32),
        np.zeros(NUM_CARDS, np.bool_),
        np.zeros(NUM_HANDS, np.bool_),
    )


@kernel
def make_river(rows: FlopRows, turn: int, river: int, room: RankedBoard) -> int:
    """Make the row of a river unless it is there; return the number of rows made, 0 or 1."""
    index = hand_of(turn, river)
    if rows.river_made[index]:
        return 0
    board = np.empty(5, np.int64)
    board[:3] = rows.flop
    board[3], board[4] = turn, river
    fill_row(board, room, rows.river_hs[index])
    rows.river_made[index] = True
    return 1


@kernel
def make_turn(rows: FlopRows, turn: int, room: RankedBoard) -> int:
    """Make both rows of a turn, and those of all its rivers; return the number of rows made."""
    if rows.turn_made[turn]:
        return 0
    board = np.empty(4, np.int64)
    board[:3] = rows.flop
    board[3] = turn
    now, gain = rows.turn_hs[turn], rows.turn_ppot[turn]
    fill_row(board, room, now)
    gain[:] = 0.0
    made = 1
    for river in range(52):
        if river != turn and river != rows.flop[0] and river != rows.flop[1] and river != rows.flop[2]:
            made += make_river(rows, turn, river, room)
            add_gain(now, rows.river_hs[hand_of(turn, river)], gain)
    gain_to_potential(now, gain, 52 - 4 - 2)
    rows.turn_made[turn] = True
    return made


@kernel
def add_gain(now: NDArray[np.float32], then: NDArray[np.float32], gain: NDArray[np.float32]) -> None:
    """Add the gain of each holding with a card; it is 0 for a holding that has the card (``then`` is 0)."""
    for i in range(now.size):
        gain[i] += max(np.float32(0.0), then[i] - now[i])


@kernel
def gain_to_potential(now: NDArray[np.float32], gain: NDArray[np.float32], cards: int) -> None:
    """PPot from gains that were added up over ``cards`` next cards, in place."""
    for i in range(now.size):
        gain[i] = min(1.0, GROSS * gain[i] / cards / max(1e-6, 1 - now[i]))


class BoardPool(NamedTuple):
    """Boards for play-outs that begin before the flop, with the values of all holdings on them."""

    boards: NDArray[np.int64]  # [boards, 5]
    masks: NDArray[np.int64]  # [boards]
    hs: NDArray[np.float32]  # [boards, 3, 1326] on flop, turn and river
    ppot: NDArray[np.float32]  # [boards, 2, 1326] on flop and turn
    images: NDArray[np.int64]  # [24, 1326] each holding with its suits exchanged


@lru_cache(maxsize=1)
def pool(boards: int = POOL_BOARDS) -> BoardPool:
    """The pool of boards, made in a few seconds at the first call and kept on disk."""
    recipe = Recipe("boards of play-outs", {"boards": boards, "gross": str(GROSS), "version": 1})
    kept = load_or_build(recipe, lambda: _deal_pool(boards)).arrays
    cards, hs, ppot = (np.asarray(kept[name]) for name in ("boards", "hs", "ppot"))
    return BoardPool(cards, (np.int64(1) << cards).sum(axis=1), hs, ppot, HAND_MAPS)


def _deal_pool(boards: int) -> dict[str, NDArray[np.generic]]:
    rng = stream(0, "boards of play-outs")
    cards = np.array([rng.permutation(NUM_CARDS)[:5] for _ in range(boards)], np.int64)
    hs = np.empty((boards, 3, NUM_HANDS), np.float32)
    ppot = np.zeros((boards, 2, NUM_HANDS), np.float32)
    _fill_pool(cards, room(), hs, ppot)
    return {"boards": cards, "hs": hs, "ppot": ppot}


@kernel
def _fill_pool(
    boards: NDArray[np.int64], room: RankedBoard, hs: NDArray[np.float32], ppot: NDArray[np.float32]
) -> None:
    row = np.empty(hs.shape[2], np.float32)
    longer = np.empty(5, np.int64)
    for b in range(boards.shape[0]):
        for street in range(3):
            known = 3 + street
            board = boards[b, :known]
            fill_row(board, room, hs[b, street])
            if street == 2:
                continue
            longer[:known] = board
            for card in range(52):
                if not (board == card).any():
                    longer[known] = card
                    fill_row(longer[: known + 1], room, row)
                    add_gain(hs[b, street], row, ppot[b, street])
            gain_to_potential(hs[b, street], ppot[b, street], 52 - known - 2)


class Present(NamedTuple):
    """Exact values on the board that is on the table."""

    hs: NDArray[np.float32]  # [1326] 0 for a holding that shares a card with the board
    ppot: NDArray[np.float32]  # [1326] 0 on the river


@lru_cache(maxsize=16)
def present(board: tuple[int, ...]) -> Present:
    """HS and PPot of every holding on a board of 3 to 5 cards."""
    hs, ppot = (np.nan_to_num(values).astype(np.float32) for values in strengths(tuple(sorted(board))))
    return Present(hs, ppot)
