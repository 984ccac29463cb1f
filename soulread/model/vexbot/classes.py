"""Classes of the betting sequences of a game: what the sequences of a class have in common, level by level.

A player does much the same in sequences that are alike, so what was seen in one of them tells of the others.
A *grouping* says by which *traits* sequences are put together. At level 0 every sequence is a class of its
own. Each coarser level looks at fewer traits, so its classes hold whole classes of the finer one.

Traits of decisions, as the player sees them who is to act:

    round    the betting round                          now    raises of both players in this round
    seat     the player's seat                          call   bets to call
    own      raises of the player in the hand           lead   who raised last in the round before: nobody,
    other    raises of the other in the hand                   the player, the other

Traits of showdowns, as the player sees them whose hand is shown:

    seat, own, other, lead                              as above; lead is of the round before the last one
    own_last, other_last                                raises in the last round
    last                                                who raised last in the last round
    seldom                                              if the player raised never, once or twice, or more

`GROUPINGS` has two. "raises" is how soulread grouped at first. "lead" was chosen by how well the departures
of grouped sequences correlate (`soulread.model.vexbot.correlation`), on opponents of the zoo that are for
choosing. Its weights follow from the strengths of the same measure, made smaller: the coarsest counts next to
nothing, since some players are like no default at all. `docs/methods/vexbot.md` has the numbers.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.base import TERMINAL
from soulread.games.poker import FOLD, RAISE, PokerGame
from soulread.model.loki.contexts import bets_to_call
from soulread.seqform.betting import BettingTree, betting_tree
from soulread.seqform.treeplex import Ints

LEVELS = 5
NOBODY, PLAYER, OTHER = range(3)  # who raised last, as the player sees it

Traits = Mapping[str, Ints]
Levels = tuple[tuple[str, ...], ...]  # traits of levels 1 to 4


@dataclass(frozen=True)
class Grouping:
    """The traits of each level, and how many observations its coarser classes count for there.

    ``weights`` and ``shown_weights`` are multiples of two numbers that the model is given, from level 0 on.
    """

    decisions: Levels
    showdowns: Levels
    weights: tuple[tuple[float, float], ...]  # [LEVELS, 2] for folds, and for raises
    shown_weights: tuple[float, ...]  # [LEVELS] for hands at showdowns


RAISES = Grouping(
    decisions=(
        ("round", "seat", "own", "other", "now", "call"),
        ("round", "now", "call"),
        ("round", "call"),
        ("call",),
    ),
    showdowns=(("seat", "own", "other", "own_last", "other_last"), ("own", "other"), ("seldom",), ()),
    weights=tuple((0.5**level, 0.5**level) for level in range(LEVELS)),
    shown_weights=(1.0,) * LEVELS,
)
LEAD = Grouping(
    decisions=(
        ("round", "now", "call", "seat", "lead", "own", "other"),
        ("round", "now", "call", "seat", "lead"),
        ("round", "now", "call"),
        ("now",),
    ),
    showdowns=(
        ("last", "own_last", "other_last", "lead", "seat", "own", "other"),
        ("last", "own_last", "other_last", "lead", "seat"),
        ("last", "own_last", "other_last", "lead"),
        ("last",),
    ),
    weights=((2.0, 1.5), (1.0, 0.7), (0.5, 0.3), (0.2, 0.2), (0.025, 0.025)),
    shown_weights=(0.7, 0.7, 0.7, 0.3, 0.2),
)
GROUPINGS = {"lead": LEAD, "raises": RAISES}
CLASSES = "lead"  # the one in use


@dataclass(frozen=True, eq=False)
class Contexts:
    """The classes of a game's betting nodes, and what they are made of; N nodes."""

    betting: BettingTree
    grouping: Grouping
    may: NDArray[np.bool_]  # [N, 2] whether the seat to act may fold, and raise
    at_decisions: Traits  # [N] each; 0 at the ends
    at_showdowns: Traits  # [2, N] each, by the seat whose hand is shown; 0 elsewhere

    @cached_property
    def ends(self) -> NDArray[np.intp]:
        """The showdowns."""
        return np.flatnonzero(self.betting.arrays.showdown)

    @property
    def to_call(self) -> Ints:
        """``[N]`` bets to call; 0 at the ends."""
        return self.at_decisions["call"]

    @cached_property
    def decision(self) -> Ints:
        """``[LEVELS, N]`` class of each decision; -1 at the ends."""
        return np.stack([self.decisions_by(names) for names in (None, *self.grouping.decisions)])

    @cached_property
    def showdown(self) -> Ints:
        """``[LEVELS, 2, N]`` class of each showdown by the seat whose hand is shown; -1 elsewhere."""
        return np.stack([self.showdowns_by(names) for names in (None, *self.grouping.showdowns)])

    def decisions_by(self, names: tuple[str, ...] | None) -> Ints:
        """``[N]`` numbers of the classes of decisions with these traits; None: each by itself."""
        nodes = np.flatnonzero(self.betting.arrays.player != TERMINAL)
        found = np.full(self.betting.num_nodes, -1, dtype=np.int32)
        found[nodes] = _numbers(self.at_decisions, names, nodes)
        return found

    def showdowns_by(self, names: tuple[str, ...] | None) -> Ints:
        """``[2, N]`` numbers of the classes of showdowns with these traits; None: each by itself."""
        flat = {name: values.ravel() for name, values in self.at_showdowns.items()}
        places = np.flatnonzero(np.tile(self.betting.arrays.showdown, 2))
        found = np.full(2 * self.betting.num_nodes, -1, dtype=np.int32)
        found[places] = _numbers(flat, names, places)
        return found.reshape(2, -1)


def _numbers(traits: Traits, names: tuple[str, ...] | None, places: NDArray[np.intp]) -> NDArray[np.intp]:
    """Numbers of the classes of some places."""
    if names is None:
        return np.arange(places.size)
    unknown = [name for name in names if name not in traits]
    if unknown:
        raise SoulreadError(f"no trait is called {unknown[0]!r}; known are {', '.join(traits)}")
    if not names:
        return np.zeros(places.size, dtype=np.intp)
    rows = np.stack([traits[name][places] for name in names], axis=1)
    return np.unique(rows, axis=0, return_inverse=True)[1].ravel()


@lru_cache(maxsize=8)
def contexts(game: PokerGame, grouping: Grouping = LEAD) -> Contexts:
    """The classes of a two-player limit game; another game is a `SoulreadError`."""
    sizes = game.rules.raise_sizes
    if sizes is None or game.rules.stacks is not None:
        raise SoulreadError(f"{game.name!r} is not a limit game in which nobody runs out of chips")
    betting = betting_tree(game)
    tree, spent = betting.arrays, betting.chips_in
    may = np.array([[FOLD in actions, RAISE in actions] for actions in betting.actions])
    to_call = np.zeros(betting.num_nodes, dtype=np.int32)
    for node in np.flatnonzero(tree.player != TERMINAL).tolist():
        owed = spent[node].max() - spent[node, tree.player[node]]
        to_call[node] = bets_to_call(int(owed), sizes[tree.round[node]])
    walked = _walk(betting)
    return Contexts(
        betting, grouping, may, _of_decisions(betting, walked, to_call), _of_showdowns(betting, walked)
    )


@dataclass(frozen=True)
class _Walked:
    """Raises on the way to every node."""

    raises: Ints  # [N, 2] of either seat in all
    latest: Ints  # [N, 2] of either seat in the present round
    last: Ints  # [N] the seat that raised last in the present round; -1: nobody did
    lead: Ints  # [N] the same of the round before


def _walk(betting: BettingTree) -> _Walked:
    tree = betting.arrays
    raises = np.zeros((betting.num_nodes, 2), dtype=np.int32)
    latest = np.zeros((betting.num_nodes, 2), dtype=np.int32)
    last, lead = (np.full(betting.num_nodes, -1, dtype=np.int32) for _ in range(2))
    for node, actions in enumerate(betting.actions):
        for action, child in zip(actions, tree.child[node].tolist(), strict=False):
            raises[child] = raises[node]
            if tree.round[child] == tree.round[node]:
                latest[child], last[child], lead[child] = latest[node], last[node], lead[node]
            else:
                lead[child] = last[node]
            if action == RAISE:  # never the last action of a round
                raises[child, tree.player[node]] += 1
                latest[child, tree.player[node]] += 1
                last[child] = tree.player[node]
    return _Walked(raises, latest, last, lead)


def _who(seats: Ints, player: Ints) -> Ints:
    """`NOBODY`, `PLAYER` or `OTHER` for a seat, as the player in another array sees it."""
    found: Ints = np.where(seats < 0, NOBODY, np.where(seats == player, PLAYER, OTHER)).astype(np.int32)
    return found


def _of_decisions(betting: BettingTree, walked: _Walked, to_call: Ints) -> Traits:
    tree = betting.arrays
    seat = np.maximum(tree.player, 0).astype(np.int32)
    rows = np.arange(betting.num_nodes)
    ends = tree.player == TERMINAL
    found = {
        "round": tree.round.astype(np.int32),
        "seat": seat,
        "own": walked.raises[rows, seat],
        "other": walked.raises[rows, 1 - seat],
        "now": walked.latest.sum(axis=1, dtype=np.int32),
        "call": to_call,
        "lead": _who(walked.lead, seat),
    }
    return {name: np.where(ends, 0, values).astype(np.int32) for name, values in found.items()}


def _of_showdowns(betting: BettingTree, walked: _Walked) -> Traits:
    seats = []
    for seat in (0, 1):
        own = walked.raises[:, seat]
        seats.append(
            {
                "seat": np.full_like(own, seat),
                "own": own,
                "other": walked.raises[:, 1 - seat],
                "own_last": walked.latest[:, seat],
                "other_last": walked.latest[:, 1 - seat],
                "last": _who(walked.last, np.full_like(own, seat)),
                "lead": _who(walked.lead, np.full_like(own, seat)),
                "seldom": np.minimum((own + 1) // 2, 2),
            }
        )
    first, second = seats
    shown = betting.arrays.showdown
    return {
        name: np.where(shown, np.stack([first[name], second[name]]), 0).astype(np.int32) for name in first
    }
