"""A player's range by action at a point of a hand, as somebody sees it who knows how the player plays.

The range is what everybody at the table could work out: the view is public, and the only cards taken into
account are those of the board. So nothing about anybody's hidden cards is in it, whoever's read it is.

For a strategy in a table, with w(h) the chance that holding h takes the player's actions so far, the reach of
a class of holdings is the mean of w over its holdings that the board leaves, and the chance of an action is

    sum over h of  w(h) sigma(h, a)  /  sum over h of  w(h)

For a model that reads cards, w(h) is how likely it holds h to be, on a scale on which the likeliest class
has reach 1, and sigma is asked of one holding of each class.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS, RANKS
from soulread.cards.ranges import HAND_CELLS, NUM_HANDS, cards_mask, class_name
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD, PokerGame, PokerView
from soulread.seqform.holdings import all_states, hand_table
from soulread.seqform.tabular import TabularStrategy

SIZES = 0.4, 0.8, 1.2  # parts of the pot: raises up to the first are small, above the last very large

Floats = NDArray[np.float64]


class RangeReader(Protocol):
    """A model that reads cards and foresees actions."""

    def holdings(self, view: PokerView, seat: int) -> Floats:
        """How likely each holding is."""

    def probabilities(self, view: PokerView, seat: int) -> dict[int, float]:
        """The chance of each action."""


@dataclass(frozen=True)
class ActionChances:
    """One action, or raises of about one size, and how often each class of holdings takes it."""

    kind: str  # "fold", "call", "bet1" to "bet4" by size
    name: str
    chances: tuple[float, ...]  # [classes]


@dataclass(frozen=True)
class OwnRange:
    """A range by classes of holdings."""

    classes: tuple[str, ...]  # row by row of a grid
    columns: int
    reach: tuple[float, ...]  # [classes] from 0 to 1
    actions: tuple[ActionChances, ...]  # empty where the player is not to act
    overall: tuple[float, ...]  # [actions] how often the whole range takes each


class _Classes(NamedTuple):
    """The classes of a game's holdings."""

    names: tuple[str, ...]
    columns: int
    of: NDArray[np.int64]  # [holdings] the class of each
    masks: NDArray[np.int64]  # [holdings] bit c for card c


@lru_cache(maxsize=16)
def classes_of_game(game: PokerGame) -> _Classes:
    """The 169 classes of hold'em, or the ranks of a game of few cards, the highest first."""
    masks = np.array([cards_mask(cards) for cards in game.holdings], dtype=np.int64)
    if len(game.holdings) == NUM_HANDS and len(game.rules.deck) == NUM_CARDS:
        return _Classes(
            tuple(class_name(cell) for cell in range(169)), 13, HAND_CELLS.astype(np.int64), masks
        )
    names = ["".join(RANKS[card >> 2] for card in sorted(cards, reverse=True)) for cards in game.holdings]
    order = sorted(set(names), key=lambda name: [-RANKS.index(rank) for rank in name])
    of = np.array([order.index(name) for name in names], dtype=np.int64)
    return _Classes(tuple(order), min(13, len(order)), of, masks)


def class_of(game: PokerGame, hole: Sequence[int]) -> int:
    """The class of a player's own cards."""
    return int(classes_of_game(game).of[game.holdings.index(tuple(sorted(hole)))])


def range_in_table(strategy: TabularStrategy, view: PokerView, seat: int) -> OwnRange:
    """The range of ``seat``, who plays a strategy; ``view`` is public."""
    order = _order(view.game)
    weights, node = _walked(strategy, view, seat)
    found: Mapping[int, Floats] = {}
    if view.to_act == seat:
        chances = _chances(strategy, view, node)[:, order]
        found = dict(zip(strategy.betting.actions[node], chances, strict=True))
    return _by_class(view, weights[order], found)


def weights_in_table(strategy: TabularStrategy, view: PokerView, seat: int) -> Floats:
    """``[game.holdings]`` how often ``seat``, who plays a strategy, comes with each to the point in view."""
    found: Floats = _walked(strategy, view, seat)[0][_order(view.game)]
    return found


@lru_cache(maxsize=16)
def _order(game: PokerGame) -> NDArray[np.int64]:
    """Where each of ``game.holdings`` stands in the table of hands."""
    table = hand_table(game)
    return np.array([table.index(cards) for cards in game.holdings], dtype=np.int64)


def _walked(strategy: TabularStrategy, view: PokerView, seat: int) -> tuple[Floats, int]:
    """The same in the order of the table of hands, and the betting node."""
    betting = strategy.betting
    weights = np.ones(len(hand_table(view.game).masks))
    node = 0
    for actor, action in view.actions:
        position = betting.actions[node].index(action)
        if actor == seat:
            weights *= _chances(strategy, view, node)[position]
        node = int(betting.arrays.child[node, position])
    return weights, node


def _chances(strategy: TabularStrategy, view: PokerView, node: int) -> Floats:
    """``[actions, holdings]`` at a decision on the way to the point in view."""
    sizes = tuple(itertools.accumulate(view.game.rules.board_cards))
    board = view.board[: sizes[int(strategy.betting.arrays.round[node])]]
    boards = np.array([board], dtype=np.uint8).reshape(1, len(board))
    return strategy.chances(node, all_states(strategy.lookup, hand_table(view.game), boards)[0])


def range_in_model(model: RangeReader, view: PokerView, seat: int) -> OwnRange:
    """The range of ``seat`` by a model that reads cards; ``view`` is public."""
    classes = classes_of_game(view.game)
    likely = model.holdings(view, seat)
    free = (classes.masks & cards_mask(view.board)) == 0
    alive = np.bincount(classes.of, free, minlength=len(classes.names))
    each = np.bincount(classes.of, likely * free, minlength=len(classes.names)) / np.maximum(alive, 1)
    weights = likely / max(float(each.max()), 1e-12)
    found: dict[int, Floats] = {}
    if view.to_act == seat:
        for number in range(len(classes.names)):
            own = np.flatnonzero((classes.of == number) & free)
            if not own.size or weights[own].max() < 0.005:
                continue
            hole = tuple(sorted(view.game.holdings[int(own[weights[own].argmax()])], reverse=True))
            for action, chance in model.probabilities(replace(view, seat=seat, hole=hole), seat).items():
                found.setdefault(action, np.zeros(weights.size))[own] = chance
    return _by_class(view, weights, found)


def _by_class(view: PokerView, weights: Floats, found: Mapping[int, Floats]) -> OwnRange:
    """Weights and chances ``[holdings]`` by class, raises of about one size together."""
    classes = classes_of_game(view.game)
    count = len(classes.names)
    free = (classes.masks & cards_mask(view.board)) == 0
    live = weights * free
    alive = np.bincount(classes.of, free, minlength=count)
    total = np.bincount(classes.of, live, minlength=count)
    together: dict[tuple[str, str], Floats] = {}
    for action in sorted(found):
        key = action_group(view, action)
        together[key] = together.get(key, np.zeros(live.size)) + found[action]
    actions, overall = [], []
    for (kind, name), chances in together.items():
        taken = np.bincount(classes.of, live * chances, minlength=count)
        shares = np.divide(taken, total, out=np.zeros(count), where=total > 0)
        actions.append(ActionChances(kind, name, tuple(shares.tolist())))
        overall.append(float(taken.sum() / live.sum()) if live.sum() > 0 else 0.0)
    reach = np.divide(total, alive, out=np.zeros(count), where=alive > 0)
    return OwnRange(classes.names, classes.columns, tuple(reach.tolist()), tuple(actions), tuple(overall))


def action_group(view: PokerView, action: int) -> tuple[str, str]:
    """The kind of an action and its name; raises of no-limit are told apart by their part of the pot."""
    if action == FOLD:
        return "fold", "fold"
    if action == CALL:
        return "call", "call" if view.choices[0] == FOLD else "check"
    if view.to_act < 0:
        raise SoulreadError("nobody is to act")
    owed = max(view.spent) - view.spent[view.to_act]
    opening = not owed and (view.round > 0 or not any(view.rules.blinds))
    word = "bet" if opening else "raise"
    if view.rules.raise_sizes is not None:
        return "bet2", word
    if view.stacks is not None and action - view.spent[view.to_act] >= view.stacks[view.to_act]:
        return "bet4", "all-in"
    part = (action - view.spent[view.to_act] - owed) / (view.pot + owed)
    size = sum(part > bound for bound in SIZES)
    return f"bet{size + 1}", f"{word} {('small', 'half', 'pot', 'over')[size]}"
