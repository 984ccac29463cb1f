"""The cards of play-outs: holdings of all opponents drawn together, the rest of the board, values on it.

**The joint draw.** Each seat draws from its own table, and a draw in which a card comes twice is thrown away
as a whole. What is kept has exactly the law

    P(holdings)  is proportional to  the product of their weights, if no card comes twice; else 0

After `TRIES` refusals in a row the seats draw one after the other, in turning order, each from what the
others left. This law is only close to the one above; it is for tables that nearly exclude each other. The
result says how many deals came about that way. The cards of seats that have folded count as part of the deck.

**Values.** A seat's value before the flop is the one handed in. Later it is EHS against the opponents still
live, exact for the board on the table and nearly so for boards to come
(`soulread.cards.scales.boards_to_come`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import hand_of
from soulread.cards.evaluate import Tables, value_of
from soulread.cards.ranges import HAND_MASKS, cards_mask, hand_index
from soulread.cards.scales.boards_to_come import (
    BoardPool,
    FlopRows,
    Present,
    flop_rows,
    make_river,
    make_turn,
    pool,
    present,
    room,
)
from soulread.cards.strength import BITS, CardSums, RankedBoard
from soulread.errors import SoulreadError
from soulread.games.poker import PokerView
from soulread.kernel import inline_kernel, kernel
from soulread.model.loki.triples import NUM_ROUNDS

TRIES = 500  # joint draws refused in a row before seats draw one after the other


class Deal(NamedTuple):
    """The cards of a play-out as far as they matter, and its random numbers; filled again for each deal."""

    holdings: NDArray[np.int64]  # [seats] -1 for a seat that has folded; suits may be exchanged for all
    hs: NDArray[np.float64]  # [rounds, seats] before the flop the value itself
    ppot: NDArray[np.float64]  # [rounds, seats]
    ranks: NDArray[np.int64]  # [seats] at the showdown, higher is better
    uniforms: NDArray[np.float64]  # [rounds, levels, seats] decides what a seat does after so many raises
    board: NDArray[np.int64]  # [5]


def new_deal(seats: int, levels: int) -> Deal:
    """Room for the cards of a deal, and for random numbers at so many ``levels`` of raises in a round."""
    return Deal(
        np.full(seats, -1, np.int64),
        np.zeros((NUM_ROUNDS, seats)),
        np.zeros((NUM_ROUNDS, seats)),
        np.zeros(seats, np.int64),
        np.zeros((NUM_ROUNDS, levels, seats)),
        np.zeros(5, np.int64),
    )


@inline_kernel
def value_in(deal: Deal, round: int, seat: int, opponents: int) -> float:
    """The value of a seat's holding in a round against so many live opponents."""
    hs = float(deal.hs[round, seat])
    if round == 0:
        return hs
    strength = hs
    for _ in range(opponents - 1):
        strength *= hs
    return strength + (1 - strength) * float(deal.ppot[round, seat])


# Drawing holdings -------------------------------------------------------------------------------


class Draws(NamedTuple):
    """The tables of the opponents that are still in, ready to draw from (Walker's alias method)."""

    seats: NDArray[np.int64]  # [opponents]
    weights: NDArray[np.float64]  # [opponents, 1326]
    keep: NDArray[np.float64]  # [opponents, 1326] chance to keep the holding that was hit
    alias: NDArray[np.int64]  # [opponents, 1326] the holding taken otherwise
    masks: NDArray[np.int64]  # [1326] cards of each holding
    counts: NDArray[np.int64]  # [2] joint draws refused; deals drawn one seat after the other


@kernel
def fill_alias(weights: NDArray[np.float64], keep: NDArray[np.float64], alias: NDArray[np.int64]) -> None:
    """Prepare draws from weights that have a positive sum."""
    size = weights.size
    scale = size / weights.sum()
    small, large = np.empty(size, np.int64), np.empty(size, np.int64)
    num_small = num_large = 0
    for i in range(size):
        keep[i] = weights[i] * scale
        alias[i] = i
        if keep[i] < 1:
            small[num_small] = i
            num_small += 1
        else:
            large[num_large] = i
            num_large += 1
    while num_small and num_large:
        num_small -= 1
        low, high = small[num_small], large[num_large - 1]
        alias[low] = high
        keep[high] -= 1 - keep[low]
        if keep[high] < 1:
            num_large -= 1
            small[num_small] = high
            num_small += 1
    heaviest = np.argmax(weights)
    for k in range(num_small):  # what rounding left over
        keep[small[k]] = 1.0 if weights[small[k]] > 0 else 0.0
        alias[small[k]] = small[k] if weights[small[k]] > 0 else heaviest
    for k in range(num_large):
        keep[large[k]] = 1.0


@kernel
def draw_holdings(draws: Draws, taken: int, holdings: NDArray[np.int64], rng: np.random.Generator) -> int:
    """Draw the holdings of all opponents together; returns the cards that are taken then, as a mask."""
    count, size = draws.seats.size, draws.keep.shape[1]
    for _ in range(TRIES):
        used, clash = taken, False
        for k in range(count):
            place = rng.random() * size
            holding = int(place)
            if place - holding >= draws.keep[k, holding]:
                holding = draws.alias[k, holding]
            if draws.masks[holding] & used:
                clash = True
                break
            used |= draws.masks[holding]
            holdings[draws.seats[k]] = holding
        if not clash:
            return used
        draws.counts[0] += 1
    draws.counts[1] += 1
    used = taken
    start = int(rng.random() * count)
    for turn in range(count):
        k = (start + turn) % count
        holding = _draw_left(draws.weights[k], draws.masks, used, rng)
        used |= draws.masks[holding]
        holdings[draws.seats[k]] = holding
    return used


@kernel
def _draw_left(
    weights: NDArray[np.float64], masks: NDArray[np.int64], used: int, rng: np.random.Generator
) -> int:
    """A holding that shares no card with ``used``; all alike if none of these has weight."""
    total, free = 0.0, 0
    for i in range(weights.size):
        if masks[i] & used == 0:
            total += weights[i]
            free += 1
    even = total <= 0
    goal = rng.random() * (free if even else total)
    last = 0
    for i in range(weights.size):
        if masks[i] & used == 0 and (even or weights[i] > 0):
            last = i
            goal -= 1.0 if even else weights[i]
            if goal < 0:
                break
    return last


@kernel
def _draw_card(used: int, rng: np.random.Generator) -> int:
    card = int(rng.random() * 52)
    while used >> card & 1:
        card = int(rng.random() * 52)
    return card


class ValueSource(NamedTuple):
    """Where the values of holdings come from: of the board on the table, and of boards to come."""

    ours: int  # our holding
    board: NDArray[np.int64]  # [cards on the table]
    before: NDArray[np.float64]  # [seats, 1326] values before the flop
    now: Present
    rows: FlopRows  # of the flop on the table
    pool: BoardPool  # before the flop
    room: RankedBoard


@kernel
def _fill_ranks(
    tables: Tables,
    hands: CardSums,
    board: NDArray[np.int64],
    holdings: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> None:
    """Fill the value of each live seat's hand at the showdown."""
    word, mask = np.int64(0), np.int64(0)
    for card in board:
        word += tables.words[card]
        mask += tables.masks[card]
    for seat in range(holdings.size):
        h = holdings[seat]
        if h >= 0:
            ranks[seat] = value_of(tables, word + hands[0, h], mask + hands[1, h])


@inline_kernel
def _deal_pooled(source: ValueSource, deal: Deal, rng: np.random.Generator) -> None:
    """A board of the pool that shares no card with the holdings, whose suits are exchanged."""
    holdings, pooled = deal.holdings, source.pool
    fits = False
    b, p = 0, 0
    while not fits:
        b = int(rng.random() * pooled.boards.shape[0])
        p = int(rng.random() * pooled.images.shape[0])
        fits = True
        for seat in range(holdings.size):
            if holdings[seat] >= 0 and (
                source.room.hands[BITS, pooled.images[p, holdings[seat]]] & pooled.masks[b]
            ):
                fits = False
                break
    for seat in range(holdings.size):
        if holdings[seat] >= 0:
            image = pooled.images[p, holdings[seat]]
            deal.hs[0, seat] = source.before[seat, holdings[seat]]
            for street in range(3):
                deal.hs[1 + street, seat] = pooled.hs[b, street, image]
            for street in range(2):
                deal.ppot[1 + street, seat] = pooled.ppot[b, street, image]
            deal.holdings[seat] = image
    deal.board[:] = pooled.boards[b]
    _fill_ranks(source.room.tables, source.room.hands, deal.board, holdings, deal.ranks)


@inline_kernel
def _deal_on(source: ValueSource, round: int, used: int, deal: Deal, rng: np.random.Generator) -> int:
    """Deal the rest of the board after the flop; returns how many rows of values had to be made."""
    made = 0
    holdings, rows, board = deal.holdings, source.rows, deal.board
    board[: source.board.size] = source.board
    for place in range(source.board.size, 5):
        board[place] = _draw_card(used, rng)
        used |= 1 << board[place]
    river = hand_of(board[3], board[4])
    if round < 2 and not rows.turn_made[board[3]]:  # a call with so many arrays costs more than this test
        made += make_turn(rows, board[3], source.room)
    if round < 3 and not rows.river_made[river]:
        made += make_river(rows, board[3], board[4], source.room)
    for seat in range(holdings.size):
        h = holdings[seat]
        if h >= 0:
            if round < 2:
                deal.hs[2, seat] = rows.turn_hs[board[3], h]
                deal.ppot[2, seat] = rows.turn_ppot[board[3], h]
            if round < 3:
                deal.hs[3, seat] = rows.river_hs[river, h]
            deal.hs[round, seat] = source.now.hs[h]
            deal.ppot[round, seat] = source.now.ppot[h]
    _fill_ranks(source.room.tables, source.room.hands, board, holdings, deal.ranks)
    return made


@inline_kernel
def next_deal(
    round: int, us: int, taken: int, draws: Draws, source: ValueSource, deal: Deal, rng: np.random.Generator
) -> int:
    """Draw all cards of a play-out that begins in ``round`` in our seat, and their values.

    ``taken`` are the cards we see, as a mask. Returns how many rows of values had to be made.
    """
    used = draw_holdings(draws, taken, deal.holdings, rng)
    deal.holdings[us] = source.ours
    if round == 0:
        _deal_pooled(source, deal, rng)
        return 0
    return _deal_on(source, round, used, deal, rng)


def draws_from(view: PokerView, tables: NDArray[np.float64]) -> Draws:
    """Draws of the live opponents' holdings from ``tables [seats, 1326]``, without the cards we see."""
    taken = cards_mask((*view.hole, *view.board))
    others = [s for s in range(len(view.folded)) if s != view.seat and not view.folded[s]]
    weights = np.where((HAND_MASKS & taken) == 0, tables[others], 0.0)
    for seat, row in zip(others, weights, strict=True):
        if not (row.min() >= 0 and row.sum() > 0):
            raise SoulreadError(
                f"the table of seat {seat} has a negative weight, or none on a holding that is possible "
                f"after {view.betting!r}"
            )
    keep, alias = np.empty_like(weights), np.empty(weights.shape, np.int64)
    for k in range(len(others)):
        fill_alias(weights[k], keep[k], alias[k])
    return Draws(np.array(others, np.int64), weights, keep, alias, HAND_MASKS, np.zeros(2, np.int64))


def source_of(view: PokerView, before: NDArray[np.float64]) -> ValueSource:
    """The values at a view; ``before [seats, 1326]`` are those before the flop.

    Before the flop the rows of some flop stand in for those that nobody reads.
    """
    board = view.board or (0, 1, 2)
    return ValueSource(
        hand_index(*view.hole),
        np.array(view.board, np.int64),
        before,
        present(tuple(board)),
        flop_rows((board[0], board[1], board[2])),
        pool(),
        room(),
    )
