"""Habits: the opponent bends an equilibrium by a few numbers in every kind of situation.

In private state s at a betting node the opponent takes action a with probability proportional to exp(u[a]),

    u[a] = t log base[s, a] + o[a] + l[a] z + q[a] (z^2 - 1/3)

where base is the equilibrium, mixed with a little uniform play, and z the strength of the hand between -1 and
1: its rank among the hands of the round. The *habit* of a node is (t, o, l, q), with o, l and q given for
folds and raises and zero for calls. t = 1 and zeros elsewhere is the equilibrium. t = 0 forgets it: then
strength alone decides, as with a player who goes by rules of thumb. o > 0 for folds is a player who folds too
much, and so on.

The habit of a node is the sum of the habits of its kinds, from broad to narrow: all nodes where there is
something to call; those of a round; those of a round with so many raises; and so on (`kinds`). A narrow kind
departs from the broader one only as far as hands speak for it: all entries have independent normal priors
around the equilibrium. So what is seen at one node tells something about all others, and a hundred hands say
more than a Dirichlet at every information set learns from thousands.

The habits are those of the greatest posterior density, given everything seen of all hands,

    log density  =  sum over hands of  log( sum over s of  P(s) plan[s] )  -  sum of  habit^2 / (2 spread^2)

P(s) is the chance that the opponent held s, given the observer's cards and the board. A hand that was shown
has one s. A hand that was folded is averaged over all that may have been folded, so it brings no bias.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD
from soulread.kernel import kernel
from soulread.model.base import FADING
from soulread.model.bayes.beliefs import BeliefModel, EvidenceModel
from soulread.model.bayes.evidence import Evidence, EvidenceLog, SeenHands
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, verify_behaviours
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, TreeArrays, Treeplex
from soulread.solvers.skews import strength_ranks

Table = NDArray[np.float64]

NUMBERS = 7  # in a habit: t, then o, l and q of folds and of raises
CALLS = 1  # the kind of action that has no numbers of its own
KNOWS = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0  # the habit of somebody who plays the equilibrium
_SMALLEST = 1e-300

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

    def array(self) -> Table:
        """``[levels, NUMBERS]``."""
        one = [self.trust] + [self.often] * 2 + [self.strength] * 2 + [self.middle] * 2
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


class NodesOfSeat:
    """One seat of the model: where its nodes stand, the base, and what was seen."""

    def __init__(self, game: SequenceGame, tree: Treeplex, base: Behaviour, smooth: float) -> None:
        self.tree = tree
        self.kinds = kinds(tree)
        labels = tree.labels
        assert isinstance(labels, ProductLabels)
        ranks = strength_ranks(game)
        first = np.concatenate([[0], np.cumsum([rank.size for rank in ranks])])
        self.nodes = Nodes(
            strength=np.concatenate([2 * rank - 1 for rank in ranks]),
            first_strength=first[list(labels.rounds)].astype(np.int32),
            act=np.array([_acts(actions) for actions in tree.actions], dtype=np.int8),
            log_base=_log_base(tree, base, smooth),
        )
        size = tree.num_sequences
        self.behaviour, self.plan, self.counts = np.zeros(size), np.zeros(size), np.zeros(size)
        self.plan[0] = 1
        self.reset()

    def bend(self, base: Behaviour, smooth: float) -> None:
        """Take another base."""
        self.nodes = self.nodes._replace(log_base=_log_base(self.tree, base, smooth))

    def reset(self) -> None:
        """Forget every hand."""
        self.visited: set[int] = set()  # blocks
        self._numbers: list[int] = []  # of the hands
        self._log = EvidenceLog()

    def add(self, number: int, evidence: Evidence) -> None:
        """Take note of what was seen of a hand."""
        if evidence.sequences[0] == 0:
            return
        self._numbers.append(number)
        self._log.add(evidence)
        sequence = int(evidence.sequences[0])
        while sequence:
            block = int(np.searchsorted(self.tree.first_sequence, sequence, side="right")) - 1
            if block in self.visited:
                break
            self.visited.add(block)
            width = int(self.tree.first_set[block + 1] - self.tree.first_set[block])
            place = (sequence - int(self.tree.first_sequence[block])) % width
            sequence = int(self.tree.parent_sequence[int(self.tree.first_set[block]) + place])

    def seen(self, latest: int, forget: float) -> SeenHands:
        """All hands, for kernels; the hand ``latest`` has weight 1."""
        return self._log.hands(forget ** (latest - np.array(self._numbers, dtype=np.float64)))


class Nodes(NamedTuple):
    """The betting nodes of one seat, for kernels; a block is a node times its private states."""

    strength: Table  # z of the private states of all rounds, one round after the other
    first_strength: Ints  # [blocks] where the round of each block begins in ``strength``
    act: NDArray[np.int8]  # [blocks, 3] 0 (fold), 1 (call) or 2 (raise) of each action; -1: no such action
    log_base: Floats  # [num_sequences]


def _acts(actions: tuple[int, ...]) -> list[int]:
    if len(actions) > 3:
        raise SoulreadError(f"habits know one size of raise at a decision; actions {actions} are too many")
    found = [0 if action == FOLD else CALLS if action == CALL else 2 for action in actions]
    return found + [-1] * (3 - len(found))


def _log_base(tree: Treeplex, base: Behaviour, smooth: float) -> NDArray[np.float32]:
    result = np.zeros(tree.num_sequences, dtype=np.float32)
    for block, _, rows in tree.blocks():
        result[rows] = np.log((1 - smooth) * base[rows] + smooth / len(tree.actions[block]))
    return result


class HabitModel(EvidenceModel):
    """How an opponent bends ``base``, both seats' behaviours, in every kind of situation.

    ``smooth`` is the share of uniform play in the base. With ``forget`` below 1 older hands count less: each
    new hand multiplies their weights by it. ``steps`` is how many steps of the search (L-BFGS) an update may
    take; it goes on where the last one ended. ``bent`` is a model that learns elsewhere from the same hands;
    what it believes at each search is bent in place of ``base``. ``centre`` has the habits of a typical
    player, where that is not somebody who plays the equilibrium.
    """

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        spread: HabitSpread | None = None,
        smooth: float = 0.02,
        forget: float = 1.0,
        steps: int = 40,
        bent: BeliefModel | None = None,
        centre: Centre | None = None,
    ) -> None:
        super().__init__(game)
        verify_behaviours(game.trees, base)
        Bounds(above=0, below=1).verify("smooth", smooth)
        FADING.verify("forget", forget)
        self.forget = forget
        self.steps = steps
        self._bent = bent
        self._stamp: object = None
        self._smooth = smooth
        first, second = (
            NodesOfSeat(game, tree, own, smooth) for tree, own in zip(game.trees, base, strict=True)
        )
        self._seats = first, second
        numbers: dict[object, int] = {}
        one, two = (
            np.array([[numbers.setdefault(kind, len(numbers)) for kind in row] for row in seat.kinds])
            for seat in self._seats
        )
        self._kinds = one, two  # [blocks, levels]
        self.num_kinds = len(numbers)
        spreads = (spread or HabitSpread()).array()
        self._scale = np.empty((len(numbers), NUMBERS))
        for table in self._kinds:
            for level, column in enumerate(table.T):
                self._scale[column] = spreads[level]
        self._centres = self._centre_of(0, centre or {}), self._centre_of(1, centre or {})
        self._start()

    def _centre_of(self, seat: int, centre: Centre) -> Table:
        """``[blocks, NUMBERS]``: the habit of every betting node before anything was seen."""
        rows = [centre.get(broad_kind(actions), KNOWS) for actions in self.game.trees[seat].actions]
        return np.array(rows, dtype=np.float64)

    def _start(self) -> None:
        self._habits = np.zeros_like(self._scale)  # in units of the spread
        self._behaviours: list[Behaviour | None] = [None, None]
        self._fitted = True
        for seat in self._seats:
            seat.reset()

    def _take(self, evidence: Evidence) -> None:
        self._seats[evidence.player].add(self.num_hands, evidence)
        self._fitted, self._behaviours = False, [None, None]

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour the opponent is believed to play in ``seat``."""
        self._search()
        known = self._behaviours[seat]
        if known is None:
            tree = self.game.trees[seat]
            table = np.ones(tree.num_sequences, dtype=self.game.payoff.dtype)
            blocks = np.arange(tree.num_blocks, dtype=np.int32)
            fill_habits(tree.arrays, self._seats[seat].nodes, blocks, self.habits(seat), table)
            known = self._behaviours[seat] = Behaviour(table)
        return known

    def habits(self, seat: int) -> Table:
        """``[blocks, NUMBERS]``: the habit of every betting node of ``seat``."""
        result = (self._habits * self._scale)[self._kinds[seat]].sum(axis=1) + self._centres[seat]
        return np.ascontiguousarray(result)

    def _search(self) -> None:
        """Find the habits of greatest density, from those of the last update on."""
        if self._fitted:
            return
        if self._bent is not None and (stamp := self._bent.stamp) != self._stamp:
            for seat, own in enumerate(self._seats):
                own.bend(self._bent.strategy(seat), self._smooth)
            self._stamp = stamp
        found = minimize(
            self.loss, self._habits.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": self.steps}
        )
        self._habits = found.x.reshape(self._scale.shape)
        self._fitted = True

    def loss(self, flat: Table) -> tuple[float, Table]:
        """Minus the log density of habits, in units of the spread, and its slope; these become the habits."""
        self._habits = flat.reshape(self._scale.shape)
        value, slope = 0.5 * float(flat @ flat), self._habits.copy()
        for seat, own in enumerate(self._seats):
            blocks = np.array(sorted(own.visited), dtype=np.int32)
            log_chance, each = self._log_chance(seat, blocks, own.seen(self.num_hands, self.forget))
            value -= log_chance
            for column in self._kinds[seat].T:
                np.subtract.at(slope, column[blocks], each * self._scale[column[blocks]])
        return value, slope.ravel()

    def _log_chance(self, seat: int, blocks: Ints, seen: SeenHands) -> tuple[float, Table]:
        """Log-likelihood of all hands in a seat, and its slope ``[blocks, NUMBERS]`` in the habits."""
        own = self._seats[seat]
        tree = own.tree.arrays
        fill_habits(tree, own.nodes, blocks, self.habits(seat), own.behaviour)
        slope = np.zeros((blocks.size, NUMBERS))
        fill_plans(tree, blocks, own.behaviour, own.plan, own.counts)
        value = count_hands(seen, own.plan, own.counts)
        fill_slopes(tree, own.nodes, blocks, own.behaviour, own.counts, slope)
        return value, slope


@kernel
def fill_habits(tree: TreeArrays, nodes: Nodes, blocks: Ints, habits: Table, behaviour: Floats) -> None:
    """Fill the behaviour at every set of ``blocks``; see the top of the module."""
    for b in blocks:
        width = tree.first_set[b + 1] - tree.first_set[b]
        first = tree.first_sequence[b]
        actions = (tree.first_sequence[b + 1] - first) // width
        strength = nodes.strength[nodes.first_strength[b] : nodes.first_strength[b] + width]
        habit = habits[b]
        for a in range(actions):
            act = nodes.act[b, a]
            row = first + a * width
            for s in range(width):
                behaviour[row + s] = habit[0] * nodes.log_base[row + s]
            if act != CALLS:
                k = 1 + act // 2
                for s in range(width):
                    z = strength[s]
                    behaviour[row + s] += habit[k] + habit[k + 2] * z + habit[k + 4] * (z * z - 1 / 3)
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
def fill_plans(tree: TreeArrays, blocks: Ints, behaviour: Table, plan: Table, counts: Table) -> None:
    """Fill the plan of ``blocks``, parents first, and set their counts to zero."""
    for b in blocks:
        sets = tree.first_set[b]
        width = tree.first_set[b + 1] - sets
        for row in range(tree.first_sequence[b], tree.first_sequence[b + 1], width):
            for s in range(width):
                plan[row + s] = plan[tree.parent_sequence[sets + s]] * behaviour[row + s]
                counts[row + s] = 0.0


@kernel
def count_hands(seen: SeenHands, plan: Table, counts: Table) -> float:
    """The log-likelihood of all hands; each is added to ``counts`` at the last sequences it may have had."""
    result = 0.0
    for h in range(seen.number.size):
        entries = range(seen.start[h], seen.start[h + 1])
        total = 0.0
        for k in entries:
            total += seen.weights[k] * plan[seen.sequences[k]]
        total = max(total, _SMALLEST)
        result += seen.number[h] * np.log(total)
        for k in entries:
            sequence = seen.sequences[k]
            counts[sequence] += seen.number[h] * seen.weights[k] * plan[sequence] / total
    return result


@kernel
def fill_slopes(
    tree: TreeArrays, nodes: Nodes, blocks: Ints, behaviour: Table, counts: Table, slopes: Table
) -> None:
    """Turn counts by last sequence into counts by all sequences, and fill the slopes of each block."""
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
                    k = 1 + act // 2
                    slopes[i, k] += more
                    slopes[i, k + 2] += more * z
                    slopes[i, k + 4] += more * (z * z - 1 / 3)
