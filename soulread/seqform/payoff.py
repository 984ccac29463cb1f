"""Payoff operators: the chips of each sequence of a player against the opponent's plan.

With u the player's own chips, x the player's plan and y the opponent's, the expected value is x . g, where

    g[c] = sum over outcomes after (c, d) of  chance probability * u * y[d]

is the *gradient*. Two classes compute it. `SparsePayoff` stores one number per pair of sequences that end the
game together. `FactoredPayoff` is for poker, where a game is a betting tree times private states. All leaves
of round r share two matrices over the private states s (own) and t (opponent's) of that round,

    reach_r[s, t] = joint chance of s and t,      win_r[s, t] = joint chance of s, t and s winning

so the gradients of all leaves are one matrix product. With one row of y per leaf it is ``Y @ reach_r.T``
times chips for folds and ``Y @ M_r.T`` times chips for showdowns. M_r is win_r - win_r.T in a game where one
player wins what the other loses. Both matrices are the same from either seat. Neither class assumes that the
two players' payoffs sum to zero: with ``winner`` and ``tie`` other than 1 and 0,

    M_r = winner * win_r - win_r.T + tie * (reach_r - win_r - win_r.T)

Where private states have a *public part*, such as a class of flops, two states with different public parts
never meet. The matrices of a round then fall into blocks, and only the blocks are multiplied. They are found
from the zeros of reach_r. With K blocks of equal size a gradient costs a K-th.

A plan in the middle of a solve plays most actions with probability zero: in hold'em nine entries of ten are
zero. Where few entries are not, `multiply_few` adds up the matrix rows of those alone.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.errors import ShapeError, SoulreadError
from soulread.kernel import kernel
from soulread.seqform.strategy import Plan
from soulread.seqform.treeplex import Floats, Ints

if TYPE_CHECKING:
    import scipy.sparse as sp

_CHUNK = 2048  # leaves per matrix product: few calls, because threads wait for each other in each call
_SMALLEST_SPLIT = 256  # private states of a round; smaller matrices are multiplied as a whole
_SMALLEST_FEW = 64  # private states of a round; in smaller matrices zeros are not worth looking for
_FEW = 0.15  # part of the entries of a plan up to which only those that are not zero are multiplied
_MAX_ENTRIES = 50_000_000  # at most so many entries of a factored payoff are written out as a sparse matrix


class Payoff(Protocol):
    """The payoffs of a game, as solvers use them."""

    @property
    def num_sequences(self) -> tuple[int, int]:
        """Number of sequences of each player."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Precision of the gradients, and of strategies while they are solved for."""

    @property
    def zero_sum(self) -> bool:
        """Whether one player's gain is always the other's loss."""

    def gradient(self, player: int, opponent_plan: Plan, out: Floats | None = None) -> Floats:
        """``[num_sequences[player]]``: chips ``player`` wins after each own sequence, chance included."""

    def matrix(self, player: int) -> "sp.csr_array[np.float64]":
        """``[own sequences, opponent sequences]``: this matrix times the opponent's plan is the gradient."""

    def checksum(self) -> str:
        """Hexadecimal digest of the numbers."""


class SparseRows(NamedTuple):
    """A player's payoffs row by row: row c is ``[start[c]:start[c + 1]]`` of ``column`` and ``utility``."""

    start: Ints  # [own sequences + 1]
    column: Ints  # [entries] opponent sequence
    utility: Floats  # [entries] chance probability x own chips


@dataclass(frozen=True, eq=False)
class SparsePayoff:
    """One number per pair of sequences that end the game together, stored by rows once for each player."""

    rows: tuple[SparseRows, SparseRows]

    def __post_init__(self) -> None:
        for player in (0, 1):
            rows, width = self.rows[player], self.num_sequences[1 - player]
            if rows.column.shape != rows.utility.shape or rows.start[-1] != rows.column.size:
                raise ShapeError(
                    f"payoffs of player {player}: {rows.column.size} columns, {rows.utility.size} utilities "
                    f"and a last row that ends at {rows.start[-1]}"
                )
            if rows.column.size and not 0 <= rows.column.min() <= rows.column.max() < width:
                raise ShapeError(
                    f"payoffs of player {player} name sequences {rows.column.min()} to {rows.column.max()}, "
                    f"but the opponent has {width}"
                )

    @classmethod
    def from_outcomes(
        cls,
        num_sequences: tuple[int, int],
        sequences: tuple[NDArray[Any], NDArray[Any]],
        utilities: tuple[NDArray[Any], NDArray[Any]],
    ) -> "SparsePayoff":
        """Build from one entry per outcome: both players' last sequences and chance-weighted chips.

        Outcomes with the same two sequences are added up.
        """
        import scipy.sparse as sp

        rows = []
        for player in (0, 1):
            shape = (num_sequences[player], num_sequences[1 - player])
            matrix = sp.coo_array(
                (utilities[player], (sequences[player], sequences[1 - player])), shape=shape
            ).tocsr()
            matrix.sum_duplicates()
            matrix.eliminate_zeros()
            rows.append(
                SparseRows(
                    matrix.indptr.astype(np.int32),
                    matrix.indices.astype(np.int32),
                    matrix.data.astype(np.float64),
                )
            )
        return cls((rows[0], rows[1]))

    @property
    def num_sequences(self) -> tuple[int, int]:
        return self.rows[0].start.size - 1, self.rows[1].start.size - 1

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.rows[0].utility.dtype

    @cached_property
    def zero_sum(self) -> bool:
        difference = self.matrix(0) + self.matrix(1).T
        scale = max(np.abs(self.rows[0].utility).max(initial=0.0), 1e-300)
        return bool(np.abs(difference.data).max(initial=0.0) <= 1e-9 * scale)

    def gradient(self, player: int, opponent_plan: Plan, out: Floats | None = None) -> Floats:
        """Chips that ``player`` wins after each own sequence, chance included."""
        verify_plan_shape(self, player, opponent_plan)
        if out is None:
            out = np.empty(self.num_sequences[player], dtype=self.dtype)
        sparse_gradient(self.rows[player], opponent_plan, out)
        return out

    def matrix(self, player: int) -> "sp.csr_array[np.float64]":
        """``[own sequences, opponent sequences]``."""
        import scipy.sparse as sp

        rows = self.rows[player]
        shape = (self.num_sequences[player], self.num_sequences[1 - player])
        return sp.csr_array((rows.utility.astype(np.float64), rows.column, rows.start), shape=shape)

    def checksum(self) -> str:
        """Hexadecimal digest of the numbers."""
        return _digest(array for rows in self.rows for array in rows)


@dataclass(frozen=True, eq=False)
class Leaves:
    """The ends of a betting tree.

    Player i ended at a row of sequences, which begins at ``sequence[i]``: one sequence per private state of
    round ``sequence_round[i]``. A player who never acted has the empty sequence alone, of round -1.
    """

    round: NDArray[np.int8]  # [leaves] round whose matrices apply
    showdown: NDArray[np.bool_]  # [leaves] True at a showdown, False where somebody folded
    sequence: Ints  # [2, leaves] first sequence of each player's row
    sequence_round: NDArray[np.int8]  # [2, leaves]
    chips: NDArray[np.float64]  # [2, leaves] net chips at a fold; what a winner gains at a showdown


class _Blocks(NamedTuple):
    """The private states of a round in an order in which states that can meet stand together."""

    order: Ints  # [S] states, block by block; those that never come up stand at the end, in no block
    plain: bool  # whether all states are one block in their own order
    bounds: tuple[tuple[int, int], ...]  # where in the order each block begins and ends


class _Group(NamedTuple):
    """The leaves that share a matrix; S private states in the order of `_Blocks`."""

    round: int
    blocks: _Blocks
    transposed: tuple[Floats, ...]  # for each block [n, n]: opponent state, own state
    ancestors: Ints  # [round + 2, S] for each state of this round, the state of round k - 1 it comes from
    sequence: Ints  # [2, n]
    level: NDArray[np.int8]  # [2, n] index into ancestors
    chips: Floats  # [2, n]


@dataclass(frozen=True, eq=False)
class FactoredPayoff:
    """Payoffs of a betting tree times private states; gradients are matrix products."""

    num_sequences: tuple[int, int]
    reach: tuple[Floats, ...]  # [rounds] of [S_r, S_r] joint probability of both players' states
    win: tuple[Floats, ...]  # [rounds] of [S_r, S_r] joint probability of the states, and that the row's wins
    parent_state: tuple[Ints, ...]  # [rounds] of [S_r] state of the round before; zeros in round 0
    leaves: Leaves
    winner: float = 1.0  # a winner's gain at a showdown per chip the loser pays; in folds it is in the chips
    tie: float = 0.0  # what each player gains at a tie

    def __post_init__(self) -> None:
        if not len(self.reach) == len(self.win) == len(self.parent_state):
            raise ShapeError(
                f"{len(self.reach)} reach matrices, {len(self.win)} win matrices and "
                f"{len(self.parent_state)} parent maps; each round has one of each"
            )
        before = 1
        for r, (reach, win, parent) in enumerate(zip(self.reach, self.win, self.parent_state, strict=True)):
            size = parent.size
            if reach.shape != (size, size) or win.shape != (size, size):
                raise ShapeError(
                    f"round {r} has {size} private states, but its matrices have shapes "
                    f"{reach.shape} and {win.shape}"
                )
            if parent.min() < 0 or parent.max() >= before:
                raise ShapeError(
                    f"round {r} has parent states {parent.min()} to {parent.max()}; "
                    f"the round before has states 0 to {before - 1}"
                )
            before = size
        if any(matrix.dtype != self.dtype for matrix in (*self.reach, *self.win)):
            raise ShapeError("all matrices of a factored payoff need the same precision")

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.reach[0].dtype

    @cached_property
    def zero_sum(self) -> bool:
        folds = ~self.leaves.showdown
        chips = self.leaves.chips
        return bool(
            (self.winner, self.tie) == (1, 0)
            and np.all(chips[0, folds] == -chips[1, folds])
            and np.all(chips[0, ~folds] == chips[1, ~folds])
        )

    def astype(self, dtype: DTypeLike) -> "FactoredPayoff":
        """The same payoffs in float32 or float64."""
        return replace(
            self,
            reach=tuple(matrix.astype(dtype) for matrix in self.reach),
            win=tuple(matrix.astype(dtype) for matrix in self.win),
        )

    @cached_property
    def _blocks(self) -> tuple[_Blocks, ...]:
        return tuple(find_blocks(reach) for reach in self.reach)

    @cached_property
    def _ancestors(self) -> tuple[Ints, ...]:
        traced = trace_ancestors(self.parent_state)
        return tuple(
            ancestors if blocks.plain else np.ascontiguousarray(ancestors[:, blocks.order])
            for ancestors, blocks in zip(traced, self._blocks, strict=True)
        )

    @cached_property
    def _groups(self) -> tuple[_Group, ...]:
        """The leaves, grouped by the matrix they need."""
        table = self.leaves
        groups = []
        for r in range(len(self.reach)):
            for showdown in (False, True):
                wanted = np.flatnonzero((table.round == r) & (table.showdown == showdown))
                if wanted.size:
                    matrix = self._showdown_transposed[r] if showdown else self._reach_transposed[r]
                    group = _Group(
                        round=r,
                        blocks=self._blocks[r],
                        transposed=matrix,
                        ancestors=self._ancestors[r],
                        sequence=np.ascontiguousarray(table.sequence[:, wanted]),
                        level=np.ascontiguousarray(table.sequence_round[:, wanted] + 1).astype(np.int8),
                        chips=np.ascontiguousarray(table.chips[:, wanted]).astype(self.dtype),
                    )
                    groups.append(group)
        return tuple(groups)

    @cached_property
    def _reach_transposed(self) -> tuple[tuple[Floats, ...], ...]:
        return tuple(
            _cut(np.ascontiguousarray(matrix.T), blocks)
            for matrix, blocks in zip(self.reach, self._blocks, strict=True)
        )

    @cached_property
    def _showdown_transposed(self) -> tuple[tuple[Floats, ...], ...]:
        return tuple(
            tuple(
                self._showdown(won, met)
                for won, met in zip(_cut(win, blocks), _cut(reach, blocks), strict=True)
            )
            for win, reach, blocks in zip(self.win, self.reach, self._blocks, strict=True)
        )

    def _showdown(self, win: Floats, reach: Floats) -> Floats:
        """M of the module docstring for one block, transposed."""
        if (self.winner, self.tie) == (1, 0):
            return np.ascontiguousarray(win.T - win)
        return np.ascontiguousarray(self.winner * win.T - win + self.tie * (reach.T - win - win.T))

    def gradient(self, player: int, opponent_plan: Plan, out: Floats | None = None) -> Floats:
        """Chips that ``player`` wins after each own sequence, chance included."""
        verify_plan_shape(self, player, opponent_plan)
        if out is None:
            out = np.empty(self.num_sequences[player], dtype=self.dtype)
        out.fill(0)
        self._add(player, opponent_plan, self._groups, out)
        return out

    def _add(self, player: int, plan: Floats, groups: Iterable[_Group], gradient: Floats) -> None:
        """Add the chips of each group of leaves to ``gradient``."""
        for group in groups:
            total, size = group.sequence.shape[1], group.ancestors.shape[1]
            plans, values = self._rooms(min(total, _CHUNK), size)
            if not group.blocks.plain:
                values.fill(0)  # states that never come up stay zero
            for first in range(0, total, _CHUNK):
                count = min(_CHUNK, total - first)
                filled = gather_rows(
                    plan,
                    group.sequence[1 - player],
                    group.level[1 - player],
                    group.ancestors,
                    group.blocks.plain,
                    first,
                    plans[:count],
                )
                few = size >= _SMALLEST_FEW and filled <= _FEW * count * size
                multiply = multiply_few if few else np.matmul
                for (start, end), matrix in zip(group.blocks.bounds, group.transposed, strict=True):
                    multiply(plans[:count, start:end], matrix, values[:count, start:end])
                scatter_rows(
                    values[:count],
                    group.chips[player],
                    group.sequence[player],
                    group.level[player],
                    group.ancestors,
                    group.blocks.plain,
                    first,
                    gradient,
                )

    def _rooms(self, rows: int, columns: int) -> tuple[Floats, Floats]:
        """Two arrays for products, whatever they hold; the same ones for a thread each time.

        New arrays of this size would come from the system page by page, a fifth of the time of a gradient.
        """
        size = rows * columns
        kept: Floats | None = getattr(self._own, "rooms", None)
        if kept is None or kept.shape[1] < size:
            kept = self._own.rooms = np.empty((2, size), dtype=self.dtype)
        return kept[0, :size].reshape(rows, columns), kept[1, :size].reshape(rows, columns)

    @cached_property
    def _own(self) -> local:
        """The arrays of each thread."""
        return local()

    def matrix(self, player: int) -> "sp.csr_array[np.float64]":
        """``[own sequences, opponent sequences]``; raises `SoulreadError` if the game is too large for it."""
        import scipy.sparse as sp

        entries = sum(self.parent_state[r].size ** 2 for r in self.leaves.round)
        if entries > _MAX_ENTRIES:
            raise SoulreadError(
                f"a factored payoff with {entries:,} entries is too large to write out as a matrix "
                f"(at most {_MAX_ENTRIES:,})"
            )
        shape = (self.num_sequences[player], self.num_sequences[1 - player])
        parts: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
        for group in self._groups:
            values = sp.coo_array(sp.block_diag([block.T for block in group.transposed]).astype(np.float64))
            states = values.coords[0], values.coords[1]
            for leaf in range(group.sequence.shape[1]):
                own = group.ancestors[group.level[player, leaf]][states[0]]
                other = group.ancestors[group.level[1 - player, leaf]][states[1]]
                parts.append(
                    (
                        values.data * float(group.chips[player, leaf]),
                        group.sequence[player, leaf] + own,
                        group.sequence[1 - player, leaf] + other,
                    )
                )
        data, row, column = (np.concatenate([part[i] for part in parts]) for i in range(3))
        return sp.coo_array((data, (row, column)), shape=shape).tocsr()

    def checksum(self) -> str:
        """Hexadecimal digest of the numbers."""
        table = self.leaves
        return _digest(
            (
                *self.reach,
                *self.win,
                *self.parent_state,
                table.round,
                table.showdown,
                table.sequence,
                table.sequence_round,
                table.chips,
                np.array([self.winner, self.tie]),
            )
        )


def find_blocks(reach: Floats) -> _Blocks:
    """The parts into which the states of a round fall, from their joint chance ``[S, S]``.

    A small matrix stays whole, and so does one of which more than half would be multiplied anyway.
    """
    import scipy.sparse as sp
    from scipy.sparse.csgraph import connected_components

    size = len(reach)
    if size >= _SMALLEST_SPLIT:
        count, label = connected_components(sp.csr_array(reach), directed=False)
        sizes = np.bincount(label, minlength=count)
        unseen = (sizes == 1)[label] & (reach.diagonal() == 0)
        sizes = np.bincount(label[~unseen], minlength=count)
        if 2 * (sizes.astype(np.int64) ** 2).sum() <= size**2:
            order = np.lexsort((label, unseen)).astype(np.int32)
            ends = np.cumsum(sizes[sizes > 0]).tolist()
            return _Blocks(order, plain=False, bounds=tuple(pairwise([0, *ends])))
    return _Blocks(np.arange(size, dtype=np.int32), plain=True, bounds=((0, size),))


def _cut(matrix: Floats, blocks: _Blocks) -> tuple[Floats, ...]:
    """The blocks of a matrix over private states; the matrix itself if it is not split."""
    if blocks.plain:
        return (matrix,)
    states = (blocks.order[start:end] for start, end in blocks.bounds)
    return tuple(np.ascontiguousarray(matrix[np.ix_(own, own)]) for own in states)


def trace_ancestors(parent: Sequence[Ints]) -> tuple[Ints, ...]:
    """[rounds] of [r + 2, S_r]: for each state of round r, the state of round k - 1 it comes from."""
    tables: list[Ints] = []
    for states in parent:
        own = np.arange(states.size, dtype=np.int32)[None]
        above = tables[-1][:, states] if tables else np.zeros((1, states.size), dtype=np.int32)
        tables.append(np.concatenate([above, own]))
    return tuple(tables)


def verify_plan_shape(payoff: Payoff, player: int, plan: Floats) -> None:
    if player not in (0, 1):
        raise SoulreadError(f"player {player!r}; a two-player game has players 0 and 1")
    expected = payoff.num_sequences[1 - player]
    if plan.shape != (expected,):
        raise ShapeError(
            f"the opponent's plan has shape {plan.shape}, but player {1 - player} has {expected} sequences; "
            "is it the plan of the other player?"
        )


def _digest(arrays: Iterable[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


@kernel
def sparse_gradient(rows: SparseRows, plan: Floats, gradient: Floats) -> None:
    """gradient[c] = sum of utility x plan over row c."""
    start, column, utility = rows.start, rows.column, rows.utility
    for c in range(start.size - 1):
        total = utility.dtype.type(0)
        for k in range(start[c], start[c + 1]):
            total += utility[k] * plan[column[k]]
        gradient[c] = total


@kernel
def gather_rows(
    plan: Floats,
    sequence: Ints,
    level: NDArray[np.int8],
    ancestors: Ints,
    plain: bool,
    first: int,
    rows: Floats,
) -> int:
    """Copy the plan of leaves ``first``, ``first + 1``, ... into rows, one entry per private state.

    With ``plain`` the states of a round stand in their own order, so rows of that round are copied whole.
    Returns how many entries are not zero.
    """
    size, filled = rows.shape[1], 0
    for i in range(rows.shape[0]):
        start = sequence[first + i]
        row = rows[i]
        if plain and level[first + i] == ancestors.shape[0] - 1:
            source = plan[start : start + size]
            for t in range(size):
                row[t] = source[t]
                filled += source[t] != 0
        else:
            ancestor = ancestors[level[first + i]]
            for t in range(size):
                row[t] = plan[start + ancestor[t]]
                filled += row[t] != 0
    return filled


@kernel
def multiply_few(rows: Floats, matrix: Floats, out: Floats) -> None:
    """``rows @ matrix``, looking only at the entries of ``rows`` that are not zero: four at a time."""
    size, width = rows.shape[1], out.shape[1]
    where, amount = np.empty(size + 4, dtype=np.int32), np.empty(size + 4, dtype=rows.dtype)
    for i in range(rows.shape[0]):
        row, target = rows[i], out[i]
        count = 0
        for t in range(size):  # without a branch: the next entry is written over a zero
            where[count], amount[count] = t, row[t]
            count += row[t] != 0
        for k in range(count, count + 3):
            where[k], amount[k] = 0, 0
        for s in range(width):
            target[s] = 0
        for k in range(0, count, 4):
            a, b, c, d = amount[k], amount[k + 1], amount[k + 2], amount[k + 3]
            first, second = matrix[where[k]], matrix[where[k + 1]]
            third, fourth = matrix[where[k + 2]], matrix[where[k + 3]]
            for s in range(width):
                target[s] += (a * first[s] + b * second[s]) + (c * third[s] + d * fourth[s])


@kernel
def scatter_rows(
    values: Floats,
    chips: Floats,
    sequence: Ints,
    level: NDArray[np.int8],
    ancestors: Ints,
    plain: bool,
    first: int,
    gradient: Floats,
) -> None:
    """Add chips x values of each leaf to the sequences its player ended with."""
    size = values.shape[1]
    for i in range(values.shape[0]):
        start = sequence[first + i]
        amount = chips[first + i]
        row = values[i]
        if plain and level[first + i] == ancestors.shape[0] - 1:
            target = gradient[start : start + size]
            for s in range(size):
                target[s] += amount * row[s]
        else:
            ancestor = ancestors[level[first + i]]
            for s in range(size):
                gradient[start + ancestor[s]] += amount * row[s]
