"""Regret minimisation in spots with real cards, board by board.

The update is that of `soulread.solvers.cfr.regret`, and its regrets are the same up to rounding. The two
differ in the arrays they keep. The general solver keeps regret, behaviour, plan, average and gradient of
every sequence. Here a board is visited once for each player and iteration, and everything but two arrays
exists for one board at a time:

    down    both players' behaviours from their regrets, times the reach from the board before
    leaves  values of all ends on this board (`soulread.seqform.board_payoff`)
    below   the boards that follow, one after the other
    up      values of the sets, new regrets; values of the entries go to the board before

The *regret* and the *average* plan stay. In iteration t the average takes in the plan that is played in
iteration t, with the weight (t - 1)^gamma. The general solver takes in the plan after the update, with the
weight t^gamma. So after t iterations the averages here are those of the general solver after t - 1.

A normalised plan is a behaviour, just as normalised positive regrets are. So the same pass with plans in the
place of regrets plays both plans against each other (`PLAY`), or finds the best response to one (`BEST`).
"""

import dataclasses
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.kernel import kernel
from soulread.lanes import LANES
from soulread.machine import verify_room
from soulread.seqform.board_payoff import (
    PayoffScratch,
    add_leaves,
    all_in_buffer,
    clear_board,
    enter_board,
    leave_board,
    make_room,
    widest,
)
from soulread.seqform.spot import DecisionRows, Place, Side, Spot, SpotTables, buffer_line
from soulread.seqform.strategy import Behaviour, Behaviours, Plan, Plans
from soulread.seqform.treeplex import Floats
from soulread.solvers.cfr.regret import DCFR, NO_REACH, NO_REGRET, Discounts, Exponents, Schedule, discounts
from soulread.solvers.cfr.run import Check, Checkpoint, RunWatch, run_until
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.restricted import ForcedPart, Gap, Restriction

LEARN, BEST, PLAY = 0, 1, 2
_ALL = -1, (-1, -1), -1  # a visit to all boards
UNREACHED = 1e-6  # where a plan reaches a set less often, the behaviour shown is that of the last iteration


class Work(NamedTuple):
    """The arrays for one board of each street, line by line: ``[lines, widest board]``."""

    other: Floats  # the opponent's reach
    own: Floats  # the player's own reach
    sigma: Floats  # the player's behaviour
    q: Floats  # the player's values
    total: Floats  # [widest board]
    scale: Floats  # [widest board]
    plain: Floats  # [widest board]


class Blocks(NamedTuple):
    """Where a player is bound to a model, and the number of the first block of each board."""

    forced: Floats
    freedom: Floats
    forced_at: NDArray[np.int64]  # [blocks], or empty
    freedom_at: NDArray[np.int64]
    first: NDArray[np.int64]  # [boards]


class Turns(NamedTuple):
    """A run of iterations, or a sweep with `BEST` or `PLAY`, for one player or both."""

    mode: int
    iterations: int
    iteration: int  # made before
    weight: float  # of the iterations averaged before
    player: int  # -1 for both in turn
    watch: int  # only this board, those above and those after it are visited; -1 for all of them
    above: tuple[int, int]  # the boards above it, -1 for none
    until: int  # the first board that does not come after it


class StreamedSolver:
    """Both players of a spot on their way to equilibrium. Starts from uniform play."""

    def __init__(
        self, spot: Spot, schedule: Schedule | None = None, restriction: Restriction | None = None
    ) -> None:
        self.spot = spot
        self.schedule = DCFR() if schedule is None else schedule
        if self.schedule.predictive or not self.schedule.alternating:
            raise SoulreadError(
                f"spots are solved board by board, which the method {self.schedule.name!r} does not allow; "
                "take an alternating method that is not predictive, such as DCFR"
            )
        self.restriction = restriction
        self.iteration = 0
        self._weight = 0.0
        dtype = np.dtype(spot.dtype)
        first, second = spot.num_sequences
        self.regret = np.zeros(first, dtype), np.zeros(second, dtype)
        self.average = np.ones(first, dtype), np.ones(second, dtype)
        self._blocks, self._free = _bind(spot, restriction), _bind(spot, None)
        self._work = _make_work(spot)
        self._room = make_room(widest(spot), spot.dtype)

    @property
    def plans(self) -> Plans:
        """The average plans so far; views, which change with the next iterations."""
        return Plan(self.average[0]), Plan(self.average[1])

    def advance(self, iterations: int) -> None:
        """Run so many iterations more."""
        turns = Turns(LEARN, iterations, self.iteration, self._weight, -1, *_ALL)
        self._weight, _ = self._run(turns, self._blocks, self.regret)
        self.iteration += iterations

    def _run(
        self, turns: Turns, blocks: tuple[Blocks, Blocks], weights: tuple[Floats, Floats]
    ) -> tuple[float, float]:
        return run_boards(
            turns,
            self.schedule.exponents,
            self.spot.tables,
            blocks,
            weights,
            self.average,
            self._work,
            self._room,
        )

    def gap(self) -> Gap:
        """Half of what both players could still gain under the restriction, in chips."""
        # The averages are all that is played, model included. Only the player who plays best is bound.
        first, second = self._blocks[0], self._free[1]
        best = self._run(Turns(BEST, 1, 0, 0.0, 0, *_ALL), (first, second), self.average)[1]
        first, second = self._free[0], self._blocks[1]
        best += self._run(Turns(BEST, 1, 0, 0.0, 1, *_ALL), (first, second), self.average)[1]
        return Gap(float(best) / 2)

    def value(self) -> float:
        """Chips of player 0 beyond half the pot when the averages meet."""
        return float(self._run(Turns(PLAY, 1, 0, 0.0, 0, *_ALL), self._free, self.average)[1])

    def behaviours(self) -> Behaviours:
        """The average behaviours; where an average hardly reaches a set (below 1e-6), the present behaviour.

        The averages become these behaviours in place, so that no further array of this size is needed. The
        solver cannot go on after that.
        """
        for player in (0, 1):
            settle(
                self.spot.tables.side[player],
                self.spot.tables.rows[player],
                self.spot.tables.street,
                self._blocks[player],
                self.regret[player],
                self.average[player],
                self._work,
            )
        return Behaviour(self.average[0]), Behaviour(self.average[1])

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Everything a later run needs to go on as if it had not been interrupted."""
        result: dict[str, NDArray[Any]] = {"weight": np.array([self._weight])}
        for i in (0, 1):
            result |= {f"regret{i}": self.regret[i], f"average{i}": self.average[i]}
        return result

    def notes(self) -> dict[str, Any]:
        """The part of the state that is no array: none."""
        return {}

    def restore(self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]) -> None:
        """The opposite of `tensors` and `notes`."""
        self.iteration = iteration
        self._weight = float(tensors["weight"][0])
        for i in (0, 1):
            self.regret[i][:] = tensors[f"regret{i}"]
            self.average[i][:] = tensors[f"average{i}"]


@dataclass(frozen=True, eq=False)
class Lines:
    """One player at a place when both play their behaviours; rows are ``[actions, width]`` or ``[width]``.

    Values are sums over chance and the opponent's plan, as in a gradient. `soulread.study.spots.spots` turns
    them into chips per hand.
    """

    own_reach: Floats  # the player's own reach of the place
    value: Floats  # of the place
    actions: Floats  # of each action; empty if the other player acts


@dataclass(frozen=True, eq=False)
class SpotSolution:
    """A pair of behaviours near equilibrium in a spot, and how it was made."""

    spot: Spot
    behaviours: Behaviours  # one [num_sequences] per player
    method: str
    settings: Mapping[str, Any]
    iterations: int
    gap: float  # exploitability, within the restriction if there is one; chips
    value: float  # of player 0, chips beyond half the pot
    seconds: float
    history: tuple[Check, ...] = ()
    checkpoint: Path | None = None
    restriction: Restriction | None = None

    def lines(self, place: Place, player: int) -> Lines:
        """Reach and values of ``player`` at a place."""
        spot, node = self.spot, self.spot.node(place)
        work, board = _make_work(spot), place.board
        above = []
        while spot.boards.parent[board] >= 0:
            board = int(spot.boards.parent[board])
            above.append(board)
        later = np.flatnonzero(spot.tables.street[place.board + 1 :] <= place.street)
        until = place.board + 1 + int(later[0])
        turns = Turns(
            PLAY,
            1,
            0,
            0.0,
            player,
            place.board,
            (above[0] if above else -1, above[1] if above[1:] else -1),
            until,
        )
        # The behaviours are all that is played: they have the model in them where a player is bound.
        run_boards(
            turns,
            DCFR().exponents,
            spot.tables,
            _bind(spot, None),
            self.behaviours,
            self.behaviours,
            work,
            make_room(widest(spot), spot.dtype),
        )
        own, width = spot.tables.rows[player], spot.width(place.board, player)
        entries = len(spot.tree[place.street].entries)
        line = buffer_line(int(own.first_line[place.street]), entries, node.last[player])
        values, actions = work.q[line, :width].copy(), np.empty((0, width), dtype=work.q.dtype)
        if node.player == player:
            first = int(own.first_line[place.street]) + entries + node.row
            actions = work.q[first : first + len(node.actions), :width].copy()
            values = (actions * work.sigma[first : first + len(node.actions), :width]).sum(axis=0)
        return Lines(work.own[line, :width].copy(), values, actions)


def memory_needed(spot: Spot) -> int:
    """Bytes that solving a spot takes: two numbers for each sequence, the boards, and one board's work."""
    size = np.dtype(spot.dtype).itemsize
    tables = sum(array.nbytes for side in spot.tables.side for array in side)
    lines = max(int(rows.first_line[-1]) for rows in spot.tables.rows)
    return 2 * size * sum(spot.num_sequences) + tables + size * widest(spot) * (4 * lines + 3 * LANES)


def verify_spot(spot: Spot) -> None:
    """Raise, with the figures, if the machine cannot hold what solving a spot takes."""
    verify_room(f"solving {spot.name} with {sum(spot.num_sequences):,} sequences", memory_needed(spot))


def solve_spot(
    spot: Spot,
    stops: Stops,
    schedule: Schedule | None = None,
    *,
    restriction: Restriction | None = None,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
) -> SpotSolution:
    """Solve a spot board by board until the first of the stops; the gap is in chips.

    A spot that the machine cannot hold is refused with the figures. With ``checkpoint`` the state is kept in
    that file, and a run that was interrupted goes on from it.
    """
    stops.verify_bounded()
    verify_spot(spot)
    engine = StreamedSolver(spot, schedule, restriction)
    kept, history = None, []
    if checkpoint is not None:
        kept = Checkpoint(
            Path(checkpoint), checkpoint_every, spot.name, spot.checksum, engine.schedule, restriction
        )
        history = kept.load(engine) if kept.path.exists() else []
    reached = run_until(engine, engine.gap, stops, RunWatch(progress, kept), history)
    value = engine.value()
    return SpotSolution(
        spot=spot,
        behaviours=engine.behaviours(),
        method=engine.schedule.name,
        settings=dataclasses.asdict(engine.schedule),
        iterations=engine.iteration,
        gap=reached.gap,
        value=value,
        seconds=reached.seconds,
        history=reached.history,
        checkpoint=reached.checkpoint,
        restriction=restriction,
    )


def _make_work(spot: Spot) -> Work:
    rows, width, dtype = spot.tables.rows, widest(spot), np.dtype(spot.dtype)
    lines = max(int(rows[0].first_line[-1]), int(rows[1].first_line[-1]))
    other, own, sigma, q = (np.zeros((lines, width), dtype) for _ in range(4))
    total, scale, plain = (np.zeros(width, dtype) for _ in range(3))
    return Work(other, own, sigma, q, total, scale, plain)


def _bind(spot: Spot, restriction: Restriction | None) -> tuple[Blocks, Blocks]:
    """A restriction for kernels."""
    if restriction is not None and (restriction.has_kinds or not restriction.locks):
        raise SoulreadError(
            "board by board, a player is bound by locks alone; a model of the whole game or a probability of "
            "the locks is not known"
        )
    found = []
    for player in (0, 1):
        empty, nowhere = np.empty(0, dtype=spot.dtype), np.empty(0, dtype=np.int64)
        forced = ForcedPart(empty, empty, nowhere, nowhere)
        if restriction is not None and restriction.player == player:
            forced = restriction.forced(spot.dtype)
        found.append(Blocks(*forced, spot.first_blocks[player]))
    return found[0], found[1]


# Kernels ------------------------------------------------------------------------------------------


@kernel
def run_boards(
    turns: Turns,
    exponents: Exponents,
    tables: SpotTables,
    blocks: tuple[Blocks, Blocks],
    weights: tuple[Floats, Floats],
    averages: tuple[Floats, Floats],
    work: Work,
    room: PayoffScratch,
) -> tuple[float, float]:
    """Iterations, or one sweep, without leaving compiled code.

    ``weights`` are the regrets with `LEARN`, else plans or behaviours. Returns the weight of all averaged
    iterations so far, and the value of the last player visited at the start, in chips.
    """
    iteration, weight, value = turns.iteration, turns.weight, 0.0
    for _ in range(turns.iterations):
        step = 1.0
        if iteration > 0:
            last = discounts(iteration, exponents, weight)
            step, weight = last.step, last.weight
        iteration += 1
        now = discounts(iteration, exponents, weight)
        numbers = Discounts(now.positive, now.negative, 0.0, step, weight)
        for player in range(2):
            if turns.player in (-1, player):
                own, other = blocks[player], blocks[1 - player]
                value = visit_boards(
                    turns,
                    tables,
                    player,
                    own,
                    other,
                    weights[player],
                    weights[1 - player],
                    averages[player],
                    numbers,
                    work,
                    room,
                )
    return weight, value


@kernel
def visit_boards(
    turns: Turns,
    tables: SpotTables,
    player: int,
    own_blocks: Blocks,
    other_blocks: Blocks,
    own: Floats,
    other: Floats,
    average: Floats,
    numbers: Discounts,
    work: Work,
    room: PayoffScratch,
) -> float:
    """Visit every board once for one player; returns the player's value at the start."""
    mode = turns.mode
    mine, theirs = tables.side[player], tables.side[1 - player]
    rows, their_rows = tables.rows[player], tables.rows[1 - player]
    current = np.zeros(3, dtype=np.int64)  # the last board of each street
    depth = -1
    for board in range(tables.street.size):
        street = tables.street[board]
        while depth >= street:
            go_up(mine, rows, depth, current[depth], own_blocks, mode, own, numbers, work)
            leave_board(mine, rows, depth, current[depth], True, work.q, all_in_buffer(own))
            if current[depth] == turns.watch:
                return 0.0  # its lines stay in the buffers
            depth -= 1
        if board == tables.street.size - 1:
            break
        if turns.watch >= 0 and not (turns.watch <= board < turns.until or board in turns.above):
            continue
        depth = street
        current[street] = board
        clear_board(mine, rows, street, board, True, work.q)
        for turn in range(2):
            if turn == 0:
                side, moves, numbers_of, reach = theirs, their_rows, other, work.other
                bound = other_blocks
            else:
                side, moves, numbers_of, reach = mine, rows, own, work.own
                bound = own_blocks
            if turn == 0 or mode != BEST:
                enter_board(side, moves, street, board, True, reach, all_in_buffer(own))
                play_board(side, moves, street, board, numbers_of, bound, turn == 1, reach, work)
        if mode == LEARN:
            step = average.dtype.type(numbers.step)
            start = mine.base[board]
            width = mine.first[board + 1] - mine.first[board]
            for line in range(
                rows.first_line[street + 1] - rows.num_rows[street], rows.first_line[street + 1]
            ):
                mean, reached = average[start : start + width], work.own[line]
                for i in range(width):
                    mean[i] += step * (reached[i] - mean[i])
                start += width
        nowhere = all_in_buffer(own)
        add_leaves(
            mine, theirs, tables.ends[player], street, board, work.other, nowhere, room, work.q, nowhere
        )
    value = 0.0
    for i in range(mine.first[1]):
        value += work.q[0, i]
    return value


@kernel
def play_board(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    weights: Floats,
    blocks: Blocks,
    keep: bool,
    reach: Floats,
    work: Work,
) -> None:
    """Fill ``reach`` with the reach after each row of a board; with ``keep`` also the behaviour.

    The behaviour is the positive part of ``weights``, normalised; it is uniform where no weight is positive.
    A bound player's reach has the model mixed in.
    """
    real = weights.dtype.type
    zero, no_reach = real(0), real(NO_REACH)
    width = side.first[board + 1] - side.first[board]
    total, scale, plain = work.total, work.scale, work.plain
    bound = blocks.forced_at.size > 0
    first = rows.first_node[street]
    for n in range(first, rows.first_node[street + 1]):
        line, actions = rows.line[n], rows.num_actions[n]
        parent = reach[rows.parent[n]]
        start = side.base[board] + rows.row[n] * width
        for i in range(width):
            total[i] = zero
        for a in range(actions):
            w = weights[start + a * width : start + (a + 1) * width]
            for i in range(width):
                total[i] += max(w[i], zero)
        uniform = real(1.0 / actions)
        for i in range(width):
            some = total[i] > zero
            scale[i] = real(1) / total[i] if some else zero
            plain[i] = zero if some else uniform
        for a in range(actions):
            w = weights[start + a * width : start + (a + 1) * width]
            out = reach[line + a]
            for i in range(width):
                out[i] = max(w[i], zero) * scale[i] + plain[i]
            if keep:
                sigma = work.sigma[line + a]
                for i in range(width):
                    sigma[i] = out[i]
            block = blocks.first[board] + n - first
            if bound and blocks.forced_at[block] >= 0:
                at = blocks.forced_at[block] + a * width
                forced = blocks.forced[at : at + width]
                freedom = blocks.freedom[blocks.freedom_at[block] : blocks.freedom_at[block] + width]
                for i in range(width):
                    out[i] = forced[i] + freedom[i] * out[i]
            for i in range(width):
                x = parent[i] * out[i]
                out[i] = x if x > no_reach else zero


@kernel
def go_up(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    blocks: Blocks,
    mode: int,
    regret: Floats,
    numbers: Discounts,
    work: Work,
) -> None:
    """Values of the player's sets on a board, from the last to the first; with `LEARN` also new regrets."""
    real = regret.dtype.type
    zero, no_regret = real(0), real(NO_REGRET)
    positive, negative = real(numbers.positive), real(numbers.negative)
    width = side.first[board + 1] - side.first[board]
    base = side.base[board]
    bound = blocks.forced_at.size > 0
    value = work.total
    first = rows.first_node[street]
    for n in range(rows.first_node[street + 1] - 1, first - 1, -1):
        row, line, actions = rows.row[n], rows.line[n], rows.num_actions[n]
        if mode == BEST:
            q = work.q[line]
            for i in range(width):
                value[i] = q[i]
            for a in range(1, actions):
                q = work.q[line + a]
                for i in range(width):
                    value[i] = max(value[i], q[i])
        else:
            for i in range(width):
                value[i] = zero
            for a in range(actions):
                q, sigma = work.q[line + a], work.sigma[line + a]
                for i in range(width):
                    value[i] += sigma[i] * q[i]
        if mode == LEARN:
            for a in range(actions):
                start = base + (row + a) * width
                r, q = regret[start : start + width], work.q[line + a]
                for i in range(width):
                    x = r[i] + (q[i] - value[i])
                    x *= positive if x > zero else negative
                    r[i] = x if abs(x) > no_regret else zero
        block = blocks.first[board] + n - first
        if bound and blocks.forced_at[block] >= 0:
            at = blocks.forced_at[block]
            freedom = blocks.freedom[blocks.freedom_at[block] : blocks.freedom_at[block] + width]
            for i in range(width):
                value[i] *= freedom[i]
            for a in range(actions):
                forced, q = blocks.forced[at + a * width : at + (a + 1) * width], work.q[line + a]
                for i in range(width):
                    value[i] += forced[i] * q[i]
        above = work.q[rows.parent[n]]
        for i in range(width):
            above[i] += value[i]


@kernel
def settle(
    side: Side,
    rows: DecisionRows,
    streets: NDArray[np.int64],
    blocks: Blocks,
    regret: Floats,
    average: Floats,
    work: Work,
) -> None:
    """Turn an average plan into a behaviour, in place; where it hardly reaches, into the present one."""
    real = average.dtype.type
    zero = real(0)
    reach, total = work.scale, work.total
    bound = blocks.forced_at.size > 0
    average[0] = 1
    for board in range(streets.size - 1):
        street = streets[board]
        width = side.first[board + 1] - side.first[board]
        for n in range(rows.first_node[street], rows.first_node[street + 1]):
            actions = rows.num_actions[n]
            start = side.base[board] + rows.row[n] * width
            for i in range(width):
                reach[i] = zero
                total[i] = zero
            for a in range(actions):
                for i in range(width):
                    reach[i] += average[start + a * width + i]
                    total[i] += max(regret[start + a * width + i], zero)
            block = blocks.first[board] + n - rows.first_node[street]
            at = blocks.forced_at[block] if bound else np.int64(-1)
            for a in range(actions):
                for i in range(width):
                    c = start + a * width + i
                    if reach[i] > real(UNREACHED):
                        average[c] /= reach[i]
                        continue
                    sigma = max(regret[c], zero) / total[i] if total[i] > zero else real(1.0 / actions)
                    if at >= 0:
                        freedom = blocks.freedom[blocks.freedom_at[block] + i]
                        sigma = blocks.forced[at + a * width + i] + freedom * sigma
                    average[c] = sigma
