"""Card removal: which states an opponent may have had at each public history, given the observer's cards.

The observer's cards make some states of the opponent less likely: if the observer holds the only king, the
opponent does not. And the observer does not come to every history with every card. So how often a strategy
takes a public action depends on the observer too. Let t be the observer's cards at a visit of public history
n, P(b | t) the probability that chance deals the opponent state b then, and s[b] the probability with which
the expected strategy plays towards b. At this visit the opponent has state b with probability

    P(b | t) s[b] / Z,      Z = sum over b of P(b | t) s[b]

The observer's strategy cancels out: it says how likely t is at n, and t is known. Over all visits, the
weights

    h[n, b] = sum over visits of  P(b | t) / Z

take the place of the plain chance of a `PublicTree`. Then h[n, b] s[b] is the expected number of visits with
state b, and the frequencies of the tree are the expected numbers of actions, divided by the visits.

Cards are real ones: P(b | t) counts every holding that clashes neither with the observer's cards nor with the
board at that moment. Only cards that were dealt to the observer are used. Those that a spectator sees at a
showdown are not: that they were shown depends on what the opponent did.

A record without the observer's cards has the weights of the joint chance and of the plan that the other
player is expected to have (`soulread.seqform.public.joint_tree`). That plan may be wrong. A *range* is right
whatever the other player holds and does: the least and the greatest probability of each action over all cards
t that the other player can hold. `ranges` has both; with the cards known they are equal. In hold'em a range
is narrow, because two cards more or less change little. In Kuhn it is wide.
"""

from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.hands.hand import Hand
from soulread.kernel import kernel
from soulread.observe.counts import PublicCounts, counted_seat
from soulread.observe.translation import on_tree
from soulread.seqform.compile import lookup_of
from soulread.seqform.holdings import HandTable, all_states, hand_table
from soulread.seqform.public import PublicArrays, PublicTree, joint_tree
from soulread.seqform.strategy import Behaviours, Plan, plan_from_behaviour
from soulread.seqform.treeplex import Floats, Ints, ProductLabels

Cards = tuple[int, ...]

_MOST_KEPT = 2000  # boards whose states are kept
_MOST_PAIRS = 100  # holdings of a game in which every two are compared


class StateWeights:
    """Weights of one opponent's states at every public history, in either seat, that grow hand by hand.

    ``expected`` has the behaviours that are expected of seats 0 and 1, such as an equilibrium's. ``counts``
    says which game is counted; it is only read here. Hands count alike, whatever the decay of ``counts``.
    """

    def __init__(self, counts: PublicCounts, expected: Behaviours) -> None:
        self.game = counts.game
        self._counts = counts
        trees = self.game.trees
        self._expected = expected
        self._plans: tuple[Plan, Plan] = (
            plan_from_behaviour(trees[0], expected[0]),
            plan_from_behaviour(trees[1], expected[1]),
        )
        self._sizes = tuple(accumulate(counts.poker.rules.board_cards))
        self.reset()

    def reset(self) -> None:
        """Forget every hand."""
        self._weights = tuple(np.zeros(tree.num_sets) for tree in self.game.trees)
        self._blind = tuple(np.zeros(tree.num_histories) for tree in self._counts.trees)
        self._sums = tuple(np.zeros((2, tree.num_cells)) for tree in self._counts.trees)  # least, greatest
        self._visits = tuple(np.zeros(tree.num_histories) for tree in self._counts.trees)
        self.num_known = 0  # hands with the observer's cards
        self._kept_states: dict[Cards, Ints] = {}
        self._kept_ranges: dict[tuple[int, int, Cards], NDArray[np.float64]] = {}

    def add(self, hand: Hand, seat: int | None = None) -> None:
        """Take note of the decisions of ``seat``; without ``seat``, those of the observer's opponent."""
        seat = counted_seat(hand, seat)
        hole = hand.hole[1 - seat] if hand.observer == 1 - seat else None
        known = hole is not None and len(hole) == self._counts.poker.rules.hole_cards
        public = self._counts.trees[seat]
        looked_up = self.game.lookup is not None and isinstance(public.tree.labels, ProductLabels)
        self.num_known += known and looked_up
        for way, chance in on_tree(self.game, hand):
            cells = self._counts.cells(way)[seat]
            visited = np.searchsorted(public.arrays.first_cell, cells, side="right") - 1
            self._visits[seat][visited] += chance
            for n in visited.tolist():
                self._add_visit(seat, n, hole if known else None, hand.board, chance)

    def _add_visit(self, seat: int, n: int, hole: Cards | None, whole_board: Cards, chance: float) -> None:
        """Take note of a visit of history ``n``; ``hole`` are the other player's cards, if they are known."""
        public = self._counts.trees[seat]
        labels = public.tree.labels
        if self.game.lookup is None or not isinstance(labels, ProductLabels):  # cards cannot be looked up
            self._blind[seat][n] += chance
            self._sums[seat][1, public.cells(n)] += chance
            return
        board = whole_board[: self._sizes[labels.rounds[int(public.block[n])]]]
        if hole is not None:
            self._add_known(seat, n, hole, board, chance)
        else:
            self._blind[seat][n] += chance
            self._sums[seat][:, public.cells(n)] += chance * self._range(seat, n, board)

    def ranges(self, seat: int) -> NDArray[np.float64]:
        """``[2, num_cells]``: the least and the greatest frequency of each public action that the expected
        strategy can have at these visits, whatever the other player held where that is not known.

        A history that was never visited has 0 and 1.
        """
        public = self._counts.trees[seat]
        visits = np.repeat(self._visits[seat], public.arrays.num_actions)
        ranges = np.stack([np.zeros(public.num_cells), np.ones(public.num_cells)])
        return np.divide(self._sums[seat], visits, out=ranges, where=visits > 0)

    def tree(self, seat: int) -> PublicTree:
        """The public histories of ``seat``, its sets weighted as the opponent was met there.

        A history that was never visited has the weights of `joint_tree`, with the expected plans.
        """
        joint = self._joint[seat]
        weights = self._weights[seat].copy()
        add_blind(joint.arrays, joint.tree.parent_sequence, self._plans[seat], self._blind[seat], weights)
        return joint.with_chance(weights)

    @cached_property
    def _joint(self) -> tuple[PublicTree, PublicTree]:
        first, second = (joint_tree(self.game, seat, self._plans[1 - seat]) for seat in (0, 1))
        return first, second

    @cached_property
    def _table(self) -> HandTable:
        return hand_table(self._counts.poker)

    def _states(self, board: Cards) -> Ints:
        """``[H]``: the private state of every holding on a board."""
        if board not in self._kept_states:
            if len(self._kept_states) >= _MOST_KEPT:
                self._kept_states.clear()
            boards = np.array([board], dtype=np.uint8)
            self._kept_states[board] = all_states(lookup_of(self.game), self._table, boards)[0]
        return self._kept_states[board]

    def _add_known(self, seat: int, n: int, hole: Cards, board: Cards, chance: float) -> None:
        """Take note of a visit of history ``n`` while the other player holds ``hole``."""
        alive = (self._table.masks & cards_mask((*hole, *board))) == 0
        states = self._states(board)[alive]
        add_visit(self._play(seat), n, states, chance, self._weights[seat], self._sums[seat])

    def _range(self, seat: int, n: int, board: Cards) -> NDArray[np.float64]:
        """``[2, actions]``: the range of each action's probability at a visit of history ``n``."""
        key = seat, n, board
        if key not in self._kept_ranges:
            if len(self._kept_ranges) >= _MOST_KEPT:
                self._kept_ranges.clear()
            alive = np.flatnonzero((self._table.masks & cards_mask(board)) == 0)
            found = np.empty((2, len(self._counts.trees[seat].actions(n))))
            masks, cards = self._table.masks[alive], self._table.cards[alive]
            find_range(self._play(seat), n, self._states(board)[alive], masks, cards, found)
            self._kept_ranges[key] = found
        return self._kept_ranges[key]

    def _play(self, seat: int) -> "ExpectedPlay":
        public = self._counts.trees[seat]
        return ExpectedPlay(
            public.arrays, public.tree.parent_sequence, self._plans[seat], self._expected[seat]
        )


class ExpectedPlay(NamedTuple):
    """The play that is expected of one seat, for kernels."""

    public: PublicArrays
    parent_sequence: Ints  # [num_sets]
    plan: Floats  # [num_sequences]
    behaviour: Floats  # [num_sequences]


@kernel
def add_visit(
    play: ExpectedPlay,
    n: int,
    states: Ints,
    visits: float,
    weights: NDArray[np.float64],
    sums: NDArray[np.float64],
) -> None:
    """Add P(b | t) / Z of visits of history n, and the probabilities of the actions at these visits.

    A visit that has a probability is a part of a visit. ``states`` are those of the holdings that are left.
    Where the plan never comes, Z counts chance alone.
    """
    public, parent_sequence, plan, behaviour = play
    first = public.first_set[n]
    total = 0.0
    for s in states:
        total += plan[parent_sequence[first + s]]
    reached = total > 0
    if not reached:
        total = float(states.size)
    for s in states:
        weights[first + s] += visits / total
        share = visits * (plan[parent_sequence[first + s]] / total if reached else 1 / total)
        for a in range(public.num_actions[n]):
            chance = share * behaviour[public.first_sequence[n] + a * public.width[n] + s]
            sums[0, public.first_cell[n] + a] += chance
            sums[1, public.first_cell[n] + a] += chance


@kernel
def find_range(
    play: ExpectedPlay,
    n: int,
    states: Ints,
    masks: NDArray[np.int64],
    cards: NDArray[np.uint8],
    found: NDArray[np.float64],
) -> None:
    """The least and the greatest probability of each action over all holdings of the other player.

    Holdings that the opponent cannot meet when playing the plan are passed over. If those are all, or there
    is no plan to history n, the range is everything.
    """
    public, parent_sequence, plan, behaviour = play
    size, actions = states.size, public.num_actions[n]
    weight = np.empty((actions + 1, size))  # of each holding; then with each action
    for k in range(size):
        s = states[k]
        weight[actions, k] = plan[parent_sequence[public.first_set[n] + s]]
        for a in range(actions):
            sequence = public.first_sequence[n] + a * public.width[n] + s
            weight[a, k] = weight[actions, k] * behaviour[sequence]
    left = np.zeros((actions + 1, size))  # the same sums over the holdings that each holding leaves
    if size <= _MOST_PAIRS or cards.shape[1] != 2:
        for k in range(size):
            for j in range(size):
                if masks[k] & masks[j] == 0:
                    for a in range(actions + 1):
                        left[a, k] += weight[a, j]
    else:
        by_card = np.zeros((actions + 1, 64))
        for k in range(size):
            for a in range(actions + 1):
                by_card[a, cards[k, 0]] += weight[a, k]
                by_card[a, cards[k, 1]] += weight[a, k]
        for a in range(actions + 1):
            whole = weight[a].sum()
            for k in range(size):
                left[a, k] = whole - by_card[a, cards[k, 0]] - by_card[a, cards[k, 1]] + weight[a, k]
    smallest = 1e-9 * left[actions].max()
    found[0], found[1] = 1.0, 0.0
    for k in range(size):
        if left[actions, k] > smallest:
            for a in range(actions):
                chance = left[a, k] / left[actions, k]
                found[0, a] = min(found[0, a], max(chance, 0.0))
                found[1, a] = max(found[1, a], min(chance, 1.0))
    if found[0, 0] > found[1, 0]:
        found[0], found[1] = 0.0, 1.0


@kernel
def add_blind(
    joint: PublicArrays,
    parent_sequence: Ints,
    plan: Floats,
    visits: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Add the visits at which the observer's cards are not known; all those of a history are alike."""
    for n in range(joint.size.size):
        if visits[n] > 0:
            offsets = joint.offset[joint.first_offset[n] : joint.first_offset[n] + joint.size[n]]
            chance, first = joint.chance[joint.first_chance[n] :], joint.first_set[n]
            total, whole = 0.0, 0.0
            for s in offsets:
                total += chance[s] * plan[parent_sequence[first + s]]
                whole += chance[s]
            if total <= 0:
                total = whole
            for s in offsets:
                weights[first + s] += visits[n] * chance[s] / total
