"""Where learning from hidden cards begins: a sensible player, in the form of trees.

Stochastic EM (`soulread.model.relational.bayes`) draws hidden holdings from what a model makes of them, and
learns the model from the holdings. If it begins with even chances, drawn holdings have nothing to do with
what was done, so no tree finds that cards matter, and the next draws are even chances again. Therefore it
begins with the player that `soulread.model.strength_tables` starts from,

    P(fold, call, raise | kind of situation, class of strength)
    (`soulread.model.strength_tables.sensible_prior`)

written as two trees whose odds are log P: one before the flop and one after it. The code that draws and
weighs holdings needs to know nothing of it. Trees ask about facts in classes, so prices are cut at the
nearest bound of `soulread.model.situation.BOUNDS`. The strength of a holding is

    before the flop    its place by Chen's formula
    after it           s + (1 - s) d, with its place s on the board and d = `DRAWN` for what it may still make
"""

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.cards.scales.card_facts import DRAW, DRAWS, PLACE, PLACES, STRENGTH
from soulread.model.relational.language import NONE, QueryKind
from soulread.model.relational.tree import Tree
from soulread.model.situation import BOUNDS, LEFT, NUM_ROUNDS, RAISES, ROUND, TO_CALL
from soulread.model.situation import ODDS as POT_ODDS
from soulread.model.strength_tables import BLINDS, ODDS, PRICES, sensible_prior, strength_class

DRAWN = 0.0, 0.1, 0.2, 0.2, 0.3  # chance to become the best hand with the next card, by `DRAWS`; ours
_LEAST = 1e-9  # chance of what is not legal, whose logarithm must be a number

Test = tuple[QueryKind, int, int]
Build = Callable[[], int]


class _Builder:
    """Nodes of a tree, the ones above first."""

    def __init__(self) -> None:
        self.nodes: list[list[int]] = []
        self.odds: list[NDArray[np.float64]] = []

    def leaf(self, chances: NDArray[np.float64]) -> int:
        """Add a leaf with chances ``[3]``."""
        self.nodes.append([int(QueryKind.LEAF), 0, NONE, -1, -1])
        self.odds.append(np.log(np.maximum(chances, _LEAST)))
        return len(self.nodes) - 1

    def split(self, test: Test, yes: Build, no: Build) -> int:
        """Add a test and what is below it."""
        number = len(self.nodes)
        self.nodes.append([int(test[0]), test[1], test[2], -1, -1])
        self.odds.append(np.zeros(3))
        self.nodes[number][3], self.nodes[number][4] = yes(), no()
        return number

    def steps(self, kind: QueryKind, what: int, bounds: Sequence[int], below: Callable[[int], int]) -> int:
        """Add tests "at least the k-th bound", the highest first; ``below(k)`` adds what k bounds allow."""
        if not bounds:
            return below(0)
        return self.split(
            (kind, what, bounds[-1]),
            lambda: below(len(bounds)),
            lambda: self.steps(kind, what, bounds[:-1], below),
        )

    def tree(self) -> Tree:
        """The tree."""
        kind, a, b, yes, no = np.array(self.nodes, np.int64).T.copy()
        odds = np.array(self.odds)
        return Tree(kind, a, b, yes, no, odds, np.zeros(odds.shape), np.zeros(odds.shape))


@lru_cache(maxsize=1)
def sensible_trees() -> tuple[Tree, Tree]:
    """Trees of a sensible player before the flop and after it: fold, call or raise with a holding."""
    return _tree((0,)), _tree(range(1, NUM_ROUNDS))


def _tree(rounds: Sequence[int]) -> Tree:
    builder = _Builder()
    builder.steps(QueryKind.TABLE, ROUND, rounds[1:], lambda k: _priced(builder, rounds[k]))
    return builder.tree()


def _priced(builder: _Builder, round: int) -> int:
    """Add the tests of the price to call, as in `soulread.model.strength_tables.kind_of`."""
    number, limits = (POT_ODDS, ODDS) if round else (TO_CALL, BLINDS)
    cuts = [_nearest(number, limit) for limit in limits]

    def paid(k: int) -> int:
        if round == 0 and k == 0:  # a small price needs that nobody has raised
            raised: Test = (QueryKind.TABLE, RAISES, 1)
            return builder.split(raised, lambda: _sided(builder, round, 2), lambda: _sided(builder, round, 1))
        return _sided(builder, round, k + 1)

    owed: Test = (QueryKind.TABLE, TO_CALL, 1)
    return builder.split(
        owed,
        lambda: builder.steps(QueryKind.TABLE, number, cuts, paid),
        lambda: _sided(builder, round, 0),
    )


def _nearest(number: int, limit: float) -> int:
    """The class above the bound of a number that is nearest to a limit."""
    return int(np.argmin(np.abs(np.log(np.array(BOUNDS[number][1:]) / limit)))) + 2


def _sided(builder: _Builder, round: int, price: int) -> int:
    """Two players left, or more; then the strength."""
    kind = (round * PRICES + price) * 2
    return builder.steps(QueryKind.TABLE, LEFT, [3], lambda more: _strong(builder, round, kind + more))


def _strong(builder: _Builder, round: int, kind: int) -> int:
    chances = sensible_prior().chances[kind]
    if round == 0:
        return _classes(builder, PLACE, round, 0.0, chances)
    draws = range(1, len(DRAWS))
    return builder.steps(
        QueryKind.CARD, DRAW, draws, lambda draw: _classes(builder, STRENGTH, round, DRAWN[draw], chances)
    )


def _classes(builder: _Builder, fact: int, round: int, drawn: float, chances: NDArray[np.float64]) -> int:
    """Tests of the place of a holding, where its class of strength changes."""
    middle = (np.arange(PLACES) + 0.5) / PLACES
    classes = [strength_class(float(value), round) for value in middle + (1 - middle) * drawn]
    cuts = [place for place in range(1, PLACES) if classes[place] != classes[place - 1]]
    firsts = [0, *cuts]
    return builder.steps(QueryKind.CARD, fact, cuts, lambda k: builder.leaf(chances[classes[firsts[k]]]))
