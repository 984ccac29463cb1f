"""Classes of the betting sequences of a game, at several levels (`soulread.model.vexbot.model`)."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.games.base import TERMINAL
from soulread.games.poker import FOLD, RAISE, PokerGame
from soulread.model.loki.contexts import bets_to_call
from soulread.seqform.betting import BettingTree, betting_tree
from soulread.seqform.treeplex import Ints

LEVELS = 5


@dataclass(frozen=True, eq=False)
class Contexts:
    """The classes of a game's betting nodes, and what they are made of; N nodes."""

    betting: BettingTree
    raises: Ints  # [N, 2] of either seat in all
    to_call: Ints  # [N] bets to call; 0 at the ends
    may: NDArray[np.bool_]  # [N, 2] whether the seat to act may fold, and raise
    decision: Ints  # [LEVELS, N] class of each decision; -1 at the ends
    showdown: Ints  # [LEVELS, 2, N] class of each showdown by the opponent's seat; -1 elsewhere

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """The showdowns."""
        return np.flatnonzero(self.betting.arrays.showdown)


@lru_cache(maxsize=4)
def contexts(game: PokerGame) -> Contexts:
    """The classes of a two-player limit game; another game is a `SoulreadError`."""
    betting = betting_tree(game)
    spent = betting.chips_in  # refuses what is no limit game
    tree = betting.arrays
    raises = np.zeros((betting.num_nodes, 2), dtype=np.int32)
    latest = np.zeros((betting.num_nodes, 2), dtype=np.int32)
    for node, actions in enumerate(betting.actions):
        for action, child in zip(actions, tree.child[node].tolist(), strict=False):
            raises[child] = raises[node]
            if tree.round[child] == tree.round[node]:
                latest[child] = latest[node]
            if action == RAISE:
                raises[child, tree.player[node]] += 1
                latest[child, tree.player[node]] += 1
    may = np.array([[FOLD in actions, RAISE in actions] for actions in betting.actions])
    sizes = game.rules.raise_sizes
    assert sizes is not None
    to_call = np.zeros(betting.num_nodes, dtype=np.int32)
    for node in np.flatnonzero(tree.player != TERMINAL).tolist():
        owed = spent[node].max() - spent[node, tree.player[node]]
        to_call[node] = bets_to_call(int(owed), sizes[tree.round[node]])
    return Contexts(
        betting,
        raises,
        to_call,
        may,
        _decision_classes(betting, raises, latest, to_call),
        _showdown_classes(betting, raises, latest),
    )


def _decision_classes(betting: BettingTree, raises: Ints, latest: Ints, to_call: Ints) -> Ints:
    """``[LEVELS, N]``, see the top of the module; the seat to act is the opponent."""
    tree = betting.arrays
    nodes = np.flatnonzero(tree.player != TERMINAL)
    seat = tree.player[nodes].astype(np.int64)
    rows = np.arange(nodes.size)
    own, others = raises[nodes][rows, seat], raises[nodes][rows, 1 - seat]
    round, now, call = tree.round[nodes], latest[nodes].sum(axis=1), to_call[nodes]
    return _classes(
        betting.num_nodes,
        nodes,
        (
            (nodes,),
            (round, seat, own, others, now, call),
            (round, now, call),
            (round, call),
            (call,),
        ),
    )


def _showdown_classes(betting: BettingTree, raises: Ints, latest: Ints) -> Ints:
    """``[LEVELS, 2, N]``, see the top of the module; by the seat that is the opponent."""
    ends = np.flatnonzero(betting.arrays.showdown)
    seat = np.repeat([0, 1], ends.size)
    nodes = np.tile(ends, 2)
    own, others = raises[nodes, seat], raises[nodes, 1 - seat]
    found = _classes(
        2 * betting.num_nodes,
        seat * betting.num_nodes + nodes,
        (
            (seat, nodes),
            (seat, own, others, latest[nodes, seat], latest[nodes, 1 - seat]),
            (own, others),
            (np.minimum((own + 1) // 2, 2),),
            (np.zeros_like(own),),
        ),
    )
    return found.reshape(LEVELS, 2, betting.num_nodes)


def _classes(
    num_nodes: int, nodes: NDArray[np.intp], levels: Iterable[tuple[NDArray[np.integer], ...]]
) -> Ints:
    """``[LEVELS, N]`` numbers of the classes of nodes with equal columns; -1 for all other nodes."""
    found = np.full((LEVELS, num_nodes), -1, dtype=np.int32)
    for row, columns in zip(found, levels, strict=True):
        row[nodes] = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)[1].ravel()
    return found
