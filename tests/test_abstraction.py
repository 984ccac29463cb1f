"""Features, private states and joint matrices of hold'em."""

import os
import zlib
from math import comb

import known_values as known
import naive_abstraction as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from soulread import machine
from soulread.abstraction import tables
from soulread.abstraction.buckets import percentile_buckets, percentile_cuts
from soulread.abstraction.features import FEATURE_UNIT, NONE, STRENGTH_UNIT
from soulread.abstraction.joint import (
    NUM_DEALS,
    NUM_ORDERS,
    PAIRS_PER_BOARD,
    Joint,
    count_joint,
    sample_joint,
    some_boards,
)
from soulread.abstraction.states import (
    Abstraction,
    AbstractionSpec,
    flop_state_of,
    parse_abstraction,
    turn_state_of,
)
from soulread.abstraction.workers import pieces_of, run_pieces
from soulread.cards.arrays import hand_of
from soulread.cards.deck import parse_cards
from soulread.cards.isomorphism import NUM_RIVERS, all_boards
from soulread.cards.ranges import HAND_CARDS, hand_index, parse_range
from soulread.cards.strength import hand_strength_all
from soulread.errors import ParseError, ShapeError, SoulreadError
from soulread.solvers.real_cards.local_best_response import MEAN_SQUARE

compiled = pytest.mark.compiled


@pytest.fixture(scope="session")
def cache_folder(tmp_path_factory):
    """The same for all workers and all modules that import this fixture, so that features are built once."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "soulread-cache"


@pytest.fixture(scope="session")
def features(cache_folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOULREAD_CACHE", str(cache_folder))
        return tables.load_features()


@pytest.fixture(scope="session")
def boards():
    return all_boards()


def make(text, features, num_boards=300):
    return percentile_buckets(parse_abstraction(text), features, weights=some_boards(num_boards))


@pytest.fixture(scope="session")
def coarse(features):
    return make("3-2-2-2", features)


@pytest.fixture(scope="session")
def single(features):
    """One private state, in which 16 bits never hold an order of a board."""
    return make("1-1-1-1", features, 50)


@pytest.fixture(scope="session")
def fine(features):
    return make("hs:4-4-4-5", features, 50)


def weights_of(*indices):
    weights = np.zeros(NUM_RIVERS, dtype=np.int64)
    np.add.at(weights, list(indices), 1)
    return weights


# Specs --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["5-5-5-5", "8-12-4-4", "hs:15-40-6-6", "potential:1-1-1-1", "hs:5-6x4-3-3"])
def test_specs_round_trip(text):
    assert str(parse_abstraction(text)) == text


def test_spec_of_the_default_kind_and_its_states():
    spec = parse_abstraction(" HS2:8-12-4-4 ")
    assert spec == AbstractionSpec("hs2", (8, 12, 4, 4))
    assert str(spec) == "8-12-4-4"
    assert spec.num_states == (8, 96, 384, 1536)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("5-5-5", "'5-5-5' is not an abstraction; write buckets for preflop, flop, turn and river"),
        ("ehs:5-5-5-5", "'ehs' is not a kind of abstraction; expected hs2, hs, potential"),
        ("5-0-5-5", r"branching \(5, 0, 5, 5\); expected a number of buckets from 1 to 255"),
        ("5-0x5-5-5", r"branching \(5, 0, 5, 5\); expected a number of buckets from 1 to 255"),
        ("5-60x5-5-5", r"branching \(5, 300, 5, 5\); expected a number of buckets from 1 to 255"),
        ("potential:5-2x5-5-5", "classes of flops go with 'hs' and 'hs2', not with 'potential'"),
        ("100-100-10-10", "100-100-10-10 has 1000000 private states on the river; at most 65535 work"),
    ],
)
def test_bad_specs(text, message):
    with pytest.raises(ParseError, match=message):
        parse_abstraction(text)


def test_classes_of_flops_multiply_the_buckets_of_the_flop():
    spec = parse_abstraction("5-6x4-3-2")
    assert spec == AbstractionSpec("hs2", (5, 24, 3, 2), 6)
    assert spec.num_states == (5, 120, 360, 720)
    with pytest.raises(ParseError, match="5 buckets on the flop cannot be 2 classes of flops with equally"):
        AbstractionSpec("hs2", (5, 5, 5, 5), 2)


# Boards -------------------------------------------------------------------------------------------


@compiled
def test_entries_rename_boards_to_canonical_ones(boards):
    lookup = boards.lookup
    rng = np.random.default_rng(3)
    for name, canonical in (("flop", boards.flops), ("turn", boards.turns), ("river", boards.rivers)):
        for _ in range(200):
            board = np.sort(rng.choice(52, canonical.shape[1], replace=False))
            rank = sum(int(lookup.choose[i + 1, card]) for i, card in enumerate(board))
            index, renaming = divmod(int(getattr(lookup, name)[rank]), 32)
            assert_array_equal(np.sort(lookup.card_map[renaming, board]), canonical[index])
    hands = lookup.card_map[:, HAND_CARDS].astype(int)
    for k in range(24):
        assert lookup.hand_map[k].tolist() == [hand_index(a, b) for a, b in hands[k]]


# Features -----------------------------------------------------------------------------------------


@compiled
def test_river_strengths_against_pairwise_comparison(features, boards):
    for index in np.random.default_rng(1).choice(NUM_RIVERS, 5, replace=False):
        expected = naive.river_strengths(boards.rivers[index].tolist())
        found = features.river[index].astype(int)
        assert_array_equal(np.where(found == NONE, -1, found), expected)


@compiled
def test_river_strengths_are_hand_strengths(features, boards):
    for index in np.random.default_rng(2).choice(NUM_RIVERS, 20, replace=False):
        expected = hand_strength_all(boards.rivers[index].tolist())
        found = np.where(features.river[index] == NONE, np.nan, features.river[index] / STRENGTH_UNIT)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@compiled
def test_mean_river_strength_is_a_half_on_every_board(features):
    sums = np.zeros(NUM_RIVERS, dtype=np.int64)
    for rows in pieces_of(NUM_RIVERS, 50):
        sums[rows] = np.where(features.river[rows] == NONE, 0, features.river[rows]).sum(
            axis=1, dtype=np.int64
        )
    assert (sums == PAIRS_PER_BOARD).all()


@compiled
@pytest.mark.parametrize(("hole", "board"), [("As Ah", "Ks 7h 2d 2c"), ("8h 7h", "9h 6c 2h Ad")])
@pytest.mark.parametrize("power", [1, 2])
def test_features_against_enumeration(features, boards, hole, board, power):
    hole, board = parse_cards(hole), parse_cards(board)
    for cards, street, canonical in ((3, "flop", boards.flops), (4, "turn", boards.turns)):
        index, maps = naive.find_canonical(canonical, board[:cards])
        table = getattr(features, f"{street}_{'hs' if power == 1 else 'hs2'}")
        (found,) = {int(table[index, hand_index(*map(f, hole))]) for f in maps}
        expected = naive.mean_strength(hole, board[:cards], power)
        assert found == int(expected * FEATURE_UNIT + 0.5)


@compiled
@pytest.mark.parametrize("text", known.PREFLOP_AGAINST_RANDOM)
def test_preflop_strength_is_equity(features, text):
    wins, ties = known.PREFLOP_AGAINST_RANDOM[text]
    for hand in np.flatnonzero(parse_range(text).weights):
        found = features.hole_hs[hand] / FEATURE_UNIT
        assert found == pytest.approx((wins + ties / 2) / known.PREFLOP_DEALS, abs=0.51 / FEATURE_UNIT)


@compiled
def test_features_mark_hands_that_hold_a_card_of_the_board(features, boards):
    for canonical, tables_of in (
        (boards.flops, (features.flop_hs, features.flop_hs2)),
        (boards.turns, (features.turn_hs, features.turn_hs2)),
    ):
        holds = (canonical[:50, None, :, None] == HAND_CARDS[None, :, None, :]).any(axis=(2, 3))
        for table in tables_of:
            assert_array_equal(table[:50] == NONE, holds)


@compiled
def test_mean_square_of_all_river_strengths(features, boards):
    """The number that local best response knows by heart."""
    squares = np.array([(row[row != NONE].astype(np.int64) ** 2).sum() for row in features.river])
    mean = (squares * boards.river_weights).sum(dtype=object) / (comb(52, 5) * 1081 * STRENGTH_UNIT**2)
    assert mean == pytest.approx(MEAN_SQUARE, abs=1e-15)


@compiled
def test_features_did_not_change(features):
    crc = zlib.crc32(features.flop_hs2.tobytes(), zlib.crc32(features.hole_hs2.tobytes()))
    assert crc == known.FEATURES_CRC, "raise FEATURES_VERSION"


# Percentiles --------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 30), st.integers(1, 50)), min_size=1, max_size=25),
    st.integers(1, 8),
)
def test_percentile_cuts_against_naive(items, buckets):
    values, weights = zip(*items, strict=True)
    counts = np.bincount(values, weights, minlength=31).astype(np.int64)
    cuts = percentile_cuts(counts[None], buckets)[0]
    assert (np.diff(cuts.astype(int)) >= 0).all()
    found = np.searchsorted(cuts, values, side="right").tolist()
    assert found == naive.percentile_buckets(values, weights, buckets)


def test_percentiles_of_ties_and_of_nothing():
    counts = np.array([[0, 90, 0, 5, 5], [0, 0, 0, 0, 0]])
    cuts = percentile_cuts(counts, 4)
    assert np.searchsorted(cuts[0], [1, 3, 4], side="right").tolist() == [1, 3, 3]
    assert cuts[1].tolist() == [NONE] * 3


# States -------------------------------------------------------------------------------------------


@compiled
def test_states_of_real_cards_against_naive(coarse, boards):
    rng = np.random.default_rng(7)
    for _ in range(60):
        cards = rng.permutation(52)[:7].tolist()
        hole, board = cards[:2], cards[2:]
        expected = naive.all_states(coarse, boards, hole, board)
        assert tuple(coarse.state(hole, board[:n]) for n in (0, 3, 4, 5)) == expected
        assert coarse.states(np.array([cards])).tolist() == [list(expected)]
        hand = hand_of(*hole)
        assert flop_state_of(coarse.tables, hand, *board[:3]) == expected[1]
        assert turn_state_of(coarse.tables, hand, *board[:4]) == expected[2]


@compiled
def test_states_do_not_depend_on_suits_or_the_order_of_the_flop(coarse):
    rng = np.random.default_rng(8)
    cards = np.array([rng.permutation(52)[:7] for _ in range(500)])
    expected = coarse.states(cards)
    suits = np.array([rng.permutation(4) for _ in range(500)])
    renamed = cards // 4 * 4 + np.take_along_axis(suits, cards % 4, axis=1)
    mixed = renamed[:, [1, 0, 4, 2, 3, 5, 6]]
    assert_array_equal(coarse.states(mixed), expected)


@compiled
def test_states_are_nested_and_equally_likely_before_the_river(coarse):
    rng = np.random.default_rng(9)
    states = coarse.states(np.array([rng.permutation(52)[:7] for _ in range(20_000)]))
    for r in range(1, 4):
        assert_array_equal(coarse.parent_state[r][states[:, r]], states[:, r - 1])
    for r in range(3):  # five standard deviations: a false alarm in a million
        share = np.bincount(states[:, r], minlength=coarse.num_states[r]) / len(states)
        expected = 1 / coarse.num_states[r]
        assert abs(share - expected).max() < 0.01 + 5 * np.sqrt(expected / len(states))


@compiled
def test_higher_buckets_are_stronger(coarse, features):
    river = np.sort(coarse.tables.river_cuts.astype(int), axis=1)
    assert_array_equal(river, coarse.tables.river_cuts)
    for state in range(3):
        inside = coarse.tables.hole_state == state
        weaker = coarse.tables.hole_state < state
        assert features.hole_hs2[inside].min() > features.hole_hs2[weaker].max(initial=0)


@compiled
def test_state_names_and_bounds(coarse):
    assert coarse.buckets(2, 7) == (1, 1, 1)
    assert coarse.state_name(2, 7) == "2-2-2"
    assert [parent.size for parent in coarse.parent_state] == [3, 6, 12, 24]
    assert coarse.parent_state[0].tolist() == [0, 0, 0]
    with pytest.raises(ShapeError, match="state 12 was asked for; round 2 of 3-2-2-2 has 12 states"):
        coarse.buckets(2, 12)
    with pytest.raises(ShapeError, match="got 2 hole cards and 2 board cards; expected 2 and 0, 3, 4 or 5"):
        coarse.state([0, 1], [2, 3])
    with pytest.raises(ParseError, match="'2c' comes twice"):
        coarse.state([0, 1], [2, 3, 0])
    with pytest.raises(ParseError, match="row 1: 52 is not a card"):
        coarse.states(np.array([[0, 1], [2, 52]]))
    with pytest.raises(ParseError, match="row 1: 2c2d2h2s3c3d2c has a card twice"):
        coarse.states(np.array([range(7), [0, 1, 2, 3, 4, 5, 0]]))
    with pytest.raises(ShapeError, match=r"cards have shape \(1, 4\)"):
        coarse.states(np.zeros((1, 4), dtype=int))


@compiled
def test_tables_of_another_abstraction_are_refused(coarse):
    with pytest.raises(ShapeError, match=r"river_cuts has shape \(12, 1\); abstraction 5-5-5-5 needs"):
        Abstraction(parse_abstraction("5-5-5-5"), coarse.tables)


@compiled
def test_percentiles_need_a_feature(features):
    with pytest.raises(SoulreadError, match="potential:2-2-2-2 has no percentile buckets"):
        make("potential:2-2-2-2", features)


@compiled
def test_states_did_not_change(coarse):
    t = coarse.tables
    crc = 0
    for array in (t.hole_state, t.flop_state, t.turn_bucket, t.river_cuts):
        crc = zlib.crc32(array.tobytes(), crc)
    assert crc == known.STATES_CRC, "raise STATES_VERSION"


# Joint matrices -----------------------------------------------------------------------------------


def board_index(boards, text):
    return naive.find_canonical(boards.rivers, parse_cards(text))[0]


@compiled
@pytest.mark.parametrize("which", ["single", "coarse", "fine"])
@pytest.mark.parametrize("board", ["2c 7d 9h Js Ah", "2c 2d 2h 9s Tc", "Tc Jc Qc Kc Ac", "4d 5d 6d 7d Kh"])
def test_joint_counts_against_naive(request, boards, which, board):
    """On the third board all hands tie."""
    abstraction = request.getfixturevalue(which)
    index = board_index(boards, board)
    joint = count_joint(abstraction, weights_of(index))
    win, ties = naive.count_board(abstraction, boards.rivers[index].tolist())
    assert_array_equal(joint.win_deals, win)
    assert_array_equal(joint.tie_deals, ties)


@compiled
def test_joint_counts_add_up_over_boards_weights_and_threads(coarse, boards):
    some = some_boards(40, seed=5)
    one = count_joint(coarse, some, threads=1)
    assert one.num_deals == 40 * NUM_ORDERS * PAIRS_PER_BOARD
    two = count_joint(coarse, 3 * some, threads=2)
    assert_array_equal(two.win_deals, 3 * one.win_deals)
    assert_array_equal(two.tie_deals, 3 * one.tie_deals)
    first, second = weights_of(10), weights_of(90_000, 90_000)
    parts = count_joint(coarse, first), count_joint(coarse, second)
    both = count_joint(coarse, first + second)
    assert_array_equal(both.win_deals, parts[0].win_deals + parts[1].win_deals)


@compiled
def test_rows_are_moved_before_they_overflow(fine):
    """With 320 states on 200 boards, cells pass 2^16 many times; totals would show a lost carry."""
    joint = count_joint(fine, some_boards(200))
    assert joint.num_deals == 200 * NUM_ORDERS * PAIRS_PER_BOARD
    assert joint.win_deals.max() > 2**16
    assert (joint.win_deals >= 0).all()


@compiled
def test_reach_is_the_chance_of_states(coarse):
    joint = count_joint(coarse, some_boards(30))
    for r in range(4):
        reach = joint.reach_in(r)
        assert reach.sum() == pytest.approx(1)
        assert_array_equal(reach, reach.T)
    within = joint.reach.reshape(3, 8, 3, 8).sum(axis=(1, 3))
    np.testing.assert_allclose(joint.reach_in(0), within)
    np.testing.assert_allclose(joint.reach, joint.win + joint.win.T + joint.tie_deals / joint.num_deals)
    with pytest.raises(ShapeError, match="round 4 was asked for"):
        joint.reach_in(4)


@compiled
def test_sampled_deals_agree_with_counted_boards(coarse):
    counted = count_joint(coarse, some_boards(1000))
    sampled = sample_joint(coarse, 200_000, np.random.default_rng(4))
    assert sampled.num_deals == 400_000
    # Both are estimates of the same chances; the standard deviation of a cell is below 0.0003.
    np.testing.assert_allclose(sampled.reach, counted.reach, atol=0.0025)
    np.testing.assert_allclose(sampled.reach_in(0), counted.reach_in(0), atol=0.01)
    assert sampled.tie_rate == pytest.approx(counted.tie_rate, abs=0.004)


@compiled
def test_some_boards_are_evenly_spread(boards):
    weights = some_boards(9000)
    assert weights.sum() == 9000
    assert_array_equal(weights, some_boards(9000, seed=1))
    assert (weights != some_boards(9000, seed=2)).any()
    flush = np.max([((boards.rivers & 3) == suit).sum(axis=1) for suit in range(4)], axis=0) >= 3
    share = weights[flush].sum() / 9000
    assert share == pytest.approx(boards.river_weights[flush].sum() / boards.river_weights.sum(), abs=0.003)


@compiled
def test_joint_refuses_nonsense(coarse):
    with pytest.raises(SoulreadError, match="no boards to count: every weight is 0"):
        count_joint(coarse, np.zeros(NUM_RIVERS, dtype=np.int64))
    with pytest.raises(ShapeError, match=r"weights have shape \(3,\) and type int64; expected 134459 whole"):
        count_joint(coarse, np.ones(3, dtype=np.int64))
    with pytest.raises(SoulreadError, match="0 boards were asked for"):
        some_boards(0)
    with pytest.raises(SoulreadError, match="0 deals were asked for"):
        sample_joint(coarse, 0, np.random.default_rng(1))
    with pytest.raises(ShapeError, match=r"branching \(1, 1, 1, 2\) has 2 private states"):
        Joint((1, 1, 1, 2), np.zeros((3, 3), dtype=np.int64), np.zeros((3, 3), dtype=np.int64))


@compiled
def test_wins_did_not_change(coarse):
    joint = count_joint(coarse, some_boards(20))
    assert zlib.crc32(joint.win_deals.tobytes()) == known.WINS_CRC, "raise JOINT_VERSION"


def test_number_of_deals():
    assert NUM_DEALS == known.NUM_DEALS


# Threads ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
def test_pieces_are_done_once_and_reported(threads):
    seen = []
    parts: list[list[int]] = run_pieces(
        list(range(10)),
        lambda piece, found: found.append(piece),
        list,
        "counting",
        lambda title, done: seen.append((title, done)),
        threads,
    )
    assert sorted(piece for part in parts for piece in part) == list(range(10))
    assert seen[0] == ("counting", 0.0)
    assert seen[-1] == ("counting", 1.0)
    assert [done for _, done in seen] == sorted(done for _, done in seen)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_in_a_piece_is_raised(threads):
    def work(piece, _):
        if piece == 3:
            raise SoulreadError("piece 3 is bad")

    with pytest.raises(SoulreadError, match="piece 3 is bad"):
        run_pieces(range(100), work, list, threads=threads)


def test_pieces_cover_everything():
    assert [(p.start, p.stop) for p in pieces_of(7, 3)] == [(0, 2), (2, 4), (4, 7)]
    assert len(pieces_of(2, 50)) == 2


# Tables -------------------------------------------------------------------------------------------


@compiled
def test_tables_are_built_once_and_then_loaded(features, cache_folder, monkeypatch):
    monkeypatch.setenv("SOULREAD_CACHE", str(cache_folder))
    built = []

    def few(spec, features, progress):
        built.append(str(spec))
        return percentile_buckets(spec, features, progress, some_boards(100))

    monkeypatch.setattr(tables, "percentile_buckets", few)
    monkeypatch.setattr(tables, "QUICK_BOARDS", 50)
    titles = []
    first, counted = tables.load_or_build(
        "2-2-2-2", quick=True, progress=lambda title, _: titles.append(title)
    )
    assert "joint matrices" in titles
    again, loaded = tables.load_or_build("2-2-2-2", quick=True)
    assert built == ["2-2-2-2"]
    assert first.checksum == again.checksum != ""
    assert_array_equal(loaded.win_deals, counted.win_deals)
    assert not loaded.win_deals.flags.writeable
    assert again.state([51, 50]) == 1

    found = {(entry.what, entry.spec): entry for entry in tables.info()}
    assert set(found) == {("features", ""), ("states", "2-2-2-2"), ("quick joint", "2-2-2-2")}
    assert found["features", ""].num_bytes > 4.4e8
    assert found["states", "2-2-2-2"].num_states == (2, 4, 8, 16)
    assert all(entry.current for entry in found.values())
    monkeypatch.setattr(tables, "JOINT_VERSION", 10**6)
    assert [entry.what for entry in tables.info() if not entry.current] == ["quick joint"]


def test_memory_is_known_before_anything_is_built(monkeypatch, tmp_path):
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path))
    small, great = tables.memory_needed("5-5-5-5"), tables.memory_needed("15-40-6-6")
    assert 0.5e9 < small.peak < 1.5e9
    assert great.joint_per_thread > 22 * 21_600**2
    monkeypatch.setattr(machine, "available_memory", lambda: 4 * 10**9)
    message = r"abstraction 15-40-6-6 needs 1\d\.\d GB of memory to build, 4\.0 GB are free"
    with pytest.raises(SoulreadError, match=message):
        tables.load_or_build("15-40-6-6")
    assert not any(tmp_path.iterdir())
    tables.verify_memory("5-5-5-5")
    assert tables._threads(parse_abstraction("15-40-6-6")) == 1
    monkeypatch.setattr(machine, "available_memory", lambda: None)
    tables.verify_memory("15-40-6-6")


def test_available_memory_is_a_sensible_number():
    free = machine.available_memory()
    assert free is None or 10**6 < free < 10**14
