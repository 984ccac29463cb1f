"""The chips that two strategies win from each other with real cards on a given board, by adding up.

Both strategies say what they do with every holding. So on a board that is dealt to the end, everything else
can be added up: all pairs of holdings that fit the board, and all ways of betting. Only the board is left to
chance. In a game of few cards `worth` takes every board and is exact; in hold'em it takes random ones.

A walk over the betting tree carries both *ranges*: how much of each holding comes to a node. With w and v the
ranges at an end of the betting, the first seat gets there

    fold         chips  x  sum over pairs without a common card of  w(h) v(g)
    showdown     chips  x  the same sum with the sign of  value(h) - value(g)

Strategies may see the cards through different look-ups: buckets, ratings, or not at all.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.arrays import deal
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.seqform.betting import BettingArrays
from soulread.seqform.board_payoff import TILE, PayoffScratch, finish_values, make_room, sum_holdings
from soulread.seqform.holdings import DEAD, HoldemTable, all_states, hand_table
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.real_cards.local_best_response import MAX_DEPTH, UNREACHED
from soulread.solvers.real_cards.river import SortedHands, sort_hands

DEFAULT_BOARDS = 4

Seated = tuple[TabularStrategy, TabularStrategy]  # by seat


def worth(strategies: Seated, boards: NDArray[np.uint8]) -> float:
    """Chips that seat 0 wins per hand, as a mean over complete boards ``[n, cards]``."""
    game = strategies[0].betting.poker
    if strategies[1].betting.poker.variant != game.variant:  # how labels write cards does not matter
        raise SoulreadError(
            f"a strategy of {game.name!r} and one of {strategies[1].betting.name!r}; both must play one game"
        )
    on_board = _worth_in_holdem if isinstance(hand_table(game), HoldemTable) else worth_by_pairs
    return float(np.mean([on_board(strategies, board) for board in boards]))


def draw_boards(game: PokerGame, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Complete boards: all of them in a game of few cards, else ``count`` random ones."""
    size = sum(game.rules.board_cards)
    if isinstance(hand_table(game), HoldemTable):
        return np.array([deal(rng, game.rules.deck, size) for _ in range(count)], dtype=np.uint8)
    if size > 1:
        raise SoulreadError(f"{game.name!r} is neither hold'em nor a game with at most one board card")
    return np.array([[card] for card in game.rules.deck] if size else [[]], dtype=np.uint8)


def worth_by_pairs(strategies: Seated, board: NDArray[np.uint8]) -> float:
    """`worth` on one board, pair by pair of holdings."""
    table = hand_table(strategies[0].betting.poker)
    values = table.values(board.tolist(), 1, np.random.default_rng(0))[0].astype(np.int64)
    alive = values != DEAD
    apart = ((table.masks[:, None] & table.masks[None, :]) == 0) & alive[:, None] & alive[None, :]
    ahead = np.sign(values[:, None] - values[None, :]) * apart
    states = [_states(strategy, board) for strategy in strategies]
    tree = strategies[0].betting.arrays

    def follow(node: int, first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
        seat = int(tree.player[node])
        if seat == TERMINAL:
            pairs = ahead if tree.showdown[node] else apart
            return float(tree.chips[node, 0] * (first @ pairs @ second))
        chances = strategies[seat].chances(node, states[seat][tree.round[node]])
        total = 0.0
        for child, chance in zip(tree.child[node], chances, strict=False):
            ranges = (first * chance, second) if seat == 0 else (first, second * chance)
            total += follow(int(child), *ranges)
        return total

    return follow(0, alive.astype(np.float64), alive.astype(np.float64)) / float(apart.sum())


def _states(strategy: TabularStrategy, board: NDArray[np.uint8]) -> list[Ints]:
    """Every holding's private state, by round."""
    sizes = np.cumsum(strategy.betting.poker.rules.board_cards)
    table = hand_table(strategy.betting.poker)
    return [all_states(strategy.lookup, table, board[None, :size])[0] for size in sizes]


class _Seat(NamedTuple):
    """A strategy on a board with n holdings."""

    behaviour: Floats
    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes]
    states: Ints  # [rounds, n]


def _worth_in_holdem(strategies: Seated, board: NDArray[np.uint8]) -> float:
    hands = sort_hands(board.tolist())
    seats = []
    for seat, strategy in enumerate(strategies):
        states = np.stack(_states(strategy, board))[:, hands.hand]
        arrays = strategy.arrays
        seats.append(_Seat(strategy.behaviours[seat], arrays.first_sequence, arrays.width, states))
    room = make_room(hands.hand.size, np.float64)
    return float(_sum_ends(strategies[0].betting.arrays, hands, seats[0], seats[1], room))


@kernel
def _sum_ends(
    betting: BettingArrays, hands: SortedHands, first: _Seat, second: _Seat, room: PayoffScratch
) -> float:
    """Chips of seat 0 over all ends of the betting, per pair of holdings; many ends are added up together."""
    count = hands.hand.size
    ranges = np.ones((2, MAX_DEPTH, count))
    latest = np.zeros((2, MAX_DEPTH), dtype=np.int64)  # row of each seat's range at every depth
    node_at = np.zeros(MAX_DEPTH, dtype=np.int64)  # the way from the root to the present node
    next_action = np.zeros(MAX_DEPTH, dtype=np.int64)
    batch = room.total.size
    own = np.empty((batch, count))  # the first seat's range at each end
    chips = np.empty(batch)  # of the first seat, may be negative
    showdown = np.zeros(batch, dtype=np.bool_)
    own[0] = ranges[0, 0]
    room.x[:, 0] = ranges[1, 0]
    chips[0] = 1.0
    pairs = _meet(hands, 1, own, chips, showdown, room)
    total = 0.0
    waiting = 0
    depth = 0
    while depth >= 0:
        node = node_at[depth]
        seat = betting.player[node]
        if seat == TERMINAL:
            own[waiting] = ranges[0, latest[0, depth]]
            theirs = ranges[1, latest[1, depth]]
            for h in range(count):
                room.x[h, waiting] = theirs[h]
            chips[waiting] = betting.chips[node, 0]
            showdown[waiting] = betting.showdown[node]
            waiting += 1
            if waiting == batch:
                total += _meet(hands, waiting, own, chips, showdown, room)
                waiting = 0
            depth -= 1
            continue
        k = next_action[depth]
        if k == betting.num_actions[node]:
            depth -= 1
            continue
        next_action[depth] = k + 1
        r = betting.round[node]
        before, after = ranges[seat, latest[seat, depth]], ranges[seat, depth + 1]
        if seat == 0:
            reached = _take(first, node, k, r, before, after)
        else:
            reached = _take(second, node, k, r, before, after)
        if reached > UNREACHED:
            depth += 1
            latest[:, depth] = latest[:, depth - 1]
            latest[seat, depth] = depth
            node_at[depth] = betting.child[node, k]
            next_action[depth] = 0
    total += _meet(hands, waiting, own, chips, showdown, room)
    return float(total / pairs)


@kernel
def _meet(
    hands: SortedHands,
    count: int,
    own: NDArray[np.float64],
    chips: NDArray[np.float64],
    showdown: NDArray[np.bool_],
    room: PayoffScratch,
) -> float:
    """Chips of seat 0 at ``count`` ends, of which ``room.x`` has the other seat's ranges."""
    sum_holdings(hands.facing, True, room)
    ones = np.ones(hands.hand.size)
    total = 0.0
    for tile in range(0, hands.hand.size, TILE):
        until = min(tile + TILE, hands.hand.size)
        finish_values(hands.facing, ones, tile, until, room)
        for k in range(count):
            share = 0.0
            if showdown[k]:
                for h in range(tile, until):
                    share += own[k, h] * room.y[h, k]
            else:
                for h in range(tile, until):
                    share += own[k, h] * room.z[h - tile, k]
            total += chips[k] * share
    return total


@kernel
def _take(
    seat: _Seat, node: int, k: int, r: int, before: NDArray[np.float64], after: NDArray[np.float64]
) -> float:
    """The range that takes action k; returns its weight."""
    row = seat.first_sequence[node] + k * seat.width[node]
    reached = 0.0
    for h in range(before.size):
        after[h] = before[h] * seat.behaviour[row + seat.states[r, h]]
        reached += after[h]
    return reached
