"""What an opponent may have held at each public history, by what the observer held there.

The observer's cards make some states of the opponent less likely: whoever holds the king meets no king. And
the observer does not come to every history with every card. So how often a strategy takes a public action
depends on the observer too. Let t be the observer's cards at a visit of public history n, P(b | t) the
probability that chance deals the opponent state b then, and s[b] the probability with which the expected
strategy plays towards b. At this visit the opponent has state b with probability

    P(b | t) s[b] / Z,      Z = sum over b of P(b | t) s[b]

The observer's strategy cancels out: it says how likely t is at n, and t is known. Over all visits, the
weights

    h[n, b] = sum over visits of  P(b | t) / Z

take the place of the plain chance of a `PublicTree`. Then h[n, b] s[b] is the expected number of visits with
state b, and the frequencies of the tree are the expected numbers of actions, divided by the visits.

Cards are real ones: P(b | t) counts every holding that clashes neither with the observer's cards nor with the
board at that moment. A record without the observer's cards counts with the joint chance and the plan that the
other player is expected to have (`soulread.seqform.public.joint_tree`). Only cards that were dealt to the
observer are used. Those that a spectator sees at a showdown are not: that they were shown depends on what the
opponent did.
"""

from functools import cached_property
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.hands import Hand
from soulread.kernel import kernel
from soulread.observe.counts import PublicCounts
from soulread.seqform.holdings import HandTable, all_states, hand_table
from soulread.seqform.public import PublicArrays, PublicTree, joint_tree
from soulread.seqform.strategy import Behaviours, Plan, plan_from_behaviour
from soulread.seqform.treeplex import Floats, Ints, ProductLabels

_MOST_KEPT = 2000  # boards whose states are kept


class Encounters:
    """Weights of one opponent's states at every public history, in either seat, that grow hand by hand.

    ``expected`` has the behaviours that are expected of seats 0 and 1, such as an equilibrium's. ``counts``
    says which game is counted; it is only read here. Hands count alike, whatever the decay of ``counts``.
    """

    def __init__(self, counts: PublicCounts, expected: Behaviours) -> None:
        self.game = counts.game
        self._counts = counts
        trees = self.game.trees
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
        self._hands = [0, 0]  # with the observer's cards, and without
        self._kept: dict[tuple[tuple[int, ...], tuple[int, ...]], NDArray[np.float64]] = {}

    @property
    def num_known(self) -> int:
        """Hands with the observer's cards."""
        return self._hands[0]

    @property
    def num_blind(self) -> int:
        """Hands without the observer's cards."""
        return self._hands[1]

    def add(self, hand: Hand, seat: int | None = None) -> None:
        """Take note of the decisions of ``seat``; without ``seat``, those of the observer's opponent."""
        seat = hand.opponent if seat is None else seat
        public = self._counts.trees[seat]
        cells = self._counts.cells(hand)[seat]
        visited = np.searchsorted(public.arrays.first_cell, cells, side="right") - 1
        hole = hand.hole[1 - seat] if hand.observer == 1 - seat else None
        labels = public.tree.labels
        if (
            hole is None
            or len(hole) != self._counts.poker.rules.hole_cards
            or self.game.lookup is None
            or not isinstance(labels, ProductLabels)
        ):
            self._blind[seat][visited] += 1
            self._hands[1] += 1
            return
        self._hands[0] += 1
        for n in visited.tolist():
            r = labels.rounds[int(public.block[n])]
            held = self._held(tuple(sorted(hole)), hand.board[: self._sizes[r]])
            plan, weights = self._plans[seat], self._weights[seat]
            add_visit(public.arrays, n, public.tree.parent_sequence, plan, held, weights)

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

    def _held(self, hole: tuple[int, ...], board: tuple[int, ...]) -> NDArray[np.float64]:
        """``[states of the round]``: holdings of the opponent that are left, by their private state."""
        key = hole, board
        if key not in self._kept:
            lookup = self.game.lookup
            assert lookup is not None
            r = self._sizes.index(len(board))
            states = all_states(lookup, self._table, np.array([board], dtype=np.uint8))[0]
            alive = (self._table.masks & cards_mask((*hole, *board))) == 0
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            found = np.bincount(states[alive], minlength=lookup.num_states[r])
            self._kept[key] = found.astype(np.float64)
        return self._kept[key]


@kernel
def add_visit(
    public: PublicArrays,
    n: int,
    parent_sequence: Ints,
    plan: Floats,
    held: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> None:
    """Add P(b | t) / Z of one visit of history n; where the plan never comes, Z counts chance alone."""
    offsets = public.offset[public.first_offset[n] : public.first_offset[n] + public.size[n]]
    first = public.first_set[n]
    total, whole = 0.0, 0.0
    for s in offsets:
        total += held[s] * plan[parent_sequence[first + s]]
        whole += held[s]
    if total <= 0:
        total = whole
    for s in offsets:
        weights[first + s] += held[s] / total


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
