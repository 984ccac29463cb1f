"""The payoff operator of a spot with real cards: card removal exactly, in time linear in the holdings.

On a river let the opponent's holdings be sorted by strength, and y(t) be the opponent's plan times the weight
of holding t. S(T) is the sum of y over a set T of holdings, and S_c(T) over those of T that have card c. For
our holding h with cards a and b, the opponent's holdings of T that share no card with h sum to

    A(T) = S(T) - S_a(T) - S_b(T)        (+ y(h) if T has h itself, which was taken away twice)

Hence a showdown is worth  A(weaker) + A(weaker or equal) - A(all)  times the chips, where the term of h
itself cancels, and a fold is worth  A(all) + y(h). With rake a showdown also has a toll, a number of chips
times that same sum (`soulread.seqform.spot`).

One look at a row of the opponent (one action of one node) serves both ends that may follow it: the call and
the fold after a bet. A *batch* of rows is looked at side by side, so that each step of the merge is one step
of a vector processor (`soulread.cards.lanes`). On flops and turns only folds end a hand. Where both players
are all-in, the opponent's row goes down to every river unchanged, and its values come up the same way.
"""

import hashlib
from dataclasses import dataclass, replace
from functools import cached_property
from threading import local
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from soulread.cards.lanes import (
    LANES,
    MIDDLE,
    NARROW,
    TURNED,
    WIDE,
    Lanes,
    Lines,
    add_holdings,
    add_line,
    add_rest,
    clear_line,
    make_lines,
    padded,
    set_rest,
    subtract_line,
    turn_tile,
)
from soulread.errors import SoulreadError
from soulread.kernel import inline_kernel, kernel, lean_kernel
from soulread.seqform.compile import SequenceGame
from soulread.seqform.payoff import verify_plan_shape
from soulread.seqform.spot import DecisionRows, EndRows, Side, Spot, SpotTables
from soulread.seqform.strategy import Plan
from soulread.seqform.treeplex import Floats

if TYPE_CHECKING:
    import scipy.sparse as sp

TILE = 256  # holdings whose values become rows at a time, so that they stay in the fastest cache
_FEW = NARROW.count  # rows; up to as many are looked at in narrow lanes
_MAX_ENTRIES = 50_000_000  # at most so many entries are written out as a sparse matrix


class Facing(NamedTuple):
    """The holdings of one player on one board against those of the other; the fields are those of `Side`."""

    card: NDArray[np.uint8]  # [own, 2]
    weaker: NDArray[np.uint16]  # [own]
    no_stronger: NDArray[np.uint16]  # [own]
    same: NDArray[np.int16]  # [own]
    member: NDArray[np.uint16]  # [opponent's holdings]
    member_card: NDArray[np.uint8]  # [opponent's holdings, 2]


class PayoffScratch(NamedTuple):
    """Scratch space for ends of the hand; W is the largest width of any board, here a multiple of 16."""

    x: Lines  # [W, batch] the opponent's rows
    y: Lines  # [W, batch] showdown values
    z: Lines  # [tile, batch] fold values
    total: Lines  # [1, batch]
    with_card: Lines  # [52, batch]
    rows: Lines  # [batch, W] rows as they lie in memory


def make_room(width: int, dtype: DTypeLike, batch: int = LANES, tile: int = TILE) -> PayoffScratch:
    """Scratch space for boards of at most this width, and for as many rows at a time as the batch."""
    wide = padded(width, TURNED)
    x, y, z, total, with_card = (
        make_lines(size, batch, dtype) for size in (wide, wide, padded(tile, TURNED), 1, 52)
    )
    return PayoffScratch(x, y, z, total, with_card, make_lines(batch, wide, dtype))


def spot_room(spot: Spot) -> PayoffScratch:
    """Scratch space for the boards of a spot."""
    return make_room(widest(spot), spot.dtype, spot_batch(spot))


def spot_batch(spot: Spot) -> int:
    """How many rows of a spot are looked at at a time; fewer where no street has more."""
    most = max(int(np.diff(ends.first).max()) for ends in spot.tables.ends)
    return next((lanes.count for lanes in (NARROW, MIDDLE) if most <= lanes.count), LANES)


def widest(spot: Spot) -> int:
    """The largest width of any board, for either player."""
    return max(int(np.diff(side.first).max()) for side in spot.tables.side)


def make_buffer(spot: Spot, player: int) -> Floats:
    """One board of each street for a player: ``[lines, widest board]``."""
    return make_lines(int(spot.tables.rows[player].first_line[-1]), padded(widest(spot), TURNED), spot.dtype)


@dataclass(frozen=True, eq=False)
class BoardPayoff:
    """Payoffs of the sequences of a spot, in chips; the third kind beside sparse and factored ones.

    With rake, what one player wins is more than the other loses. With a ``winner`` the other player wins what
    the winner loses, as an opponent does who wants nothing but to hurt.
    """

    spot: Spot
    winner: int | None = None

    @property
    def num_sequences(self) -> tuple[int, int]:
        return self.spot.num_sequences

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(self.spot.dtype)

    @property
    def zero_sum(self) -> bool:
        return self.winner is not None or not self.spot.raked

    @cached_property
    def _tables(self) -> SpotTables:
        return self.spot.tables_of(self.winner)

    @cached_property
    def _own(self) -> local:
        """The arrays of each thread."""
        return local()

    def gradient(self, player: int, opponent_plan: Plan, out: Floats | None = None) -> Floats:
        """Chips that ``player`` wins beyond half the pot after each own sequence, chance included."""
        verify_plan_shape(self, player, opponent_plan)
        if out is None:
            out = np.empty(self.num_sequences[player], dtype=self.dtype)
        rooms = getattr(self._own, "rooms", None)
        if rooms is None:
            buffers = make_buffer(self.spot, 0), make_buffer(self.spot, 1)
            rooms = self._own.rooms = (
                spot_room(self.spot),
                buffers,
                [np.copy(buffer) for buffer in buffers],
            )
        room, others, values = rooms
        plan = np.ascontiguousarray(opponent_plan, dtype=self.dtype)
        fill_gradient(self._tables, player, plan, others[1 - player], values[player], room, out)
        return out

    def matrix(self, player: int) -> "sp.csr_array[np.float64]":
        """``[own sequences, opponent sequences]``; for small spots: it takes one gradient per column."""
        import scipy.sparse as sp

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
        whose = "" if self.zero_sum and self.winner is None else f" {self.winner}"
        return hashlib.sha256(f"{self.spot.checksum}{whose}".encode()).hexdigest()


def spot_game(spot: Spot) -> SequenceGame:
    """The spot in the form that all solvers, models and responses use."""
    return SequenceGame(spot.name, spot.trees, BoardPayoff(spot))


def winnings_of(game: SequenceGame, player: int) -> SequenceGame:
    """The game in which the other player wins what ``player`` loses: the same game, unless there is rake."""
    payoff = game.payoff
    if payoff.zero_sum or not isinstance(payoff, BoardPayoff):
        return game
    return replace(game, payoff=BoardPayoff(payoff.spot, player))


# Kernels ------------------------------------------------------------------------------------------


class RowsInPlace(NamedTuple):
    """The rows of one board where they lie in an array over sequences, in place of those of a buffer."""

    array: Floats
    start: int
    width: int
    first_line: int  # lines from here on are rows of the board; earlier ones are in the buffer


@inline_kernel
def rows_in_place(array: Floats, side: Side, rows: DecisionRows, street: int, board: int) -> RowsInPlace:
    """The rows of a board in an array over sequences."""
    width = side.first[board + 1] - side.first[board]
    first_line = np.int64(rows.first_line[street + 1] - rows.num_rows[street])
    return RowsInPlace(array, side.base[board], width, first_line)  # type: ignore[arg-type]  # kernels know integers


@inline_kernel
def all_in_buffer(array: Floats) -> RowsInPlace:
    """All lines are in the buffer."""
    return RowsInPlace(array, 0, 0, 2**31 - 1)


@inline_kernel
def line_at(line: int, buffer: Floats, rows: RowsInPlace) -> Floats:
    """A line, from the buffer or from the rows in place."""
    start = rows.start + (line - rows.first_line) * rows.width
    found: Floats = buffer[line] if line < rows.first_line else rows.array[start : start + rows.width]
    return found


@lean_kernel
def add_leaves(
    own: Side,
    other: Side,
    ends: EndRows,
    street: int,
    board: int,
    reach: Floats,
    reach_rows: RowsInPlace,
    room: PayoffScratch,
    q: Floats,
    q_rows: RowsInPlace,
) -> None:
    """Add the chips of every end of the hand on a board to the lines of ``q``.

    ``reach`` is the opponent's plan; both are buffers of one board of each street, or rows in place.
    """
    first, width = own.first[board], own.first[board + 1] - own.first[board]
    start, others = other.first[board], other.first[board + 1] - other.first[board]
    if width == 0 or others == 0:
        return
    member, last_member = other.first_member[board], other.first_member[board + 1]
    weight, factor = other.weight[start : start + others], own.factor[first : first + width]
    facing = Facing(
        own.card[first : first + width],
        own.weaker[first : first + width],
        own.no_stronger[first : first + width],
        own.same[first : first + width],
        other.member[member:last_member],
        other.member_card[member:last_member],
    )
    last = ends.first[street + 1]
    showdowns = ends.first[street] + ends.num_showdowns[street]
    batch = room.rows.shape[0]
    for at in range(ends.first[street], last, batch):
        run = at, min(batch, last - at), min(batch, max(showdowns - at, 0))
        if run[1] <= _FEW:
            add_batch(NARROW, _FEW, facing, ends, run, weight, factor, reach, reach_rows, room, q, q_rows)
        elif run[1] <= TURNED:
            add_batch(MIDDLE, TURNED, facing, ends, run, weight, factor, reach, reach_rows, room, q, q_rows)
        else:
            add_batch(WIDE, TURNED, facing, ends, run, weight, factor, reach, reach_rows, room, q, q_rows)


@lean_kernel
def add_batch(
    lanes: Lanes,
    size: int,
    facing: Facing,
    ends: EndRows,
    run: tuple[int, int, int],
    weight: Floats,
    factor: Floats,
    reach: Floats,
    reach_rows: RowsInPlace,
    room: PayoffScratch,
    q: Floats,
    q_rows: RowsInPlace,
) -> None:
    """`add_leaves` for a batch of rows.

    ``size`` is that of a tile of `turn_tile`; ``run`` is the first row, how many there are, and how many of
    them have a showdown.
    """
    at, count, seen = run
    others, width = weight.size, factor.size
    for k in range(count):
        row, weighted = line_at(ends.source[at + k], reach, reach_rows), room.rows[k]
        for i in range(others):
            weighted[i] = row[i] * weight[i]
    for i in range(0, others, size):
        for k in range(0, count, size):
            turn_tile(lanes, room.x, i, k, room.rows)
    sum_piece(lanes, facing, seen > 0, room.x, room.y, room.total, room.with_card, 0)
    for tile in range(0, width, room.z.shape[0]):
        until = min(tile + room.z.shape[0], width)
        finish_piece(lanes, facing, tile, until, room.x, room.y, room.z, room.total, room.with_card, 0)
        for h in range(tile, until, size):
            for k in range(0, seen, size):
                turn_tile(lanes, room.rows, k, h, room.y)
        for k in range(seen):
            line = line_at(ends.showdown[at + k], q, q_rows)[tile:until]
            add_row(line, ends.showdown_chips[at + k], factor[tile:until], room.rows[k, tile:until])
        for h in range(0, until - tile, size):
            for k in range(0, count, size):
                turn_tile(lanes, room.rows, k, h, room.z)
        for k in range(count):
            if ends.showdown_toll[at + k] != 0:
                line = line_at(ends.showdown[at + k], q, q_rows)[tile:until]
                add_row(line, -ends.showdown_toll[at + k], factor[tile:until], room.rows[k])
            if ends.fold[at + k] >= 0:
                line = line_at(ends.fold[at + k], q, q_rows)[tile:until]
                add_row(line, ends.fold_chips[at + k], factor[tile:until], room.rows[k])


@lean_kernel
def add_row(line: Floats, chips: float, factor: Floats, values: Floats) -> None:
    """Add the chips of one end to a line."""
    for h in range(line.size):
        line[h] += chips * (factor[h] * values[h])


@lean_kernel
def sum_holdings(facing: Facing, showdown: bool, room: PayoffScratch) -> None:
    """Sum the opponent's rows ``room.x`` over all holdings; with ``showdown`` fill ``room.y`` on the way.

    ``y`` becomes A(weaker) + A(weaker or equal), of the module's docstring, for each own holding and row.
    """
    for at in range(0, room.total.size, LANES):
        sum_piece(WIDE, facing, showdown, room.x, room.y, room.total, room.with_card, at)


@lean_kernel
def sum_piece(
    lanes: Lanes,
    facing: Facing,
    showdown: bool,
    x: Lines,
    y: Lines,
    total: Lines,
    with_card: Lines,
    at: int,
) -> None:
    """`sum_holdings` for one piece of the rows."""
    card, member, member_card = facing.card, facing.member, facing.member_card
    clear_line(lanes, total, 0, at)
    for c in range(52):
        clear_line(lanes, with_card, c, at)
    added = 0
    if showdown:
        i, width = 0, card.shape[0]
        while i < width:
            below, until = facing.weaker[i], facing.no_stronger[i]
            last = i + 1
            while last < width and facing.weaker[last] == below and facing.no_stronger[last] == until:
                last += 1
            add_holdings(lanes, total, with_card, x, member, member_card, added, below, at)
            for h in range(i, last):
                set_rest(lanes, y, h, total, with_card, card[h, 0], card[h, 1], at)
            add_holdings(lanes, total, with_card, x, member, member_card, below, until, at)
            for h in range(i, last):
                add_rest(lanes, y, h, total, with_card, card[h, 0], card[h, 1], at)
            i, added = last, until
    add_holdings(lanes, total, with_card, x, member, member_card, added, member.size, at)


@lean_kernel
def finish_values(facing: Facing, first: int, last: int, room: PayoffScratch) -> None:
    """Make ``room.y`` showdown values and ``room.z`` fold values of own holdings ``first`` to ``last``."""
    for at in range(0, room.total.size, LANES):
        finish_piece(WIDE, facing, first, last, room.x, room.y, room.z, room.total, room.with_card, at)


@lean_kernel
def finish_piece(
    lanes: Lanes,
    facing: Facing,
    first: int,
    last: int,
    x: Lines,
    y: Lines,
    z: Lines,
    total: Lines,
    with_card: Lines,
    at: int,
) -> None:
    """`finish_values` for one piece of the rows."""
    for h in range(first, last):
        set_rest(lanes, z, h - first, total, with_card, facing.card[h, 0], facing.card[h, 1], at)
        subtract_line(lanes, y, h, z, h - first, at)
        if facing.same[h] >= 0:
            add_line(lanes, z, h - first, x, facing.same[h], at)


@lean_kernel
def enter_board(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    everywhere: bool,
    reach: Floats,
    above: RowsInPlace,
) -> None:
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
                row = line_at(rows.source[k], reach, above)
                for i in range(width):
                    entry[i] = row[side.ancestor[start + i]]
        line += 1


@lean_kernel
def leave_board(
    side: Side, rows: DecisionRows, street: int, board: int, everywhere: bool, q: Floats, above: RowsInPlace
) -> None:
    """Add the values of a board's entries to the board before: the opposite of `enter_board`."""
    start, width = side.first[board], side.first[board + 1] - side.first[board]
    line = rows.first_line[street]
    for k in range(rows.first_entry[street], rows.first_entry[street + 1]):
        if street > 0 and (everywhere or rows.all_in[k]):
            entry, row = q[line], line_at(rows.source[k], q, above)
            for i in range(width):
                row[side.ancestor[start + i]] += entry[i]
        line += 1


@lean_kernel
def clear_board(side: Side, rows: DecisionRows, street: int, board: int, everywhere: bool, q: Floats) -> None:
    """Put zeros in all lines of a board, or only in its entries."""
    width = side.first[board + 1] - side.first[board]
    last = rows.first_line[street + 1]
    if not everywhere:
        last -= rows.num_rows[street]
    for line in range(rows.first_line[street], last):
        values = q[line]
        for i in range(width):
            values[i] = 0


@kernel
def fill_gradient(
    tables: SpotTables, player: int, plan: Floats, reach: Floats, q: Floats, room: PayoffScratch, out: Floats
) -> None:
    """Fill ``out`` with a player's gradient: each board, then those after it, then the sums they pass up."""
    mine, theirs = tables.side[player], tables.side[1 - player]
    rows, their_rows = tables.rows[player], tables.rows[1 - player]
    current = np.zeros(3, dtype=np.int64)  # the last board of each street
    for c in range(out.size):
        out[c] = 0
    depth = -1
    for board in range(tables.street.size):
        street = tables.street[board]
        while depth >= street:
            above = rows_in_place(out, mine, rows, max(depth - 1, 0), current[max(depth - 1, 0)])
            leave_board(mine, rows, depth, current[depth], False, q, above)
            depth -= 1
        if board == tables.street.size - 1:
            break
        before = rows_in_place(plan, theirs, their_rows, max(street - 1, 0), current[max(street - 1, 0)])
        enter_board(theirs, their_rows, street, board, False, reach, before)
        depth = street
        current[street] = board
        clear_board(mine, rows, street, board, False, q)
        add_leaves(
            mine,
            theirs,
            tables.ends[player],
            street,
            board,
            reach,
            rows_in_place(plan, theirs, their_rows, street, board),
            room,
            q,
            rows_in_place(out, mine, rows, street, board),
        )
    for i in range(mine.first[1]):
        out[0] += q[0, i]  # of the first entry: nonzero only if everybody is all-in from the start
