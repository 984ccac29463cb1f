"""Classes of flops: how they are found, and how both players see them."""

import naive_abstraction as naive
import numpy as np
import pytest
from test_abstraction import boards, cache_folder, features, make  # noqa: F401 (fixtures)

from soulread.abstraction.features import NONE
from soulread.abstraction.joint import count_joint, some_boards
from soulread.abstraction.textures import cluster_points, describe_flops, flop_classes
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import CELL_SIZES, HAND_CELLS, hand_index

compiled = pytest.mark.compiled


def test_kinds_of_hands():
    assert (
        sorted(CELL_SIZES)
        == sorted(np.bincount(HAND_CELLS, minlength=169))
        == [4] * 78 + [6] * 13 + [12] * 78
    )

    def kind(text):
        return HAND_CELLS[hand_index(*parse_cards(text))]

    assert kind("AsKs") == kind("KdAd") != kind("AsKd") == kind("KhAc")
    assert kind("2s2d") == kind("2h2c") != kind("3s3d")


def test_flops_are_described_by_means_over_kinds():
    """Some flops with random values, hand by hand."""
    rng = np.random.default_rng(1)
    values = rng.integers(0, 65_000, size=(3, 1326)).astype(np.uint16)
    values[rng.random(values.shape) < 0.2] = NONE
    values[1, HAND_CELLS == 7] = NONE  # nobody can have a hand of this kind
    found = describe_flops(values)
    for i in range(3):
        live = [int(v) for v in values[i] if v != NONE]
        for kind in range(169):
            mine = [int(v) for v in values[i, kind == HAND_CELLS] if v != NONE]
            assert found[i, kind] == (sum(mine) // len(mine) if mine else sum(live) // len(live))


def test_clusters_are_found_and_numbered_from_the_lowest():
    rng = np.random.default_rng(2)
    truth = rng.integers(3, size=200)
    points = np.array([[900, 100], [0, 50], [400, 420]])[truth] + rng.integers(-20, 20, size=(200, 2))
    found = cluster_points(points, np.ones(200, dtype=np.int64), np.array([1, 2]), 3)
    # The means of the centres, the second number counted twice: 50 + 50, 900 + 200, 400 + 840.
    assert np.array_equal(found, np.array([1, 0, 2])[truth])
    assert not cluster_points(points, np.ones(200, dtype=np.int64), np.array([1, 1]), 1).any()


def test_clusters_minimise_weighted_distances():
    """Against all ways to cut sixty numbers in two; the low ones count most."""
    rng = np.random.default_rng(4)
    points = np.sort(rng.integers(0, 100_000, size=(60, 1)), axis=0)
    weights = 1 + (100_000 - points[:, 0]) ** 2 // 10**7
    found = cluster_points(points, weights, np.array([1]), 2)

    def cost(labels):
        total = 0.0
        for k in (0, 1):
            mine, w = points[labels == k, 0], weights[labels == k]
            total += (w * (mine - np.average(mine, weights=w)) ** 2).sum()
        return total

    assert cost(found) == pytest.approx(min(cost(np.arange(60) >= cut) for cut in range(1, 60)), rel=1e-6)


@compiled
def test_both_players_see_the_class_and_buckets_are_equally_likely(features, boards):  # noqa: F811
    abstraction = make("2-3x2-1-1", features, 50)
    classes = flop_classes(features.flop_hs2, 3)
    state, weights = abstraction.tables.flop_state.astype(int), boards.flop_weights
    live = features.flop_hs2 != NONE
    assert set(classes) == {0, 1, 2}
    assert np.array_equal((state // 2 % 3)[live], np.broadcast_to(classes[:, None], live.shape)[live])
    assert np.array_equal(
        (state // 6)[live], np.broadcast_to(abstraction.tables.hole_state, live.shape)[live]
    )
    chance = np.zeros(12)
    np.add.at(chance, state[live], np.broadcast_to(weights[:, None], live.shape)[live])
    pairs = chance.reshape(6, 2)
    assert np.abs(pairs[:, 0] / pairs.sum(axis=1) - 0.5).max() < 0.01


@compiled
def test_states_of_real_cards_against_naive(features, boards):  # noqa: F811
    abstraction = make("2-3x2-2-2", features, 50)
    rng = np.random.default_rng(3)
    for _ in range(50):
        cards = rng.choice(52, 7, replace=False)
        expected = naive.all_states(abstraction, boards, tuple(cards[:2]), tuple(cards[2:]))
        assert tuple(abstraction.states(cards[None])[0]) == expected


@compiled
def test_states_of_different_classes_never_meet(features):  # noqa: F811
    joint = count_joint(make("2-3x2-1-1", features, 50), some_boards(50))
    seen = np.arange(12) // 2 % 3
    reach = joint.reach_in(1)
    assert not reach[seen[:, None] != seen].any()
    assert reach[seen[:, None] == seen].all()
