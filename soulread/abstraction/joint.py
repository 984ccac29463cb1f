"""Joint probability of two players' private states, by counting all deals.

Over all deals of two hands and a board, with s and t the private states of the two hands,

    P_r[s, t] = probability of s and t in round r,
    Win[s, t] = probability of s and t on the river and of the first hand winning.

Both are the same from either seat. Ties are P_3 - Win - Win.T, and P_0, P_1, P_2 are block sums of
P_3, because every state has one parent.

Counting takes one canonical river board after another, each in the 20 orders that tell flop, turn and
river apart. The 1081 hands on a board are sorted by value once. For one order, let R[t] be the number of
hands of lower value in state t, and R_c[t] the number of those that hold card c. A hand (a, b) in state
s wins against the hands that share no card with it:

    Win[s, :] += R - R_a - R_b.

A *group* is the hands of one value and one state, and is added as a whole: R times its n hands less, for each
card c, R_c times the n_c hands that hold c. R_c is kept as a short list, as only 46 hands hold a given card.
Ties are counted within each set of equal hands. Of the pairs of two groups g and h, n_g n_h - sum over c of
g_c h_c share no card. A hand shares two cards with itself and is thus taken off twice, so one is added back.

Counts are whole numbers throughout, so neither threads nor order change them. Rows of Win are kept in 16
bits, so that they stay in the core's cache, and moved to 64 bits before they could overflow.
"""

from dataclasses import dataclass
from functools import cached_property
from math import comb, prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.abstraction.buckets import flop_states_of_river, turn_states_of_river
from soulread.abstraction.features import LIVE_HANDS, NONE
from soulread.abstraction.states import Abstraction, StateTables, states_at
from soulread.abstraction.workers import Progress, pieces_of, run_pieces
from soulread.cards.arrays import deal_into, hand_of
from soulread.cards.evaluate import Tables, tables, value7
from soulread.cards.isomorphism import NUM_RIVERS, all_boards, find_board
from soulread.cards.strength import PLACE_BITS, PLACE_MASK, RankedBoard, ranked_board, sort_board
from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel

NUM_ORDERS = 20
PAIRS_PER_BOARD = LIVE_HANDS * 990  # ordered pairs of hands on a river board
NUM_DEALS = comb(52, 5) * NUM_ORDERS * PAIRS_PER_BOARD  # with flop, turn and river told apart

_LIMIT = 65_535
_LINE = 64  # bytes of a cache line
_ROW_STEP = 128  # rows of counts are padded to a multiple of this, a step of the vectorised loop
_STEP = 8  # short lists are read in steps of this many, to have fewer branches that are guessed wrong
_NO_CARD = 52
_BOARDS_PER_PIECE = 200  # few enough for 32 bits to hold all the ties of a piece


@dataclass(frozen=True, eq=False)
class Joint:
    """Joint probability of two players' private states, kept as numbers of deals.

    The two players are ordered: (s, t) and (t, s) are counted apart. Each board counts as often as it comes
    up among all deals.
    """

    branching: tuple[int, int, int, int]
    win_deals: NDArray[np.int64]  # [S_3, S_3] deals with states s and t that the first player wins
    tie_deals: NDArray[np.int64]  # [S_3, S_3] deals with states s and t that are ties; symmetric

    def __post_init__(self) -> None:
        size = prod(self.branching)
        if self.win_deals.shape != (size, size) or self.tie_deals.shape != (size, size):
            raise ShapeError(
                f"wins have shape {self.win_deals.shape} and ties {self.tie_deals.shape}; "
                f"branching {self.branching} has {size} private states on the river"
            )

    @cached_property
    def num_deals(self) -> int:
        """Number of deals counted; it is `NUM_DEALS` if all were."""
        return 2 * int(self.win_deals.sum()) + int(self.tie_deals.sum())

    @property
    def tie_rate(self) -> float:
        """Share of the deals that are ties; 4.067% of all deals are."""
        return int(self.tie_deals.sum()) / self.num_deals

    @property
    def win(self) -> NDArray[np.float64]:
        """Win, ``[S_3, S_3]``: joint probability of the states and of the first player winning."""
        probability: NDArray[np.float64] = self.win_deals / self.num_deals
        return probability

    @property
    def reach(self) -> NDArray[np.float64]:
        """P_3, ``[S_3, S_3]``: joint probability of the states on the river."""
        return self.reach_in(3)

    def reach_in(self, round_number: int) -> NDArray[np.float64]:
        """P_r, ``[S_r, S_r]``: joint probability of the states of round 0 (preflop) to 3 (river)."""
        if not 0 <= round_number <= 3:
            raise ShapeError(f"round {round_number!r} was asked for; rounds are 0 (preflop) to 3 (river)")
        deals = self.win_deals + self.win_deals.T
        deals += self.tie_deals
        within = prod(self.branching[round_number + 1 :])
        if within > 1:
            size = len(deals) // within
            deals = deals.reshape(size, within, size, within).sum(axis=(1, 3))
        probability: NDArray[np.float64] = deals / self.num_deals
        return probability


def count_joint(
    abstraction: Abstraction,
    weights: NDArray[np.int64] | None = None,
    progress: Progress | None = None,
    threads: int | None = None,
) -> Joint:
    """Count all deals, or only those on the boards that ``weights`` chooses; the counts are exact.

    ``weights`` say how many times to count each canonical river board, ``[134459]``.
    """
    boards = all_boards()
    weights = boards.river_weights if weights is None else np.asarray(weights)
    if weights.shape != (NUM_RIVERS,) or not np.issubdtype(weights.dtype, np.integer) or weights.min() < 0:
        raise ShapeError(
            f"weights have shape {weights.shape} and type {weights.dtype}; "
            f"expected {NUM_RIVERS} whole numbers, none negative"
        )
    num_states = abstraction.num_states[3]
    pieces = []
    for weight in np.unique(weights[weights > 0]):
        same = np.flatnonzero(weights == weight)
        pieces += [
            (int(weight), same[rows]) for rows in pieces_of(same.size, -(-same.size // _BOARDS_PER_PIECE))
        ]
    if not pieces:
        raise SoulreadError("no boards to count: every weight is 0")

    def work(piece: tuple[int, NDArray[np.int64]], gathered: tuple[Counter, JointScratch]) -> None:
        weight, indices = piece
        _count_boards(abstraction.tables, boards.rivers, indices, weight, *gathered)

    def start() -> tuple[Counter, JointScratch]:
        return _counter(num_states), _scratch(num_states)

    # Large pieces first, so that no thread is left alone with one at the end.
    pieces.sort(key=lambda piece: -piece[1].size)
    gathered = run_pieces(pieces, work, start, "joint matrices", progress, threads)
    win, ties = gathered[0][0].win, gathered[0][0].ties
    for counter, _ in gathered[1:]:
        win += counter.win
        ties += counter.ties
    ties += np.triu(ties, 1).T
    return Joint(abstraction.branching, np.ascontiguousarray(win[:, :num_states]), ties)


def some_boards(count: int, seed: int = 1) -> NDArray[np.int64]:
    """Return weights ``[134459]`` that choose ``count`` of all real river boards, evenly spread.

    The canonical boards are sorted by their pairs, suits and straights, so that similar boards are next to
    each other. Then boards are taken at equal distances from a random start. Every real board is equally
    likely to be taken.
    """
    if count < 1:
        raise SoulreadError(f"{count!r} boards were asked for; expected at least 1")
    boards = all_boards()
    ranks, suits = boards.rivers >> 2, boards.rivers & 3
    of_rank = np.sort([(ranks == rank).sum(axis=1) for rank in range(13)], axis=0)
    of_suit = np.max([(suits == suit).sum(axis=1) for suit in range(4)], axis=0)
    present = np.bitwise_or.reduce(2 << ranks.astype(np.int64), axis=1)
    present |= present >> 13 & 1  # the ace is also the lowest rank
    in_a_row = np.max([np.bitwise_count(present >> low & 31) for low in range(10)], axis=0)
    line = np.lexsort((in_a_row, of_suit, of_rank[-2], of_rank[-1]))

    ends = np.cumsum(boards.river_weights[line])
    start = np.random.default_rng(seed).random()
    points = ((np.arange(count) + start) * ends[-1] / count).astype(np.int64)
    return np.bincount(line[np.searchsorted(ends, points, side="right")], minlength=NUM_RIVERS)


def sample_joint(abstraction: Abstraction, num_deals: int, rng: np.random.Generator) -> Joint:
    """Count ``num_deals`` random deals instead of all of them, each from both players' side.

    This is for comparison. `count_joint` on a part of the boards, with all their hands, is more precise in
    the same time.
    """
    if num_deals < 1:
        raise SoulreadError(f"{num_deals!r} deals were asked for; expected at least 1")
    size = abstraction.num_states[3]
    win, ties = np.zeros((size, size), dtype=np.int64), np.zeros((size, size), dtype=np.int64)
    for first in range(0, num_deals, 2**18):
        uniforms = rng.random((min(2**18, num_deals - first), 9))
        _count_samples(abstraction.tables, tables(), uniforms, win, ties)
    return Joint(abstraction.branching, win, ties)


def counter_bytes(num_states: int) -> int:
    """Bytes of memory that each thread of `count_joint` takes."""
    return num_states * (10 * _row_width(num_states) + 12 * num_states)


# Kernels ------------------------------------------------------------------------------------------


class Counter(NamedTuple):
    """The counts of one thread: S is the number of river states, "padded" stands for `_row_width`."""

    recent_win: NDArray[np.uint16]  # [S, padded] wins not yet in ``win``
    bound: NDArray[np.int64]  # [S] an upper bound of the cells in each row of ``recent_win``
    win: NDArray[np.int64]  # [S, padded]
    recent_ties: NDArray[np.uint32]  # [S, S] ties not yet in ``ties``
    ties: NDArray[np.int64]  # [S, S] the lower state first


class JointScratch(NamedTuple):
    """Work space for one board; R, R_c and groups are those of the module docstring."""

    ranked: RankedBoard
    hands: NDArray[np.uint16]  # [1081] by ascending value
    cards: NDArray[np.uint8]  # [1081, 2]
    class_end: NDArray[np.int64]  # [1081] where each set of equal hands ends
    strengths: NDArray[np.uint16]  # [1081]
    flop_states: NDArray[np.uint16]  # [5, 5, 1081]
    turn_states: NDArray[np.uint16]  # [4, 1081]
    states: NDArray[np.uint16]  # [1081]
    below: NDArray[np.uint16]  # [padded] R
    card_list: NDArray[np.uint32]  # [52, 48] R_c as a list of state << 8 | number of hands
    no_entries: NDArray[np.uint32]  # [48] an empty list: it names different cells of the padding and no hands
    card_size: NDArray[np.uint32]  # [52] length of each card's list
    group_at: NDArray[np.uint16]  # [S] group of each state, or NONE
    group_state: NDArray[np.uint16]  # [1081] state of each group
    group_size: NDArray[np.uint32]  # [1081] number of hands in each group
    group_cards: NDArray[np.uint8]  # [1081, 64] cards that hands of the group hold, then `_NO_CARD`
    group_num_cards: NDArray[np.uint32]  # [1081] number of those cards
    held: NDArray[np.uint8]  # [1081, 64] how many of the group's hands hold each card


def _aligned(shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
    """An array of zeros that begins at a cache line."""
    size = prod(shape) * np.dtype(dtype).itemsize
    buffer = np.zeros(size + _LINE, dtype=np.uint8)
    start = -buffer.ctypes.data % _LINE
    return buffer[start : start + size].view(dtype).reshape(shape)


def _row_width(num_states: int) -> int:
    """Number of cells in a padded row; there are always some to spare for the ends of lists."""
    return -(-(num_states + _STEP) // _ROW_STEP) * _ROW_STEP


def _counter(num_states: int) -> Counter:
    width = _row_width(num_states)
    return Counter(
        recent_win=_aligned((num_states, width), np.uint16),
        bound=np.zeros(num_states, dtype=np.int64),
        win=_aligned((num_states, width), np.int64),
        recent_ties=np.zeros((num_states, num_states), dtype=np.uint32),
        ties=np.zeros((num_states, num_states), dtype=np.int64),
    )


def _scratch(num_states: int) -> JointScratch:
    live = LIVE_HANDS
    return JointScratch(
        ranked=ranked_board(),
        hands=np.empty(live, dtype=np.uint16),
        cards=np.empty((live, 2), dtype=np.uint8),
        class_end=np.empty(live, dtype=np.int64),
        strengths=np.empty(live, dtype=np.uint16),
        flop_states=np.empty((5, 5, live), dtype=np.uint16),
        turn_states=np.empty((4, live), dtype=np.uint16),
        states=np.empty(live, dtype=np.uint16),
        below=_aligned((_row_width(num_states),), np.uint16),
        card_list=np.empty((52, 48), dtype=np.uint32),
        no_entries=((num_states + np.arange(48) % _STEP) << 8).astype(np.uint32),
        card_size=np.empty(52, dtype=np.uint32),
        group_at=np.full(num_states, NONE, dtype=np.uint16),
        group_state=np.empty(live, dtype=np.uint16),
        group_size=np.zeros(live, dtype=np.uint32),
        group_cards=np.full((live, 64), _NO_CARD, dtype=np.uint8),
        group_num_cards=np.zeros(live, dtype=np.uint32),
        held=np.zeros((live, 64), dtype=np.uint8),
    )


@kernel
def _count_boards(
    tables: StateTables,
    boards: NDArray[np.uint8],
    indices: NDArray[np.int64],
    weight: int,
    counter: Counter,
    scratch: JointScratch,
) -> None:
    """Add the deals on canonical river boards of equal weight, each board in 20 orders."""
    s, c = scratch, counter
    for index in indices:
        board = boards[index]
        sort_board(board, s.ranked)
        keys, hand_cards = s.ranked.keys[0], s.ranked.cards
        strength = tables.river_strength[index]
        num_classes = 0
        for n in range(LIVE_HANDS):
            hand = keys[n] & PLACE_MASK
            s.hands[n] = hand
            s.strengths[n] = strength[hand]
            s.cards[n, 0] = hand_cards[hand, 0]
            s.cards[n, 1] = hand_cards[hand, 1]
            if n == LIVE_HANDS - 1 or keys[n + 1] >> PLACE_BITS != keys[n] >> PLACE_BITS:
                s.class_end[num_classes] = n + 1
                num_classes += 1
        class_end = s.class_end[:num_classes]
        flop_states_of_river(tables, board, s.hands, s.flop_states)
        for river in range(5):
            turn_states_of_river(tables, board, s.hands, s.flop_states, river, s.turn_states)
            for turn in range(4):
                cut_states(tables.river_cuts, s.turn_states[turn], s.strengths, s.states)
                _count_order(class_end, weight, counter, scratch)
    size = c.bound.size
    for state in range(size):
        _move_row(c.recent_win, c.bound, c.win, state, weight)
        for t in range(state, size):
            c.ties[state, t] += weight * np.int64(c.recent_ties[state, t])
            c.recent_ties[state, t] = 0


@kernel
def cut_states(
    cuts: NDArray[np.uint16],
    turn_states: NDArray[np.uint16],
    strengths: NDArray[np.uint16],
    states: NDArray[np.uint16],
) -> None:
    """Fill ``states`` with s_3 of each hand, given its s_2 and its river strength."""
    branching = cuts.shape[1] + 1
    for n in range(states.size):
        before = turn_states[n]
        state = np.int64(before) * branching
        for k in range(branching - 1):
            state += strengths[n] >= cuts[before, k]
        states[n] = state


@kernel
def _count_order(class_end: NDArray[np.int64], weight: int, counter: Counter, scratch: JointScratch) -> None:
    """Add the wins and ties of one board in one order."""
    # Names for the arrays: looking them up in a tuple within inner loops would cost more than the work.
    cards, states = scratch.cards, scratch.states
    recent_win, bound, win, recent_ties = counter.recent_win, counter.bound, counter.win, counter.recent_ties
    below, card_list, card_size = scratch.below, scratch.card_list, scratch.card_size
    group_at, group_state, group_size = scratch.group_at, scratch.group_state, scratch.group_size
    group_cards, group_num_cards, held = scratch.group_cards, scratch.group_num_cards, scratch.held
    below[:] = 0
    card_size[:] = 0
    card_list[:] = scratch.no_entries
    most = np.int64(0)  # the highest number in ``below``
    first = 0
    for last in class_end:
        groups = np.uint16(0)
        for n in range(first, last):
            # Without branches, which would be guessed wrong.
            state = states[n]
            g = min(group_at[state], groups)
            groups += np.uint16(g == groups)
            group_at[state] = g
            group_state[g] = state
            group_size[g] += np.uint32(1)
            for k in range(2):
                card = cards[n, k]
                group_cards[g, group_num_cards[g]] = card
                group_num_cards[g] += np.uint32(held[g, card] == 0)
                held[g, card] += np.uint8(1)

        for g in range(groups):
            group_cards[g, group_num_cards[g]] = _NO_CARD  # what a hand without a new card left there
            state = group_state[g]
            added = np.int64(group_size[g]) * most
            if bound[state] + added > _LIMIT:
                _move_row(recent_win, bound, win, state, weight)
            if added <= _LIMIT:
                bound[state] += added
                _add_group(g, state, 1, scratch, recent_win)
            else:
                _add_group(g, state, weight, scratch, win)

        for g in range(groups):
            state = group_state[g]
            for h in range(g + 1):
                pairs = np.int64(group_size[g]) * np.int64(group_size[h])
                for step in range(0, group_num_cards[h], _STEP):
                    for k in range(step, step + _STEP):
                        card = group_cards[h, k]
                        pairs -= np.int64(held[g, card]) * np.int64(held[h, card])
                if g == h:
                    pairs += np.int64(group_size[g])
                low, high = min(state, group_state[h]), max(state, group_state[h])
                recent_ties[low, high] += np.uint32(pairs)

        for g in range(groups):
            state = group_state[g]
            below[state] += np.uint16(group_size[g])
            most = max(most, np.int64(below[state]))
            group_at[state] = NONE
            group_size[g] = 0
            for k in range(group_num_cards[g]):
                card = group_cards[g, k]
                card_list[card, card_size[card]] = np.uint32(state) << np.uint32(8) | np.uint32(held[g, card])
                card_size[card] += np.uint32(1)
                held[g, card] = 0
                group_cards[g, k] = _NO_CARD
            group_num_cards[g] = 0
        first = last


@kernel
def _add_group(g: int, state: int, weight: int, scratch: JointScratch, win: NDArray[np.integer]) -> None:
    """Win[s, :] += n R - sum over c of n_c R_c. In between, 16-bit cells may go round zero."""
    below, card_list, card_size = scratch.below, scratch.card_list, scratch.card_size
    group_cards, held = scratch.group_cards, scratch.held
    for k in range(scratch.group_num_cards[g]):
        card = group_cards[g, k]
        factor = weight * held[g, card]
        for step in range(0, card_size[card], _STEP):
            for j in range(step, step + _STEP):
                entry = card_list[card, j]
                win[state, entry >> np.uint32(8)] -= factor * (entry & np.uint32(255))
    factor = weight * scratch.group_size[g]
    for t in range(win.shape[1]):
        win[state, t] += factor * below[t]


@kernel
def _move_row(
    recent_win: NDArray[np.uint16], bound: NDArray[np.int64], win: NDArray[np.int64], state: int, weight: int
) -> None:
    """Move a row of recent wins to the 64-bit counts."""
    if bound[state] > 0:
        for t in range(win.shape[1]):
            win[state, t] += weight * np.int64(recent_win[state, t])
            recent_win[state, t] = 0
        bound[state] = 0


@kernel
def _count_samples(
    tables: StateTables,
    evaluator: Tables,
    uniforms: NDArray[np.float64],
    win: NDArray[np.int64],
    ties: NDArray[np.int64],
) -> None:
    deck = np.arange(52)
    for i in range(len(uniforms)):
        deal_into(uniforms[i], deck)
        places = find_board(tables.boards, deck[4], deck[5], deck[6], deck[7], deck[8])
        s = states_at(tables, places, hand_of(deck[0], deck[1]))[3]
        t = states_at(tables, places, hand_of(deck[2], deck[3]))[3]
        board = deck[4], deck[5], deck[6], deck[7], deck[8]
        mine = value7(evaluator, deck[0], deck[1], board[0], board[1], board[2], board[3], board[4])
        other = value7(evaluator, deck[2], deck[3], board[0], board[1], board[2], board[3], board[4])
        if mine > other:
            win[s, t] += 1
        elif mine < other:
            win[t, s] += 1
        else:
            ties[s, t] += 1
            ties[t, s] += 1
