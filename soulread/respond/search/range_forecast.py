"""A forecast from anything that acts by its cards: the opponent's range is carried down the betting.

Let w(h) be the chance that the opponent holds h and has played as seen, our own actions left out. An action a
at a node multiplies it by P(a | h), and a card of the board takes away the holdings that contain it. So at
the ends of the hand, on each board,

    fold        value = chips x sum of w(h)
    showdown    value = sum of w(h) x (share against h x pot - what we have put in)

These values carry their chance. At a later decision of ours we know our hand, the board and the betting
alone, and the sum over h is taken before we choose. So if the strategy is the opponent's true one and all
boards are looked at, Miximax is a best response.

An `Actor` acts by its cards: it is a strategy that is a table (`table_actor`), or the bars that Loki's model
places on the scale of values (`bars_actor`). The bars are those of the present point of the hand, so
decisions of one context share their rows.

The chance of a deal depends on both holdings: with u cards unseen by us, each card that is in neither hand
comes with chance 1 / (u - cards of the opponent). Deals that were drawn instead of listed stand for all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.ranges import cards_mask
from soulread.cards.scales.values import scale_at
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerGame, PokerView
from soulread.kernel import kernel
from soulread.model.loki.model import LokiModel
from soulread.model.loki.triples import MOST_TO_CALL, NUM_CONTEXTS, doubted_triple
from soulread.model.vexbot.classes import contexts
from soulread.respond.search.miximax import Area
from soulread.respond.search.runouts import Deals, Runout, deal_out, deals
from soulread.seqform.betting import BettingArrays, BettingTree
from soulread.seqform.holdings import HandTable, HoldemTable, all_states, hand_table, values_on
from soulread.seqform.tabular import TabularStrategy
from soulread.seqform.treeplex import Floats, Ints
from soulread.solvers.real_cards.local_best_response import MAX_DEPTH

STEPS = 200  # of the scale of values, for actors by bars


class Actor(NamedTuple):
    """The behaviour of one seat with each holding.

    Action k of a node has the chance ``behaviour[first[node] + k * width[node] + state]``, by the private
    state of the holding.
    """

    betting: BettingTree
    behaviour: Floats
    first: Ints  # [N]
    width: Ints  # [N]
    states: Callable[[NDArray[np.uint8]], Ints]  # boards [B, cards] of a round to [B, H] private states


def table_actor(strategy: TabularStrategy, seat: int) -> Actor:
    """The actor of one seat of a strategy."""
    arrays = strategy.arrays
    states = partial(all_states, strategy.lookup, hand_table(strategy.betting.poker))
    return Actor(strategy.betting, strategy.behaviours[seat], arrays.first_sequence, arrays.width, states)


def bars_actor(model: LokiModel, view: PokerView, seat: int) -> Actor:
    """The actor of ``seat`` in the rest of a hand of two, by Loki's model.

    An action is doubted as the model doubts it: it is then taken as often as the mean over the table says.
    """
    found = contexts(view.game)
    bars, rates = model.bars(view, seat), model.usual(view, seat, model.holdings(view, seat))
    middles = (np.arange(STEPS) + 0.5) / STEPS
    size = NUM_CONTEXTS * 4 * 3 * STEPS
    behaviour = np.zeros((NUM_CONTEXTS, 4, 3, STEPS))
    _fill_triples(bars, rates, model.doubt, middles, behaviour)
    tree = found.betting.arrays
    legal = 2 * found.may[:, 0] + found.may[:, 1]
    kind = np.minimum(found.to_call, MOST_TO_CALL) + (MOST_TO_CALL + 1) * tree.round.astype(np.int32)
    first: Ints = ((4 * kind + legal) * 3 * STEPS).astype(np.int32)
    width: Ints = np.full(len(first), STEPS, dtype=np.int32)
    return Actor(found.betting, behaviour.reshape(size), first, width, _value_states)


def _value_states(boards: NDArray[np.uint8]) -> Ints:
    """``[boards, 1326]`` the step on the scale of values of each holding; 0 if it shares a card."""
    values = np.stack([scale_at(board, 2, 1).values for board in boards.tolist()])
    steps: Ints = np.clip(np.floor(values * STEPS), 0, STEPS - 1).astype(np.int32)
    return steps


@kernel
def _fill_triples(
    bars: NDArray[np.float64],
    rates: NDArray[np.float64],
    doubt: float,
    values: NDArray[np.float64],
    chances: NDArray[np.float64],
) -> None:
    """``chances [context, legal, action, value]``; legal has 2 if one may fold, and 1 if one may raise.

    Only legal actions have a place, in ascending order.
    """
    for context in range(len(bars)):
        for legal in range(4):
            may_fold, may_raise = legal >= 2, legal % 2 == 1
            for v in range(values.size):
                triple = doubted_triple(values[v], bars[context], rates[context], doubt, may_fold, may_raise)
                place = 0
                for action in range(3):
                    if (action > 0 or may_fold) and (action < 2 or may_raise):
                        chances[context, legal, place, v] = triple[action]
                        place += 1


@dataclass(frozen=True, eq=False)
class RangeForecast:
    """The forecast of an opponent who acts by ``actor`` and holds ``weights [H]``, for our seat and cards.

    ``root`` is our decision. Weights are of the holdings of `soulread.seqform.holdings.hand_table`, as far as
    the opponent has played; holdings that clash with the cards in view have none.
    """

    actor: Actor
    root: int
    hole: tuple[int, ...]
    weights: NDArray[np.float64]
    runout: Runout

    @cached_property
    def deals(self) -> Deals:
        """The boards to come; the chance of a deal is in the values, so that of a possible one is 1 here."""
        found = deals(self.runout, len(self.actor.betting.poker.rules.board_cards))
        return found._replace(chances=tuple(np.sign(chances) for chances in found.chances))

    @cached_property
    def chances(self) -> NDArray[np.float64]:
        """Ones: the values carry their chance."""
        return np.ones(self.actor.betting.arrays.child.shape)

    @property
    def root_reach(self) -> float:
        """How likely the opponent comes to our decision."""
        return float(self.weights.sum())

    def fill(self, area: Area, value: NDArray[np.float64], reach: NDArray[np.float64]) -> None:
        """Write the values of all ends, and how likely the opponent comes to each node of the area."""
        betting = self.actor.betting
        seat = int(betting.arrays.player[self.root])
        held = np.flatnonzero(self.weights)
        cards = _Cards(
            behaviour=self.actor.behaviour,
            first=self.actor.first,
            width=self.actor.width,
            offset=self._offset,
            states=np.concatenate([self.actor.states(boards)[:, held] for boards in self.runout.boards]),
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

    @cached_property
    def _factors(self) -> list[NDArray[np.float64]]:
        """``[rounds]`` of ``[boards, H]``: the chance of each deal if the opponent has this holding."""
        game = self.actor.betting.poker
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
        table = hand_table(self.actor.betting.poker)
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
    first: Ints  # [nodes]
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

    Nodes before the last card are walked several times, and the same values are written each time.
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
                    row = cards.first[node] + k * cards.width[node]
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
    actor: Actor,
    view: PokerView,
    counts: Sequence[int] = (),
    rng: np.random.Generator | None = None,
    weights: NDArray[np.float64] | None = None,
    most: int | None = None,
) -> RangeForecast:
    """The forecast at a decision of the seat in ``view`` if the opponent acts by ``actor``.

    ``weights [H]`` say how likely the opponent holds each holding; if they are not given, the actor's way to
    play the hand so far says it. Where the actor would never have played as seen, all holdings that fit the
    cards in view are equally likely. ``counts`` and ``rng`` are those of
    `soulread.respond.search.runouts.deal_out`. If more than ``most`` holdings have weight, so many are drawn
    by it.
    """
    game = actor.betting.poker
    if weights is None:
        weights = opponent_range(actor, view)
    if not weights.any():
        weights = _free(game, view)
    if most is not None and rng is not None and np.count_nonzero(weights) > most:
        drawn = rng.choice(weights.size, most, p=weights / weights.sum())
        weights = np.bincount(drawn, minlength=weights.size).astype(np.float64)
    runout = deal_out(game, view.hole, view.board, counts, rng)
    return RangeForecast(actor, actor.betting.decision(view.betting), view.hole, weights, runout)


def opponent_range(actor: Actor, view: PokerView) -> NDArray[np.float64]:
    """``[H]`` how likely the opponent's actions so far are with each holding; 0 if it clashes."""
    betting, game = actor.betting, actor.betting.poker
    weights = _free(game, view)
    sizes = np.cumsum(game.rules.board_cards)
    node = 0
    for who, action in view.actions:
        position = betting.actions[node].index(action)
        if who != view.seat:
            board = np.array(view.board[: sizes[betting.arrays.round[node]]], dtype=np.uint8).reshape(1, -1)
            row = int(actor.first[node] + position * actor.width[node])
            weights *= actor.behaviour[row + actor.states(board)[0]]
        node = int(betting.arrays.child[node, position])
    return weights


def _free(game: PokerGame, view: PokerView) -> NDArray[np.float64]:
    """``[H]`` one for each holding that fits the cards in view."""
    clash = hand_table(game).masks & cards_mask((*view.hole, *view.board))
    fits: NDArray[np.float64] = (clash == 0).astype(np.float64)
    return fits
