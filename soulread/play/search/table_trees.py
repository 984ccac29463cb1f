"""Relational trees of everybody at a table, in one set of arrays for play-outs.

A player's trees (`soulread.model.relational.bayes.Play`) say what the player does with a holding in a
situation. Here the trees of all seats stand one behind the other, and a table of roots says which belong to
whom. Trees look at the `soulread.cards.scales.card_facts` of a holding, which are worked out once for each
deal. The place of a hand among all on a board is taken from its HS, which differs only where
holdings share cards.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import MAX_PLAYERS
from soulread.cards.ranges import HAND_CARDS
from soulread.cards.scales.card_facts import (
    DRAW,
    MADE_HAND,
    NUM_CARD_FACTS,
    OVERS,
    PLACES,
    STRENGTH,
    before_flop,
    shape_of,
)
from soulread.games.walk import ACTOR, ROUND
from soulread.kernel import kernel
from soulread.model.loki.triples import NUM_ROUNDS
from soulread.model.relational.bayes import Play, nothing_known
from soulread.model.relational.tree import Forest, Tree, join, leaf_of
from soulread.model.situation import NUM_SIZES, FactRows, Situation, describe, empty_rows
from soulread.play.search.deals import Deal

_SHOWN = 2  # the outcome under which trees look at cards


class TableTrees(NamedTuple):
    """The trees of all seats, and work space for their answers."""

    used: NDArray[np.bool_]  # [seats] whether a seat is played by trees
    actions: Tree
    action_roots: NDArray[np.int64]  # [seats, 2, trees] before the flop and after it; -1: no more
    sizes: Tree
    size_roots: NDArray[np.int64]  # [seats, 2, trees]
    beginning: NDArray[np.uint8]  # [1326, 8] facts before the flop
    cards: NDArray[np.uint8]  # [1326, 2]
    facts: NDArray[np.uint8]  # [rounds, seats, 8] of the holdings of a deal
    rows: FactRows  # one row
    bound: NDArray[np.uint16]  # [10]
    three: NDArray[np.float64]  # [3] chances of fold, call and raise
    seven: NDArray[np.float64]  # [7] chances of the sizes of a raise


def table_trees(plays: Sequence[Play | None]) -> TableTrees:
    """The trees of the player in each seat; None for a seat that is not played by trees."""
    known = [play or nothing_known() for play in plays]
    actions, action_roots = _stacked([play.actions for play in known])
    sizes, size_roots = _stacked([play.sizes for play in known])
    return TableTrees(
        np.array([play is not None for play in plays]),
        actions,
        action_roots,
        sizes,
        size_roots,
        before_flop()[0],
        HAND_CARDS,
        np.zeros((NUM_ROUNDS, len(plays), NUM_CARD_FACTS), np.uint8),
        empty_rows(1),
        np.zeros(MAX_PLAYERS, np.uint16),
        np.zeros(3),
        np.zeros(NUM_SIZES),
    )


def _stacked(forests: Sequence[tuple[Forest, Forest]]) -> tuple[Tree, NDArray[np.int64]]:
    """One tree after another, and the roots of each seat and phase."""
    flat = [forest for pair in forests for forest in pair]
    joined = join([forest.tree for forest in flat])
    most = max(forest.roots.size for forest in flat)
    roots = np.full((len(flat), most), -1, np.int64)
    for row, forest, begin in zip(roots, flat, joined.roots, strict=True):
        row[: forest.roots.size] = forest.roots + begin
    return joined.tree, roots.reshape(len(forests), 2, most)


@kernel
def fill_cards(trees: TableTrees, round: int, deal: Deal) -> None:
    """Work out the facts of all holdings of a deal, from ``round`` on."""
    for seat in range(trees.used.size):
        holding = deal.holdings[seat]
        if not trees.used[seat] or holding < 0:
            continue
        a, b = np.int64(trees.cards[holding, 0]), np.int64(trees.cards[holding, 1])
        for later in range(round, trees.facts.shape[0]):
            facts = trees.facts[later, seat]
            facts[:] = trees.beginning[holding]
            if later > 0:
                made, draw, overs = shape_of(deal.board[: later + 2], a, b)
                facts[STRENGTH] = min(int(PLACES * deal.hs[later, seat]), PLACES - 1)
                facts[MADE_HAND] = made
                facts[DRAW] = draw
                facts[OVERS] = overs


@kernel
def ask_actions(trees: TableTrees, s: Situation, may_fold: bool, may_raise: bool) -> None:
    """Fill ``three`` with the chances of the seat to act, whose facts are there."""
    describe(s, trees.rows, 0)
    seat, round = s.walk[ACTOR], s.walk[ROUND]
    roots = trees.action_roots[seat, min(round, 1)]
    _add_up(trees.actions, roots, trees.rows, 0, trees.facts[round, seat], trees.bound, trees.three)
    if not may_fold:
        trees.three[0] = -np.inf
    if not may_raise:
        trees.three[2] = -np.inf
    _normalise(trees.three)


@kernel
def ask_sizes(trees: TableTrees, s: Situation) -> None:
    """Fill ``seven`` with the chances of raise sizes; `ask_actions` was called before."""
    seat, round = s.walk[ACTOR], s.walk[ROUND]
    roots = trees.size_roots[seat, min(round, 1)]
    _add_up(trees.sizes, roots, trees.rows, 2, trees.facts[round, seat], trees.bound, trees.seven)
    _normalise(trees.seven)


@kernel
def _add_up(
    tree: Tree,
    roots: NDArray[np.int64],
    rows: FactRows,
    action: int,
    facts: NDArray[np.uint8],
    bound: NDArray[np.uint16],
    scores: NDArray[np.float64],
) -> None:
    scores[:] = 0.0
    for root in roots:
        if root >= 0:
            leaf = leaf_of(tree, root, rows, 0, action, 0, _SHOWN, facts, bound)
            for part in range(scores.size):
                scores[part] += tree.odds[leaf, part]


@kernel
def _normalise(scores: NDArray[np.float64]) -> None:
    top, total = scores.max(), 0.0
    for k in range(scores.size):
        scores[k] = np.exp(scores[k] - top)
        total += scores[k]
    for k in range(scores.size):
        scores[k] /= total
