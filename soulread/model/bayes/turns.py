"""Turns: the opponent knows an equilibrium, and turns some of its actions into others.

    loose       x of the folds become calls          tight        x of the calls become folds
    passive     x of the raises become calls         aggressive   x of the calls and checks become raises

These are the faults that players are told about in words. They differ from habits
(`soulread.model.bayes.habits`) where the equilibrium never takes an action: a habit multiplies, and a turn
adds. With f, c and r the equilibrium's probabilities in a private state, the opponent's are

    raise   r (1 - passive) + c aggressive
    fold    f (1 - loose) + c (1 - aggressive) tight
    call    c (1 - aggressive) (1 - tight) + f loose + r passive

Where raises of several sizes are possible, what becomes a raise is spread over them as the equilibrium's own
raises are.

The amount x of each of the four may differ by round and by third of the hands (weak, middle, strong). It is
composed of what is done everywhere, in a round, with a third of the hands, and in this round with this third:

    1 - x  =  product of the four  (1 - y)

Each y has the prior density (1 - y)^(b - 1), which is greatest at 0, with a larger b for narrower parts. The
amounts are those of the greatest posterior density, given everything seen of all hands
(`soulread.model.bayes.fitted`).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.kernel import kernel
from soulread.model.bayes.fitted import FittedModel, SearchRooms, Table, rows_of
from soulread.seqform.compile import SequenceGame
from soulread.seqform.strategy import Behaviours
from soulread.seqform.treeplex import Floats, Ints, ProductLabels, TreeArrays
from soulread.solvers.skews import SHIFTS, strength_thirds

LOOSE, TIGHT, PASSIVE, AGGRESSIVE = range(len(SHIFTS))
THIRDS = 3
PRIOR = 5.0, 15.0, 15.0, 30.0  # b of amounts everywhere, in a round, with a third, in a round with a third
MOST = 0.95  # greatest y
_LEAST = 1e-9  # probability


class TurnModel(FittedModel):
    """How an opponent turns actions of an equilibrium into others; see `FittedModel` for what is given.

    The numbers are the parts y, ``[4, parts]``, of `SHIFTS`.
    """

    lowest = 0.0
    highest = MOST

    def __init__(
        self,
        game: SequenceGame,
        base: Behaviours,
        smooth: float = 0.005,
        forget: float = 1.0,
        steps: int = 40,
        others: Sequence[Behaviours] = (),
        room: SearchRooms | None = None,
    ) -> None:
        thirds = [third.astype(np.int8) for third in strength_thirds(game)]
        super().__init__(game, base, smooth, forget, steps, others, room)
        self.num_rounds = len(thirds)
        self.num_kinds = self.num_rounds * THIRDS
        self._levels = _levels(self.num_rounds)
        self._strictness = np.repeat(np.array(PRIOR) - 1, [1, self.num_rounds, THIRDS, self.num_kinds])
        self._nodes = self._nodes_of(0, thirds), self._nodes_of(1, thirds)
        self._start()

    def _nodes_of(self, seat: int, thirds: list[NDArray[np.int8]]) -> "TurnNodes":
        labels = self.game.trees[seat].labels
        assert isinstance(labels, ProductLabels)
        rounds = np.array(labels.rounds, dtype=np.int32)
        first = np.concatenate([[0], np.cumsum([third.size for third in thirds])])
        own = self._seats[seat]
        return TurnNodes(
            rounds, first[rounds].astype(np.int32), np.concatenate(thirds), own.act, own.log_base
        )

    def _first_numbers(self) -> Table:
        return np.zeros((len(SHIFTS), self._strictness.size))

    @property
    def amounts(self) -> Table:
        """``[4, rounds, thirds]``: how much is turned, of `SHIFTS`."""
        kept: Table = np.prod((1 - self.numbers)[:, self._levels], axis=-1)
        return 1 - kept.reshape(len(SHIFTS), self.num_rounds, THIRDS)

    def _fill(self, seat: int, blocks: Ints, behaviour: Floats) -> None:
        fill_turns(self.game.trees[seat].arrays, self._nodes[seat], blocks, self.amounts, behaviour)

    def loss(self, flat: Table) -> tuple[float, Table]:
        """Minus the log density of the parts y, and its slope; these become the parts."""
        self.numbers = flat.reshape(len(SHIFTS), -1)
        value = -float((np.log1p(-self.numbers) * self._strictness).sum())
        slope = self._strictness / (1 - self.numbers)
        amounts = self.amounts
        by_amount = np.zeros(amounts.shape)
        for seat, own in enumerate(self._seats):
            value -= self._log_chance(seat)
            add_slopes(
                own.tree.arrays,
                self._nodes[seat],
                own.blocks(),
                own.behaviour,
                own.counts,
                amounts,
                by_amount,
            )
        each = (by_amount * (1 - amounts)).reshape(len(SHIFTS), -1)  # times 1 / (1 - y): by each y
        for column in self._levels.T:
            for what in range(len(SHIFTS)):
                np.subtract.at(slope[what], column, each[what] / (1 - self.numbers[what, column]))
        return value, slope.ravel()


class TurnNodes(NamedTuple):
    """The betting nodes of one seat, for kernels."""

    round: NDArray[np.int32]  # [blocks]
    first_state: NDArray[np.int32]  # [blocks] where the states of the round begin in ``third``
    third: NDArray[np.int8]  # 0 (weak) to 2 of the private states of all rounds
    act: NDArray[np.int8]  # [blocks, actions] the kind of each action; -1: no such action
    log_base: Floats  # [num_sequences]


def _levels(rounds: int) -> NDArray[np.int64]:
    """``[rounds * thirds, 4]``: the numbers of the parts that the amount of a round and a third has."""
    r, h = np.divmod(np.arange(rounds * THIRDS), THIRDS)
    first = np.cumsum([0, 1, rounds, THIRDS])
    return np.stack([np.zeros_like(r), first[1] + r, first[2] + h, first[3] + r * THIRDS + h], axis=1)


@kernel
def fill_turns(tree: TreeArrays, nodes: TurnNodes, blocks: Ints, amounts: Table, behaviour: Floats) -> None:
    """Fill the behaviour at every set of ``blocks``; see the top of the module."""
    log_base = nodes.log_base
    for b in blocks:
        r, rows = nodes.round[b], rows_of(tree, nodes.act, b)
        width = tree.first_set[b + 1] - tree.first_set[b]
        for s in range(width):
            h = nodes.third[nodes.first_state[b] + s]
            loose, passive = amounts[LOOSE, r, h], amounts[PASSIVE, r, h]
            calls, turned, folded = np.exp(log_base[rows.call + s]), 0.0, 0.0
            called = 0.0
            if rows.up >= 0:
                turned, raised = amounts[AGGRESSIVE, r, h], 0.0
                for c in range(rows.up + s, rows.last, width):
                    raised += np.exp(log_base[c])
                for c in range(rows.up + s, rows.last, width):
                    raises = np.exp(log_base[c])
                    behaviour[c] = raises * (1 - passive) + calls * turned * (raises / raised)
                called += raised * passive
            if rows.fold >= 0:
                folds, folded = np.exp(log_base[rows.fold + s]), amounts[TIGHT, r, h]
                behaviour[rows.fold + s] = folds * (1 - loose) + calls * (1 - turned) * folded
                called += folds * loose
            behaviour[rows.call + s] = calls * (1 - turned) * (1 - folded) + called


@kernel
def add_slopes(
    tree: TreeArrays,
    nodes: TurnNodes,
    blocks: Ints,
    behaviour: Table,
    counts: Table,
    amounts: Table,
    slopes: Table,
) -> None:
    """Turn counts by last sequence into counts by all sequences, and add the slopes by each amount."""
    log_base = nodes.log_base
    for i in range(blocks.size - 1, -1, -1):
        b = blocks[i]
        sets, first = tree.first_set[b], tree.first_sequence[b]
        width = tree.first_set[b + 1] - sets
        r, rows = nodes.round[b], rows_of(tree, nodes.act, b)
        for s in range(width):
            passed = 0.0
            for c in range(first + s, tree.first_sequence[b + 1], width):
                passed += counts[c]
            if passed <= 0:
                continue
            counts[tree.parent_sequence[sets + s]] += passed
            h = nodes.third[nodes.first_state[b] + s]
            calls, by_call = np.exp(log_base[rows.call + s]), _per_chance(counts, behaviour, rows.call, s)
            by_fold, by_raise = 0.0, 0.0
            turned, folded = 0.0, 0.0
            if rows.up >= 0:
                turned, raised = amounts[AGGRESSIVE, r, h], 0.0
                for c in range(rows.up + s, rows.last, width):
                    raises, by_this = np.exp(log_base[c]), _per_chance(counts, behaviour, c, 0)
                    slopes[PASSIVE, r, h] += raises * (by_call - by_this)
                    raised += raises
                    by_raise += raises * by_this
                by_raise /= raised  # by what becomes a raise
            if rows.fold >= 0:
                folded, by_fold = amounts[TIGHT, r, h], _per_chance(counts, behaviour, rows.fold, s)
                slopes[LOOSE, r, h] += np.exp(log_base[rows.fold + s]) * (by_call - by_fold)
                slopes[TIGHT, r, h] += calls * (1 - turned) * (by_fold - by_call)
            if rows.up >= 0:
                slopes[AGGRESSIVE, r, h] += calls * (by_raise - folded * by_fold - (1 - folded) * by_call)


@kernel
def _per_chance(counts: Table, behaviour: Table, row: int, s: int) -> float:
    """How often an action was seen, over its probability: the slope of the log-likelihood by that."""
    return float(counts[row + s] / max(behaviour[row + s], _LEAST))
