"""Percentile buckets: each state of the round before is divided into equal parts, by E[HS^2] or E[HS].

The holdings of a state are ordered by their feature and divided into B parts of equal probability. The
probability is taken over ordered deals (hole cards, flop, turn, river). Holdings with equal features stay
together. With c the probability of the holdings below them, w their own, and 1 that of the whole state, they
go to

    bucket = floor(B * (c + w / 2)),

the part in which their middle lies. To find the bucket of a holding, only its feature and the cuts of its
state are needed: bucket b begins at ``cuts[b - 1]``. Where one feature value fills more than one part, some
buckets stay empty.

Counting is exact. Values are counted in units of the features (1/65534) before the river and in units of HS
(1/1980) on the river. On the river E[HS] and E[HS^2] put the holdings in the same order.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.features import LIVE_HANDS, NONE, STRENGTH_UNIT, Features
from soulread.abstraction.states import NO_BUCKET, Abstraction, AbstractionSpec, StateTables, river_bucket
from soulread.abstraction.textures import flop_classes
from soulread.abstraction.workers import Progress, pieces_of, run_pieces
from soulread.cards.isomorphism import (
    NUM_FLOPS,
    NUM_TURNS,
    BoardLookup,
    all_boards,
    entry_index,
    entry_renaming,
    flop_entry,
    turn_entry,
)
from soulread.cards.ranges import NUM_HANDS
from soulread.errors import SoulreadError
from soulread.kernel import kernel


def percentile_buckets(
    spec: AbstractionSpec,
    features: Features,
    progress: Progress | None = None,
    weights: NDArray[np.int64] | None = None,
) -> Abstraction:
    """Divide holdings by their features into the branching of ``spec``; takes seconds on two cores.

    ``weights`` say which river boards the percentiles of the river are taken from, as in `count_rivers`.
    """
    if spec.kind not in ("hs", "hs2"):
        raise SoulreadError(f"{spec} has no percentile buckets; its kind must be 'hs' or 'hs2'")
    hole, flop, turn = (getattr(features, f"{street}_{spec.kind}") for street in ("hole", "flop", "turn"))
    boards = all_boards()
    lookup = boards.lookup
    branching = np.array(spec.branching, dtype=np.int64)

    hole_cuts = percentile_cuts(np.bincount(hole, minlength=NONE)[None], spec.branching[0])
    hole_state = np.searchsorted(hole_cuts[0], hole, side="right").astype(np.uint16)

    classes = flop_classes(flop, spec.flop_classes)
    counts = np.zeros((spec.num_states[0] * spec.flop_classes, NONE), dtype=np.int64)
    _count_flops(hole_state, classes, spec.flop_classes, flop, boards.flop_weights, counts)
    flop_state = np.empty((NUM_FLOPS, NUM_HANDS), dtype=np.uint16)
    cuts = percentile_cuts(counts, spec.branching[1] // spec.flop_classes)
    _cut_flops(hole_state, classes, spec.flop_classes, flop, cuts, flop_state)

    counts = count_turns(spec, turn, flop_state, progress)
    cuts = percentile_cuts(counts, spec.branching[2])
    del counts
    turn_bucket = np.empty((NUM_TURNS, NUM_HANDS, 4), dtype=np.uint8)

    def cut(rows: slice, _: None) -> None:
        _cut_turns(lookup, boards.turns[rows], turn[rows], flop_state, cuts, turn_bucket[rows])

    run_pieces(pieces_of(NUM_TURNS, 64), cut, lambda: None, "turn buckets", progress)
    no_cuts = np.empty((spec.num_states[2], 0), dtype=np.uint16)
    tables = StateTables(lookup, hole_state, flop_state, turn_bucket, features.river, no_cuts, branching)
    strengths = count_rivers(spec, tables, progress, weights)
    return Abstraction(spec, tables._replace(river_cuts=percentile_cuts(strengths, spec.branching[3])))


def percentile_cuts(counts: NDArray[np.integer], buckets: int) -> NDArray[np.uint16]:
    """Return the ascending cuts ``[states, buckets - 1]`` for holdings counted by value ``[states, values]``.

    ``cuts[s, b - 1]`` is the lowest value that goes to bucket b, or `NONE` if no value does. A state without
    holdings has bucket 0 only.
    """
    cuts = np.full((len(counts), buckets - 1), NONE, dtype=np.uint16)
    for row, out in zip(counts, cuts, strict=True):
        values = np.flatnonzero(row)
        weights = row[values].astype(np.int64)
        upto = np.cumsum(weights)
        if values.size:
            # Python's division is exact: buckets * (2 * upto - weights) stays below 2^63.
            bucket = buckets * (2 * upto - weights) // (2 * upto[-1])
            first = np.searchsorted(bucket, np.arange(1, buckets))
            found = first < values.size
            out[found] = values[first[found]]
    return cuts


def count_turns(
    spec: AbstractionSpec,
    values: NDArray[np.uint16],
    flop_state: NDArray[np.uint16],
    progress: Progress | None,
) -> NDArray[np.int64]:
    """Numbers of ordered deals of hole cards, flop and turn, by flop state and value ``[S_1, values]``."""
    boards = all_boards()

    def work(rows: slice, counts: NDArray[np.int64]) -> None:
        _count_turns(
            boards.lookup, boards.turns[rows], boards.turn_weights[rows], values[rows], flop_state, counts
        )

    def start() -> NDArray[np.int64]:
        return np.zeros((spec.num_states[1], NONE), dtype=np.int64)

    return _total(run_pieces(pieces_of(NUM_TURNS, 64), work, start, "turn percentiles", progress))


def count_rivers(
    spec: AbstractionSpec,
    tables: StateTables,
    progress: Progress | None = None,
    weights: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Number of ordered deals of hole cards and board, by turn state and river strength ``[S_2, 1981]``.

    ``weights`` say how often to count each canonical river board ``[134459]``. The default counts all deals.
    """
    boards = all_boards()
    weights = boards.river_weights if weights is None else weights

    def work(rows: slice, counts: NDArray[np.int64]) -> None:
        # 32 bits are enough for one piece of the boards, and the counts then stay in the core's cache.
        some = np.zeros(counts.shape, dtype=np.int32)
        _count_rivers(tables, boards.rivers[rows], weights[rows], tables.river_strength[rows], some)
        counts += some

    def start() -> NDArray[np.int64]:
        return np.zeros((spec.num_states[2], STRENGTH_UNIT + 1), dtype=np.int64)

    pieces = pieces_of(len(boards.rivers), 128)
    return _total(run_pieces(pieces, work, start, "river percentiles", progress))


def _total(parts: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    total = parts[0]
    for part in parts[1:]:
        total += part
    return total


# Kernels ------------------------------------------------------------------------------------------


@kernel
def _count_flops(
    hole_state: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    num_classes: int,
    values: NDArray[np.uint16],
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    for i in range(len(values)):
        for h in range(hole_state.size):
            if values[i, h] != NONE:
                counts[hole_state[h] * num_classes + classes[i], values[i, h]] += weights[i]


@kernel
def _cut_flops(
    hole_state: NDArray[np.uint16],
    classes: NDArray[np.uint8],
    num_classes: int,
    values: NDArray[np.uint16],
    cuts: NDArray[np.uint16],
    out: NDArray[np.uint16],
) -> None:
    branching = cuts.shape[1] + 1
    for i in range(len(values)):
        for h in range(hole_state.size):
            if values[i, h] == NONE:
                out[i, h] = NONE
            else:
                s = hole_state[h] * num_classes + classes[i]
                out[i, h] = s * branching + river_bucket(cuts[s], values[i, h])


@kernel
def flop_of_turn(board: NDArray[np.uint8], position: int) -> tuple[int, int, int]:
    """The three flop cards of a turn board whose turn card is at ``position``."""
    a = board[0] if position > 0 else board[1]
    b = board[1] if position > 1 else board[2]
    c = board[2] if position > 2 else board[3]
    return a, b, c


@kernel
def flop_states_of_turn(
    lookup: BoardLookup,
    board: NDArray[np.uint8],
    position: int,
    flop_state: NDArray[np.uint16],
    out: NDArray[np.uint16],
) -> None:
    """States ``[1326]`` of the hands on the flop, if the card at ``position`` is the turn card."""
    a, b, c = flop_of_turn(board, position)
    entry = flop_entry(lookup, a, b, c)
    row = flop_state[entry_index(entry)]
    hand_map = lookup.hand_map[entry_renaming(entry)]
    for h in range(hand_map.size):
        out[h] = row[hand_map[h]]


@kernel
def _count_turns(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    weights: NDArray[np.int64],
    values: NDArray[np.uint16],
    flop_state: NDArray[np.uint16],
    counts: NDArray[np.int64],
) -> None:
    before = np.empty(values.shape[1], dtype=np.uint16)
    for i in range(len(boards)):
        for position in range(4):
            flop_states_of_turn(lookup, boards[i], position, flop_state, before)
            for h in range(before.size):
                if values[i, h] != NONE:
                    counts[before[h], values[i, h]] += weights[i]


@kernel
def _cut_turns(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    values: NDArray[np.uint16],
    flop_state: NDArray[np.uint16],
    cuts: NDArray[np.uint16],
    out: NDArray[np.uint8],
) -> None:
    before = np.empty(values.shape[1], dtype=np.uint16)
    for i in range(len(boards)):
        for position in range(4):
            flop_states_of_turn(lookup, boards[i], position, flop_state, before)
            for h in range(before.size):
                if values[i, h] == NONE:
                    out[i, h, position] = NO_BUCKET
                else:
                    out[i, h, position] = river_bucket(cuts[before[h]], values[i, h])


@kernel
def flop_states_of_river(
    tables: StateTables, board: NDArray[np.uint8], hands: NDArray[np.uint16], out: NDArray[np.uint16]
) -> None:
    """Fill ``out[i, j]``, ``[5, 5, n]``, i < j: s_1 times branching[2] if the flop lacks cards i and j."""
    left = np.empty(3, dtype=np.uint8)
    branching = np.uint16(tables.branching[2])
    for i in range(5):
        for j in range(i + 1, 5):
            k = 0
            for p in range(5):
                if p != i and p != j:
                    left[k] = board[p]
                    k += 1
            entry = flop_entry(tables.boards, left[0], left[1], left[2])
            states = tables.flop_state[entry_index(entry)]
            hand_map = tables.boards.hand_map[entry_renaming(entry)]
            row = out[i, j]
            for n in range(hands.size):
                row[n] = states[hand_map[hands[n]]] * branching


@kernel
def turn_states_of_river(
    tables: StateTables,
    board: NDArray[np.uint8],
    hands: NDArray[np.uint16],
    flop_states: NDArray[np.uint16],
    river: int,
    out: NDArray[np.uint16],
) -> None:
    """Fill ``out``, ``[4, n]``: s_2 if the card at position ``river`` is the river card, for each turn card.

    ``flop_states`` come from `flop_states_of_river`. The turn cards are in canonical order.
    """
    a = board[0] if river > 0 else board[1]
    b = board[1] if river > 1 else board[2]
    c = board[2] if river > 2 else board[3]
    d = board[3] if river > 3 else board[4]
    entry = turn_entry(tables.boards, a, b, c, d)
    renaming = entry_renaming(entry)
    card_map = tables.boards.card_map[renaming]
    before = np.empty(4, dtype=np.int64)
    for turn in range(5):
        if turn != river:
            card = card_map[board[turn]]
            position = (
                np.int64(card_map[a] < card)
                + np.int64(card_map[b] < card)
                + np.int64(card_map[c] < card)
                + np.int64(card_map[d] < card)
            )
            before[position] = 5 * min(turn, river) + max(turn, river)
    flops = flop_states.reshape(25, hands.size)
    s, t, u, v = flops[before[0]], flops[before[1]], flops[before[2]], flops[before[3]]
    buckets = tables.turn_bucket[entry_index(entry)]
    hand_map = tables.boards.hand_map[renaming]
    for n in range(hands.size):
        four = buckets[hand_map[hands[n]]]
        out[0, n] = s[n] + four[0]
        out[1, n] = t[n] + four[1]
        out[2, n] = u[n] + four[2]
        out[3, n] = v[n] + four[3]


@kernel
def _count_rivers(
    tables: StateTables,
    boards: NDArray[np.uint8],
    weights: NDArray[np.int64],
    strengths: NDArray[np.uint16],
    counts: NDArray[np.int32],
) -> None:
    hands = np.empty(LIVE_HANDS, dtype=np.uint16)
    flop_states = np.empty((5, 5, LIVE_HANDS), dtype=np.uint16)
    states = np.empty((4, LIVE_HANDS), dtype=np.uint16)
    strength = np.empty(LIVE_HANDS, dtype=np.uint16)
    for i in range(len(boards)):
        if weights[i] == 0:
            continue
        live = 0
        for h in range(strengths.shape[1]):
            if strengths[i, h] != NONE:
                hands[live] = h
                strength[live] = strengths[i, h]
                live += 1
        flop_states_of_river(tables, boards[i], hands, flop_states)
        weight = np.int32(weights[i])
        for river in range(5):
            turn_states_of_river(tables, boards[i], hands, flop_states, river, states)
            for turn in range(4):
                row = states[turn]
                for n in range(live):
                    counts[row[n], strength[n]] += weight
