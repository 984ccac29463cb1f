"""Facts about two cards on a board, as small whole numbers for the tests of decision trees.

    high, low      ranks of the two cards, 0 (deuce) to 12 (ace)
    suited         1 if both have one suit
    place          the place of the two cards among all before the flop, 0 to 19, by Chen's formula
    strength       the place of the hand among all on this board, 0 to 19; 0 before the flop
    made           what the two cards make with the board, `MADE`
    draw           what they may still make, `DRAWS`; nothing on the river
    overs          how many of them are above the board, 0 to 2

Chen's formula (Bill Chen, 2006): the higher card counts A 10, K 8, Q 7, J 6, else half its pips; a pair
counts double, at least 5; suited +2; a gap of 1, 2, 3, more costs 1, 2, 4, 5; +1 for a gap of at most 1 below
a queen. It needs no table and orders hands much as people do.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.evaluate import NUM_VALUES, Tables, tables, value_of
from soulread.cards.ranges import HAND_CARDS, HAND_CELLS, NUM_HANDS
from soulread.cards.scales.incomes import places_among
from soulread.kernel import kernel

CARD_FACTS = ("high card", "low card", "suited", "place", "strength", "made", "draw", "overcards")
HIGH, LOW, SUITED, PLACE, STRENGTH, MADE_HAND, DRAW, OVERS = range(len(CARD_FACTS))
NUM_CARD_FACTS = len(CARD_FACTS)
PLACES = 20

MADE = (
    "no pair",
    "low pair",
    "middle pair",
    "top pair",
    "overpair",
    "two pair",
    "trips",
    "straight",
    "flush",
    "full house or better",
)
DRAWS = ("no draw", "gutshot", "open-ended", "flush draw", "flush and straight draw")

NUM_KEYS = PLACES * PLACES * len(MADE) * len(DRAWS) * 3


def _chen(cell: int) -> float:
    row, column = divmod(cell, 13)
    high, low = 12 - min(row, column), 12 - max(row, column)
    points = {12: 10.0, 11: 8.0, 10: 7.0, 9: 6.0}.get(high, (high + 2) / 2)
    if high == low:
        return max(5.0, 2 * points)
    gap = high - low - 1
    points -= (0, 1, 2, 4)[gap] if gap < 4 else 5
    return points + 2 * (row < column) + (gap <= 1 and high < 10)


@lru_cache(maxsize=1)
def before_flop() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Facts ``[1326, 8]`` of all holdings before the flop, and keys ``[1326]``; equal keys, equal facts."""
    points = np.array([_chen(cell) for cell in range(169)])[HAND_CELLS]
    facts = np.zeros((NUM_HANDS, NUM_CARD_FACTS), np.uint8)
    cards = HAND_CARDS.astype(np.int64)
    facts[:, LOW] = cards[:, 0] >> 2
    facts[:, HIGH] = cards[:, 1] >> 2
    facts[:, SUITED] = cards[:, 0] & 3 == cards[:, 1] & 3
    facts[:, PLACE] = np.minimum(PLACES * places_among(points, points), PLACES - 1)
    facts.flags.writeable = False
    return facts, HAND_CELLS


def facts_on(board: NDArray[np.int64]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Facts ``[1326, 8]`` of all holdings on a board of 0, 3, 4 or 5 cards, and their keys ``[1326]``.

    A key is negative where the holding shares a card with the board.
    """
    start, cells = before_flop()
    facts, keys = start.copy(), cells.copy()
    if len(board):
        fill_facts(tables(), np.asarray(board, np.int64), HAND_CARDS, facts, keys)
    return facts, keys


@kernel
def fill_facts(
    table: Tables,
    board: NDArray[np.int64],
    holdings: NDArray[np.uint8],
    facts: NDArray[np.uint8],
    keys: NDArray[np.int64],
) -> None:
    """Fill in the facts of all holdings on a flop, turn or river; those up to `PLACE` must be there."""
    word = mask = dead = np.int64(0)
    for k in range(board.size):
        word += table.words[board[k]]
        mask += table.masks[board[k]]
        dead |= np.int64(1) << board[k]
    counts = np.zeros(NUM_VALUES + 1, np.int64)
    values = np.full(holdings.shape[0], -1, np.int64)
    alive = 0
    for h in range(holdings.shape[0]):
        a, b = np.int64(holdings[h, 0]), np.int64(holdings[h, 1])
        if dead >> a & 1 or dead >> b & 1:
            keys[h] = -1
            continue
        value = value_of(
            table, word + table.words[a] + table.words[b], mask + table.masks[a] + table.masks[b]
        )
        values[h] = value
        counts[value + 1] += 1
        alive += 1
    for k in range(NUM_VALUES):
        counts[k + 1] += counts[k]
    for h in range(holdings.shape[0]):
        if values[h] < 0:
            continue
        place = PLACES * (counts[values[h]] + counts[values[h] + 1]) // (2 * alive)
        facts[h, STRENGTH] = min(place, PLACES - 1)
        made, draw, overs = shape_of(board, np.int64(holdings[h, 0]), np.int64(holdings[h, 1]))
        facts[h, MADE_HAND] = made
        facts[h, DRAW] = draw
        facts[h, OVERS] = overs
        key = np.int64(facts[h, PLACE]) * PLACES + facts[h, STRENGTH]
        keys[h] = ((key * 10 + made) * 5 + draw) * 3 + overs


@kernel
def _runs(ranks: np.int64) -> bool:
    """Whether a set of ranks holds a straight."""
    wheel = ranks << 1 | (ranks >> 12 & 1)
    return bool(wheel & wheel >> 1 & wheel >> 2 & wheel >> 3 & wheel >> 4)


@kernel
def shape_of(board: NDArray[np.int64], a: np.int64, b: np.int64) -> tuple[int, int, int]:
    """The made hand, the draw and the number of overcards of two cards on a board."""
    ranks = np.zeros(13, np.int64)
    suits = np.zeros(4, np.int64)
    on_board, top, second = np.int64(0), -1, -1
    for k in range(board.size):
        rank = board[k] >> 2
        ranks[rank] += 1
        suits[board[k] & 3] += 1
        on_board |= 1 << rank
        if rank > top:
            top, second = rank, top
        elif second < rank < top:
            second = rank
    ra, rb, sa, sb = a >> 2, b >> 2, a & 3, b & 3
    board_full = _full(ranks)
    overs = int(ra > top) + int(rb > top)
    every = on_board | 1 << ra | 1 << rb
    fa, fb = suits[sa] + 1 + int(sa == sb), suits[sb] + 1 + int(sa == sb)
    flush = max(fa, fb)
    pair_a, pair_b = ranks[ra], ranks[rb]
    ranks[ra] += 1
    ranks[rb] += 1
    made = 0
    if _full(ranks) and not board_full:
        made = 9
    elif flush >= 5:
        made = 8
    elif _runs(every) and not _runs(on_board):
        made = 7
    elif (ra == rb and pair_a >= 1) or pair_a >= 2 or pair_b >= 2:
        made = 6
    elif ra == rb:
        made = 4 if ra > top else 2 if ra > second else 1
    elif pair_a and pair_b:
        made = 5
    elif pair_a or pair_b:
        rank = ra if pair_a else rb
        made = 3 if rank == top else 2 if rank == second else 1
    draw = 0
    if board.size < 5 and made < 7:
        outs = 0
        for rank in range(13):
            if every >> rank & 1 == 0 and _runs(every | 1 << rank) and not _runs(on_board | 1 << rank):
                outs += 1
        if flush == 4:
            draw = 4 if outs else 3
        else:
            draw = min(outs, 2)
    return made, draw, overs


@kernel
def _full(ranks: NDArray[np.int64]) -> bool:
    """Whether counts of ranks hold a full house or four of a kind."""
    trips, pairs = 0, 0
    for rank in range(13):
        if ranks[rank] >= 4:
            return True
        trips += ranks[rank] == 3
        pairs += ranks[rank] == 2
    return trips > 1 or (trips == 1 and pairs > 0)
