"""Selective sampling: what a call and a raise win on average, by playing hands out (Billings et al., 1999).

A *play-out* finishes the hand once. The holdings of all live opponents are drawn together from their weight
tables, the rest of the board is dealt, and everybody acts by probability triples (`soulread.model.triples`)
until the hand is over. We hold our own cards, and our first action is fixed. Each deal is played out twice,
once with a call and once with a raise, with the same cards and the same random numbers. What the two win is
then compared deal by deal, which takes most of the luck off their difference.

Amounts are chips beyond what folding now would leave us, so folding is worth 0.

**The joint draw.** Each seat draws from its own table, and a draw in which a card comes twice is thrown away
as a whole. What is kept has exactly the law

    P(holdings)  is proportional to  the product of their weights, if no card comes twice; else 0

After `TRIES` refusals in a row the seats draw one after the other, in turning order, each from what the
others left. This law is only close to the one above; it is for tables that nearly exclude each other. The
result says how many deals came about that way. The cards of seats that have folded count as part of the deck.

**Values.** A seat's value before the flop is the one handed in. Later it is EHS against the opponents still
live, exact for the board on the table and nearly so for boards to come (`soulread.play.boards_to_come`).

**When it stops.** After `playouts` play-outs, after `budget` seconds, or when the best action is ahead of the
next by `CLEAR` standard errors. All three are looked at after each chunk. A chunk is `CHUNK` deals, and fewer
while rows of values are being made, so that it takes about 5 ms at most.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.evaluate import value7
from soulread.cards.ranges import HAND_MASKS, NUM_HANDS, cards_mask, hand_index
from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import CALL, FOLD, RAISE, PokerGame, PokerView
from soulread.kernel import kernel
from soulread.model.triples import NUM_CONTEXTS, NUM_ROUNDS, context_of, triple_of
from soulread.play.boards_to_come import (
    FlopRows,
    Pool,
    Present,
    Room,
    flop_rows,
    make_river,
    make_turn,
    pair_index,
    pool,
    present,
    room,
)

TRIES = 500  # joint draws refused in a row before seats draw one after the other
CHUNK = 200  # deals, each played out twice
ROWS = 100  # rows of values made in a chunk before it ends
MOST_BETS = 5  # levels of a round: no bet to four bets
CLEAR = 3.0  # standard errors
ENOUGH = 400  # play-outs before anything is called clear
UNLIMITED = 2**40

Clock = Callable[[], float]


class Point(NamedTuple):
    """A decision of ours in a hand of limit hold'em: all that is public and matters. Amounts are chips."""

    us: int  # our seat
    round: int
    raises: int  # in this round; a big blind is none
    left: int  # seats still to act in this round if nobody raises, ours included
    high: int  # what one must have put in to stay in
    spent: NDArray[np.int64]  # [seats]
    folded: NDArray[np.bool_]  # [seats]
    sizes: NDArray[np.int64]  # [rounds] of a bet
    caps: NDArray[np.int64]  # [rounds] most raises
    first: NDArray[np.int64]  # [rounds] who acts first, if still in


def refuses(game: PokerGame) -> str | None:
    """Why play-outs cannot be made in a game; None: they can."""
    rules = game.rules
    if len(rules.deck) != 52 or rules.hole_cards != 2 or rules.board_cards != (0, 3, 1, 1):
        return "it plays hold'em only"
    if rules.raise_sizes is None or rules.max_raises is None:
        return "it plays limit only, with a fixed bet and a most number of bets in each round"
    if rules.stacks is not None:
        return "it plays where nobody runs out of chips"
    if max(rules.max_raises) >= MOST_BETS or rules.dead is not None or rules.open_folds:
        return f"it plays with at most {MOST_BETS - 1} raises a round and no dead chips or open folds"
    return None


def point_of(view: PokerView) -> Point:
    """The decision that a view shows, which must be the viewer's own in a game of limit hold'em."""
    reason = refuses(view.game)
    if reason is not None:
        raise SoulreadError(f"no play-outs in {view.game.name!r}: {reason}")
    if view.to_act != view.seat:
        raise SoulreadError(f"seat {view.seat} is not to act after {view.betting!r}")
    rules = view.rules
    assert rules.raise_sizes is not None
    assert rules.max_raises is not None
    text = view.betting.rpartition("/")[2]
    acted = view.actions[len(view.actions) - len(text) :]
    live = view.folded.count(False)
    left = live + text.count("f")  # at the start of the round
    remaining = left
    for _, action in acted:
        remaining -= action == FOLD
        left = remaining - 1 if action == RAISE else left - 1
    return Point(
        view.seat,
        view.round,
        text.count("r"),
        left,
        max(view.spent),
        np.array(view.spent, np.int64),
        np.array(view.folded, np.bool_),
        np.array(rules.raise_sizes, np.int64),
        np.array(rules.max_raises, np.int64),
        np.array(rules.first, np.int64),
    )


class Deal(NamedTuple):
    """The cards of a play-out as far as they matter, and its random numbers; filled again for each deal."""

    holdings: NDArray[np.int64]  # [seats] -1 for a seat that has folded
    hs: NDArray[np.float64]  # [rounds, seats] before the flop the value itself
    ppot: NDArray[np.float64]  # [rounds, seats]
    ranks: NDArray[np.int64]  # [seats] at the showdown, higher is better
    uniforms: NDArray[np.float64]  # [rounds, bets, seats] decides what a seat does at so many bets
    spent: NDArray[np.int64]  # [seats] work space
    folded: NDArray[np.bool_]  # [seats] work space


def new_deal(seats: int) -> Deal:
    """Room for the cards of a deal."""
    return Deal(
        np.full(seats, -1, np.int64),
        np.zeros((NUM_ROUNDS, seats)),
        np.zeros((NUM_ROUNDS, seats)),
        np.zeros(seats, np.int64),
        np.zeros((NUM_ROUNDS, MOST_BETS, seats)),
        np.zeros(seats, np.int64),
        np.zeros(seats, np.bool_),
    )


# One play-out -------------------------------------------------------------------------------------


@kernel
def value_in(deal: Deal, round: int, seat: int, opponents: int) -> float:
    """The value of a seat's holding in a round against so many live opponents."""
    hs = float(deal.hs[round, seat])
    if round == 0:
        return hs
    strength = hs
    for _ in range(opponents - 1):
        strength *= hs
    return strength + (1 - strength) * float(deal.ppot[round, seat])


@kernel
def play_out(point: Point, first: int, bars: NDArray[np.float64], deal: Deal) -> int:
    """Chips we win beyond folding now, beginning with ``first``; ``bars`` are ``[seats, contexts, 2, 2]``."""
    spent, folded = deal.spent, deal.folded
    seats = spent.size
    live = 0
    for seat in range(seats):
        spent[seat] = point.spent[seat]
        folded[seat] = point.folded[seat]
        live += not folded[seat]
    us, seat, action = point.us, point.us, first
    round, raises, left, high = point.round, point.raises, point.left, point.high
    chosen = True  # whether ``action`` is what the seat does
    while True:
        while left > 0:
            if not chosen:
                owed, size = high - spent[seat], point.sizes[round]
                context = context_of(round, (owed + size - 1) // size)
                value = value_in(deal, round, seat, live - 1)
                chances = triple_of(value, bars[seat, context], owed > 0, raises < point.caps[round])
                drawn = deal.uniforms[round, raises, seat]
                action = FOLD if drawn < chances.fold else CALL if drawn < 1 - chances.raise_ else RAISE
            chosen = False
            left -= 1
            if action == FOLD:
                if seat == us:
                    return int(point.spent[us] - spent[us])
                folded[seat] = True
                live -= 1
                if live == 1:  # we are left: our folds end the play-out above
                    return int(spent.sum() - (spent[us] - point.spent[us]))
            else:
                if action == RAISE:
                    high += point.sizes[round]
                    raises += 1
                    left = live - 1
                spent[seat] = high
            seat = _next_seat(seat + 1, folded)
        if round == NUM_ROUNDS - 1:
            return int(_showdown(us, deal) - (spent[us] - point.spent[us]))
        round += 1
        raises, left = 0, live
        seat = _next_seat(point.first[round], folded)


@kernel
def _next_seat(seat: int, folded: NDArray[np.bool_]) -> int:
    """The first seat from ``seat`` on, clockwise, that has not folded."""
    if seat >= folded.size:
        seat = 0
    while folded[seat]:
        seat += 1
        if seat == folded.size:
            seat = 0
    return seat


@kernel
def _showdown(us: int, deal: Deal) -> int:
    """Our part of the pot; odd chips go to the first winner after the button."""
    best, winners, first = -1, 0, 0
    for seat in range(deal.spent.size):
        if not deal.folded[seat]:
            if deal.ranks[seat] > best:
                best, winners, first = deal.ranks[seat], 1, seat
            elif deal.ranks[seat] == best:
                winners += 1
    if deal.ranks[us] < best:
        return 0
    pot = int(deal.spent.sum())
    return pot // winners + (pot % winners if first == us else 0)


# Drawing deals ------------------------------------------------------------------------------------


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


class Source(NamedTuple):
    """Where the values of holdings come from: of the board on the table, and of boards to come."""

    board: NDArray[np.int64]  # [cards on the table]
    before: NDArray[np.float64]  # [seats, 1326] values before the flop
    now: Present
    rows: FlopRows  # of the flop on the table
    pool: Pool  # before the flop
    room: Room


@kernel
def _rank(source: Source, holding: int, board: NDArray[np.int64]) -> int:
    a, b = source.room.cards[holding, 0], source.room.cards[holding, 1]
    return int(value7(source.room.tables, board[0], board[1], board[2], board[3], board[4], a, b))


@kernel
def _deal_pooled(source: Source, deal: Deal, rng: np.random.Generator) -> None:
    """A board of the pool, with exchanged suits, that shares no card with the holdings."""
    holdings, pooled = deal.holdings, source.pool
    fits = False
    b, p = 0, 0
    while not fits:
        b = int(rng.random() * pooled.boards.shape[0])
        p = int(rng.random() * pooled.images.shape[0])
        fits = True
        for seat in range(holdings.size):
            if holdings[seat] >= 0 and (
                source.room.masks[pooled.images[p, holdings[seat]]] & pooled.masks[b]
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
            deal.ranks[seat] = _rank(source, image, pooled.boards[b])


@kernel
def _deal_on(
    source: Source, round: int, used: int, board: NDArray[np.int64], deal: Deal, rng: np.random.Generator
) -> int:
    """Deal the rest of the board after the flop; returns how many rows of values had to be made."""
    made = 0
    holdings, rows = deal.holdings, source.rows
    for place in range(source.board.size, 5):
        board[place] = _draw_card(used, rng)
        used |= 1 << board[place]
    if round < 2:
        made += make_turn(rows, board[3], source.room)
    if round < 3:
        made += make_river(rows, board[3], board[4], source.room)
    river = pair_index(board[3], board[4])
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
            deal.ranks[seat] = _rank(source, h, board)
    return made


# Running sums: deals; call, its square; raise, its square; square of the difference; rows made
DEALS, CALLED, CALLED2, RAISED, RAISED2, APART2, MADE = range(7)


@kernel
def run_chunk(
    deals: int,
    most_rows: int,
    point: Point,
    ours: int,
    taken: int,
    may_raise: bool,
    bars: NDArray[np.float64],
    draws: Draws,
    source: Source,
    deal: Deal,
    sums: NDArray[np.float64],
    rng: np.random.Generator,
) -> None:
    """Play out up to ``deals`` deals, each with a call and with a raise, and add to ``sums``."""
    seats = point.spent.size
    board = np.zeros(5, np.int64)
    board[: source.board.size] = source.board
    made = 0
    for _ in range(deals):
        used = draw_holdings(draws, taken, deal.holdings, rng)
        deal.holdings[point.us] = ours
        if point.round == 0:
            _deal_pooled(source, deal, rng)
        else:
            made += _deal_on(source, point.round, used, board, deal, rng)
        for round in range(point.round, NUM_ROUNDS):
            for bets in range(point.raises if round == point.round else 0, point.caps[round] + 1):
                for seat in range(seats):
                    deal.uniforms[round, bets, seat] = rng.random()
        called = play_out(point, CALL, bars, deal)
        sums[DEALS] += 1
        sums[CALLED] += called
        sums[CALLED2] += called * called
        if may_raise:
            raised = play_out(point, RAISE, bars, deal)
            sums[RAISED] += raised
            sums[RAISED2] += raised * raised
            sums[APART2] += (raised - called) * (raised - called)
        if made >= most_rows:
            break
    sums[MADE] += made


# The public side ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outlook:
    """What a call and a raise are worth, in chips beyond folding now; errors are standard errors.

    Where a raise is not allowed its value is minus infinity.
    """

    call: float
    raise_: float
    call_error: float
    raise_error: float
    apart_error: float  # of the difference between the two
    playouts: int
    chunks: int
    clear: bool  # whether it stopped because the best action was clear
    one_by_one: int  # deals in which the seats drew one after the other

    def best(self, may_fold: bool) -> int:
        """The action that is worth most; ties go to the cheaper one."""
        value, action = (0.0, FOLD) if may_fold else (-math.inf, CALL)
        for worth, found in ((self.call, CALL), (self.raise_, RAISE)):
            if worth > value:
                value, action = worth, found
        return action


@dataclass(frozen=True)
class Limits:
    """When play-outs end. ``budget`` is seconds, 0: as long as it takes."""

    budget: float = 0.0
    playouts: int = UNLIMITED
    clear: float = CLEAR  # standard errors; infinity: never

    def __post_init__(self) -> None:
        if not self.budget >= 0 or self.playouts < 1 or not self.clear > 0:
            raise SoulreadError(
                f"budget={self.budget!r} seconds, playouts={self.playouts!r}, clear={self.clear!r}; a budget "
                "is not negative, there is at least one play-out, and what is clear lies above 0"
            )
        if self.budget == 0 and self.playouts >= UNLIMITED:
            raise SoulreadError("play-outs need a budget of seconds or a number of play-outs")


def simulate_decision(
    view: PokerView,
    tables: NDArray[np.float64],
    bars: NDArray[np.float64],
    before: NDArray[np.float64],
    limits: Limits,
    rng: np.random.Generator,
    begun: float | None = None,
    clock: Clock = time.perf_counter,
) -> Outlook:
    """What a call and a raise are worth to the seat in view, which is to act.

    ``tables [seats, 1326]`` has the weights of each live opponent's holdings; other rows are not read.
    ``bars [seats, 12, 2, 2]`` are everybody's, ours too. ``before [seats, 1326]`` has the values of holdings
    before the flop. Holdings with cards that we see are left out here. ``begun`` is when the budget began to
    run, by ``clock``; now, if it is not given.
    """
    if begun is None:
        begun = clock()
    point = point_of(view)
    seats = point.spent.size
    _verify(tables, bars, before, seats)
    taken = cards_mask((*view.hole, *view.board))
    draws = _draws(view, point, tables, taken)
    source = _source(view, before)
    deal = new_deal(seats)
    sums = np.zeros(7)
    may_raise = RAISE in view.legal
    ours = hand_index(*view.hole)
    each = 2 if may_raise else 1  # play-outs of a deal
    most = -(-limits.playouts // each)
    chunks, clear = 0, False
    while True:
        deals = int(min(CHUNK, most - sums[DEALS]))
        run_chunk(deals, ROWS, point, ours, taken, may_raise, bars, draws, source, deal, sums, rng)
        chunks += 1
        outlook = _outlook(sums, may_raise, chunks, draws)
        clear = outlook.playouts >= ENOUGH and _is_clear(outlook, FOLD in view.legal, limits.clear)
        if clear or sums[DEALS] >= most or (limits.budget and clock() - begun >= limits.budget):
            break
    return Outlook(**{**vars(outlook), "clear": clear})


def _verify(
    tables: NDArray[np.float64], bars: NDArray[np.float64], before: NDArray[np.float64], seats: int
) -> None:
    for name, array, shape in (
        ("tables", tables, (seats, NUM_HANDS)),
        ("bars", bars, (seats, NUM_CONTEXTS, 2, 2)),
        ("before", before, (seats, NUM_HANDS)),
    ):
        if array.shape != shape or array.dtype != np.float64:
            raise ShapeError(f"{name} has shape {array.shape} of {array.dtype}; expected {shape} of float64")
        if not np.isfinite(array).all():
            raise SoulreadError(f"{name} has numbers that are not finite")


def _draws(view: PokerView, point: Point, tables: NDArray[np.float64], taken: int) -> Draws:
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


def _source(view: PokerView, before: NDArray[np.float64]) -> Source:
    """Before the flop the rows of some flop stand in for those that nobody reads."""
    board = view.board or (0, 1, 2)
    return Source(
        np.array(view.board, np.int64),
        before,
        present(tuple(board)),
        flop_rows((board[0], board[1], board[2])),
        pool(),
        room(),
    )


def _outlook(sums: NDArray[np.float64], may_raise: bool, chunks: int, draws: Draws) -> Outlook:
    n = sums[DEALS]
    call, raised = sums[CALLED] / n, sums[RAISED] / n
    return Outlook(
        call=float(call),
        raise_=float(raised) if may_raise else -math.inf,
        call_error=_error(n, call, sums[CALLED2]),
        raise_error=_error(n, raised, sums[RAISED2]) if may_raise else 0.0,
        apart_error=_error(n, raised - call, sums[APART2]) if may_raise else 0.0,
        playouts=int(n) * (1 + may_raise),
        chunks=chunks,
        clear=False,
        one_by_one=int(draws.counts[1]),
    )


def _error(n: float, mean: float, squares: float) -> float:
    """Standard error of a mean from its sum of squares; infinite for one sample."""
    if n < 2:
        return math.inf
    return math.sqrt(max(0.0, squares / n - mean * mean) / (n - 1))


def _is_clear(outlook: Outlook, may_fold: bool, clear: float) -> bool:
    """Whether the best action is ahead of each other one by ``clear`` standard errors."""
    best = outlook.best(may_fold)
    fold, call, raised = 0.0, outlook.call, outlook.raise_
    apart = [
        (abs(call - raised), outlook.apart_error, {CALL, RAISE}),
        (abs(call - fold), outlook.call_error, {FOLD, CALL}),
        (abs(raised - fold), outlook.raise_error, {FOLD, RAISE}),
    ]
    return all(
        gap > clear * error
        for gap, error, pair in apart
        if best in pair and (may_fold or FOLD not in pair) and (math.isfinite(raised) or RAISE not in pair)
    )
