"""Hand strength and potential against the hands an opponent may hold (Billings et al., AAAI 1998).

Hero is ahead of, tied with or behind each hand that villain may hold. With the weights of those hands

    HS = (ahead + tied / 2) / (ahead + tied + behind),      HS_n = HS ** n against n opponents.

Each way the next one or two board cards can fall is a path: it leads from hero's standing now to a standing
then. With T[now, then] the weights of these paths and T[now] the sum of a row,

    PPot = (T[behind, ahead] + T[behind, tied] / 2 + T[tied, ahead] / 2) / (T[behind] + T[tied] / 2)
    NPot = (T[ahead, behind] + T[ahead, tied] / 2 + T[tied, behind] / 2) / (T[ahead] + T[tied] / 2)
    EHS  = HS_n + (1 - HS_n) * PPot

A potential whose denominator is 0 (hero is never behind, or never ahead) is 0. A two-card look-ahead on the
flop follows 1081 * 990 = 1,070,190 paths.

For all hands at once, strength comes from one sort with running sums. Potential comes from counting, for
every pair of hands, the runouts (ways to deal the remaining cards) that the first hand wins. These counts do
not depend on the weights, and they are kept for the last few boards. Potential against new weights, such
as those after an action of the opponent, therefore costs little more than one pass over the pairs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, verify_distinct
from soulread.cards.evaluate import Tables, tables, value_of, values_of
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, Range, cards_mask
from soulread.errors import ParseError, SoulreadError
from soulread.kernel import few, kernel
from soulread.words import plural

AHEAD, TIED, BEHIND = 0, 1, 2

DEAD = 2**14 - 1  # stands for a value, above all real ones, where the hand shares a card with the board

# Running sums have rounding errors of 1e-16 times the weight of the whole range. A hero's hand that leaves
# villain less than this share of the range is therefore compared hand by hand.
THIN = 1e-4


@dataclass(frozen=True)
class HandStrength:
    """Weights of villain's hands that hero beats, ties and loses to; plain counts if no range was given."""

    ahead: float
    tied: float
    behind: float

    @property
    def value(self) -> float:
        """HS, the share of villain's range that hero beats; a tie counts half."""
        return (self.ahead + self.tied / 2) / (self.ahead + self.tied + self.behind)

    def against(self, opponents: int) -> float:
        """HS_n, hand strength against several opponents with the same range, as if they were independent."""
        return self.value**opponents


@dataclass(frozen=True)
class Potential:
    """How hero's standing may change while ``lookahead`` more board cards are dealt.

    ``table[now, then]`` holds the weights of the paths, in the order ahead, tied, behind. They are whole
    numbers if no range was given.
    """

    table: NDArray[np.float64]  # [3, 3]
    lookahead: int

    @property
    def hs(self) -> float:
        """Hand strength now."""
        return float(_strength(self.table))

    @property
    def ppot(self) -> float:
        """Chance to come from behind to ahead; 0 for a hand that is never behind or tied."""
        return float(_potential(self.table, BEHIND, AHEAD))

    @property
    def npot(self) -> float:
        """Chance to fall from ahead to behind; 0 for a hand that is never ahead or tied."""
        return float(_potential(self.table, AHEAD, BEHIND))

    def ehs(self, opponents: int = 1) -> float:
        """Effective hand strength HS_n + (1 - HS_n) PPot."""
        return self.hs**opponents + (1 - self.hs**opponents) * self.ppot


@dataclass(frozen=True)
class PotentialAll:
    """`Potential` of each of the 1326 hands.

    NaN for a hand that holds a board card, or that shares a card with every hand in villain's range.
    """

    tables: NDArray[np.float64]  # [1326, 3, 3]
    lookahead: int

    @property
    def hs(self) -> NDArray[np.float64]:
        """Hand strengths now, ``[1326]``."""
        return _strength(self.tables)

    @property
    def ppot(self) -> NDArray[np.float64]:
        """Chances to come from behind, ``[1326]``."""
        return _potential(self.tables, BEHIND, AHEAD)

    @property
    def npot(self) -> NDArray[np.float64]:
        """Chances to fall behind, ``[1326]``."""
        return _potential(self.tables, AHEAD, BEHIND)

    def ehs(self, opponents: int = 1) -> NDArray[np.float64]:
        """Effective hand strengths HS_n + (1 - HS_n) PPot, ``[1326]``."""
        strength = self.hs**opponents
        return strength + (1 - strength) * self.ppot


def _strength(table: NDArray[np.float64]) -> NDArray[np.float64]:
    rows = table.sum(axis=-1)
    strength: NDArray[np.float64] = (rows[..., AHEAD] + rows[..., TIED] / 2) / rows.sum(axis=-1)
    return strength


def _potential(table: NDArray[np.float64], start: int, end: int) -> NDArray[np.float64]:
    """Chance to get from ``start`` to ``end``, ties counting half; 0 / 0 gives 0, and NaN stays NaN."""
    reached = table[..., start, end] + table[..., start, TIED] / 2 + table[..., TIED, end] / 2
    rows = table.sum(axis=-1)
    started = rows[..., start] + rows[..., TIED] / 2
    chance: NDArray[np.float64] = reached / np.where(started == 0, 1.0, started)
    return chance


# One hand -----------------------------------------------------------------------------------------


def hand_strength(hole: Sequence[int], board: Sequence[int], villain: Range | None = None) -> HandStrength:
    """Compare two hole cards on a board of 3, 4 or 5 cards with every hand villain may hold.

    Without a range, each hand of two unseen cards counts 1.
    """
    hands, weights = _unseen(hole, board, villain)
    sums = board_sums(board)
    values = _values(sums, hand_sums(hands))
    mine = _values(sums, hand_sums(_own_index(hole)))[0]
    ahead, tied = weights[values < mine].sum(), weights[values == mine].sum()
    return HandStrength(float(ahead), float(tied), float(weights[values > mine].sum()))


def potential(
    hole: Sequence[int], board: Sequence[int], villain: Range | None = None, lookahead: int | None = None
) -> Potential:
    """Follow every way to deal the next ``lookahead`` cards (default: to the river) from a flop or turn."""
    lookahead = _verify_lookahead(board, lookahead)
    hands, weights = _unseen(hole, board, villain)
    now, then = standings(hole, board, hands, lookahead)
    table = np.stack([(then * (weights * (now == standing))).sum(axis=1) for standing in range(3)])
    table.flags.writeable = False
    return Potential(table, lookahead)


def standings(
    hole: Sequence[int], board: Sequence[int], hands: NDArray[np.intp], lookahead: int
) -> tuple[NDArray[np.int16], NDArray[np.intp]]:
    """Hero's standing ``[n]`` now against each hand, and ``[3, n]`` runouts that end ahead, tied and behind.

    A runout is a way to deal the next ``lookahead`` cards, which may be none.
    """
    sums, theirs, mine = board_sums(board), hand_sums(hands), hand_sums(_own_index(hole))
    now = np.sign(_values(sums, theirs) - _values(sums, mine)) + 1
    runouts = runout_sums((*hole, *board), lookahead)
    final = final_values(sums, runouts, theirs)
    own = final_values(sums, runouts, mine)
    wins = np.count_nonzero(final < own, axis=0)
    ties = np.count_nonzero(final == own, axis=0)
    return now, np.stack([wins, ties, _num_runouts(board, lookahead) - wins - ties])


def _unseen(
    hole: Sequence[int], board: Sequence[int], villain: Range | None
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The hands villain may hold (positive weight, no card seen elsewhere), and their weights."""
    if len(hole) != 2:
        raise ParseError(f"{len(hole)} hole cards were given; expected two")
    _verify_board(board)
    verify_distinct(hole, board)
    seen = cards_mask((*hole, *board))
    if villain is None:
        hands = np.flatnonzero((HAND_MASKS & seen) == 0)
        return hands, np.ones(hands.size)
    hands = np.flatnonzero(((HAND_MASKS & seen) == 0) & (villain.weights > 0))
    if hands.size == 0:
        raise SoulreadError("no hand of villain's range is possible beside the hole cards and the board")
    return hands, villain.weights[hands]


def _own_index(hole: Sequence[int]) -> NDArray[np.intp]:
    return np.flatnonzero(cards_mask(hole) == HAND_MASKS)


def _verify_board(board: Sequence[int]) -> None:
    if not 3 <= len(board) <= 5:
        raise ParseError(
            f"the board has {plural(len(board), 'card')}; expected a flop, turn or river of 3, 4 or 5 cards"
        )
    verify_distinct(board)


def _verify_lookahead(board: Sequence[int], lookahead: int | None) -> int:
    _verify_board(board)
    most = 5 - len(board)
    if most == 0:
        raise SoulreadError("the board has 5 cards; there is no card to look ahead to, use hand_strength")
    if lookahead is None:
        return most
    if not 1 <= lookahead <= most:
        raise SoulreadError(f"lookahead={lookahead!r} on a board of {len(board)} cards; expected 1 to {most}")
    return lookahead


# All hands ----------------------------------------------------------------------------------------


def hand_strength_all(board: Sequence[int], villain: Range | None = None) -> NDArray[np.float64]:
    """HS of each of the 1326 hands on a board of 3, 4 or 5 cards.

    NaN for a hand that holds a board card, or that shares a card with every hand in villain's range.
    """
    _verify_board(board)
    hands = np.flatnonzero((HAND_MASKS & cards_mask(board)) == 0)
    weights = _alive_weights(board, villain)[hands]
    values = _values(board_sums(board), hand_sums(hands))
    masks, cards = HAND_MASKS[hands], HAND_CARDS[hands]
    below, upto = np.empty(hands.size), np.empty(hands.size)
    rank_weights(values, cards, weights, scratch_for(hands.size), below, upto)
    by_card = np.bincount(cards.ravel(), weights.repeat(2), minlength=NUM_CARDS)
    total = weights.sum() - by_card[cards].sum(axis=1) + weights
    thin = np.flatnonzero(total < THIN * weights.sum())
    total[thin] = ((masks[thin, None] & masks) == 0) @ weights
    compare_weights(values, masks, weights, thin, below, upto)
    strengths = np.full(NUM_HANDS, np.nan)
    possible = total > 0
    strengths[hands[possible]] = (below + upto)[possible] / (2 * total[possible])
    return strengths


def potential_all(
    board: Sequence[int], villain: Range | None = None, lookahead: int | None = None
) -> PotentialAll:
    """`potential` of each of the 1326 hands on a flop or turn against one range."""
    lookahead = _verify_lookahead(board, lookahead)
    weights = _alive_weights(board, villain)
    outcomes = _outcomes(tuple(sorted(board)), lookahead)
    tables = np.zeros((outcomes.hands.size, 3, 3))
    _weigh_outcomes(outcomes, weights[outcomes.hands], tables)
    tables[tables.sum(axis=(1, 2)) == 0] = np.nan
    every = np.full((NUM_HANDS, 3, 3), np.nan)
    every[outcomes.hands] = tables
    every.flags.writeable = False
    return PotentialAll(every, lookahead)


def _alive_weights(board: Sequence[int], villain: Range | None) -> NDArray[np.float64]:
    """Villain's weights ``[1326]``, 0 for hands that hold a board card."""
    weights = (Range.all() if villain is None else villain).without(board).weights
    if not weights.any():
        raise SoulreadError("no hand of villain's range is possible on this board")
    return weights


class Outcomes(NamedTuple):
    """For each pair of hands on a board, how many runouts each of them wins; the worst hand now comes first.

    Pairs of hands that share a card have counts too. These are meaningless.
    """

    hands: NDArray[np.intp]  # [n] indices of hands
    masks: NDArray[np.int64]  # [n]
    values: NDArray[np.int16]  # [n] values of the hands now, ascending
    wins: NDArray[np.uint16]  # [n, n] runouts in which the hand of the row beats the hand of the column
    losses: NDArray[np.uint16]  # [n, n] the transpose of ``wins``, so that its rows are contiguous
    num_runouts: int


@lru_cache(maxsize=4)
def _outcomes(board: tuple[int, ...], lookahead: int) -> Outcomes:
    """Count the runouts that each hand wins against each other one; takes 5.5 MB on a flop."""
    hands = np.flatnonzero((HAND_MASKS & cards_mask(board)) == 0)
    sums = board_sums(board)
    values = _values(sums, hand_sums(hands))
    order = np.argsort(values, kind="stable")
    hands, values = hands[order], values[order]
    final = final_values(sums, runout_sums(board, lookahead), hand_sums(hands))
    wins = np.zeros((hands.size, hands.size), dtype=np.uint16)
    _count_wins(final, wins)
    losses = np.ascontiguousarray(wins.T)
    outcomes = Outcomes(hands, HAND_MASKS[hands], values, wins, losses, _num_runouts(board, lookahead))
    for array in outcomes[:-1]:
        array.flags.writeable = False
    return outcomes


# Values of many hands -----------------------------------------------------------------------------


# Sums over the cards of n hands or runouts, for `value_of`: ``[3, n]`` words, flush masks and card bits.
# One array, because a kernel that gets many of them spends its time counting references to them.
CardSums = NDArray[np.int64]
BITS = 2  # the row of the bits


def board_sums(board: Sequence[int]) -> CardSums:
    """Sums of one board, ``[3, 1]``."""
    cards = np.array([board], dtype=np.intp)
    return card_sums(cards)


@lru_cache(maxsize=1)
def holding_sums() -> CardSums:
    """Sums of all hands, ``[3, 1326]``."""
    return card_sums(HAND_CARDS.astype(np.intp))


def hand_sums(hands: NDArray[np.intp]) -> CardSums:
    """Sums of hands given by index, ``[3, n]``."""
    return np.take(holding_sums(), hands, axis=1)


def card_sums(cards: NDArray[np.intp]) -> CardSums:
    """Sums ``[3, n]`` of rows of cards."""
    table = tables()
    bits = np.int64(1) << cards.astype(np.int64)
    return np.stack([parts.sum(axis=-1) for parts in (table.words[cards], table.masks[cards], bits)])


def runout_sums(seen: Sequence[int], count: int) -> CardSums:
    """Sums ``[3, m]`` of every way to deal ``count`` more cards than those seen."""
    left = np.array([card for card in range(NUM_CARDS) if card not in seen])
    each = card_sums(left[:, None])
    sums, last = np.zeros((3, 1), np.int64), np.full(1, -1)
    for missing in reversed(range(count)):  # cards to deal after this one, which all come later in `left`
        more = left.size - missing - 1 - last
        before = np.repeat(np.arange(more.size), more)
        last = np.arange(before.size) - (np.cumsum(more) - more - last - 1)[before]
        sums = sums[:, before] + each[:, last]
    return sums


def _num_runouts(board: Sequence[int], lookahead: int) -> int:
    """Number of runouts that are possible for two hands without a common card."""
    return comb(NUM_CARDS - 4 - len(board), lookahead)


def _values(board: CardSums, hands: CardSums) -> NDArray[np.int16]:
    """Values ``[n]`` of hands on one board."""
    none = np.zeros((3, 1), dtype=np.int64)
    values: NDArray[np.int16] = final_values(board, none, hands)[0]
    return values


def final_values(board: CardSums, runouts: CardSums, hands: CardSums) -> NDArray[np.int16]:
    """Values ``[runouts, n]`` of hands on a board with each runout; `DEAD` where the two share a card."""
    final = np.empty((runouts.shape[1], hands.shape[1]), dtype=np.int16)
    if few(final.size):
        return values_by_numpy(board, runouts, hands)
    _fill_values(tables(), board, runouts, hands, final)
    return final


def values_by_numpy(board: CardSums, runouts: CardSums, hands: CardSums) -> NDArray[np.int16]:
    """What `_fill_values` fills, without Numba."""
    dealt = (board + runouts)[:, :, None]
    words, masks, _ = dealt + hands[:, None]
    values = values_of(tables(), words, masks).astype(np.int16)
    values[(dealt[BITS] & hands[BITS]) != 0] = DEAD
    return values


@kernel
def _fill_values(
    tables: Tables, board: CardSums, runouts: CardSums, hands: CardSums, final: NDArray[np.int16]
) -> None:
    words, masks, bits = hands[0], hands[1], hands[BITS]
    for r in range(final.shape[0]):
        word, mask, dead = (
            board[0, 0] + runouts[0, r],
            board[1, 0] + runouts[1, r],
            board[2, 0] + runouts[2, r],
        )
        for i in range(final.shape[1]):
            if bits[i] & dead:
                final[r, i] = DEAD
            else:
                final[r, i] = value_of(tables, word + words[i], mask + masks[i])


@kernel
def value_hands(
    tables: Tables, hands: CardSums, board: NDArray[np.integer], dead: int, values: NDArray[np.int16]
) -> None:
    """Fill ``values [n]`` of hands on a board; ``dead`` for hands that hold a card of the board."""
    word, mask, seen = np.int64(0), np.int64(0), np.int64(0)
    for card in board:
        word += tables.words[card]
        mask += tables.masks[card]
        seen |= np.int64(1) << np.int64(card)
    words, masks, bits = hands[0], hands[1], hands[BITS]
    for i in range(values.size):
        if bits[i] & seen:
            values[i] = dead
        else:
            values[i] = value_of(tables, word + words[i], mask + masks[i])


@kernel
def _count_wins(final: NDArray[np.int16], wins: NDArray[np.uint16]) -> None:
    """Add to ``wins[h, v]`` the number of rows in which both hands are alive and ``h`` has the higher value.

    This is a plain comparison of all pairs. The inner loop runs in vector registers, 16 pairs at a time, and
    is faster than cleverer orders. `DEAD` is above every value, so a dead column needs no test.
    """
    num_runouts, num_hands = final.shape
    for h in range(num_hands):
        row = wins[h]
        for r in range(num_runouts):
            mine = final[r, h]
            if mine != DEAD:
                for v in range(num_hands):
                    row[v] += final[r, v] < mine


@kernel
def _weigh_outcomes(o: Outcomes, weights: NDArray[np.float64], tables: NDArray[np.float64]) -> None:
    """Add up the weights of the paths into ``tables[n, now, then]``."""
    for h in range(weights.size):
        table = tables[h]
        for v in range(weights.size):
            weight = weights[v]
            if weight > 0 and o.masks[h] & o.masks[v] == 0:
                now = 0 if o.values[v] < o.values[h] else 1 if o.values[v] == o.values[h] else 2
                wins, losses = np.int64(o.wins[h, v]), np.int64(o.losses[h, v])
                table[now, 0] += weight * wins
                table[now, 1] += weight * (o.num_runouts - wins - losses)
                table[now, 2] += weight * losses


# Running sums, also used for the equity of ranges --------------------------------------------------


class RankScratch(NamedTuple):
    """Work space of `rank_weights`."""

    keys: NDArray[np.uint32]  # [2, n] value << 11 | place of the hand, ascending; then spare ones
    counts: NDArray[np.uint32]  # [2, 128]
    cards: NDArray[np.float64]  # [52] running sum of the weights of the hands that hold each card


PLACE_BITS = 11
PLACE_MASK = 2**PLACE_BITS - 1  # 2048 places are enough for 1326 hands


@kernel
def scratch_for(size: int) -> RankScratch:
    """Work space for up to ``size`` hands."""
    return RankScratch(np.empty((2, size), np.uint32), np.empty((2, 128), np.uint32), np.empty(52))


@kernel
def _sort_by_value(values: NDArray[np.int16], both: NDArray[np.uint32], counts: NDArray[np.uint32]) -> int:
    """Fill the keys ``both[0]`` in ascending order, by two counting passes of 7 bits; return their number."""
    keys, spare = both[0], both[1]
    counts[:] = 0
    live = 0
    for i in range(values.size):
        if values[i] != DEAD:
            keys[live] = np.int64(values[i]) << PLACE_BITS | i
            counts[0, values[i] & 127] += 1
            counts[1, values[i] >> 7] += 1
            live += 1
    low = high = 0
    for digit in range(128):
        low, counts[0, digit] = low + counts[0, digit], low
        high, counts[1, digit] = high + counts[1, digit], high
    for k in range(live):
        digit = keys[k] >> PLACE_BITS & 127
        spare[counts[0, digit]] = keys[k]
        counts[0, digit] += 1
    for k in range(live):
        digit = spare[k] >> (PLACE_BITS + 7)
        keys[counts[1, digit]] = spare[k]
        counts[1, digit] += 1
    return live


@kernel
def rank_weights(
    values: NDArray[np.int16],
    cards: NDArray[np.uint8],
    weights: NDArray[np.float64],
    scratch: RankScratch,
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
) -> None:
    """For each live hand: the weight of the worse hands (``below``) and of the not better ones (``upto``).

    Hands that share a card with it are left out.
    Let S be the running sum of the weights, and S_c that of the hands with card c. A hand (a, b) then faces
    S - S_a - S_b. Once the hand's own weight is in the sums, it has been taken off twice and is added back.
    """
    live = _sort_by_value(values, scratch.keys, scratch.counts)
    keys, by_card = scratch.keys[0], scratch.cards
    by_card[:] = 0.0
    running = 0.0
    first = 0
    while first < live:
        value = keys[first] >> PLACE_BITS
        last = first
        while last < live and keys[last] >> PLACE_BITS == value:
            i = keys[last] & PLACE_MASK
            below[i] = running - by_card[cards[i, 0]] - by_card[cards[i, 1]]
            last += 1
        for k in range(first, last):
            i = keys[k] & PLACE_MASK
            running += weights[i]
            by_card[cards[i, 0]] += weights[i]
            by_card[cards[i, 1]] += weights[i]
        for k in range(first, last):
            i = keys[k] & PLACE_MASK
            upto[i] = running - by_card[cards[i, 0]] - by_card[cards[i, 1]] + weights[i]
        first = last


class RankedBoard(NamedTuple):
    """The holdings on one board by value: tables that `rank_board` reads, then the arrays that it fills."""

    tables: Tables
    cards: NDArray[np.uint8]  # [1326, 2]
    hands: CardSums  # [3, 1326]
    values: NDArray[np.int16]  # [1326] `DEAD` where the holding shares a card with the board
    twice: NDArray[np.int32]  # [1326] worse holdings without a common card, twice, and those that tie
    with_card: NDArray[np.int32]  # [52]
    keys: NDArray[np.uint32]  # [2, 1326] those of `RankScratch`
    digits: NDArray[np.uint32]  # [2, 128]


def ranked_board() -> RankedBoard:
    """Work space of `rank_board` for one thread."""
    return RankedBoard(
        tables(),
        HAND_CARDS,
        holding_sums(),
        np.empty(NUM_HANDS, np.int16),
        np.empty(NUM_HANDS, np.int32),
        np.empty(NUM_CARDS, np.int32),
        np.empty((2, NUM_HANDS), np.uint32),
        np.empty((2, 128), np.uint32),
    )


@kernel
def sort_board(board: NDArray[np.integer], ranked: RankedBoard) -> int:
    """Fill ``values`` and ``keys`` for a board of 3 to 5 cards; return how many holdings are live."""
    value_hands(ranked.tables, ranked.hands, board, DEAD, ranked.values)
    return _sort_by_value(ranked.values, ranked.keys, ranked.digits)


@kernel
def rank_board(board: NDArray[np.integer], ranked: RankedBoard) -> None:
    """Fill ``twice`` for the live holdings on a board of 3 to 5 cards, and all that `sort_board` fills.

    These are the sums of `rank_weights`, below and up to, with even weights. Whole numbers are faster.
    """
    live = sort_board(board, ranked)
    keys, cards, twice, with_card = ranked.keys[0], ranked.cards, ranked.twice, ranked.with_card
    with_card[:] = 0
    first = 0
    while first < live:
        value, last = keys[first] >> PLACE_BITS, first
        while last < live and keys[last] >> PLACE_BITS == value:
            i = keys[last] & PLACE_MASK
            twice[i] = first - with_card[cards[i, 0]] - with_card[cards[i, 1]]
            last += 1
        for k in range(first, last):
            i = keys[k] & PLACE_MASK
            with_card[cards[i, 0]] += 1
            with_card[cards[i, 1]] += 1
        for k in range(first, last):
            i = keys[k] & PLACE_MASK
            twice[i] += last - with_card[cards[i, 0]] - with_card[cards[i, 1]] + 1
        first = last


@kernel
def compare_weights(
    values: NDArray[np.int16],
    masks: NDArray[np.int64],
    weights: NDArray[np.float64],
    heroes: NDArray[np.intp],
    below: NDArray[np.float64],
    upto: NDArray[np.float64],
) -> None:
    """The same sums as `rank_weights` for some of the hands, hand by hand and so without rounding errors.

    `DEAD` hands of villain count as better than every hand and are never counted. The sums of a dead hand of
    hero's are meaningless.
    """
    for h in heroes:
        worse = not_better = 0.0
        for v in range(weights.size):
            weight = weights[v] * (masks[v] & masks[h] == 0)  # a product: branches would be guessed wrong
            worse += weight * (values[v] < values[h])
            not_better += weight * (values[v] <= values[h])
        below[h], upto[h] = worse, not_better
