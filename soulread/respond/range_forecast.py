"""A forecast from any strategy that acts by its cards: the opponent's range is carried down the betting.

Let w(h) be the chance that the opponent holds h and has played as seen, our own actions left out. An action a
at a node multiplies it by P(a | h), and a card of the board takes away the holdings that contain it. So at
the ends of the hand, on each board,

    fold        value = chips x sum of w(h)
    showdown    value = sum of w(h) x (share against h x pot - what we have put in)

These values carry their chance. Our hand, the board and the betting are all we will know at a later decision
of ours, and the sum over h is taken before we choose. So if the strategy is the opponent's true one and all
boards are looked at, Miximax is a best response.

The chance of a deal depends on both holdings: with u cards unseen by us, each card that is in neither hand
comes with chance 1 / (u - cards of the opponent). Deals that were drawn instead of listed stand for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerView
from soulread.kernel import kernel
from soulread.respond.miximax import Area
from soulread.respond.runouts import Deals, Runout, deal_out, deals
from soulread.seqform.betting import BettingArrays
from soulread.seqform.holdings import HandTable, HoldemTable, all_states, hand_table, values_on
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solve.local_best_response import MAX_DEPTH


@dataclass(frozen=True, eq=False)
class RangeForecast:
    """What an opponent does who plays ``strategy`` and holds ``weights [H]``, for our seat and cards.

    ``root`` is our decision. Weights are of the holdings of `soulread.seqform.holdings.hand_table`, as far as
    the opponent has played; holdings that clash with the cards in view have none.
    """

    strategy: TabularStrategy
    root: int
    hole: tuple[int, ...]
    weights: NDArray[np.float64]
    runout: Runout

    @cached_property
    def deals(self) -> Deals:
        """The boards to come; the chance of a deal is in the values, so that of a possible one is 1 here."""
        found = deals(self.runout, len(self.strategy.betting.poker.rules.board_cards))
        return found._replace(chances=tuple(np.sign(chances) for chances in found.chances))

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """Ones: the values carry their chance."""
        return np.ones(self.strategy.betting.arrays.child.shape)

    @property
    def root_reach(self) -> float:
        """How likely the opponent comes to our decision."""
        return float(self.weights.sum())

    def fill(self, area: Area, value: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
        """Write the values of all ends, and how likely the opponent comes to each node of the area."""
        betting = self.strategy.betting
        seat = int(betting.arrays.player[self.root])
        held = np.flatnonzero(self.weights)
        arrays = self.strategy.arrays
        cards = _Cards(
            behaviour=self.strategy.behaviours[1 - seat],
            first_sequence=arrays.first_sequence,
            width=arrays.width,
            offset=self._offset,
            states=np.concatenate([self._states(k)[:, held] for k in range(len(self.runout.boards))]),
            factor=np.concatenate([factor[:, held] for factor in self._factors]),
            gain=2 * self._shares[:, held] - 1,
        )
        carry(betting.arrays, area, seat, self.root, self._paths, cards, self.weights[held], value, reach)

    @cached_property
    def _offset(self) -> Ints:
        """``[rounds]`` the first row of each round's boards, if the boards of all rounds are put together."""
        sizes = [0] * self.runout.round + [len(boards) for boards in self.runout.boards]
        found: Ints = (np.cumsum(sizes) - sizes).astype(np.int32)
        return found

    @cached_property
    def _paths(self) -> Ints:
        """``[boards of the last round, rounds]`` the boards that lead to each; 0 in rounds that are over."""
        rounds = self.runout.round + len(self.runout.boards)
        paths = np.zeros((len(self.runout.boards[-1]), rounds), dtype=np.int32)
        paths[:, -1] = np.arange(len(paths))
        for r in range(rounds - 1, self.runout.round, -1):
            paths[:, r - 1] = self.runout.parents[r - self.runout.round][paths[:, r]]
        return paths

    def _states(self, k: int) -> Ints:
        table = hand_table(self.strategy.betting.poker)
        return all_states(self.strategy.lookup, table, self.runout.boards[k])

    @cached_property
    def _factors(self) -> list[NDArray[np.float64]]:
        """``[rounds]`` of ``[boards, H]``: the chance of each deal if the opponent has this holding."""
        game = self.strategy.betting.poker
        table, size = hand_table(game), game.rules.hole_cards
        found: list[NDArray[np.float64]] = []
        for k, boards in enumerate(self.runout.boards):
            if k == 0:
                found.append(np.ones((1, len(table.masks))))
                continue
            cards = boards.shape[1] - self.runout.boards[k - 1].shape[1]
            unseen = len(game.rules.deck) - len(self.hole) - self.runout.boards[k - 1].shape[1]
            scale = comb(unseen, cards) / comb(unseen - size, cards)
            dead = np.bitwise_or.reduce(np.int64(1) << boards.astype(np.int64), axis=1)
            apart = (table.masks[None, :] & dead[:, None]) == 0
            found.append(apart * (self.runout.chances[k] * scale)[:, None])
        return found

    @cached_property
    def _shares(self) -> NDArray[np.float64]:
        """``[boards of the last round, H]`` the part of the pot that we win against each holding."""
        table = hand_table(self.strategy.betting.poker)
        values = _values(table, self.runout.boards[-1]).astype(np.int64)
        own = values[:, [table.index(self.hole)]]
        shares: NDArray[np.float64] = (1 + np.sign(own - values)) / 2
        return shares


def _values(table: HandTable, boards: NDArray[np.uint8]) -> NDArray[np.int16]:
    if isinstance(table, HoldemTable):
        return values_on(boards)
    rng = np.random.default_rng(0)  # not used: the boards are complete
    return np.concatenate([table.values(board, 1, rng) for board in boards.tolist()])


class _Cards(NamedTuple):
    """How the opponent plays n holdings on the boards of all rounds, put together: board b of round r is row
    ``offset[r] + b``."""

    behaviour: Floats
    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes]
    offset: Ints  # [rounds]
    states: Ints  # [rows, n]
    factor: NDArray[np.float64]  # [rows, n] the chance of the last deal
    gain: NDArray[np.float64]  # [boards of the last round, n] 1 if we win, -1 if we lose, 0 if it is a tie


@kernel
def carry(
    tree: BettingArrays,
    area: Area,
    seat: int,
    root: int,
    paths: Ints,
    cards: _Cards,
    weights: NDArray[np.float64],
    value: NDArray[np.float64],
    reach: NDArray[np.float64],
) -> None:
    """Walk the betting once for each board of the last round, with the boards that lead to it.

    What happens before the last card is dealt is walked several times and written again, the same each time.
    """
    count = weights.size
    ranges = np.empty((MAX_DEPTH, count))
    latest = np.zeros(MAX_DEPTH, dtype=np.int64)  # row of the range at every depth
    node_at = np.zeros(MAX_DEPTH, dtype=np.int64)  # the way from the root to the present node
    next_action = np.zeros(MAX_DEPTH, dtype=np.int64)
    ranges[0] = weights
    for path in paths:
        depth = 0
        node_at[0], next_action[0], latest[0] = root, 0, 0
        while depth >= 0:
            node = node_at[depth]
            r = tree.round[node]
            k = next_action[depth]
            if k == 0:
                held = ranges[latest[depth]]
                place = area.start[node] + path[r]
                total = 0.0
                if tree.player[node] == TERMINAL and tree.showdown[node]:
                    gain = cards.gain[path[r]]
                    for h in range(count):
                        total += held[h] * gain[h]
                else:
                    for h in range(count):
                        total += held[h]
                if tree.player[node] == TERMINAL:
                    value[place] = total * tree.chips[node, seat]
                elif reach.size > 1:
                    reach[place] = total
            if k == tree.num_actions[node]:
                depth -= 1
                continue
            next_action[depth] = k + 1
            child = tree.child[node, k]
            later = tree.round[child] != r
            latest[depth + 1] = latest[depth]
            if tree.player[node] != seat or later:
                before, after = ranges[latest[depth]], ranges[depth + 1]
                latest[depth + 1] = depth + 1
                if tree.player[node] != seat:
                    row = cards.first_sequence[node] + k * cards.width[node]
                    states = cards.states[cards.offset[r] + path[r]]
                    for h in range(count):
                        after[h] = before[h] * cards.behaviour[row + states[h]]
                else:
                    for h in range(count):
                        after[h] = before[h]
                if later:
                    factor = cards.factor[cards.offset[r + 1] + path[r + 1]]
                    for h in range(count):
                        after[h] *= factor[h]
            depth += 1
            node_at[depth] = child
            next_action[depth] = 0


def range_forecast(
    strategy: TabularStrategy,
    view: PokerView,
    counts: Sequence[int] = (),
    rng: np.random.Generator | None = None,
) -> RangeForecast:
    """The forecast at a decision of the seat in ``view`` if the opponent plays ``strategy``.

    Where the strategy would never have played as seen, all holdings that fit the cards in view are equally
    likely. ``counts`` and ``rng`` are those of `soulread.respond.runouts.deal_out`.
    """
    game = strategy.betting.poker
    weights = opponent_range(strategy, view)
    if not weights.any():
        table = hand_table(game)
        weights = ((table.masks & cards_mask((*view.hole, *view.board))) == 0).astype(np.float64)
    runout = deal_out(game, view.hole, view.board, counts, rng)
    return RangeForecast(strategy, strategy.betting.decision(view.betting), view.hole, weights, runout)


def opponent_range(strategy: TabularStrategy, view: PokerView) -> NDArray[np.float64]:
    """``[H]`` how likely the opponent's actions so far are with each holding; 0 if it clashes."""
    betting, game = strategy.betting, strategy.betting.poker
    table = hand_table(game)
    weights: NDArray[np.float64] = ((table.masks & cards_mask((*view.hole, *view.board))) == 0).astype(
        np.float64
    )
    sizes = np.cumsum(game.rules.board_cards)
    node = 0
    for actor, action in view.actions:
        position = betting.actions[node].index(action)
        if actor != view.seat:
            board = np.array(view.board[: sizes[betting.arrays.round[node]]], dtype=np.uint8).reshape(1, -1)
            weights *= strategy.chances(node, all_states(strategy.lookup, table, board)[0])[position]
        node = int(betting.arrays.child[node, position])
    return weights
