"""Rivers solved anew with real cards (Ganzfried & Sandholm, "Endgame solving", AAMAS 2015).

An equilibrium of a card abstraction cannot see the board: it only knows how strong its hand is. On the river
that costs most (docs/methods/abstraction.md). When the river card is dealt, both players' ranges are known:
the abstract strategy says with which hands each would have come here. The rest of the hand is then a small
game with real cards, 1081 hands each and some twenty betting nodes, and is solved on the spot by CFR+:

    q(h, a) = value of hand h after action a against the opponent's hands that come there
    R(h, a) <- [R(h, a) + q(h, a) - sum over b of sigma(h, b) q(h, b)]+
    sigma(h, a) = R(h, a) / sum of R(h, .)            the average counts iteration t with weight t

At a showdown q(h) is the chips times the opponent's weaker hands less the stronger ones, without those that
share a card with h. `soulread.seqform.board_payoff` adds them up, for all ends of the betting side by side.

Both players' earlier play is taken as given. The answer to an opponent who does not play the
abstract strategy is the same (the solving is "unsafe"): there is no guarantee, only measurements.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.lanes import LANES, padded
from soulread.cards.ranges import HAND_CARDS, NUM_HANDS, cards_mask
from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.seqform.board_payoff import Facing, PayoffScratch, finish_values, make_room, sum_holdings
from soulread.seqform.holdings import DEAD, HoldemTable, all_states, values_on
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Ints

DEFAULT_ITERATIONS = 100
MAX_ACTIONS = 3
_NO_RANGE = 1e-9  # a range with less weight than this is replaced by an even one


class RiverTree(NamedTuple):
    """The betting from one node on, parents first; the first of the N nodes is that node."""

    node: Ints  # [N] number in the whole tree
    player: NDArray[np.int8]  # [N] seat to act, or TERMINAL
    num_actions: NDArray[np.int8]  # [N]
    child: Ints  # [N, 3] among these nodes; -1 if there is none
    showdown: NDArray[np.bool_]  # [N]
    chips: NDArray[np.float64]  # [N, 2] at a fold, net chips of each seat; at a showdown, what a winner gains


class SortedHands(NamedTuple):
    """The hands that are possible on a board, weakest first."""

    hand: NDArray[np.int64]  # [n] number 0..1325
    facing: Facing  # the same hands against each other


@dataclass(frozen=True, eq=False)
class RiverPlay:
    """How both seats play a river: ``behaviour[i, k, h]`` at node i of the tree, with action k and hand h."""

    tree: RiverTree
    behaviour: NDArray[np.float32]  # [N, 3, 1326]; 0 for hands with a card of the board

    @cached_property
    def place(self) -> dict[int, int]:
        """Where in the tree a betting node stands."""
        return {int(node): i for i, node in enumerate(self.tree.node)}


def sort_hands(board: Sequence[int]) -> SortedHands:
    """The 1081 hands on a board of five cards, by value."""
    values = values_on(np.array([board], dtype=np.uint8))[0]
    order = np.argsort(values, kind="stable")
    order = order[values[order] != DEAD]
    return sorted_by(order, values[order])


def sorted_by(hands: NDArray[np.int64], values: NDArray[np.integer]) -> SortedHands:
    """Hands that are sorted by their values."""
    card, own = HAND_CARDS[hands], np.arange(hands.size)
    facing = Facing(
        card=card,
        weaker=np.searchsorted(values, values, side="left").astype(np.uint16),
        no_stronger=np.searchsorted(values, values, side="right").astype(np.uint16),
        same=own.astype(np.int16),
        member=own.astype(np.uint16),
        member_card=card,
    )
    return SortedHands(hands, facing)


def solve_river(
    tree: RiverTree, hands: SortedHands, ranges: NDArray[np.float64], iterations: int = DEFAULT_ITERATIONS
) -> NDArray[np.float32]:
    """An approximate equilibrium ``[N, 3, n]`` from ranges ``[2, n]`` over the sorted hands of a board.

    A seat's weights need not sum to one. A hand that never comes to a node has a behaviour there too.
    """
    if iterations < 1:
        raise SoulreadError(f"iterations={iterations!r}; a river needs at least 1")
    scaled = ranges / ranges.sum(axis=1, keepdims=True)
    average = np.zeros((tree.node.size, MAX_ACTIONS, hands.hand.size), dtype=np.float32)
    ends = np.flatnonzero(tree.player == TERMINAL)
    room = make_room(hands.hand.size, np.float64, batch=padded(ends.size, LANES), tile=hands.hand.size)
    _solve(tree, hands, ends, scaled, iterations, room, average)
    return average


class RiverSolver:
    """Solves the rivers that a strategy of heads-up limit hold'em comes to."""

    def __init__(
        self, strategy: TabularStrategy, game: PokerGame, iterations: int = DEFAULT_ITERATIONS
    ) -> None:
        rules = game.rules
        if sum(rules.board_cards) != 5 or rules.hole_cards != 2 or strategy.betting.name != game.name:
            raise SoulreadError(
                f"rivers are solved in hold'em for two; {game.name!r} came with a strategy for "
                f"{strategy.betting.name!r}"
            )
        self.strategy = strategy
        self.iterations = iterations
        self.last_round = len(rules.board_cards) - 1
        self._seen = np.cumsum(rules.board_cards).tolist()
        self._table = HoldemTable()
        self._trees: dict[int, RiverTree] = {}
        arrays = strategy.betting.arrays
        self._parent = np.full(strategy.betting.num_nodes, -1, dtype=np.int64)
        self._action = np.zeros_like(self._parent)
        for k in range(arrays.child.shape[1]):
            found = np.flatnonzero(arrays.child[:, k] >= 0)
            self._parent[arrays.child[found, k]] = found
            self._action[arrays.child[found, k]] = k

    def start_of(self, node: int) -> int:
        """The first node of the last round on the way to ``node``."""
        rounds = self.strategy.betting.arrays.round
        while self._parent[node] >= 0 and rounds[self._parent[node]] == self.last_round:
            node = int(self._parent[node])
        return node

    def tree(self, node: int) -> RiverTree:
        """The betting from a node on."""
        if node not in self._trees:
            arrays = self.strategy.betting.arrays
            nodes = [node]
            for number in nodes:
                nodes += [int(child) for child in arrays.child[number] if child >= 0]
            place = {number: i for i, number in enumerate(nodes)}
            child = np.full((len(nodes), MAX_ACTIONS), -1, dtype=np.int32)
            for i, number in enumerate(nodes):
                for k, after in enumerate(arrays.child[number]):
                    if after >= 0:
                        child[i, k] = place[int(after)]
            self._trees[node] = RiverTree(
                np.array(nodes, dtype=np.int32),
                arrays.player[nodes],
                arrays.num_actions[nodes],
                child,
                arrays.showdown[nodes],
                arrays.chips[nodes].astype(np.float64),
            )
        return self._trees[node]

    def states(self, board: Sequence[int]) -> list[Ints]:
        """``[rounds]`` of ``[1326]``: the private state of every hand in each round of a board."""
        return [
            all_states(self.strategy.lookup, self._table, np.array([board[:count]], dtype=np.uint8))[0]
            for count in self._seen
        ]

    def ranges(
        self, node: int, board: Sequence[int], states: Sequence[Ints] | None = None
    ) -> NDArray[np.float64]:
        """``[2, 1326]``: the chance of each seat to play to ``node`` with each hand; 0 with a board card.

        A seat that would come there with no hand at all has the same weight on all.
        """
        states = self.states(board) if states is None else states
        possible = (self._table.masks & cards_mask(board) == 0).astype(np.float64)
        ranges = np.tile(possible, (2, 1))
        arrays = self.strategy.betting.arrays
        while self._parent[node] >= 0:
            node, k = int(self._parent[node]), int(self._action[node])
            chances = self.strategy.chances(node, states[int(arrays.round[node])])
            ranges[int(arrays.player[node])] *= chances[k]
        for seat in (0, 1):
            if ranges[seat].sum() < _NO_RANGE:
                ranges[seat] = possible
        return ranges

    def solve(self, node: int, board: Sequence[int], states: Sequence[Ints] | None = None) -> RiverPlay:
        """How both seats play from the first node of a river on."""
        tree, hands = self.tree(node), sort_hands(board)
        ranges = self.ranges(node, board, states)[:, hands.hand]
        behaviour = np.zeros((tree.node.size, MAX_ACTIONS, NUM_HANDS), dtype=np.float32)
        behaviour[:, :, hands.hand] = solve_river(tree, hands, ranges, self.iterations)
        return RiverPlay(tree, behaviour)


# Kernels ------------------------------------------------------------------------------------------


@kernel
def _solve(
    tree: RiverTree,
    hands: SortedHands,
    ends: NDArray[np.int64],
    ranges: NDArray[np.float64],
    iterations: int,
    room: PayoffScratch,
    average: NDArray[np.float32],
) -> None:
    """Fill ``average`` with the average behaviour of CFR+; the second seat answers the first one's update."""
    nodes, count = tree.node.size, hands.hand.size
    regret = np.zeros((nodes, MAX_ACTIONS, count))
    sigma = np.zeros((nodes, MAX_ACTIONS, count))
    for i in range(nodes):
        for k in range(tree.num_actions[i]):
            sigma[i, k] = 1.0 / tree.num_actions[i]
    reach = np.empty((nodes, 2, count))
    value = np.empty((nodes, count))
    reach[0] = ranges
    for t in range(1, iterations + 1):
        for seat in range(2):
            for i in range(nodes):
                acting = tree.player[i]
                for k in range(tree.num_actions[i]):
                    after = tree.child[i, k]
                    for h in range(count):
                        reach[after, acting, h] = reach[i, acting, h] * sigma[i, k, h]
                        reach[after, 1 - acting, h] = reach[i, 1 - acting, h]
            for k in range(ends.size):
                for h in range(count):
                    room.x[h, k] = reach[ends[k], 1 - seat, h]
            sum_holdings(hands.facing, True, room)
            finish_values(hands.facing, 0, count, room)
            for k in range(ends.size):
                i = ends[k]
                won = room.y if tree.showdown[i] else room.z
                for h in range(count):
                    value[i, h] = tree.chips[i, seat] * won[h, k]
            for i in range(nodes - 1, -1, -1):
                if tree.player[i] == TERMINAL:
                    continue
                value[i] = 0.0
                if tree.player[i] != seat:
                    for k in range(tree.num_actions[i]):
                        value[i] += value[tree.child[i, k]]
                    continue
                for k in range(tree.num_actions[i]):
                    value[i] += sigma[i, k] * value[tree.child[i, k]]
                for h in range(count):
                    total = 0.0
                    for k in range(tree.num_actions[i]):
                        grown = max(regret[i, k, h] + value[tree.child[i, k], h] - value[i, h], 0.0)
                        regret[i, k, h] = grown
                        total += grown
                    for k in range(tree.num_actions[i]):
                        average[i, k, h] += t * reach[i, seat, h] * sigma[i, k, h]
                        sigma[i, k, h] = regret[i, k, h] / total if total > 0 else 1.0 / tree.num_actions[i]
    for i in range(nodes):
        for h in range(count):
            total = 0.0
            for k in range(tree.num_actions[i]):
                total += average[i, k, h]
            for k in range(tree.num_actions[i]):
                average[i, k, h] = average[i, k, h] / total if total > 1e-12 else sigma[i, k, h]
