"""Potential-aware clustering."""

import naive_abstraction as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_abstraction import boards, cache_folder, features  # noqa: F401  (fixtures)

from soulread.abstraction.buckets import percentile_buckets
from soulread.abstraction.features import FEATURE_UNIT, NONE, STRENGTH_UNIT
from soulread.abstraction.joint import some_boards
from soulread.abstraction.potential import (
    FAR,
    NUM_BINS,
    SCALE,
    _assign_turns,
    _distance,
    _flop_curves,
    _turn_curves,
    cluster,
    interval_cuts,
    potential_buckets,
)
from soulread.abstraction.states import parse_abstraction
from soulread.cards.ranges import HAND_CARDS, hand_index
from soulread.errors import SoulreadError

histograms = st.lists(st.integers(0, 100), min_size=NUM_BINS, max_size=NUM_BINS).filter(any)


def curve(histogram):
    upto = np.cumsum(histogram)
    return (upto * SCALE // upto[-1]).astype(np.int32)


@given(histograms, histograms)
def test_distance_is_the_work_of_moving_earth(p, q):
    mine, other = curve(p), curve(q)
    expected = naive.earth_movers_distance(np.diff(mine, prepend=0), np.diff(other, prepend=0))
    assert _distance(mine, other) == expected


def test_clusters_of_separate_groups_are_found_and_ordered():
    rng = np.random.default_rng(5)
    rows = []
    for centre in (25, 3, 14):
        for _ in range(40):
            histogram = np.zeros(NUM_BINS, dtype=int)
            histogram[centre + rng.integers(-2, 3)] = 1
            rows.append(curve(histogram))
    curves = np.array(rows)
    states = np.array([0] * 120)
    centres = cluster(curves, states, 1, 3, np.random.default_rng(1))[0]
    middle = NUM_BINS - centres.sum(axis=1) / SCALE
    np.testing.assert_allclose(middle, [3, 14, 25], atol=1)
    again = cluster(curves, states, 1, 3, np.random.default_rng(1))[0]
    np.testing.assert_array_equal(centres, again)


def test_fewer_curves_than_buckets_leave_clusters_empty():
    curves = np.array([curve(np.eye(NUM_BINS, dtype=int)[b]) for b in (4, 20, 20)])
    centres = cluster(curves, np.array([1, 1, 1]), 3, 4, np.random.default_rng(1))
    np.testing.assert_array_equal(centres[1, 0], curves[0])
    np.testing.assert_array_equal(centres[1, 1], curves[1])
    assert (centres[1, 2:] == FAR).all()
    assert (centres[[0, 2]] == FAR).all()


def test_interval_cuts_lie_midway_between_the_centres():
    counts = np.zeros((3, 100), dtype=np.int64)
    counts[0, [10, 12, 50, 90, 92]] = 1, 1, 8, 1, 1
    counts[1, 40] = 5
    cuts = interval_cuts(counts, 3)
    assert np.searchsorted(cuts[0], [10, 12, 50, 90, 92], side="right").tolist() == [0, 0, 1, 2, 2]
    assert cuts[0].tolist() == [31, 71]
    assert len(set(np.searchsorted(cuts[1], [40], side="right").tolist())) == 1
    assert cuts[2].tolist() == [NONE, NONE]


@pytest.mark.compiled
def test_curves_against_naive(features, boards):  # noqa: F811
    rng = np.random.default_rng(6)
    for _ in range(5):
        cards = rng.permutation(52)[:6].tolist()
        hole, board = sorted(cards[:2]), cards[2:]
        left = [card for card in range(52) if card not in cards]
        hand = hand_index(*hole)
        rivers, turns = [], []
        for card in left:
            index, maps = naive.find_canonical(boards.rivers, [*board, card])
            rivers.append(int(features.river[index, hand_index(*map(maps[0], hole))]))
        for card in [*left, board[3]]:
            index, maps = naive.find_canonical(boards.turns, [*board[:3], card])
            turns.append(int(features.turn_hs[index, hand_index(*map(maps[0], hole))]))
        found = np.empty((1, NUM_BINS), dtype=np.int32)
        _turn_curves(boards.lookup, np.array(board, dtype=np.uint8), features.river, hand, found)
        assert found[0].tolist() == naive.cumulative_histogram(rivers, STRENGTH_UNIT + 1, NUM_BINS, SCALE)
        _flop_curves(boards.lookup, np.array(board[:3], dtype=np.uint8), features.turn_hs, hand, found)
        assert found[0].tolist() == naive.cumulative_histogram(turns, FEATURE_UNIT + 1, NUM_BINS, SCALE)


@pytest.mark.compiled
def test_holdings_go_to_the_nearest_centre(features, boards):  # noqa: F811
    states = percentile_buckets(parse_abstraction("2-2-1-1"), features, weights=some_boards(10))
    flop_state = np.array(states.tables.flop_state)
    rng = np.random.default_rng(7)
    centres = np.sort(rng.integers(0, SCALE, (4, 3, NUM_BINS)).astype(np.int32), axis=2)
    row = slice(5000, 5001)
    found = np.empty((1, 1326, 4), dtype=np.uint8)
    _assign_turns(
        boards.lookup, boards.turns[row], features.river, features.turn_hs[row], flop_state, centres, found
    )
    board = boards.turns[5000].tolist()
    curves = np.empty((1326, NUM_BINS), dtype=np.int32)
    _turn_curves(boards.lookup, boards.turns[5000], features.river, 0, curves)
    for h in rng.choice(1326, 100, replace=False):
        if set(HAND_CARDS[h].tolist()) & set(board):
            assert (found[0, h] == 255).all()
            continue
        for position, turn in enumerate(board):
            flop = [card for card in board if card != turn]
            index, maps = naive.find_canonical(boards.flops, flop)
            before = flop_state[index, hand_index(*map(maps[0], HAND_CARDS[h].tolist()))]
            distances = [
                naive.earth_movers_distance(np.diff(curves[h], prepend=0), np.diff(c, prepend=0))
                for c in centres[before]
            ]
            assert found[0, h, position] == int(np.argmin(distances))


@pytest.mark.compiled
def test_percentile_specs_are_refused(features):  # noqa: F811
    with pytest.raises(SoulreadError, match="5-5-5-5 has no clusters; its kind must be 'potential'"):
        potential_buckets(parse_abstraction("5-5-5-5"), features)
