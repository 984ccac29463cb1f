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

**Threads.** What follows the first board is cut into *parts*, runs of boards that come right after it. Each
part adds its values to sums of its own, and these are added up in order. So the parts can be visited in any
order and by any number of threads, and the results are the same to the last bit. How a spot is cut depends on
the spot alone. A river has no parts.

**Half memory.** With ``half`` regrets and averages are integers of 16 bits. Each node on each board has a
scale: the largest number there is 32,767. A behaviour does not depend on the scale; only updates look at it.

A normalised plan is a behaviour, just as normalised positive regrets are. So the same pass with plans in the
place of regrets plays both plans against each other (`PLAY`), or finds the best response to one (`BEST`).
"""

import dataclasses
import math
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from soulread.cards.lanes import TURNED, make_lines, padded
from soulread.errors import SoulreadError
from soulread.games.spot import lighter
from soulread.kernel import call, lean_kernel
from soulread.machine import available_memory, num_threads, size_text, verify_room
from soulread.seqform.board_payoff import (
    TILE,
    PayoffScratch,
    add_leaves,
    all_in_buffer,
    clear_board,
    enter_board,
    leave_board,
    spot_batch,
    spot_room,
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
LARGEST = 32_767  # of the integers that take the place of numbers in half memory
_TURN_PARTS, _FLOP_PARTS = 8, 24
_SMALL = 300_000  # sequences of a spot below which waking a second thread takes longer than it saves
_LONG = 200_000  # sequences of a part from which on each part is handed out alone
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
    current: NDArray[np.int64]  # [3] the last board of each street


class Blocks(NamedTuple):
    """Where a player is bound to a model, and the number of the first block of each board."""

    forced: Floats
    freedom: Floats
    forced_at: NDArray[np.int64]  # [blocks], or empty
    freedom_at: NDArray[np.int64]
    first: NDArray[np.int64]  # [boards]


class Stored(NamedTuple):
    """One player's numbers: real ones, or integers with a scale for each block."""

    weights: NDArray[Any]  # regrets with `LEARN`, else plans or behaviours
    average: NDArray[Any]
    weight_scale: Floats  # [blocks]; empty for real numbers
    average_scale: Floats


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


Sides = tuple[int, SpotTables, int, tuple[Blocks, Blocks], tuple[Stored, Stored], Discounts]
"""The mode, the spot, the player, and what both players have: what every visit needs."""


class StreamedSolver:
    """Both players of a spot on their way to equilibrium. Starts from uniform play.

    Without a ``schedule`` it is `spot_schedule`.
    ``threads`` is by default 1 in small spots, and else that of the machine.
    """

    def __init__(
        self,
        spot: Spot,
        schedule: Schedule | None = None,
        restriction: Restriction | None = None,
        *,
        threads: int | None = None,
        half: bool = False,
    ) -> None:
        self.spot = spot
        self.schedule = spot_schedule(spot) if schedule is None else schedule
        if self.schedule.predictive or not self.schedule.alternating:
            raise SoulreadError(
                f"spots are solved board by board, which the method {self.schedule.name!r} does not allow; "
                "take an alternating method that is not predictive, such as DCFR"
            )
        self.restriction = restriction
        self.threads = spot_threads(spot, threads)
        self.half = half
        self.iteration = 0
        self._weight = 0.0
        dtype = np.dtype(np.int16 if half else spot.dtype)
        first, second = spot.num_sequences
        self.regret = np.zeros(first, dtype), np.zeros(second, dtype)
        self.average = np.ones(first, dtype), np.ones(second, dtype)
        self._scales = tuple(
            (np.zeros(count, spot.dtype), np.zeros(count, spot.dtype))
            for count in (num_blocks(spot) if half else (0, 0))
        )
        self._blocks = _bind(spot, restriction)
        self._parts = spot_parts(spot)
        self._work = [_make_work(spot) for _ in range(self.threads)]
        self._room = [spot_room(spot) for _ in range(self.threads)]
        self._sums = _make_sums(spot)
        self._kind = dtype, np.dtype(spot.dtype)  # of the arguments of kernels
        self._pool = ThreadPoolExecutor(self.threads - 1) if self.threads > 1 else None

    @property
    def plans(self) -> Plans:
        """The average plans so far; unless memory is half, views, which change with the next iterations."""
        if not self.half:
            return Plan(self.average[0]), Plan(self.average[1])
        found = []
        for player in (0, 1):
            blocks = [np.ones(1)]
            sizes = block_sizes(self.spot, player)
            blocks.append(np.repeat(self._scales[player][1], sizes) * self.average[player][1:])
            found.append(Plan(np.concatenate(blocks).astype(self.spot.dtype)))
        return found[0], found[1]

    def advance(self, iterations: int) -> None:
        """Run so many iterations more."""
        turns = Turns(LEARN, iterations, self.iteration, self._weight, -1, *_ALL)
        stored = self._stored(self.regret, 0)
        self._weight, _ = self._run(turns, stored)
        self.iteration += iterations

    def _stored(self, weights: tuple[NDArray[Any], NDArray[Any]], which: int) -> tuple[Stored, Stored]:
        """Both players' numbers; ``which`` is the scale of the weights."""
        first, second = (
            Stored(
                weights[player], self.average[player], self._scales[player][which], self._scales[player][1]
            )
            for player in (0, 1)
        )
        return first, second

    def _run(self, turns: Turns, stored: tuple[Stored, Stored]) -> tuple[float, float]:
        tables, blocks, work, room = self.spot.tables, self._blocks, self._work, self._room
        if self._pool is None:
            found: tuple[float, float] = call(
                run_boards,
                self._kind,
                turns,
                self.schedule.exponents,
                tables,
                self._parts,
                blocks,
                stored,
                work[0],
                room[0],
                self._sums,
            )
            return found
        weight, value = turns.weight, 0.0
        for iteration in range(turns.iteration, turns.iteration + turns.iterations):
            numbers = numbers_of(iteration, self.schedule.exponents, weight)
            weight = numbers.weight
            for player in (0, 1):
                if turns.player in (-1, player):
                    sides = turns.mode, tables, player, blocks, stored, numbers
                    call(go_down, self._kind, *sides, 0, work[0])
                    self._share(self._pool, sides)
                    value += call(close_first, self._kind, *sides, work[0], room[0], self._sums)
        return weight, value

    def _share(self, pool: ThreadPoolExecutor, sides: Sides) -> None:
        """Let all threads visit the parts, each taking the next when it has done one."""
        count = self._parts.size - 1
        each = 1 if sum(self.spot.num_sequences) > _LONG * count else -(-count // self.threads)
        waiting = iter([(first, min(first + each, count)) for first in range(0, count, each)])

        def visit(thread: int) -> None:
            for run in waiting:
                call(
                    visit_parts,
                    self._kind,
                    *sides,
                    self._parts,
                    run,
                    self._work[0],
                    self._work[thread],
                    self._room[thread],
                    self._sums,
                )

        others = [pool.submit(visit, thread) for thread in range(1, self.threads)]
        visit(0)
        for other in others:
            if not other.cancel():
                other.result()

    def gap(self) -> Gap:
        """Half of what both players could still gain under the restriction, in chips."""
        _, best = self._run(Turns(BEST, 1, 0, 0.0, -1, *_ALL), self._stored(self.average, 1))
        return Gap((float(best) + self.rake()) / 2)

    def value(self, player: int = 0) -> float:
        """Chips of a player beyond half the pot when the averages meet."""
        stored = self._stored(self.average, 1)
        return float(self._run(Turns(PLAY, 1, 0, 0.0, player, *_ALL), stored)[1])

    def rake(self) -> float:
        """Chips that the house takes when the averages meet."""
        return -self.value(0) - self.value(1) if self.spot.raked else 0.0

    def behaviours(self) -> Behaviours:
        """The average behaviours; where an average hardly reaches a set (below 1e-6), the present behaviour.

        The averages become these behaviours in place, so that no further array of this size is needed. The
        solver cannot go on after that. In half memory they are integers, in units of 1 / 32,767.
        """
        for player in (0, 1):
            settle(
                self.spot.tables.side[player],
                self.spot.tables.rows[player],
                self.spot.tables.street,
                self._blocks[player],
                self._stored(self.regret, 0)[player],
                self._work[0],
            )
        return Behaviour(self.average[0]), Behaviour(self.average[1])

    def tensors(self) -> dict[str, NDArray[Any]]:
        """Everything a later run needs to go on as if it had not been interrupted."""
        result: dict[str, NDArray[Any]] = {"weight": np.array([self._weight])}
        for i in (0, 1):
            result |= {f"regret{i}": self.regret[i], f"average{i}": self.average[i]}
            if self.half:
                scales = self._scales[i]
                result |= {f"regret_scale{i}": scales[0], f"average_scale{i}": scales[1]}
        return result

    def notes(self) -> dict[str, Any]:
        """The part of the state that is no array: none."""
        return {}

    def restore(self, iteration: int, tensors: Mapping[str, NDArray[Any]], notes: Mapping[str, Any]) -> None:
        """The opposite of `tensors` and `notes`."""
        if ("regret_scale0" in tensors) != self.half:
            bits = ("numbers", "integers of 16 bits") if self.half else ("integers of 16 bits", "numbers")
            raise SoulreadError(f"the checkpoint has {bits[0]}, but this run keeps {bits[1]}; start afresh")
        self.iteration = iteration
        self._weight = float(tensors["weight"][0])
        for i in (0, 1):
            self.regret[i][:] = tensors[f"regret{i}"]
            self.average[i][:] = tensors[f"average{i}"]
            if self.half:
                self._scales[i][0][:] = tensors[f"regret_scale{i}"]
                self._scales[i][1][:] = tensors[f"average_scale{i}"]


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
    behaviours: Behaviours  # one [num_sequences] per player; see `probabilities`
    method: str
    settings: Mapping[str, Any]
    iterations: int
    gap: float  # exploitability, within the restriction if there is one; chips
    value: float  # of player 0, chips beyond half the pot
    seconds: float
    history: tuple[Check, ...] = ()
    checkpoint: Path | None = None
    restriction: Restriction | None = None
    rake: float = 0.0  # chips that the house takes, so that player 1 has less than player 0 loses

    def probabilities(self, place: Place) -> NDArray[Any]:
        """``[actions, width]`` of the player who acts at a place.

        Behaviours of 16 bits are integers, which sum to about 32,767 at each set.
        """
        node = self.spot.node(place)
        rows = self.behaviours[node.player][self.spot.rows(place)].reshape(len(node.actions), -1)
        if np.issubdtype(rows.dtype, np.floating):
            return rows
        scaled: NDArray[Any] = rows / np.maximum(rows.sum(axis=0, dtype=np.int64), 1)
        return scaled.astype(self.spot.dtype)

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
        first, second = self.behaviours
        none = np.zeros(0, spot.dtype)
        run_boards(
            turns,
            DCFR().exponents,
            spot.tables,
            spot_parts(spot),
            _bind(spot, None),
            (Stored(first, first, none, none), Stored(second, second, none, none)),
            work,
            spot_room(spot),
            np.zeros((0, 0, 0), spot.dtype),
        )
        own, width = spot.tables.rows[player], spot.width(place.board, player)
        entries = len(spot.tree[place.street].entries)
        line = buffer_line(int(own.first_line[place.street]), entries, node.last[player])
        values, actions = work.q[line, :width].copy(), np.empty((0, width), dtype=work.q.dtype)
        if node.player == player:
            row = int(own.first_line[place.street]) + entries + node.row
            actions = work.q[row : row + len(node.actions), :width].copy()
            values = (actions * work.sigma[row : row + len(node.actions), :width]).sum(axis=0)
        return Lines(work.own[line, :width].copy(), values, actions)


def memory_needed(spot: Spot, threads: int | None = None, half: bool = False) -> int:
    """Bytes that solving a spot takes: two numbers for each sequence, the boards, and each thread's work."""
    size = np.dtype(spot.dtype).itemsize
    each = np.dtype(np.int16).itemsize if half else size
    scales = 2 * size * sum(num_blocks(spot)) if half else 0
    tables = sum(array.nbytes for side in spot.tables.side for array in side)
    lines = max(int(rows.first_line[-1]) for rows in spot.tables.rows)
    wide, batch = padded(widest(spot), TURNED), spot_batch(spot)
    work = size * (wide * (4 * lines + 3 * batch + 3) + batch * (TILE + 53))
    sums = size * wide * (spot_parts(spot).size - 1) * _first_lines(spot)
    return 2 * each * sum(spot.num_sequences) + scales + tables + sums + spot_threads(spot, threads) * work


def spot_threads(spot: Spot, threads: int | None = None) -> int:
    """How many threads solve a spot; by default as many as the machine has, but one if the spot is small."""
    if threads is None:
        threads = num_threads() if sum(spot.num_sequences) >= _SMALL else 1
    if threads < 1:
        raise SoulreadError(f"{threads!r} threads; a solve needs at least 1")
    return max(1, min(threads, spot_parts(spot).size - 1))


def spot_schedule(spot: Spot) -> Schedule:
    """The schedule that solves spots of this street in the fewest iterations; see `docs/methods/spots.md`."""
    return DCFR(1.5, 0, 3) if len(spot.board) == 4 else DCFR(1.5, -0.5, 4)


def num_blocks(spot: Spot) -> tuple[int, int]:
    """Nodes of each player on all boards."""
    return block_sizes(spot, 0).size, block_sizes(spot, 1).size


def block_sizes(spot: Spot, player: int) -> NDArray[np.int64]:
    """Sequences of each block of a player."""
    rows, side = spot.tables.rows[player], spot.tables.side[player]
    widths = np.diff(side.first)
    found = [np.zeros(0, dtype=np.int64)]
    for width, street in zip(widths.tolist(), spot.tables.street[:-1].tolist(), strict=True):
        if width:
            nodes = slice(int(rows.first_node[street]), int(rows.first_node[street + 1]))
            found.append(width * rows.num_actions[nodes].astype(np.int64))
    return np.concatenate(found)


def spot_parts(spot: Spot) -> NDArray[np.int64]:
    """``[parts + 1]`` first board of each part; parts have about as many sequences each."""
    streets = spot.tables.street[:-1]
    after = np.flatnonzero(streets == 1)
    if not after.size:
        return np.array([1], dtype=np.int64)
    most = _TURN_PARTS if int(streets.max()) == 1 else _FLOP_PARTS
    ends = np.append(after, streets.size)
    sizes = spot.tables.side[0].base[ends] + spot.tables.side[1].base[ends]
    count = min(most, after.size)
    wanted = sizes[0] + (sizes[-1] - sizes[0]) * np.arange(count + 1) / count
    return np.asarray(np.unique(ends[np.searchsorted(sizes, wanted.astype(np.int64))]), dtype=np.int64)


def _first_lines(spot: Spot) -> int:
    """Lines of the first board."""
    return max(int(rows.first_line[1]) for rows in spot.tables.rows)


def _make_sums(spot: Spot) -> Floats:
    """What each part adds to the first board: ``[parts, lines, width]``."""
    parts = spot_parts(spot).size - 1
    return np.zeros((parts, _first_lines(spot), padded(widest(spot), TURNED)), np.dtype(spot.dtype))


def verify_spot(spot: Spot, threads: int | None = None, half: bool = False) -> None:
    """Raise, with the figures and what would fit, if the machine cannot hold what solving a spot takes."""
    needed = memory_needed(spot, threads, half)
    try:
        verify_room(f"solving {spot.name} with {sum(spot.num_sequences):,} sequences", needed)
    except SoulreadError as error:
        ways = what_fits(spot, needed, available_memory() or needed - 1, half)
        raise SoulreadError(f"{error}: {ways}") from None


def what_fits(spot: Spot, needed: int, free: int, half: bool) -> str:
    """The ways to a smaller solve that fit into memory, at most three, or the one that takes least."""
    ways = []
    size = np.dtype(np.int16 if half else spot.dtype).itemsize
    if not half:
        ways.append(("half memory", needed - sum(spot.num_sequences) * np.dtype(spot.dtype).itemsize))
    for words, betting in lighter(spot.betting):
        sequences = sum(
            int(np.diff(side.first)[spot.tables.street[:-1] == number].sum()) * street.num_rows[player]
            for player, side in enumerate(spot.tables.side)
            for number, street in enumerate(betting.tree.streets)
        )
        ways.append((words, needed - 2 * size * (sum(spot.num_sequences) - sequences)))
    fitting = [way for way in ways if way[1] <= free][:3] or [min(ways, key=lambda way: way[1])]
    return ", ".join(f"with {words} it takes {size_text(bytes_)}" for words, bytes_ in fitting)


def solve_spot(
    spot: Spot,
    stops: Stops,
    schedule: Schedule | None = None,
    *,
    restriction: Restriction | None = None,
    progress: Callable[[Check], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_every: float = 60.0,
    threads: int | None = None,
    half: bool = False,
) -> SpotSolution:
    """Solve a spot board by board until the first of the stops; the gap is in chips.

    A spot that the machine cannot hold is refused with the figures. With ``checkpoint`` the state is kept in
    that file, and a run that was interrupted goes on from it. The result does not depend on ``threads``. With
    ``half``, regrets and averages take 16 bits each.
    """
    stops.verify_bounded()
    verify_spot(spot, threads, half)
    engine = StreamedSolver(spot, schedule, restriction, threads=threads, half=half)
    kept, history = None, []
    if checkpoint is not None:
        kept = Checkpoint(
            Path(checkpoint), checkpoint_every, spot.name, spot.checksum, engine.schedule, restriction
        )
        history = kept.load(engine) if kept.path.exists() else []
    reached = run_until(engine, engine.gap, stops, RunWatch(progress, kept), history)
    value, rake = engine.value(), engine.rake()
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
        rake=rake,
    )


def _make_work(spot: Spot) -> Work:
    rows, width = spot.tables.rows, padded(widest(spot), TURNED)
    lines = max(int(rows[0].first_line[-1]), int(rows[1].first_line[-1]))
    other, own, sigma, q = (make_lines(lines, width, spot.dtype) for _ in range(4))
    total, scale, plain = make_lines(3, width, spot.dtype)
    return Work(other, own, sigma, q, total, scale, plain, np.zeros(3, dtype=np.int64))


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


@lean_kernel
def numbers_of(iteration: int, exponents: Exponents, weight: float) -> Discounts:
    """The numbers of the iteration after so many; ``weight`` is that of the iterations averaged so far."""
    step = 1.0
    if iteration > 0:
        last = discounts(iteration, exponents, weight)
        step, weight = last.step, last.weight
    now = discounts(iteration + 1, exponents, weight)
    return Discounts(now.positive, now.negative, 0.0, step, weight)


@lean_kernel
def run_boards(
    turns: Turns,
    exponents: Exponents,
    tables: SpotTables,
    parts: NDArray[np.int64],
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    work: Work,
    room: PayoffScratch,
    sums: Floats,
) -> tuple[float, float]:
    """Iterations, or one sweep, by one thread without leaving compiled code.

    Returns the weight of all averaged iterations so far, and the value at the start, in chips, summed over
    the players visited; of several iterations it says nothing.
    """
    weight, value = turns.weight, 0.0
    for iteration in range(turns.iteration, turns.iteration + turns.iterations):
        numbers = numbers_of(iteration, exponents, weight)
        weight = numbers.weight
        for player in range(2):
            if turns.player not in (-1, player):
                continue
            if turns.watch >= 0:
                watch_boards(turns, tables, player, blocks, stored, numbers, work, room)
                continue
            go_down(turns.mode, tables, player, blocks, stored, numbers, 0, work)
            if parts.size > 1:
                visit_parts(
                    turns.mode,
                    tables,
                    player,
                    blocks,
                    stored,
                    numbers,
                    parts,
                    (0, parts.size - 1),
                    work,
                    work,
                    room,
                    sums,
                )
            value += close_first(turns.mode, tables, player, blocks, stored, numbers, work, room, sums)
    return weight, value


@lean_kernel
def visit_parts(
    mode: int,
    tables: SpotTables,
    player: int,
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    numbers: Discounts,
    parts: NDArray[np.int64],
    run: tuple[int, int],
    above: Work,
    work: Work,
    room: PayoffScratch,
    sums: Floats,
) -> None:
    """Visit a run of parts; the first board is in ``above``."""
    mine = tables.side[player]
    rows, their_rows = tables.rows[player], tables.rows[1 - player]
    own_lines, other_lines = rows.first_line[1], their_rows.first_line[1]
    wide = work.q.shape[1]
    for line in range(own_lines):
        to, of = work.own[line], above.own[line]
        for i in range(wide):
            to[i] = of[i]
    for line in range(other_lines):
        to, of = work.other[line], above.other[line]
        for i in range(wide):
            to[i] = of[i]
    for part in range(run[0], run[1]):
        clear_board(mine, rows, 0, 0, True, work.q)
        depth = 0
        current = work.current  # the last board of each street
        for board in range(parts[part], parts[part + 1] + 1):
            street = tables.street[board] if board < parts[part + 1] else 1
            while depth >= street:
                come_back(mode, tables, player, blocks, stored, numbers, current[depth], work)
                depth -= 1
            if board == parts[part + 1]:
                break
            depth = street
            current[street] = board
            go_down(mode, tables, player, blocks, stored, numbers, board, work)
            value_ends(tables, player, board, work, room)
        for line in range(own_lines):
            to, of = sums[part, line], work.q[line]
            for i in range(wide):
                to[i] = of[i]


@lean_kernel
def close_first(
    mode: int,
    tables: SpotTables,
    player: int,
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    numbers: Discounts,
    work: Work,
    room: PayoffScratch,
    sums: Floats,
) -> float:
    """Add up the parts, and leave the first board; returns the player's value at the start."""
    mine, rows = tables.side[player], tables.rows[player]
    clear_board(mine, rows, 0, 0, True, work.q)
    for part in range(sums.shape[0]):
        for line in range(rows.first_line[1]):
            to, of = work.q[line], sums[part, line]
            for i in range(to.size):
                to[i] += of[i]
    value_ends(tables, player, 0, work, room)
    come_back(mode, tables, player, blocks, stored, numbers, 0, work)
    value = 0.0
    for i in range(mine.first[1]):
        value += work.q[0, i]
    return value


@lean_kernel
def watch_boards(
    turns: Turns,
    tables: SpotTables,
    player: int,
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    numbers: Discounts,
    work: Work,
    room: PayoffScratch,
) -> None:
    """Visit one board, those above and those after it; the lines of that board stay in the buffers."""
    mode = turns.mode
    mine, rows = tables.side[player], tables.rows[player]
    current = work.current  # the last board of each street
    depth = -1
    for board in range(tables.street.size):
        street = tables.street[board]
        while depth >= street:
            come_back(mode, tables, player, blocks, stored, numbers, current[depth], work)
            if current[depth] == turns.watch:
                return
            depth -= 1
        if board == tables.street.size - 1:
            break
        if not (turns.watch <= board < turns.until or board in turns.above):
            continue
        depth = street
        current[street] = board
        go_down(mode, tables, player, blocks, stored, numbers, board, work)
        clear_board(mine, rows, street, board, True, work.q)
        value_ends(tables, player, board, work, room)


@lean_kernel
def go_down(
    mode: int,
    tables: SpotTables,
    player: int,
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    numbers: Discounts,
    board: int,
    work: Work,
) -> None:
    """Both players' reach on a board, and with `LEARN` the averages; the lines of values become zeros."""
    other = 1 - player
    street = tables.street[board]
    nowhere = all_in_buffer(work.total)
    side, rows = tables.side[other], tables.rows[other]
    enter_board(side, rows, street, board, True, work.other, nowhere)
    bound = mode == LEARN  # else the plans are all that is played, model included
    weights = stored[other].weights
    play_board(side, rows, street, board, weights, blocks[other], bound, False, work.other, work)
    side, rows = tables.side[player], tables.rows[player]
    if mode != BEST:
        enter_board(side, rows, street, board, True, work.own, nowhere)
        weights = stored[player].weights
        play_board(side, rows, street, board, weights, blocks[player], bound, True, work.own, work)
    if mode == LEARN:
        first_block = blocks[player].first[board]
        take_average(side, rows, street, board, first_block, stored[player], numbers.step, work)
    clear_board(side, rows, street, board, True, work.q)


@lean_kernel
def value_ends(tables: SpotTables, player: int, board: int, work: Work, room: PayoffScratch) -> None:
    """Add the ends of the hand on a board to the lines of values."""
    nowhere = all_in_buffer(work.total)
    mine, theirs, street = tables.side[player], tables.side[1 - player], tables.street[board]
    add_leaves(mine, theirs, tables.ends[player], street, board, work.other, nowhere, room, work.q, nowhere)


@lean_kernel
def come_back(
    mode: int,
    tables: SpotTables,
    player: int,
    blocks: tuple[Blocks, Blocks],
    stored: tuple[Stored, Stored],
    numbers: Discounts,
    board: int,
    work: Work,
) -> None:
    """Values of the sets of a board, which go to the board before; with `LEARN` also new regrets."""
    side, rows, street = tables.side[player], tables.rows[player], tables.street[board]
    go_up(side, rows, street, board, blocks[player], mode, stored[player], numbers, work)
    leave_board(side, rows, street, board, True, work.q, all_in_buffer(work.total))


@lean_kernel
def take_average(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    first_block: int,
    stored: Stored,
    step: float,
    work: Work,
) -> None:
    """Move the average plan of a board towards the present one; lines of values are scratch space."""
    real = work.total.dtype.type
    part = real(step)
    average, scales = stored.average, stored.average_scale
    width = side.first[board + 1] - side.first[board]
    start = side.base[board]
    if scales.size == 0:
        for line in range(rows.first_line[street + 1] - rows.num_rows[street], rows.first_line[street + 1]):
            mean, reached = average[start : start + width], work.own[line]
            for i in range(width):
                mean[i] += part * (reached[i] - mean[i])
            start += width
        return
    if width == 0:
        return
    first = rows.first_node[street]
    for n in range(first, rows.first_node[street + 1]):
        line, actions = rows.line[n], rows.num_actions[n]
        at, block = start + rows.row[n] * width, first_block + n - first
        scale, largest = scales[block], real(0)
        for a in range(actions):
            mean, reached, new = average[at + a * width :], work.own[line + a], work.q[line + a]
            for i in range(width):
                x = scale * real(mean[i])
                new[i] = x + part * (reached[i] - x)
                largest = max(largest, new[i])
        scales[block] = pack(average, at, width, work.q, line, actions, largest)


@lean_kernel
def pack(
    to: NDArray[np.int16], start: int, width: int, lines: Floats, first: int, count: int, largest: Any
) -> Any:
    """Write lines as integers, the largest of which is 32,767; returns what one of them is worth."""
    real = lines.dtype.type
    scale = real(largest) / real(LARGEST)
    inverse = real(LARGEST) / real(largest) if largest > 0 else real(0)
    half = real(0.5)
    for a in range(count):
        packed, line = to[start + a * width : start + (a + 1) * width], lines[first + a]
        for i in range(width):
            packed[i] = np.int16(math.floor(line[i] * inverse + half))
    return scale


@lean_kernel
def play_board(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    weights: NDArray[Any],
    blocks: Blocks,
    bound: bool,
    keep: bool,
    reach: Floats,
    work: Work,
) -> None:
    """Fill ``reach`` with the reach after each row of a board; with ``keep`` also the behaviour.

    The behaviour is the positive part of ``weights``, normalised; it is uniform where no weight is positive.
    If the player is ``bound``, the reach has the model mixed in.
    """
    real = work.total.dtype.type
    zero, no_reach = real(0), real(NO_REACH)
    width = side.first[board + 1] - side.first[board]
    total, scale, plain = work.total, work.scale, work.plain
    bound = bound and blocks.forced_at.size > 0
    first = rows.first_node[street]
    for n in range(first, rows.first_node[street + 1]):
        line, actions = rows.line[n], rows.num_actions[n]
        parent = reach[rows.parent[n]]
        start = side.base[board] + rows.row[n] * width
        w = weights[start : start + width]
        for i in range(width):
            total[i] = max(real(w[i]), zero)
        for a in range(1, actions):
            w = weights[start + a * width : start + (a + 1) * width]
            for i in range(width):
                total[i] += max(real(w[i]), zero)
        uniform = real(1.0 / actions)
        for i in range(width):
            some = total[i] > zero
            scale[i] = real(1) / total[i] if some else zero
            plain[i] = zero if some else uniform
        block = blocks.first[board] + n - first
        for a in range(actions):
            w = weights[start + a * width : start + (a + 1) * width]
            out, sigma = reach[line + a], work.sigma[line + a]
            if bound and blocks.forced_at[block] >= 0:
                at = blocks.forced_at[block] + a * width
                forced = blocks.forced[at : at + width]
                freedom = blocks.freedom[blocks.freedom_at[block] : blocks.freedom_at[block] + width]
                for i in range(width):
                    free = max(real(w[i]), zero) * scale[i] + plain[i]
                    if keep:
                        sigma[i] = free
                    x = parent[i] * (forced[i] + freedom[i] * free)
                    out[i] = x if x > no_reach else zero
            elif keep:
                for i in range(width):
                    sigma[i] = max(real(w[i]), zero) * scale[i] + plain[i]
                    x = parent[i] * sigma[i]
                    out[i] = x if x > no_reach else zero
            else:
                for i in range(width):
                    x = parent[i] * (max(real(w[i]), zero) * scale[i] + plain[i])
                    out[i] = x if x > no_reach else zero


@lean_kernel
def go_up(
    side: Side,
    rows: DecisionRows,
    street: int,
    board: int,
    blocks: Blocks,
    mode: int,
    stored: Stored,
    numbers: Discounts,
    work: Work,
) -> None:
    """Values of the player's sets on a board, from the last to the first; with `LEARN` also new regrets."""
    real = work.total.dtype.type
    regret, scales = stored.weights, stored.weight_scale
    zero, no_regret = real(0), real(NO_REGRET)
    positive, negative = real(numbers.positive), real(numbers.negative)
    width = side.first[board + 1] - side.first[board]
    base = side.base[board]
    bound = mode != PLAY and blocks.forced_at.size > 0
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
        block = blocks.first[board] + n - first
        if mode == LEARN and scales.size > 0 and width > 0:
            scale, largest = scales[block], zero
            for a in range(actions):
                start = base + (row + a) * width
                r, q, new = regret[start : start + width], work.q[line + a], work.sigma[line + a]
                for i in range(width):
                    x = scale * real(r[i]) + (q[i] - value[i])
                    x *= positive if x > zero else negative
                    new[i] = x
                    largest = max(largest, abs(x))
            scales[block] = pack(regret, base + row * width, width, work.sigma, line, actions, largest)
        elif mode == LEARN:
            for a in range(actions):
                start = base + (row + a) * width
                r, q = regret[start : start + width], work.q[line + a]
                for i in range(width):
                    x = r[i] + (q[i] - value[i])
                    x *= positive if x > zero else negative
                    r[i] = x if abs(x) > no_regret else zero
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


@lean_kernel
def settle(
    side: Side,
    rows: DecisionRows,
    streets: NDArray[np.int64],
    blocks: Blocks,
    stored: Stored,
    work: Work,
) -> None:
    """Turn an average plan into a behaviour, in place; where it hardly reaches, into the present one."""
    real = work.total.dtype.type
    zero = real(0)
    regret, average, scales = stored.weights, stored.average, stored.average_scale
    packed = scales.size > 0
    reach, total = work.scale, work.total
    bound = blocks.forced_at.size > 0
    average[0] = LARGEST if packed else 1
    for board in range(streets.size - 1):
        street = streets[board]
        width = side.first[board + 1] - side.first[board]
        for n in range(rows.first_node[street], rows.first_node[street + 1]):
            actions = rows.num_actions[n]
            start = side.base[board] + rows.row[n] * width
            for i in range(width):
                reach[i] = zero
                total[i] = zero
            block = blocks.first[board] + n - rows.first_node[street]
            worth = scales[block] if packed and width > 0 else real(1)
            for a in range(actions):
                for i in range(width):
                    reach[i] += worth * real(average[start + a * width + i])
                    total[i] += max(real(regret[start + a * width + i]), zero)
            at = blocks.forced_at[block] if bound else np.int64(-1)
            for a in range(actions):
                for i in range(width):
                    c = start + a * width + i
                    if reach[i] > real(UNREACHED):
                        sigma = worth * real(average[c]) / reach[i]
                    else:
                        sigma = (
                            max(real(regret[c]), zero) / total[i] if total[i] > zero else real(1.0 / actions)
                        )
                        if at >= 0:
                            freedom = blocks.freedom[blocks.freedom_at[block] + i]
                            sigma = blocks.forced[at + a * width + i] + freedom * sigma
                    average[c] = math.floor(sigma * real(LARGEST) + real(0.5)) if packed else sigma
