"""Potential-aware buckets: holdings are alike when their strength develops alike.

E[HS^2] cannot tell a hand that is sure to be mediocre from one that will be either strong or weak. Here a
holding is described by the *histogram* of how strong it will be in the next round: of E[HS] on the flop or on
the turn, of HS on the river (A. Gilpin and T. Sandholm, "Expectation-based versus potential-aware
automated abstraction", AAAI 2008). The distance of two histograms is the earth mover's distance, the work it
takes to turn one into the other. On a line that is

    distance(p, q) = sum over bins of |P - Q|,      P and Q the cumulative histograms,

so holdings are stored and averaged as cumulative histograms. Within each state of the round before, random
deals are clustered by k-means, with k-means++ starts. Then every holding goes to the nearest centre; at ties,
to the lower one. On the river the strength is known, so the distance is the difference of the strengths.
Clusters are then intervals, and the cuts lie midway between their centres.

We differ from the paper on the flop, which it clusters by histograms over turn *clusters*. We use histograms
of strength, because strengths have an order, which makes the distance a sum, and clusters have none. Buckets
are numbered by strength. All arithmetic is on whole numbers and the random numbers are fixed, so every
machine finds the same buckets.
"""

import numpy as np
from numpy.typing import NDArray

from soulread.abstraction.buckets import count_rivers, flop_of_turn, flop_states_of_turn, percentile_cuts
from soulread.abstraction.features import FEATURE_UNIT, NONE, STRENGTH_UNIT, Features
from soulread.abstraction.states import NO_BUCKET, Abstraction, AbstractionSpec, StateTables
from soulread.abstraction.workers import Progress, pieces_of, run_pieces
from soulread.cards.isomorphism import (
    NUM_FLOPS,
    NUM_TURNS,
    BoardLookup,
    all_boards,
    entry_index,
    entry_renaming,
    flop_entry,
    river_entry,
    turn_entry,
)
from soulread.cards.ranges import NUM_HANDS
from soulread.errors import SoulreadError
from soulread.kernel import kernel

NUM_BINS = 32
SCALE = 2**14  # the last number of every cumulative histogram
SAMPLES_PER_STATE = 4000
MAX_SAMPLES = 1_000_000
ITERATIONS = 25
FAR = 2**24  # stands for the centre of a cluster that has no members
SEED = 1


def potential_buckets(
    spec: AbstractionSpec,
    features: Features,
    progress: Progress | None = None,
    weights: NDArray[np.int64] | None = None,
) -> Abstraction:
    """Cluster holdings into the branching of ``spec``; takes a quarter of a minute on two cores.

    ``weights`` say which river boards the clusters of the river are made from, as in `count_rivers`.
    """
    if spec.kind != "potential":
        raise SoulreadError(f"{spec} has no clusters; its kind must be 'potential'")
    boards = all_boards()
    lookup = boards.lookup
    rng = np.random.default_rng(SEED)

    hole = np.zeros((NUM_HANDS, NUM_BINS), dtype=np.int64)
    _add_flops(lookup, features.flop_hs, hole)
    hole_curves = _curves(hole)
    nowhere = np.zeros(NUM_HANDS, dtype=np.int64)
    centres = cluster(hole_curves, nowhere, 1, spec.branching[0], rng)
    hole_state = np.empty(NUM_HANDS, dtype=np.uint16)
    _assign(hole_curves, nowhere, centres, hole_state)

    indices, hands = _sample(boards.flop_weights, spec.num_states[0], rng)
    keep = features.flop_hs[indices, hands] != NONE
    indices, hands = indices[keep], hands[keep]
    curves = np.empty((indices.size, NUM_BINS), dtype=np.int32)
    _flop_samples(lookup, boards.flops, features.turn_hs, indices, hands, curves)
    centres = cluster(curves, hole_state[hands].astype(np.int64), spec.num_states[0], spec.branching[1], rng)
    flop_state = np.empty((NUM_FLOPS, NUM_HANDS), dtype=np.uint16)

    def assign_flops(rows: slice, _: None) -> None:
        _assign_flops(
            lookup,
            boards.flops[rows],
            features.turn_hs,
            features.flop_hs[rows],
            hole_state,
            centres,
            flop_state[rows],
        )

    run_pieces(pieces_of(NUM_FLOPS, 32), assign_flops, lambda: None, "flop clusters", progress)

    indices, hands = _sample(boards.turn_weights, spec.num_states[1], rng)
    keep = features.turn_hs[indices, hands] != NONE
    indices, hands = indices[keep], hands[keep]
    positions = rng.integers(4, size=indices.size)
    curves = np.empty((indices.size, NUM_BINS), dtype=np.int32)
    before = np.empty(indices.size, dtype=np.int64)
    _turn_samples(lookup, boards.turns, features.river, flop_state, indices, hands, positions, curves, before)
    turn_centres = cluster(curves, before, spec.num_states[1], spec.branching[2], rng)
    turn_bucket = np.empty((NUM_TURNS, NUM_HANDS, 4), dtype=np.uint8)

    def assign_turns(rows: slice, _: None) -> None:
        _assign_turns(
            lookup,
            boards.turns[rows],
            features.river,
            features.turn_hs[rows],
            flop_state,
            turn_centres,
            turn_bucket[rows],
        )

    run_pieces(pieces_of(NUM_TURNS, 128), assign_turns, lambda: None, "turn clusters", progress)

    no_cuts = np.empty((spec.num_states[2], 0), dtype=np.uint16)
    branching = np.array(spec.branching, dtype=np.int64)
    tables = StateTables(lookup, hole_state, flop_state, turn_bucket, features.river, no_cuts, branching)
    strengths = count_rivers(spec, tables, progress, weights)
    return Abstraction(spec, tables._replace(river_cuts=interval_cuts(strengths, spec.branching[3])))


def cluster(
    curves: NDArray[np.int32],
    states: NDArray[np.int64],
    num_states: int,
    buckets: int,
    rng: np.random.Generator,
) -> NDArray[np.int32]:
    """Return the centres ``[states, buckets, bins]`` of each state's curves, weakest first.

    ``curves`` are cumulative histograms. If a state has fewer different curves than buckets, the centres left
    over are `FAR`, so that no curve is nearest to them. In a state without curves all centres are `FAR`, and
    the first one is taken as the nearest.
    """
    order = np.argsort(states, kind="stable")
    ends = np.searchsorted(states[order], np.arange(num_states + 1))
    centres = np.full((num_states, buckets, NUM_BINS), FAR, dtype=np.int32)
    for state in range(num_states):
        members = curves[order[ends[state] : ends[state + 1]]]
        uniforms = rng.random(buckets)
        if len(members):
            _k_means(members, uniforms, centres[state])
            # A weak holding has much in the low bins, and its cumulative histogram has a large sum.
            found = centres[state, :, 0] < FAR
            rank = np.where(found, -centres[state].sum(axis=1), 1)
            centres[state] = centres[state, np.argsort(rank, kind="stable")]
    return centres


def interval_cuts(counts: NDArray[np.int64], buckets: int) -> NDArray[np.uint16]:
    """Return the cuts ``[states, buckets - 1]`` of one-dimensional k-means, started from percentiles.

    ``counts`` are numbers of holdings by state and value ``[states, values]``. Empty buckets stay empty.
    """
    cuts = percentile_cuts(counts, buckets)
    values = np.arange(counts.shape[1])
    for row, out in zip(counts, cuts, strict=True):
        if not row.any():
            continue
        weight = np.concatenate([[0], np.cumsum(row)])
        moment = np.concatenate([[0], np.cumsum(row * values)])
        for _ in range(4 * ITERATIONS):
            ends = np.concatenate([[0], np.minimum(out, values.size), [values.size]]).astype(np.intp)
            inside = np.diff(weight[ends])
            used = np.flatnonzero(inside)
            centres = np.diff(moment[ends])[used] / inside[used]
            midways = np.ceil((centres[:-1] + centres[1:]) / 2)
            # Below cut i are the buckets up to number i.
            below = np.searchsorted(used, np.arange(buckets - 1), side="right")
            moved = np.concatenate([[0], midways, [NONE]])[below].astype(np.uint16)
            if np.array_equal(moved, out):
                break
            out[:] = moved
    return cuts


def _sample(
    weights: NDArray[np.int64], num_states: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Draw canonical boards as often as deals have them, and any hands, which may share cards with them."""
    size = min(SAMPLES_PER_STATE * num_states, MAX_SAMPLES)
    ends = np.cumsum(weights)
    indices = np.searchsorted(ends, rng.integers(ends[-1], size=size), side="right")
    return indices, rng.integers(NUM_HANDS, size=size)


def _curves(counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Cumulative histograms ``[n, bins]`` that end at `SCALE`."""
    upto = np.cumsum(counts, axis=1)
    return (upto * SCALE // upto[:, -1:]).astype(np.int32)


# Kernels ------------------------------------------------------------------------------------------


@kernel
def _distance(p: NDArray[np.int32], q: NDArray[np.int32]) -> int:
    """Earth mover's distance of two cumulative histograms, in bins / `SCALE`."""
    total = np.int32(0)
    for i in range(NUM_BINS):
        total += np.int32(abs(p[i] - q[i]))
    return int(total)


@kernel
def _nearest(curve: NDArray[np.int32], centres: NDArray[np.int32]) -> int:
    best, nearest = _distance(curve, centres[0]), 0
    for b in range(1, len(centres)):
        distance = _distance(curve, centres[b])
        if distance < best:
            best, nearest = distance, b
    return nearest


@kernel
def _k_means(members: NDArray[np.int32], uniforms: NDArray[np.float64], centres: NDArray[np.int32]) -> None:
    """Fill the centres: k-means++ starts (Arthur and Vassilvitskii, SODA 2007), then Lloyd's iterations."""
    num_members, buckets = len(members), len(centres)
    closest = np.full(num_members, np.int64(FAR))
    for b in range(buckets):
        chosen = int(uniforms[b] * num_members)
        if b > 0:
            total = 0.0
            for i in range(num_members):
                total += float(closest[i]) ** 2
            if total == 0.0:
                break
            left = uniforms[b] * total
            for i in range(num_members):
                left -= float(closest[i]) ** 2
                if closest[i] > 0:
                    chosen = i
                    if left < 0.0:
                        break
        centres[b] = members[chosen]
        for i in range(num_members):
            closest[i] = min(closest[i], _distance(members[i], centres[b]))

    nearest = np.full(num_members, -1, dtype=np.int64)
    sums = np.empty((buckets, NUM_BINS), dtype=np.int64)
    sizes = np.empty(buckets, dtype=np.int64)
    for _ in range(ITERATIONS):
        changed = False
        sums[:] = 0
        sizes[:] = 0
        for i in range(num_members):
            b = _nearest(members[i], centres)
            changed |= b != nearest[i]
            nearest[i] = b
            sizes[b] += 1
            for j in range(NUM_BINS):
                sums[b, j] += members[i, j]
        if not changed:
            break
        for b in range(buckets):
            for j in range(NUM_BINS):
                centres[b, j] = sums[b, j] // sizes[b] if sizes[b] > 0 else FAR


@kernel
def _assign(
    curves: NDArray[np.int32],
    states: NDArray[np.int64],
    centres: NDArray[np.int32],
    out: NDArray[np.uint16],
) -> None:
    for i in range(len(curves)):
        out[i] = states[i] * centres.shape[1] + _nearest(curves[i], centres[states[i]])


@kernel
def _add_flops(lookup: BoardLookup, flop_hs: NDArray[np.uint16], counts: NDArray[np.int64]) -> None:
    for c in range(52):
        for b in range(c):
            for a in range(b):
                entry = flop_entry(lookup, a, b, c)
                row = flop_hs[entry_index(entry)]
                hand_map = lookup.hand_map[entry_renaming(entry)]
                for h in range(hand_map.size):
                    value = np.int64(row[hand_map[h]])
                    if value != NONE:
                        counts[h, value * NUM_BINS // (FEATURE_UNIT + 1)] += 1


@kernel
def _flop_curves(
    lookup: BoardLookup,
    board: NDArray[np.uint8],
    turn_hs: NDArray[np.uint16],
    first: int,
    out: NDArray[np.int32],
) -> None:
    """Curves of the hands ``first``, ``first + 1``, ... on a flop; zeros for hands that hold a flop card."""
    a, b, c = board[0], board[1], board[2]
    out[:] = 0
    for card in range(52):
        if card != a and card != b and card != c:
            entry = turn_entry(lookup, a, b, c, card)
            row = turn_hs[entry_index(entry)]
            hand_map = lookup.hand_map[entry_renaming(entry)]
            for i in range(len(out)):
                value = np.int64(row[hand_map[first + i]])
                if value != NONE:
                    out[i, value * NUM_BINS // (FEATURE_UNIT + 1)] += 1
    _accumulate(out)


@kernel
def _turn_curves(
    lookup: BoardLookup,
    board: NDArray[np.uint8],
    river: NDArray[np.uint16],
    first: int,
    out: NDArray[np.int32],
) -> None:
    """Curves of the hands ``first``, ``first + 1``, ... on a turn; zeros for hands that hold a board card."""
    a, b, c, d = board[0], board[1], board[2], board[3]
    out[:] = 0
    for card in range(52):
        if card != a and card != b and card != c and card != d:
            entry = river_entry(lookup, a, b, c, d, card)
            row = river[entry_index(entry)]
            hand_map = lookup.hand_map[entry_renaming(entry)]
            for i in range(len(out)):
                value = np.int64(row[hand_map[first + i]])
                if value != NONE:
                    out[i, value * NUM_BINS // (STRENGTH_UNIT + 1)] += 1
    _accumulate(out)


@kernel
def _accumulate(counts: NDArray[np.int32]) -> None:
    """Turn histograms into cumulative ones that end at `SCALE`, in place."""
    for i in range(len(counts)):
        for j in range(1, NUM_BINS):
            counts[i, j] += counts[i, j - 1]
        total = counts[i, NUM_BINS - 1]
        if total > 0:
            for j in range(NUM_BINS):
                counts[i, j] = counts[i, j] * SCALE // total


@kernel
def _flop_samples(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    turn_hs: NDArray[np.uint16],
    indices: NDArray[np.int64],
    hands: NDArray[np.int64],
    curves: NDArray[np.int32],
) -> None:
    for i in range(indices.size):
        _flop_curves(lookup, boards[indices[i]], turn_hs, hands[i], curves[i : i + 1])


@kernel
def _assign_flops(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    turn_hs: NDArray[np.uint16],
    flop_hs: NDArray[np.uint16],
    hole_state: NDArray[np.uint16],
    centres: NDArray[np.int32],
    out: NDArray[np.uint16],
) -> None:
    curves = np.empty((hole_state.size, NUM_BINS), dtype=np.int32)
    for i in range(len(boards)):
        _flop_curves(lookup, boards[i], turn_hs, 0, curves)
        for h in range(hole_state.size):
            if flop_hs[i, h] == NONE:
                out[i, h] = NONE
            else:
                s = np.int64(hole_state[h])
                out[i, h] = s * centres.shape[1] + _nearest(curves[h], centres[s])


@kernel
def _turn_samples(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    river: NDArray[np.uint16],
    flop_state: NDArray[np.uint16],
    indices: NDArray[np.int64],
    hands: NDArray[np.int64],
    positions: NDArray[np.int64],
    curves: NDArray[np.int32],
    before: NDArray[np.int64],
) -> None:
    for i in range(indices.size):
        board = boards[indices[i]]
        _turn_curves(lookup, board, river, hands[i], curves[i : i + 1])
        a, b, c = flop_of_turn(board, positions[i])
        entry = flop_entry(lookup, a, b, c)
        before[i] = flop_state[entry_index(entry), lookup.hand_map[entry_renaming(entry), hands[i]]]


@kernel
def _assign_turns(
    lookup: BoardLookup,
    boards: NDArray[np.uint8],
    river: NDArray[np.uint16],
    turn_hs: NDArray[np.uint16],
    flop_state: NDArray[np.uint16],
    centres: NDArray[np.int32],
    out: NDArray[np.uint8],
) -> None:
    num_hands = flop_state.shape[1]
    curves = np.empty((num_hands, NUM_BINS), dtype=np.int32)
    before = np.empty(num_hands, dtype=np.uint16)
    for i in range(len(boards)):
        _turn_curves(lookup, boards[i], river, 0, curves)
        for position in range(4):
            flop_states_of_turn(lookup, boards[i], position, flop_state, before)
            for h in range(num_hands):
                if turn_hs[i, h] == NONE:
                    out[i, h, position] = NO_BUCKET
                else:
                    out[i, h, position] = _nearest(curves[h], centres[before[h]])
