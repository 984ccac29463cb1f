"""Strategies that can be asked with real cards: a table over betting nodes and private states.

A `TabularStrategy` puts a `soulread.seqform.lookup.Lookup` and both seats' behaviours together, laid out as
`soulread.seqform.betting` says.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.games.poker import PokerView
from soulread.report.shown import Shown
from soulread.seqform.betting import BettingTree
from soulread.seqform.compile import SequenceGame, betting_of, lookup_of
from soulread.seqform.lookup import Lookup
from soulread.seqform.strategy import TOLERANCE, Behaviour, Behaviours, draw_action
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, Treeplex, make_treeplex


class TableArrays(NamedTuple):
    """A tabular strategy for kernels."""

    first_sequence: Ints  # [nodes]
    width: Ints  # [nodes] distance between two actions' sequences
    first: Floats  # [num_sequences] behaviour of seat 0
    second: Floats  # [num_sequences] behaviour of seat 1


@dataclass(frozen=True, eq=False, repr=False)
class TabularStrategy(Shown):
    """Both seats' behaviours over betting nodes times private states."""

    betting: BettingTree
    lookup: Lookup
    behaviours: Behaviours  # one [num_sequences] per seat

    def summary(self) -> str:
        """Return the betting and the number of private states."""
        return f"{self.betting.name}, {self.lookup.num_states} private states"

    def __post_init__(self) -> None:
        expected = self.betting.num_sequences(self.lookup.num_states)
        for seat, (behaviour, size) in enumerate(zip(self.behaviours, expected, strict=True)):
            if behaviour.shape != (size,):
                raise ShapeError(
                    f"the behaviour of seat {seat} has shape {behaviour.shape}, but the betting of "
                    f"{self.betting.name!r} with {self.lookup.num_states} private states has {size} sequences"
                )

    def verify(self, what: str = "the strategy") -> None:
        """Raise unless the probabilities of every betting node and private state are ones and sum to one.

        ``what`` is the name of the strategy in messages.
        """
        for node, actions in enumerate(self.betting.actions):
            if not actions:
                continue
            behaviour = self.behaviours[int(self.betting.arrays.player[node])]
            first, width = self.sequence(node, 0), int(self.arrays.width[node])
            table = behaviour[first : first + len(actions) * width].reshape(len(actions), width)
            total = table.sum(axis=0, dtype=np.float64)
            right = (table.min(axis=0) >= -TOLERANCE) & (np.abs(total - 1) <= TOLERANCE)  # false for NaN
            if not right.all():
                state = int(np.argmin(right))
                raise SoulreadError(
                    f"{what} has no probabilities after {self.betting.betting[node]!r} in private state "
                    f"{state}: {table[:, state].tolist()} sum to {total[state]:.9g}"
                )

    @cached_property
    def arrays(self) -> TableArrays:
        """The arrays for kernels."""
        widths = np.array(self.lookup.num_states, dtype=np.int32)[self.betting.arrays.round]
        layout = self.betting.layout(self.lookup.num_states)
        return TableArrays(layout.first_sequence, widths, *self.behaviours)

    def sequence(self, node: int, state: int) -> int:
        """The sequence of the first action of a betting node in a private state; see `probabilities`."""
        return int(self.arrays.first_sequence[node]) + state

    def probabilities(self, node: int, state: int) -> Floats:
        """Probability of each action of ``betting.actions[node]`` in a private state."""
        first, width = self.sequence(node, state), int(self.arrays.width[node])
        behaviour = self.behaviours[int(self.betting.arrays.player[node])]
        return behaviour[first : first + len(self.betting.actions[node]) * width : width]

    def chances(self, node: int, states: Ints) -> NDArray[np.float64]:
        """``[actions, n]``: the probability of each action of a betting node in each of n private states."""
        first = self.arrays.first_sequence[node] + self.arrays.width[node] * np.arange(
            len(self.betting.actions[node])
        )
        behaviour = self.behaviours[int(self.betting.arrays.player[node])]
        found: NDArray[np.float64] = behaviour[first[:, None] + states].astype(np.float64)
        return found

    def place(self, view: PokerView) -> tuple[int, int]:
        """The betting node and the private state in view."""
        return self.betting.decision(view.betting), self.lookup.state(view.hole, view.board)

    def draw(self, view: PokerView, uniform: float) -> int:
        """The action, a number of the game, that ``uniform``, drawn from [0, 1), selects at ``view``."""
        return self.draw_sequence(view, uniform)[0]

    def draw_sequence(
        self, view: PokerView, uniform: float, behaviour: Behaviour | None = None
    ) -> tuple[int, int]:
        """The action of `draw` and its sequence. If ``behaviour`` is given, it replaces the table's own."""
        node, state = self.place(view)
        actions = self.betting.actions[node]
        first, width = self.sequence(node, state), int(self.arrays.width[node])
        played = self.behaviours[view.seat] if behaviour is None else behaviour
        position = draw_action(played, first, width, len(actions), uniform)
        return actions[position], first + position * width


def tabular(game: SequenceGame, behaviours: Behaviours) -> TabularStrategy:
    """Behaviours of a compiled poker game, ready to be played with real cards."""
    return TabularStrategy(betting_of(game), lookup_of(game), behaviours)


def blind_trees(betting: BettingTree) -> tuple[Treeplex, Treeplex]:
    """The treeplexes of players who do not look at their cards: one information set per betting node."""
    return _blind_tree(betting, 0), _blind_tree(betting, 1)


def _blind_tree(betting: BettingTree, seat: int) -> Treeplex:
    nodes = betting.decisions(seat).tolist()
    rounds = betting.arrays.round
    layout = betting.layout([1] * (int(rounds.max()) + 1))
    labels = ProductLabels(
        tuple(betting.betting[node] for node in nodes),
        tuple(rounds[nodes].tolist()),
        (("",),) * (int(rounds.max()) + 1),
    )
    return make_treeplex(
        seat, [(betting.actions[node], [int(layout.last_sequence[seat, node])]) for node in nodes], labels
    )
