"""The chips that two strategies win from each other with real cards on a given board, by adding up.

Both strategies say what they do with every holding. So on a board that is dealt to the end, everything else
can be added up: all pairs of holdings that fit the board, and all ways of betting. Only the board is left to
chance. In a game of few cards `worth` takes every board and is exact; in hold'em it takes random ones.

A walk over the betting tree carries the opponent's *range*: how much of each holding comes to a node. With v
the range at an end of the betting, our holding h is worth there

    fold         chips  x  sum over the holdings g that share no card with h of  v(g)
    showdown     chips  x  the same sum with the sign of  value(h) - value(g)

Holdings that our look-up tells apart in no round are a *class*, and their worths are added up. A second walk
carries our range over the classes, some 130 of 1,081 with 5 buckets a round. So once an opponent was walked
through (`Against`), every other strategy over the same look-up is valued in a tenth of the time.

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
from soulread.seqform.lookup import Lookup
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.real_cards.local_best_response import MAX_DEPTH, UNREACHED
from soulread.solvers.real_cards.river import SortedHands, sort_hands

DEFAULT_BOARDS = 8

Seated = tuple[TabularStrategy, TabularStrategy]  # by seat


def worth(strategies: Seated, boards: NDArray[np.uint8]) -> float:
    """Chips that seat 0 wins per hand, as a mean over complete boards ``[n, cards]``."""
    first, second = strategies
    _verify_same_game(first, second)
    return float(np.mean([Against(second, 1, first.lookup, board[None]).worth(first) for board in boards]))


def _verify_same_game(first: TabularStrategy, second: TabularStrategy) -> None:
    game, other = first.betting.poker, second.betting.poker
    if other.variant != game.variant:  # how labels write cards does not matter
        raise SoulreadError(
            f"a strategy of {game.name!r} and one of {second.betting.name!r}; both must play one game"
        )


class Against:
    """A strategy in ``seat`` on some boards, ready to value whoever sits in the other seat.

    All strategies can be valued that see the cards through ``lookup``.
    """

    def __init__(
        self, opponent: TabularStrategy, seat: int, lookup: Lookup, boards: NDArray[np.uint8]
    ) -> None:
        self._opponent = opponent
        self._seat = 1 - seat
        self._lookup = lookup
        in_holdem = isinstance(hand_table(opponent.betting.poker), HoldemTable)
        self._boards = [(_in_holdem if in_holdem else _by_pairs)(opponent, seat, lookup, b) for b in boards]

    def worth(self, own: TabularStrategy) -> float:
        """Chips per hand that a strategy wins in the other seat, as a mean over the boards."""
        _verify_same_game(own, self._opponent)
        if own.lookup is not self._lookup and own.lookup != self._lookup:
            raise SoulreadError("a strategy over other private states than those that were made ready")
        arrays, behaviour = own.arrays, own.behaviours[self._seat]
        end_of = _number_ends(own.betting.arrays)
        return float(
            np.mean(
                [
                    _add_up(
                        own.betting.arrays,
                        self._seat,
                        _Seat(behaviour, arrays.first_sequence, arrays.width, board.states),
                        end_of,
                        board.chips,
                    )
                    for board in self._boards
                ]
            )
        )


class _Ends(NamedTuple):
    """The ends of the betting on one board, for C classes of own holdings."""

    states: Ints  # [rounds, C] private states of a class
    chips: NDArray[np.float64]  # [ends, C] of all holdings of a class together, over the pairs of holdings


def draw_boards(game: PokerGame, count: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Complete boards: all of them in a game of few cards, else ``count`` random ones."""
    size = sum(game.rules.board_cards)
    if isinstance(hand_table(game), HoldemTable):
        return np.array([deal(rng, game.rules.deck, size) for _ in range(count)], dtype=np.uint8)
    if size > 1:
        raise SoulreadError(f"{game.name!r} is neither hold'em nor a game with at most one board card")
    return np.array([[card] for card in game.rules.deck] if size else [[]], dtype=np.uint8)


def _states(game: PokerGame, lookup: Lookup, board: NDArray[np.uint8]) -> Ints:
    """``[rounds, H]``: every holding's private state, by round."""
    sizes = np.cumsum(game.rules.board_cards)
    table = hand_table(game)
    return np.stack([all_states(lookup, table, board[None, :size])[0] for size in sizes])


def _classes(states: Ints) -> tuple[Ints, Ints]:
    """The classes of holdings with equal states ``[rounds, n]``: states ``[rounds, C]``, numbers ``[n]``."""
    kinds, number = np.unique(states, axis=1, return_inverse=True)
    return np.ascontiguousarray(kinds), np.ascontiguousarray(number.ravel(), dtype=np.int32)


class _Seat(NamedTuple):
    """A strategy on a board with n holdings."""

    behaviour: Floats
    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes]
    states: Ints  # [rounds, n]


def _number_ends(betting: BettingArrays) -> Ints:
    """``[nodes]``: the number of each end of the betting, in the order of the nodes."""
    return (np.cumsum(betting.player == TERMINAL) - 1).astype(np.int32)


def _by_pairs(opponent: TabularStrategy, seat: int, lookup: Lookup, board: NDArray[np.uint8]) -> _Ends:
    """The ends of a small game, pair by pair of holdings."""
    game = opponent.betting.poker
    table = hand_table(game)
    values = table.values(board.tolist(), 1, np.random.default_rng(0))[0].astype(np.int64)
    alive = values != DEAD
    apart = ((table.masks[:, None] & table.masks[None, :]) == 0) & alive[:, None] & alive[None, :]
    ahead = np.sign(values[:, None] - values[None, :]) * apart
    theirs = _states(game, opponent.lookup, board)
    kinds, number = _classes(_states(game, lookup, board))
    tree = opponent.betting.arrays
    end_of = _number_ends(tree)
    chips = np.zeros((int(end_of[-1]) + 1, kinds.shape[1]))
    ranges = {0: alive.astype(np.float64)}
    for node in range(tree.player.size):  # parents come first
        reach = ranges.pop(node)
        if tree.player[node] == TERMINAL:
            pairs = ahead if tree.showdown[node] else apart
            np.add.at(chips[end_of[node]], number, tree.chips[node, 1 - seat] * (pairs @ reach))
            continue
        count = int(tree.num_actions[node])
        chances = np.ones((count, reach.size))
        if tree.player[node] == seat:
            chances = opponent.chances(node, theirs[tree.round[node]])
        for child, chance in zip(tree.child[node, :count].tolist(), chances, strict=True):
            ranges[child] = reach * chance
    return _Ends(kinds, chips / float(apart.sum()))


def _in_holdem(opponent: TabularStrategy, seat: int, lookup: Lookup, board: NDArray[np.uint8]) -> _Ends:
    """The ends of hold'em on one board."""
    game = opponent.betting.poker
    hands = sort_hands(board.tolist())
    kinds, number = _classes(_states(game, lookup, board)[:, hands.hand])
    theirs = np.ascontiguousarray(_states(game, opponent.lookup, board)[:, hands.hand])
    arrays = opponent.arrays
    seated = _Seat(opponent.behaviours[seat], arrays.first_sequence, arrays.width, theirs)
    tree = opponent.betting.arrays
    end_of = _number_ends(tree)
    chips = np.zeros((int(end_of[-1]) + 1, kinds.shape[1]))
    _fill_ends(tree, hands, seat, seated, number, make_room(hands.hand.size, np.float64), end_of, chips)
    return _Ends(kinds, chips)


@kernel
def _fill_ends(
    betting: BettingArrays,
    hands: SortedHands,
    seat: int,
    opponent: _Seat,
    number: Ints,
    room: PayoffScratch,
    end_of: Ints,
    chips: NDArray[np.float64],
) -> None:
    """Fill in the chips of `_Ends` against an opponent in ``seat``; many ranges are looked at together.

    A range serves both ends that may follow it, the fold and the showdown.
    """
    count = hands.hand.size
    ranges = np.ones((MAX_DEPTH, count))
    latest = np.zeros(MAX_DEPTH, dtype=np.int64)  # row of the opponent's range at every depth
    walked = np.zeros(MAX_DEPTH, dtype=np.int64)  # which range is in that row: they are numbered
    node_at = np.zeros(MAX_DEPTH, dtype=np.int64)  # the way from the root to the present node
    next_action = np.zeros(MAX_DEPTH, dtype=np.int64)
    batch = room.total.size
    folds = np.full(batch, -1, dtype=np.int64)  # the ends of each range
    showdowns = np.full(batch, -1, dtype=np.int64)
    room.x[:count, 0] = ranges[0]
    sum_holdings(hands.facing, True, room)
    pairs = _count_pairs(hands, room)
    waiting = depth = 0
    seen = -1
    ranges_so_far = 0
    while depth >= 0:
        node = node_at[depth]
        acting = betting.player[node]
        if acting == TERMINAL:
            ends = showdowns if betting.showdown[node] else folds
            if waiting == 0 or walked[latest[depth]] != seen or ends[waiting - 1] >= 0:
                if waiting == batch:
                    _meet(
                        betting,
                        hands,
                        waiting,
                        1 - seat,
                        folds,
                        showdowns,
                        number,
                        pairs,
                        room,
                        end_of,
                        chips,
                    )
                    waiting = 0
                seen = walked[latest[depth]]
                theirs = ranges[latest[depth]]
                for h in range(count):
                    room.x[h, waiting] = theirs[h]
                folds[waiting] = -1
                showdowns[waiting] = -1
                waiting += 1
            ends[waiting - 1] = node
            depth -= 1
            continue
        k = next_action[depth]
        if k == betting.num_actions[node]:
            depth -= 1
            continue
        next_action[depth] = k + 1
        reached = 1.0
        row = latest[depth]
        if acting == seat:
            reached = _take(opponent, node, k, betting.round[node], ranges[row], ranges[depth + 1])
            row = depth + 1
            ranges_so_far += 1
            walked[row] = ranges_so_far
        if reached > UNREACHED:
            depth += 1
            latest[depth] = row
            node_at[depth] = betting.child[node, k]
            next_action[depth] = 0
    _meet(betting, hands, waiting, 1 - seat, folds, showdowns, number, pairs, room, end_of, chips)


@kernel
def _count_pairs(hands: SortedHands, room: PayoffScratch) -> float:
    """The pairs of holdings without a common card; the first range of ``room`` is even."""
    total = 0.0
    for tile in range(0, hands.hand.size, TILE):
        until = min(tile + TILE, hands.hand.size)
        finish_values(hands.facing, tile, until, room)
        for h in range(tile, until):
            total += room.z[h - tile, 0]
    return total


@kernel
def _meet(
    betting: BettingArrays,
    hands: SortedHands,
    count: int,
    own: int,
    folds: NDArray[np.int64],
    showdowns: NDArray[np.int64],
    number: Ints,
    pairs: float,
    room: PayoffScratch,
    end_of: Ints,
    chips: NDArray[np.float64],
) -> None:
    """Fill in the chips of the seat ``own`` at the ends of ``count`` ranges of the opponent, ``room.x``."""
    sum_holdings(hands.facing, True, room)
    sums = np.zeros((2, chips.shape[1], room.total.size))  # of classes, at folds and at showdowns
    for tile in range(0, hands.hand.size, TILE):
        until = min(tile + TILE, hands.hand.size)
        finish_values(hands.facing, tile, until, room)
        for h in range(tile, until):
            fold, showdown = sums[0, number[h]], sums[1, number[h]]
            at_fold, at_showdown = room.z[h - tile], room.y[h]
            for k in range(fold.size):
                fold[k] += at_fold[k]
            for k in range(fold.size):
                showdown[k] += at_showdown[k]
    for kind, ends in enumerate((folds, showdowns)):
        for k in range(count):
            if ends[k] >= 0:
                each = betting.chips[ends[k], own] / pairs
                for c in range(chips.shape[1]):
                    chips[end_of[ends[k]], c] = each * sums[kind, c, k]


@kernel
def _add_up(betting: BettingArrays, seat: int, own: _Seat, end_of: Ints, chips: NDArray[np.float64]) -> float:
    """Chips of a strategy in ``seat`` over all ends of the betting."""
    count = chips.shape[1]
    ranges = np.ones((MAX_DEPTH, count))
    latest = np.zeros(MAX_DEPTH, dtype=np.int64)  # row of the range at every depth
    node_at = np.zeros(MAX_DEPTH, dtype=np.int64)  # the way from the root to the present node
    next_action = np.zeros(MAX_DEPTH, dtype=np.int64)
    total = 0.0
    depth = 0
    while depth >= 0:
        node = node_at[depth]
        acting = betting.player[node]
        if acting == TERMINAL:
            mine, end = ranges[latest[depth]], chips[end_of[node]]
            for h in range(count):
                total += mine[h] * end[h]
            depth -= 1
            continue
        k = next_action[depth]
        if k == betting.num_actions[node]:
            depth -= 1
            continue
        next_action[depth] = k + 1
        reached = 1.0
        row = latest[depth]
        if acting == seat:
            reached = _take(own, node, k, betting.round[node], ranges[row], ranges[depth + 1])
            row = depth + 1
        if reached > UNREACHED:
            depth += 1
            latest[depth] = row
            node_at[depth] = betting.child[node, k]
            next_action[depth] = 0
    return float(total)


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
