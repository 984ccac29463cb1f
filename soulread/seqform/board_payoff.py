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
from soulread.seqform.spot import Lanes, Side, Spot, Street
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
    width = max(int(np.diff(side.first).max()) for street in spot.streets for side in street.side)
    dtype = np.dtype(spot.dtype)
    return Room(
        np.zeros((width, LANES), dtype),
        np.zeros((width, LANES), dtype),
        np.zeros((width, LANES), dtype),
        np.zeros(LANES, dtype),
        np.zeros((52, LANES), dtype),
    )


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
        out.fill(0)
        room: Room | None = getattr(self._own, "room", None)
        if room is None:
            room = self._own.room = make_room(self.spot)
        plan = np.ascontiguousarray(opponent_plan, dtype=self.dtype)
        streets = self.spot.streets
        entries = _entry_rooms(self.spot, 1 - player)
        values = _entry_rooms(self.spot, player)
        entries[0].fill(1)
        if len(streets) == 1:
            fill_board(streets[0], player, 0, plan, entries[0], room, out, values[0])
        elif len(streets) == 2:
            fill_turn(
                streets[0],
                streets[1],
                player,
                0,
                plan,
                entries[0],
                entries[1],
                room,
                out,
                values[0],
                values[1],
            )
        else:
            flop, turn, river = streets
            fill_flop(
                flop,
                turn,
                river,
                player,
                plan,
                entries[0],
                entries[1],
                entries[2],
                room,
                out,
                values[0],
                values[1],
                values[2],
            )
        out[0] += values[0].sum()
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


def _entry_rooms(spot: Spot, player: int) -> list[Floats]:
    """Zeros ``[entries, widest board]`` for each street."""
    return [
        np.zeros((street.num_entries, int(np.diff(street.side[player].first).max())), np.dtype(spot.dtype))
        for street in spot.streets
    ]


def spot_game(spot: Spot) -> SequenceGame:
    """The spot in the form that all solvers, models and responses use."""
    return SequenceGame(spot.name, spot.trees, BoardPayoff(spot))


# Kernels ------------------------------------------------------------------------------------------


@kernel
def add_leaves(
    own: Side,
    other: Side,
    lanes: Lanes,
    board: int,
    rows: Floats,
    entries: Floats,
    room: Room,
    q_rows: Floats,
    q_entries: Floats,
) -> None:
    """Add what every end of the hand on a board is worth to the rows ``[rows, width]`` and entries of
    ``own``.

    ``rows`` and ``entries`` are the opponent's plan on this board.
    """
    x, y, z, total, with_card = room
    size = total.size
    first, width = own.first[board], own.first[board + 1] - own.first[board]
    start, others = other.first[board], other.first[board + 1] - other.first[board]
    member, members = other.first_member[board], other.first_member[board + 1] - other.first_member[board]
    zero = total.dtype.type(0)
    if width == 0 or others == 0:
        return
    for lane in range(0, lanes.source.size, size):
        count = min(size, lanes.source.size - lane)
        for k in range(count):
            code = lanes.source[lane + k]
            row = rows[code] if code >= 0 else entries[-1 - code]
            for i in range(others):
                x[i, k] = row[i] * other.weight[start + i]
        for k in range(size):
            total[k] = zero
        for c in range(52):
            sums = with_card[c]
            for k in range(size):
                sums[k] = zero
        showdown = lane < lanes.num_showdowns
        j = 0
        if showdown:
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
            target = lanes.showdown_target[lane + k]
            if k + lane < lanes.num_showdowns:
                q = q_rows[target] if target >= 0 else q_entries[-1 - target]
                chips = total.dtype.type(lanes.showdown_chips[lane + k])
                for h in range(width):
                    q[h] += chips * y[h, k]
            chips = total.dtype.type(lanes.fold_chips[lane + k])
            if chips != zero:
                target = lanes.fold_target[lane + k]
                q = q_rows[target] if target >= 0 else q_entries[-1 - target]
                for h in range(width):
                    q[h] += chips * z[h, k]


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
def rows_of(array: Floats, side: Side, board: int, num_rows: int) -> Floats:
    """The rows ``[num_rows, width]`` of a board, a view."""
    width = side.first[board + 1] - side.first[board]
    base = side.base[board]
    return array[base : base + num_rows * width].reshape(num_rows, width)


@kernel
def pass_down(
    street: Street, player: int, board: int, above: Floats, above_entries: Floats, entries: Floats
) -> None:
    """Fill the entries of a board with the player's plan on the board before; only where all are all-in."""
    side, rows = street.side[player], street.rows[player]
    first, width = side.first[board], side.first[board + 1] - side.first[board]
    for k in range(street.num_entries):
        if street.uses_entry[k]:
            code = rows.entry_last[k]
            row = above[code] if code >= 0 else above_entries[-1 - code]
            for i in range(width):
                entries[k, i] = row[side.ancestor[first + i]]


@kernel
def pass_up(
    street: Street, player: int, board: int, values: Floats, above: Floats, above_entries: Floats
) -> None:
    """Add the values of a board's entries to the board before, and clear them; only where all are all-in."""
    side, rows = street.side[player], street.rows[player]
    first, width = side.first[board], side.first[board + 1] - side.first[board]
    for k in range(street.num_entries):
        if street.uses_entry[k]:
            code = rows.entry_last[k]
            row = above[code] if code >= 0 else above_entries[-1 - code]
            for i in range(width):
                row[side.ancestor[first + i]] += values[k, i]
                values[k, i] = 0


@kernel
def fill_board(
    street: Street,
    player: int,
    board: int,
    plan: Floats,
    entries: Floats,
    room: Room,
    out: Floats,
    values: Floats,
) -> None:
    """The gradient of one board alone."""
    own, other = street.side[player], street.side[1 - player]
    add_leaves(
        own,
        other,
        street.lanes[player],
        board,
        rows_of(plan, other, board, street.rows[1 - player].num_rows),
        entries,
        room,
        rows_of(out, own, board, street.rows[player].num_rows),
        values,
    )


@kernel
def fill_turn(
    turn: Street,
    river: Street,
    player: int,
    board: int,
    plan: Floats,
    entries: Floats,
    river_entries: Floats,
    room: Room,
    out: Floats,
    values: Floats,
    river_values: Floats,
) -> None:
    """The gradient of a board of the street before the last, and of all boards after it."""
    fill_board(turn, player, board, plan, entries, room, out, values)
    rows = rows_of(plan, turn.side[1 - player], board, turn.rows[1 - player].num_rows)
    above = rows_of(out, turn.side[player], board, turn.rows[player].num_rows)
    for child in range(turn.first_child[board], turn.first_child[board + 1]):
        pass_down(river, 1 - player, child, rows, entries, river_entries)
        fill_board(river, player, child, plan, river_entries, room, out, river_values)
        pass_up(river, player, child, river_values, above, values)


@kernel
def fill_flop(
    flop: Street,
    turn: Street,
    river: Street,
    player: int,
    plan: Floats,
    entries: Floats,
    turn_entries: Floats,
    river_entries: Floats,
    room: Room,
    out: Floats,
    values: Floats,
    turn_values: Floats,
    river_values: Floats,
) -> None:
    """The gradient of a spot that begins on the flop."""
    fill_board(flop, player, 0, plan, entries, room, out, values)
    rows = rows_of(plan, flop.side[1 - player], 0, flop.rows[1 - player].num_rows)
    above = rows_of(out, flop.side[player], 0, flop.rows[player].num_rows)
    for child in range(flop.first_child[0], flop.first_child[1]):
        pass_down(turn, 1 - player, child, rows, entries, turn_entries)
        fill_turn(
            turn,
            river,
            player,
            child,
            plan,
            turn_entries,
            river_entries,
            room,
            out,
            turn_values,
            river_values,
        )
        pass_up(turn, player, child, turn_values, above, values)
