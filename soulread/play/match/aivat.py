"""AIVAT: the winnings of a hand, with the luck of the cards and of our own draws taken out.

Burch, Schmid, Moravcik, Morrill & Bowling, "AIVAT: a new variance reduction technique for agent evaluation in
imperfect information games", AAAI 2018. It needs our own strategy of the hand and everybody's cards, not the
opponent's strategy. Two ideas:

* *Our whole range plays.* With the opponent's cards and the public actions given, each holding we could have
  has a known chance. Chips at the end are averaged over all of them, not taken from the one we were dealt.
* *Luck is taken off.* Whenever chance or we act, the expected value before, less the value after, is added to
  the chips. A `Valuation` that was fixed beforehand gives these values. Each such term is zero on
  average, for any valuation: a poor one leaves more noise, but never a bias.

Turn and river cards are averaged over all that may come. For flops there are too many, so they are averaged
over ``flops`` random ones from the same distribution; such a term is zero on average, too.
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame
from soulread.kernel import kernel
from soulread.play.match.live import LiveHand
from soulread.seqform.abstract import has_abstraction
from soulread.seqform.holdings import all_states, hand_table, mask_of
from soulread.seqform.source import Source, Tell, parse_buckets, with_cards
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.real_cards.valuation import Valuation, find_valuation

Weights = NDArray[np.float64]  # [H] of a range

DEFAULT_FLOPS = 40
VALUED = "5-5-5-5:quick"  # the buckets whose equilibrium says what hands of limit hold'em are worth
_MOST_BOARDS = 60  # continuations of a board that are all looked at


def aivat_for(game: PokerGame, tell: Tell | None = None) -> "Aivat":
    """AIVAT for a game, by its equilibrium; in limit hold'em by that of 5-5-5-5 buckets.

    This may take a minute if the equilibrium must be solved first; ``tell`` is told how far that is.
    """
    source = with_cards(game, parse_buckets(VALUED)) if has_abstraction(game) else Source(game)
    return Aivat(find_valuation(source, tell))


class Aivat:
    """Estimates of one seat's winnings in finished hands of ``valuation.game``, in chips."""

    def __init__(self, valuation: Valuation, flops: int = DEFAULT_FLOPS) -> None:
        if flops < 1:
            raise SoulreadError(f"flops={flops}; at least one must be looked at")
        self.valuation = valuation
        self.flops = flops
        self.game = valuation.strategy.betting.poker
        self._table = hand_table(self.game)
        self._sizes = tuple(itertools.accumulate(self.game.rules.board_cards))
        self._tree = valuation.strategy.betting.arrays
        self._opening = self._values_of_openings()

    def estimate(self, hand: LiveHand, seat: int, played: TabularStrategy, rng: np.random.Generator) -> float:
        """Chips that ``seat`` won in a finished hand, less luck.

        ``played`` is the strategy that the seat followed in this hand. ``rng`` draws flops; it must not be a
        stream that cards or actions come from.
        """
        end = hand.end
        betting = self.valuation.strategy.betting
        board = np.array(end.board, dtype=np.uint8)
        other = self._table.index(end.hole(1 - seat))
        weights: Weights = ((self._table.masks & self._table.masks[other]) == 0).astype(np.float64)
        tree, node, r = self._tree, 0, 0
        states, theirs, own_states = self._look(board, 0, other, played)
        luck = self._opening[seat, other] - self._opening[seat].mean()
        for actor, action in end.actions:
            if int(tree.round[node]) > r:
                r = int(tree.round[node])
                luck += self._card_luck(node, seat, other, weights, board, r, rng)
                weights[(self._table.masks & cards_mask(board[: self._sizes[r]].tolist())) != 0] = 0
                states, theirs, own_states = self._look(board, r, other, played)
            position = betting.actions[node].index(action)
            child = int(tree.child[node, position])
            if actor == seat:
                chances = played.chances(node, own_states)
                worth = np.stack(
                    [
                        self.valuation.column(int(after), seat, theirs, r)[states]
                        for after in tree.child[node, : len(chances)]
                    ]
                )
                expected = ((weights * chances) * worth).sum() / weights.sum()
                weights *= chances[position]
                luck += weights @ worth[position] / weights.sum() - expected
            node = child
        if not tree.showdown[node]:
            return float(tree.chips[node, seat] - luck)
        values = self._table.values(board.tolist(), 1, rng)[0]
        won = np.sign(values.astype(np.int32) - int(values[other]))
        return float(tree.chips[node, seat] * (weights @ won) / weights.sum() - luck)

    def _look(
        self, board: NDArray[np.uint8], r: int, other: int, played: TabularStrategy
    ) -> tuple[Ints, int, Ints]:
        """Every holding's state for the valuation, the opponent's, and every holding's state for our play."""
        seen = board[None, : self._sizes[r]]
        states = all_states(self.valuation.strategy.lookup, self._table, seen)[0]
        same = played.lookup == self.valuation.strategy.lookup
        mine = states if same else all_states(played.lookup, self._table, seen)[0]
        return states, int(states[other]), mine

    def _card_luck(
        self,
        node: int,
        seat: int,
        other: int,
        weights: Weights,
        board: NDArray[np.uint8],
        r: int,
        rng: np.random.Generator,
    ) -> float:
        """Value of the board cards of round ``r`` as they came, less the mean over all that could come."""
        before, after = self._sizes[r - 1], self._sizes[r]
        dead = cards_mask(board[:before].tolist()) | int(self._table.masks[other])
        rest = np.array([card for card in self.game.rules.deck if not dead >> card & 1], dtype=np.uint8)
        exact = math.comb(rest.size, after - before) <= _MOST_BOARDS
        if exact:
            more = np.array(list(itertools.combinations(rest, after - before)), dtype=np.uint8)
        else:
            more = self._draw(weights, rest, after - before, rng)
        boards = np.concatenate([np.tile(board[:before], (len(more), 1)), more], axis=1)
        boards = np.concatenate([board[None, :after], boards])
        states = all_states(self.valuation.strategy.lookup, self._table, boards)
        theirs = states[:, other]
        found, index = np.unique(theirs, return_inverse=True)
        columns = np.stack([self.valuation.column(node, seat, int(state), r) for state in found])
        totals, alive = np.empty(len(boards)), np.empty(len(boards))
        sum_ranges(weights, self._table.masks, boards, states, columns, index, totals, alive)
        actual = totals[0] / alive[0]
        if exact:
            return float(actual - totals[1:].sum() / alive[1:].sum())
        return float(actual - (totals[1:] / alive[1:]).mean())

    def _draw(
        self, weights: Weights, rest: NDArray[np.uint8], count: int, rng: np.random.Generator
    ) -> NDArray[np.uint8]:
        """``flops`` times ``count`` board cards, drawn as chance does when our range is ``weights``."""
        held = np.searchsorted(np.cumsum(weights), rng.random(self.flops) * weights.sum(), side="right")
        order = rng.random((self.flops, rest.size))
        order[((np.int64(1) << rest.astype(np.int64)) & self._table.masks[held][:, None]) != 0] = 2.0
        return rest[np.argsort(order, axis=1)[:, :count]]

    def _values_of_openings(self) -> NDArray[np.float64]:
        """``[2, H]``: the value of a hand to each seat before it begins, by the *opponent's* holding."""
        states = all_states(self.valuation.strategy.lookup, self._table, np.empty((1, 0), dtype=np.uint8))[0]
        masks = self._table.masks
        apart = (masks[:, None] & masks[None, :]) == 0
        values = np.empty((2, len(masks)))
        for seat in (0, 1):
            columns = np.stack([self.valuation.column(0, seat, s, 0) for s in range(int(states.max()) + 1)])
            worth = columns[states][:, states].astype(np.float64)  # [opponent's holding, own holding]
            values[seat] = (worth * apart).sum(axis=1) / apart.sum(axis=1)
        return values


@kernel
def sum_ranges(
    weights: Weights,
    masks: NDArray[np.int64],
    boards: NDArray[np.uint8],
    states: Ints,
    columns: Floats,
    index: NDArray[np.int64],
    totals: NDArray[np.float64],
    alive: NDArray[np.float64],
) -> None:
    """For each board, the weight of the holdings it leaves alive, and their values times weights."""
    for i in range(len(boards)):
        dead = mask_of(boards[i])
        column, row = columns[index[i]], states[i]
        total = weight = 0.0
        for h in range(weights.size):
            if weights[h] > 0 and masks[h] & dead == 0:
                weight += weights[h]
                total += weights[h] * column[row[h]]
        totals[i], alive[i] = total, weight
