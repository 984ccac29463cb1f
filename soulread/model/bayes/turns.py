"""Turns: the opponent knows an equilibrium, and turns some of its actions into others.

    loose       x of the folds become calls          tight        x of the calls become folds
    passive     x of the raises become calls         aggressive   x of the calls and checks become raises

These are the faults that players are told about in words. They differ from habits
(`soulread.model.bayes.habits`) where the equilibrium never takes an action: a habit multiplies, and a turn
adds. With f, c and r the equilibrium's probabilities in a private state, the opponent's are

    raise   r (1 - passive) + c aggressive
    fold    f (1 - loose) + c (1 - aggressive) tight
    call    c (1 - aggressive) (1 - tight) + f loose + r passive

The amount x of each of the four may differ by round and by third of the hands (weak, middle, strong). It is
composed of what is done everywhere, in a round, with a third of the hands, and in this round with this third:

    1 - x  =  product of the four  (1 - y)

Each y has the prior density (1 - y)^(b - 1), which is greatest at 0, with a larger b for narrower parts. The
amounts are those of the greatest posterior density, given everything seen of all hands.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from soulread.kernel import kernel
from soulread.model.bayes.beliefs import BeliefModel, EvidenceModel
from soulread.model.bayes.evidence import Evidence
from soulread.model.bayes.habits import CALLS, NodesOfSeat, Table, count_hands, fill_plans
from soulread.options import Bounds
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviour, Behaviours, verify_behaviours
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, TreeArrays
from soulread.solvers.skews import SHIFTS, strength_thirds

LOOSE, TIGHT, PASSIVE, AGGRESSIVE = range(len(SHIFTS))
THIRDS = 3
PRIOR = 4.0, 8.0, 8.0, 16.0  # b of amounts everywhere, in a round, with a third, in a round with a third
MOST = 0.95  # greatest y
_LEAST = 1e-9  # probability


class TurnModel(EvidenceModel):
    """How an opponent turns actions of ``base``, both seats' behaviours, into others.

    ``smooth`` is the share of uniform play in the base, and ``steps`` the most steps of a search (L-BFGS-B).
    ``bent`` is a model that learns elsewhere from the same hands; what it believes at each search is the base.
    """

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        smooth: float = 0.005,
        steps: int = 40,
        bent: BeliefModel | None = None,
    ) -> None:
        super().__init__(game)
        verify_behaviours(game.trees, base)
        Bounds(above=0, below=1).verify("smooth", smooth)
        self.steps = steps
        self._bent = bent
        self._stamp: object = None
        self._smooth = smooth
        first, second = (
            NodesOfSeat(game, tree, own, smooth) for tree, own in zip(game.trees, base, strict=True)
        )
        self._seats = first, second
        thirds = [third.astype(np.int8) for third in strength_thirds(game)]
        starts = np.concatenate([[0], np.cumsum([third.size for third in thirds])])
        self._third = np.concatenate(thirds)
        self._places: list[Places] = []
        for tree in game.trees:
            assert isinstance(tree.labels, ProductLabels)
            rounds = np.array(tree.labels.rounds, dtype=np.int32)
            self._places.append(Places(rounds, starts[rounds].astype(np.int32)))
        self.num_rounds = len(thirds)
        self._levels = _levels(self.num_rounds)
        self.num_kinds = self.num_rounds * THIRDS
        self._strictness = np.repeat(np.array(PRIOR) - 1, [1, self.num_rounds, THIRDS, self.num_kinds])
        self._start()

    def _start(self) -> None:
        self._parts = np.zeros((len(SHIFTS), self._strictness.size))
        self._behaviours: list[Behaviour | None] = [None, None]
        self._fitted = True
        for seat in self._seats:
            seat.reset()

    def _take(self, evidence: Evidence) -> None:
        self._seats[evidence.player].add(self.num_hands, evidence)
        self._fitted, self._behaviours = False, [None, None]

    @property
    def amounts(self) -> Table:
        """``[4, rounds, thirds]``: how much is turned, of `SHIFTS`."""
        kept = np.prod((1 - self._parts)[:, self._levels], axis=-1)
        return (1 - kept).reshape(len(SHIFTS), self.num_rounds, THIRDS)

    def strategy(self, seat: int) -> Behaviour:
        """The behaviour the opponent is believed to play in ``seat``."""
        self._search()
        known = self._behaviours[seat]
        if known is None:
            tree = self.game.trees[seat]
            table = np.ones(tree.num_sequences, dtype=self.game.payoff.dtype)
            self._fill(seat, np.arange(tree.num_blocks, dtype=np.int32), self.amounts, table)
            known = self._behaviours[seat] = Behaviour(table)
        return known

    def _fill(self, seat: int, blocks: Ints, amounts: Table, behaviour: Floats) -> None:
        nodes = self._seats[seat].nodes
        tree = self.game.trees[seat].arrays
        fill_turns(
            tree, nodes.act, nodes.log_base, self._places[seat], self._third, blocks, amounts, behaviour
        )

    def _search(self) -> None:
        """Find the amounts of greatest density, from those of the last update on."""
        if self._fitted:
            return
        if self._bent is not None and (stamp := self._bent.stamp) != self._stamp:
            for seat, own in enumerate(self._seats):
                own.bend(self._bent.strategy(seat), self._smooth)
            self._stamp = stamp
        found = minimize(
            self.loss,
            np.maximum(self._parts, 0.01).ravel(),
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, MOST)] * self._parts.size,
            options={"maxiter": self.steps},
        )
        self._parts = found.x.reshape(self._parts.shape)
        self._fitted = True

    def loss(self, flat: Table) -> tuple[float, Table]:
        """Minus the log density of the parts y, and its slope; these become the parts."""
        self._parts = flat.reshape(len(SHIFTS), -1)
        value = -float((np.log1p(-self._parts) * self._strictness).sum())
        slope = self._strictness / (1 - self._parts)
        amounts = self.amounts
        by_amount = np.zeros(amounts.shape)
        for seat, own in enumerate(self._seats):
            blocks = np.array(sorted(own.visited), dtype=np.int32)
            tree = self.game.trees[seat].arrays
            self._fill(seat, blocks, amounts, own.behaviour)
            fill_plans(tree, blocks, own.behaviour, own.plan, own.counts)
            value -= count_hands(own.seen(self.num_hands, 1.0), own.plan, own.counts)
            add_slopes(
                tree,
                own.nodes.act,
                own.nodes.log_base,
                self._places[seat],
                self._third,
                blocks,
                own.behaviour,
                own.counts,
                amounts,
                by_amount,
            )
        each = (by_amount * (1 - amounts)).reshape(len(SHIFTS), -1)  # times 1 / (1 - y): by each y
        for column in self._levels.T:
            for what in range(len(SHIFTS)):
                np.subtract.at(slope[what], column, each[what] / (1 - self._parts[what, column]))
        return value, slope.ravel()


class Places(NamedTuple):
    """Where the blocks of a seat stand, for kernels."""

    round: NDArray[np.int32]  # [blocks]
    first_state: NDArray[np.int32]  # [blocks] where the states of the round begin among those of all rounds


def _levels(rounds: int) -> NDArray[np.int64]:
    """``[rounds * thirds, 4]``: the numbers of the parts that the amount of a round and a third has."""
    r, h = np.divmod(np.arange(rounds * THIRDS), THIRDS)
    first = np.cumsum([0, 1, rounds, THIRDS])
    return np.stack([np.zeros_like(r), first[1] + r, first[2] + h, first[3] + r * THIRDS + h], axis=1)


@kernel
def fill_turns(
    tree: TreeArrays,
    act: NDArray[np.int8],
    log_base: Floats,
    places: Places,
    third: NDArray[np.int8],
    blocks: Ints,
    amounts: Table,
    behaviour: Floats,
) -> None:
    """Fill the behaviour at every set of ``blocks``; see the top of the module."""
    for b in blocks:
        width = tree.first_set[b + 1] - tree.first_set[b]
        first = tree.first_sequence[b]
        actions = (tree.first_sequence[b + 1] - first) // width
        r = places.round[b]
        fold, call, up = -1, -1, -1
        for a in range(actions):
            if act[b, a] == 0:
                fold = first + a * width
            elif act[b, a] == CALLS:
                call = first + a * width
            else:
                up = first + a * width
        for s in range(width):
            h = third[places.first_state[b] + s]
            c = np.exp(log_base[call + s])
            f = np.exp(log_base[fold + s]) if fold >= 0 else 0.0
            u = np.exp(log_base[up + s]) if up >= 0 else 0.0
            turned = amounts[AGGRESSIVE, r, h] if up >= 0 else 0.0
            folded = amounts[TIGHT, r, h] if fold >= 0 else 0.0
            loose, passive = amounts[LOOSE, r, h], amounts[PASSIVE, r, h]
            if up >= 0:
                behaviour[up + s] = u * (1 - passive) + c * turned
            if fold >= 0:
                behaviour[fold + s] = f * (1 - loose) + c * (1 - turned) * folded
            behaviour[call + s] = c * (1 - turned) * (1 - folded) + f * loose + u * passive


@kernel
def add_slopes(
    tree: TreeArrays,
    act: NDArray[np.int8],
    log_base: Floats,
    places: Places,
    third: NDArray[np.int8],
    blocks: Ints,
    behaviour: Table,
    counts: Table,
    amounts: Table,
    slopes: Table,
) -> None:
    """Turn counts by last sequence into counts by all sequences, and add the slopes by each amount."""
    for i in range(blocks.size - 1, -1, -1):
        b = blocks[i]
        sets, first = tree.first_set[b], tree.first_sequence[b]
        width = tree.first_set[b + 1] - sets
        actions = (tree.first_sequence[b + 1] - first) // width
        r = places.round[b]
        fold, call, up = -1, -1, -1
        for a in range(actions):
            if act[b, a] == 0:
                fold = first + a * width
            elif act[b, a] == CALLS:
                call = first + a * width
            else:
                up = first + a * width
        for s in range(width):
            passed = 0.0
            for a in range(actions):
                passed += counts[first + a * width + s]
            if passed <= 0:
                continue
            counts[tree.parent_sequence[sets + s]] += passed
            h = third[places.first_state[b] + s]
            c = np.exp(log_base[call + s])
            by_call = counts[call + s] / max(behaviour[call + s], _LEAST)
            by_fold = counts[fold + s] / max(behaviour[fold + s], _LEAST) if fold >= 0 else 0.0
            by_raise = counts[up + s] / max(behaviour[up + s], _LEAST) if up >= 0 else 0.0
            turned = amounts[AGGRESSIVE, r, h] if up >= 0 else 0.0
            folded = amounts[TIGHT, r, h] if fold >= 0 else 0.0
            if fold >= 0:
                slopes[LOOSE, r, h] += np.exp(log_base[fold + s]) * (by_call - by_fold)
                slopes[TIGHT, r, h] += c * (1 - turned) * (by_fold - by_call)
            if up >= 0:
                slopes[PASSIVE, r, h] += np.exp(log_base[up + s]) * (by_call - by_raise)
                slopes[AGGRESSIVE, r, h] += c * (by_raise - folded * by_fold - (1 - folded) * by_call)
