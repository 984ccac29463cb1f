"""Habits: the opponent bends an equilibrium by a few numbers in every kind of situation.

In private state s at a betting node the opponent takes action a with probability proportional to exp(u[a]),

    u[a] = t log base[s, a] + o[a] + l[a] z + q[a] (z^2 - 1/3)

where base is the equilibrium, mixed with a little uniform play, and z the strength of the hand between -1 and
1: its rank among the hands of the round. The *habit* of a node is (t, o, l, q), with o, l and q given for
folds and raises and zero for calls. Where raises of several sizes are possible, small, large and all-in ones
have numbers of their own. t = 1 and zeros elsewhere is the equilibrium. t = 0 forgets it: then
strength alone decides, as with a player who goes by rules of thumb. o > 0 for folds is a player who folds too
much, and so on.

The habit of a node is the sum of the habits of its kinds, from broad to narrow: all nodes where there is
something to call; those of a round; those of a round with so many raises; and so on (`kinds`). A narrow kind
departs from the broader one only as far as hands speak for it: all entries have independent normal priors
around the equilibrium. So what is seen at one node tells something about all others, and a hundred hands say
more than a Dirichlet at every information set learns from thousands.

The habits are those of the greatest posterior density, given everything seen of all hands
(`soulread.model.bayes.fitted`); the log prior is  - sum of  habit^2 / (2 spread^2).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.games.poker import FOLD
from soulread.kernel import kernel
from soulread.model.bayes.fitted import CALLS, FittedModel, SearchRooms, Table
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, TreeArrays, Treeplex
from soulread.solvers.skews import strength_ranks

FEW_MOVES = 2  # folds and raises: actions with numbers of their own
KNOWS = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # the habit of somebody who plays the equilibrium: t, then o, l, q

THUMB_SPREAD = 0.15, 0.8, 1.1, 0.8  # of t, o, l and q among players of rules of thumb

Centre = Mapping[tuple[bool, bool], Sequence[float]]
"""Habits of a typical player, by whether there is a bet to call and whether a raise is allowed."""

THUMB: Centre = {
    (False, True): (0.06, 0.0, -1.5, 0.0, 2.9, 0.0, 0.1),
    (True, True): (0.14, -1.4, -0.95, -3.5, 1.0, 0.5, 1.2),
    (True, False): (0.3, -1.4, 0.0, -3.0, 0.0, 0.3, 0.0),
}
"""Players who go by rules of thumb: they hardly know the equilibrium, bet strong hands and fold weak ones.

The means, rounded, of habits fitted to 2,000 hands of each of the ten rule players for choosing, in Leduc and
in limit hold'em, which agree (``benchmarks/fit_habits.py``).
"""


@dataclass(frozen=True)
class HabitSpread:
    """How far habits stray from the equilibrium before anything was seen: standard deviations.

    ``levels`` multiplies them for each level of `kinds`, from broad to narrow.
    """

    trust: float = 0.5  # of t
    often: float = 1.0  # of o
    strength: float = 1.0  # of l
    middle: float = 0.5  # of q
    levels: tuple[float, ...] = (1.0, 0.3, 0.2, 0.15)

    def scaled(self, factor: float) -> "HabitSpread":
        """All of them larger or smaller by a factor."""
        return replace(self, levels=tuple(factor * level for level in self.levels))

    def array(self, moves: int = FEW_MOVES) -> Table:
        """``[levels, numbers]`` for so many actions that have numbers of their own."""
        one = [self.trust] + [self.often] * moves + [self.strength] * moves + [self.middle] * moves
        return np.outer(self.levels, one)


def broad_kind(actions: tuple[int, ...]) -> tuple[bool, bool]:
    """Whether there is a bet to call, and whether a raise is allowed."""
    facing = FOLD in actions
    return facing, len(actions) - facing > 1


def kinds(tree: Treeplex) -> list[tuple[object, ...]]:
    """For each block, the kind of situation on each level, from broad to narrow, the last ones with the seat.

    A kind is told by whether there is a bet to call, the round, the raises of the round, who has the
    position, and how many raises there were before.
    """
    labels = tree.labels
    if not isinstance(labels, ProductLabels):
        raise SoulreadError("habits need a game compiled as betting tree times private states")
    found: list[tuple[object, ...]] = []
    for node, r, actions in zip(labels.nodes, labels.rounds, tree.actions, strict=True):
        past, _, now = node.rpartition("/")
        raises = now.count("r")
        broad = broad_kind(actions)
        last = past.rpartition("/")[2]
        led = (last.count("r") % 2, min(last.count("r"), 2)) if past or r else (0, 0)
        found.append(
            (
                (0, broad),
                (1, r, broad),
                (2, r, raises, broad, tree.player),
                (3, r, raises, broad, tree.player, led, min(past.count("r"), 4), now[:1]),
            )
        )
    return found


class Nodes(NamedTuple):
    """The betting nodes of one seat, for kernels; a block is a node times its private states."""

    strength: Table  # z of the private states of all rounds, one round after the other
    first_strength: Ints  # [blocks] where the round of each block begins in ``strength``
    act: NDArray[np.int8]  # [blocks, actions] the kind of each action; -1: no such action
    log_base: Floats  # [num_sequences]


class HabitModel(FittedModel):
    """How an opponent bends an equilibrium in every kind of situation; see `FittedModel` for what is given.

    ``spread`` says how far habits stray, and ``centre`` has the habits of a typical player, where that is not
    somebody who plays the equilibrium.
    """

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        spread: HabitSpread | None = None,
        smooth: float = 0.02,
        forget: float = 1.0,
        steps: int = 40,
        others: Sequence[Behaviours] = (),
        centre: Centre | None = None,
        room: SearchRooms | None = None,
    ) -> None:
        found = kinds(game.trees[0]), kinds(game.trees[1])
        super().__init__(game, base, smooth, forget, steps, others, room)
        numbers: dict[object, int] = {}
        one, two = (
            np.array([[numbers.setdefault(kind, len(numbers)) for kind in row] for row in rows])
            for rows in found
        )
        self._kinds = one, two  # [blocks, levels]
        self.num_kinds = len(numbers)
        self._moves = max(FEW_MOVES, *(int(seat.act.max()) for seat in self._seats))
        spreads = (spread or HabitSpread()).array(self._moves)
        self._scale = np.empty((len(numbers), spreads.shape[1]))
        for table in self._kinds:
            for level, column in enumerate(table.T):
                self._scale[column] = spreads[level]
        self._nodes = self._nodes_of(0), self._nodes_of(1)
        self._centres = self._centre_of(0, centre or {}), self._centre_of(1, centre or {})
        self._start()

    def _nodes_of(self, seat: int) -> Nodes:
        labels = self.game.trees[seat].labels
        assert isinstance(labels, ProductLabels)
        ranks = strength_ranks(self.game)
        first = np.concatenate([[0], np.cumsum([rank.size for rank in ranks])])
        return Nodes(
            strength=np.concatenate([2 * rank - 1 for rank in ranks]),
            first_strength=first[list(labels.rounds)].astype(np.int32),
            act=self._seats[seat].act,
            log_base=self._seats[seat].log_base,
        )

    def _centre_of(self, seat: int, centre: Centre) -> Table:
        """``[blocks, numbers]``: the habit of every betting node before anything was seen.

        A typical player raises as often, however many sizes there are.
        """
        rows = []
        for act, actions in zip(self._seats[seat].act, self.game.trees[seat].actions, strict=True):
            knows, *rest = centre.get(broad_kind(actions), KNOWS)
            often, strength, middle = np.reshape(rest, (3, FEW_MOVES))
            raises = max(1, int((act > CALLS).sum()))
            more = self._moves - FEW_MOVES
            often = np.array([often[0], often[1] - (1 - knows) * np.log(raises)])
            numbers = [np.append(each, [each[1]] * more) for each in (often, strength, middle)]
            rows.append(np.concatenate([[knows], *numbers]))
        return np.array(rows)

    def _first_numbers(self) -> Table:
        return np.zeros_like(self._scale)  # in units of the spread

    def habits(self, seat: int) -> Table:
        """``[blocks, numbers]``: the habit of every betting node of ``seat``."""
        result = (self.numbers * self._scale)[self._kinds[seat]].sum(axis=1) + self._centres[seat]
        return np.ascontiguousarray(result)

    def broad_habits(self, seat: int) -> Table:
        """The same without what is done in narrower kinds than the broadest."""
        broad: Table = (self.numbers * self._scale)[self._kinds[seat][:, 0]]
        return broad + self._centres[seat]

    def _fill(self, seat: int, blocks: Ints, behaviour: Floats) -> None:
        fill_habits(self.game.trees[seat].arrays, self._nodes[seat], blocks, self.habits(seat), behaviour)

    def loss(self, flat: Table) -> tuple[float, Table]:
        """Minus the log density of habits, in units of the spread, and its slope; these become the habits."""
        self.numbers = flat.reshape(self._scale.shape)
        value, slope = 0.5 * float(flat @ flat), self.numbers.copy()
        for seat, own in enumerate(self._seats):
            blocks = own.blocks()
            value -= self._log_chance(seat)
            each = np.zeros((blocks.size, self._scale.shape[1]))
            fill_slopes(own.tree.arrays, self._nodes[seat], blocks, own.behaviour, own.counts, each)
            for column in self._kinds[seat].T:
                np.subtract.at(slope, column[blocks], each * self._scale[column[blocks]])
        return value, slope.ravel()


@kernel
def fill_habits(tree: TreeArrays, nodes: Nodes, blocks: Ints, habits: Table, behaviour: Floats) -> None:
    """Fill the behaviour at every set of ``blocks``; see the top of the module."""
    for b in blocks:
        width = tree.first_set[b + 1] - tree.first_set[b]
        first = tree.first_sequence[b]
        actions = (tree.first_sequence[b + 1] - first) // width
        strength = nodes.strength[nodes.first_strength[b] : nodes.first_strength[b] + width]
        habit = habits[b]
        moves = (habit.size - 1) // 3
        for a in range(actions):
            act = nodes.act[b, a]
            row = first + a * width
            for s in range(width):
                behaviour[row + s] = habit[0] * nodes.log_base[row + s]
            if act != CALLS:
                k = 1 + act - (act > CALLS)
                for s in range(width):
                    z = strength[s]
                    behaviour[row + s] += (
                        habit[k] + habit[k + moves] * z + habit[k + 2 * moves] * (z * z - 1 / 3)
                    )
        for s in range(width):
            top = -np.inf
            for c in range(first + s, first + s + actions * width, width):
                top = max(top, behaviour[c])
            total = 0.0
            for c in range(first + s, first + s + actions * width, width):
                behaviour[c] = np.exp(behaviour[c] - top)
                total += behaviour[c]
            for c in range(first + s, first + s + actions * width, width):
                behaviour[c] /= total


@kernel
def fill_slopes(
    tree: TreeArrays, nodes: Nodes, blocks: Ints, behaviour: Table, counts: Table, slopes: Table
) -> None:
    """Turn counts by last sequence into counts by all sequences, and fill the slopes of each block."""
    moves = (slopes.shape[1] - 1) // 3
    for i in range(blocks.size - 1, -1, -1):
        b = blocks[i]
        sets, first = tree.first_set[b], tree.first_sequence[b]
        width = tree.first_set[b + 1] - sets
        actions = (tree.first_sequence[b + 1] - first) // width
        strength = nodes.strength[nodes.first_strength[b] : nodes.first_strength[b] + width]
        for s in range(width):
            passed = 0.0
            for a in range(actions):
                passed += counts[first + a * width + s]
            if passed <= 0:
                continue
            counts[tree.parent_sequence[sets + s]] += passed
            z = strength[s]
            for a in range(actions):
                c = first + a * width + s
                more = counts[c] - passed * behaviour[c]
                slopes[i, 0] += more * nodes.log_base[c]
                act = nodes.act[b, a]
                if act != CALLS:
                    k = 1 + act - (act > CALLS)
                    slopes[i, k] += more
                    slopes[i, k + moves] += more * z
                    slopes[i, k + 2 * moves] += more * (z * z - 1 / 3)
