"""The payoff operator of a spot with real cards: card removal exactly, in time linear in the holdings.

On a river let the opponent's holdings be sorted by strength, and y(t) be the opponent's plan times the weight
of holding t. S(T) is the sum of y over a set T of holdings, and S_c(T) over those of T that have card c. For
our holding h with cards a and b, the opponent's holdings of T that share no card with h sum to

    A(T) = S(T) - S_a(T) - S_b(T)        (+ y(h) if T has h itself, which was taken away twice)

Hence a showdown is worth  A(weaker) + A(weaker or equal) - A(all)  times the chips, where the term of h
itself cancels, and a fold is worth  A(all) + y(h).

One look at a row of the opponent (one action of one node) serves both ends that may follow it: the call and
the fold after a bet. Rows are looked at side by side, one per *lane*, so that each step of the merge is one
step of a vector processor. On flops and turns only folds end a hand. Where both players are all-in, the
opponent's row goes down to every river unchanged, and its values come up the same way.
"""

import hashlib
from dataclasses import dataclass
from functools import cached_property
from threading import local
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import verify_plan_shape
from soulread.seqform.spot import Lanes, Rows, Side, Spot, Tables
from soulread.seqform.strategy import Plan
from soulread.seqform.treeplex import Floats

LANES = 32  # rows side by side: the sums of one card then fill a few vector registers
_MAX_ENTRIES = 50_000_000  # at most so many entries are written out as a sparse matrix


class Room(NamedTuple):
    """Scratch space of `add_leaves`; W is the largest width of any board."""

    x: Floats  # [W, lanes] the opponent's rows
    y: Floats  # [W, lanes] showdown values
    z: Floats  # [W, lanes] fold values
    total: Floats  # [lanes]
    with_card: Floats  # [52, lanes]


def make_room(spot: Spot) -> Room:
    """Scratch space for the leaves of a spot."""
    width, dtype = widest(spot), np.dtype(spot.dtype)
    x, y, z = (np.zeros((width, LANES), dtype) for _ in range(3))
    return Room(x, y, z, np.zeros(LANES, dtype), np.zeros((52, LANES), dtype))


def widest(spot: Spot) -> int:
    """The largest width of any board, for either player."""
    return max(int(np.diff(side.first).max()) for side in spot.tables.side)


def make_buffer(spot: Spot, player: int) -> Floats:
    """One board of each street for a player: ``[lines, widest board]``."""
    return np.zeros((int(spot.tables.rows[player].first_line[-1]), widest(spot)), np.dtype(spot.dtype))


@dataclass(frozen=True, eq=False)
class BoardPayoff:
    """What each sequence is worth in a spot; the third kind of payoff beside sparse and factored ones."""

    spot: Spot

    @property
    def num_sequences(self) -> tuple[int, int]:
        return self.spot.num_sequences

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.spot.dtype)

    @property
    def zero_sum(self) -> bool:
        return True

    @cached_property
    def _own(self) -> local:
        """What belongs to each thread."""
        return local()

    def gradient(self, player: int, opponent_plan: Plan, out: Floats | None = None) -> Floats:
        """Chips that ``player`` wins beyond half the pot after each own sequence, chance included."""
        verify_plan_shape(self, player, opponent_plan)
        if out is None:
            out = np.empty(self.num_sequences[player], dtype=self.dtype)
        rooms = getattr(self._own, "rooms", None)
        if rooms is None:
            buffers = make_buffer(self.spot, 0), make_buffer(self.spot, 1)
            rooms = self._own.rooms = make_room(self.spot), buffers, [np.copy(buffer) for buffer in buffers]
        room, others, values = rooms
        plan = np.ascontiguousarray(opponent_plan, dtype=self.dtype)
        fill_gradient(self.spot.tables, player, plan, others[1 - player], values[player], room, out)
        return out

    def update_gradient(
        self, player: int, opponent_plan: Plan, changed: NDArray[np.intp], gradient: Floats
    ) -> NDArray[np.intp]:
        """Recompute the gradient as a whole; every row counts as changed."""
        if not changed.size:
            return np.empty(0, dtype=np.intp)
        self.gradient(player, opponent_plan, out=gradient)
        return np.arange(gradient.size)

    def matrix(self, player: int) -> sp.csr_array[np.float64]:
        """``[own sequences, opponent sequences]``; for small spots: it takes one gradient per column."""
        own, opponent = self.num_sequences[player], self.num_sequences[1 - player]
        if own * opponent > _MAX_ENTRIES:
            raise SoulreadError(
                f"a spot with {own:,} times {opponent:,} pairs of sequences is too large to write out as "
                f"a matrix (at most {_MAX_ENTRIES:,})"
            )
        columns = []
        unit = Plan(np.zeros(opponent, dtype=self.dtype))
        for sequence in range(opponent):
            unit[sequence] = 1
            columns.append(sp.csc_array(self.gradient(player, unit).astype(np.float64)[:, None]))
            unit[sequence] = 0
        return sp.hstack(columns, format="csr")

    def checksum(self) -> str:
        """Hexadecimal digest of the spot."""
        return hashlib.sha256(self.spot.checksum.encode()).hexdigest()


def spot_game(spot: Spot) -> SequenceGame:
    """The spot in the form that all solvers, models and responses use."""
    return SequenceGame(spot.name, spot.trees, BoardPayoff(spot))


# Kernels ------------------------------------------------------------------------------------------


@kernel
def add_leaves(
    own: Side, other: Side, lanes: Lanes, street: int, board: int, reach: Floats, room: Room, q: Floats
) -> None:
    """Add what every end of the hand on a board is worth to the lines of ``q``.

    ``reach`` is the opponent's plan, both are buffers of one board of each street.
    """
    x, y, z, total, with_card = room
    size = total.size
    first, width = own.first[board], own.first[board + 1] - own.first[board]
    start, others = other.first[board], other.first[board + 1] - other.first[board]
    member, members = other.first_member[board], other.first_member[board + 1] - other.first_member[board]
    zero = total.dtype.type(0)
    if width == 0 or others == 0:
        return
    end = lanes.first[street + 1]
    showdowns = lanes.first[street] + lanes.num_showdowns[street]
    for lane in range(lanes.first[street], end, size):
        count = min(size, end - lane)
        for k in range(count):
            row = reach[lanes.source[lane + k]]
            for i in range(others):
                x[i, k] = row[i] * other.weight[start + i]
        for k in range(size):
            total[k] = zero
        for c in range(52):
            sums = with_card[c]
            for k in range(size):
                sums[k] = zero
        j = 0
        if lane < showdowns:
            i = 0
            while i < width:
                below, until = own.weaker[first + i], own.no_stronger[first + i]
                while j < below:
                    _add_holding(other, member + j, x, total, with_card)
                    j += 1
                last = i
                while (
                    last < width
                    and own.weaker[first + last] == below
                    and own.no_stronger[first + last] == until
                ):
                    a, b = with_card[own.card[first + last, 0]], with_card[own.card[first + last, 1]]
                    value = y[last]
                    for k in range(size):
                        value[k] = total[k] - a[k] - b[k]
                    last += 1
                while j < until:
                    _add_holding(other, member + j, x, total, with_card)
                    j += 1
                for h in range(i, last):
                    a, b = with_card[own.card[first + h, 0]], with_card[own.card[first + h, 1]]
                    value = y[h]
                    for k in range(size):
                        value[k] += total[k] - a[k] - b[k]
                i = last
        while j < members:
            _add_holding(other, member + j, x, total, with_card)
            j += 1
        for h in range(width):
            a, b = with_card[own.card[first + h, 0]], with_card[own.card[first + h, 1]]
            value, fold = y[h], z[h]
            factor = own.factor[first + h]
            same = own.same[first + h]
            for k in range(size):
                everything = total[k] - a[k] - b[k]
                value[k] = factor * (value[k] - everything)
                fold[k] = factor * everything
            if same >= 0:
                mine = x[same]
                for k in range(size):
                    fold[k] += factor * mine[k]
        for k in range(count):
            if lane + k < showdowns:
                line, chips = q[lanes.showdown[lane + k]], lanes.showdown_chips[lane + k]
                for h in range(width):
                    line[h] += chips * y[h, k]
            if lanes.fold[lane + k] >= 0:
                line, chips = q[lanes.fold[lane + k]], lanes.fold_chips[lane + k]
                for h in range(width):
                    line[h] += chips * z[h, k]


@kernel
def _add_holding(other: Side, index: int, x: Floats, total: Floats, with_card: Floats) -> None:
    """Add one holding of the opponent to the sums."""
    weight = x[other.member[index]]
    a, b = with_card[other.member_card[index, 0]], with_card[other.member_card[index, 1]]
    for k in range(total.size):
        total[k] += weight[k]
    for k in range(total.size):
        a[k] += weight[k]
    for k in range(total.size):
        b[k] += weight[k]


@kernel
def enter_board(side: Side, rows: Rows, street: int, board: int, everywhere: bool, reach: Floats) -> None:
    """Fill the entries of a board from the board before, or only those where nobody can bet any more."""
    start, width = side.first[board], side.first[board + 1] - side.first[board]
    line = rows.first_line[street]
    for k in range(rows.first_entry[street], rows.first_entry[street + 1]):
        if everywhere or rows.all_in[k]:
            entry = reach[line]
            if street == 0:
                for i in range(width):
                    entry[i] = 1
            else:
                row = reach[rows.source[k]]
                for i in range(width):
                    entry[i] = row[side.ancestor[start + i]]
        line += 1


@kernel
def leave_board(side: Side, rows: Rows, street: int, board: int, everywhere: bool, q: Floats) -> None:
    """Add the values of a board's entries to the board before: the opposite of `enter_board`."""
    start, width = side.first[board], side.first[board + 1] - side.first[board]
    line = rows.first_line[street]
    for k in range(rows.first_entry[street], rows.first_entry[street + 1]):
        if street > 0 and (everywhere or rows.all_in[k]):
            entry, row = q[line], q[rows.source[k]]
            for i in range(width):
                row[side.ancestor[start + i]] += entry[i]
        line += 1


@kernel
def clear_board(side: Side, rows: Rows, street: int, board: int, q: Floats) -> None:
    """Put zeros in all lines of a board."""
    width = side.first[board + 1] - side.first[board]
    for line in range(rows.first_line[street], rows.first_line[street + 1]):
        values = q[line]
        for i in range(width):
            values[i] = 0


@kernel
def copy_board(
    side: Side, rows: Rows, street: int, board: int, array: Floats, buffer: Floats, inwards: bool
) -> None:
    """Copy the rows of a board from an array over sequences into the buffer, or the other way."""
    width = side.first[board + 1] - side.first[board]
    start = side.base[board]
    for line in range(rows.first_line[street + 1] - rows.num_rows[street], rows.first_line[street + 1]):
        values, row = buffer[line], array[start : start + width]
        if inwards:
            for i in range(width):
                values[i] = row[i]
        else:
            for i in range(width):
                row[i] = values[i]
        start += width


@kernel
def fill_gradient(
    tables: Tables, player: int, plan: Floats, reach: Floats, q: Floats, room: Room, out: Floats
) -> None:
    """The gradient of a player: each board, then those after it, then what they add to it."""
    mine, theirs = tables.side[player], tables.side[1 - player]
    rows, their_rows = tables.rows[player], tables.rows[1 - player]
    current = np.zeros(3, dtype=np.int64)  # the last board of each street
    depth = -1
    for board in range(tables.street.size):
        street = tables.street[board]
        while depth >= street:
            leave_board(mine, rows, depth, current[depth], False, q)
            copy_board(mine, rows, depth, current[depth], out, q, False)
            depth -= 1
        if board == tables.street.size - 1:
            break
        depth = street
        current[street] = board
        enter_board(theirs, their_rows, street, board, False, reach)
        copy_board(theirs, their_rows, street, board, plan, reach, True)
        clear_board(mine, rows, street, board, q)
        add_leaves(mine, theirs, tables.lanes[player], street, board, reach, room, q)
    out[0] = 0
    for i in range(mine.first[1]):
        out[0] += q[0, i]  # of the first entry: nonzero only if everybody is all-in from the start
