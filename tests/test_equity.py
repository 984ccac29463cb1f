import math
from collections.abc import Sequence
from itertools import combinations, permutations

import known_values as known
import naive_strength as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards import equity as module
from soulread.cards.deck import parse_cards
from soulread.cards.equity import (
    Equity,
    board_orbits,
    equity,
    equity_all,
    equity_multiway,
    equity_sampled,
    parts_of_runouts,
)
from soulread.cards.ranges import HAND_CELLS, NUM_HANDS, Range, class_name, hand_index, parse_range
from soulread.cards.strength import BITS
from soulread.errors import ParseError, SoulreadError

ANYTHING = Range.all()


def weights(result: Equity) -> list[float]:
    return [result.win, result.tie, result.lose]


def random_range(rng: np.random.Generator, num_hands: int) -> Range:
    hands = np.zeros(NUM_HANDS)
    hands[rng.choice(NUM_HANDS, num_hands, replace=False)] = rng.random(num_hands)
    return Range(hands)


@st.composite
def boards(draw, sizes):
    cards = draw(st.permutations(range(52)))
    return tuple(cards[: draw(st.sampled_from(sizes))])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["AA", "72o"])
def test_hand_against_random(name):
    win, tie = known.PREFLOP_AGAINST_RANDOM[name]
    hands = parse_range(name)
    one = naive.ALL_HANDS[int(np.flatnonzero(hands.weights)[0])]
    assert weights(equity(one, ANYTHING)) == [win, tie, known.PREFLOP_DEALS - win - tie]


@pytest.mark.compiled
def test_every_hand_against_random():
    values = equity_all(ANYTHING)
    names = np.array([class_name(cell) for cell in HAND_CELLS])
    for name, (win, tie) in known.PREFLOP_AGAINST_RANDOM.items():
        assert (values[names == name] == (win + tie / 2) / known.PREFLOP_DEALS).all()
    assert values.mean() == pytest.approx(0.5, abs=1e-15)
    assert all(np.ptp(values[names == name]) == 0 for name in set(names))


@pytest.mark.compiled
@pytest.mark.parametrize("hands", ["AhKh 7c7d", "AsAh KsKh", "2c2d AhKs", "Td9d Th9h"])
def test_hand_against_hand_agrees_with_poker_equity(hands):
    other = pytest.importorskip("poker_equity")
    hero, villain = hands.split()
    result = equity(parse_cards(hero), parse_cards(villain))
    assert result.total == math.comb(48, 5)
    theirs = other.exact_from_text("holdem", [hero, villain])["players"][0]["equity"]
    assert result.value == pytest.approx(theirs, abs=1e-12)
    back = equity(parse_cards(villain), parse_cards(hero))
    assert weights(back) == weights(result)[::-1]


@settings(max_examples=25, deadline=None)
@given(boards((4, 5)), st.integers(0, 2**32), st.sampled_from([(1, 1), (1, 20), (20, 1), (8, 8), (15, 15)]))
def test_ranges_agree_with_naive(board, seed, sizes):
    rng = np.random.default_rng(seed)
    hero, villain = (random_range(rng, size) for size in sizes)
    expected = naive.showdowns(hero, villain, board)
    if sum(expected) == 0:
        with pytest.raises(SoulreadError, match="no deal is possible"):
            equity(hero, villain, board)
    else:
        assert weights(equity(hero, villain, board)) == pytest.approx(expected, rel=1e-10, abs=1e-12)


@pytest.mark.compiled
@settings(max_examples=6, deadline=None)
@given(boards((3,)), st.integers(0, 2**32))
def test_flop_ranges_agree_with_naive(board, seed):
    rng = np.random.default_rng(seed)
    hero, villain = random_range(rng, 5), random_range(rng, 5)
    expected = naive.showdowns(hero, villain, board)
    if sum(expected) > 0:
        assert weights(equity(hero, villain, board)) == pytest.approx(expected)


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["3h 4c Jh", "3h 4h 9h", "2c2dAhAs", "2c7dTsJhKh"])
@pytest.mark.parametrize(
    ("hero", "villain"),
    [("77+, AJ", "A2s+, KTs+"), ("AhKs, 5c5d:0.3", "random"), ("22-55", "AsAh, KdQd"), ("random", "8h5h")],
)
def test_symmetries_change_nothing(board, hero, villain, monkeypatch):
    board = parse_cards(board)
    hero, villain = parse_range(hero), parse_range(villain)
    reduced = weights(equity(hero, villain, board))
    assert weights(equity(villain, hero, board)) == pytest.approx(reduced[::-1], rel=1e-12)
    every = equity_all(villain, board)
    monkeypatch.setattr(module, "_symmetries", lambda weights, board: np.zeros(1, dtype=np.intp))
    assert weights(equity(hero, villain, board)) == pytest.approx(reduced, rel=1e-12)
    assert equity_all(villain, board) == pytest.approx(every, rel=1e-12, nan_ok=True)


@pytest.mark.compiled
def test_symmetries_change_nothing_before_the_flop(monkeypatch):
    hero, villain = parse_range("AhKh, 7c7d:0.5"), parse_range("QsQd, 98s")
    reduced = weights(equity(hero, villain))
    monkeypatch.setattr(module, "_symmetries", lambda weights, board: np.zeros(1, dtype=np.intp))
    assert weights(equity(hero, villain)) == reduced


@settings(max_examples=10, deadline=None)
@given(boards((4, 5)), st.integers(0, 2**32), st.sampled_from([1, 25, 400]))
def test_all_hands_agree_with_one_by_one(board, seed, size):
    rng = np.random.default_rng(seed)
    villain = random_range(rng, size)
    if villain.without(board).num_hands == 0:
        with pytest.raises(SoulreadError, match="no deal is possible"):
            equity_all(villain, board)
        return
    values = equity_all(villain, board)
    for i in rng.choice(NUM_HANDS, 15, replace=False):
        hole = naive.ALL_HANDS[i]
        if set(hole) & set(board) or villain.without((*hole, *board)).num_hands == 0:
            assert np.isnan(values[i])
        else:
            assert values[i] == pytest.approx(equity(hole, villain, board).value, rel=1e-10, abs=1e-12)


def test_nearly_all_of_the_range_is_blocked():
    board = parse_cards("3h4cJh2s9d")
    hole = parse_cards("AcAd")
    values = equity_all(parse_range("random:1e-13, AcAd"), board)
    assert values[hand_index(*hole)] == pytest.approx(equity(hole, ANYTHING, board).value, rel=1e-12)


@pytest.mark.compiled
def test_river_boards_up_to_suits():
    found, counts = board_orbits((), 0, np.arange(24))
    assert len(found) == known.RIVER_BOARDS
    assert counts.sum() == math.comb(52, 5)


def test_orbits_agree_with_naive():
    board = parse_cards("3h 4c Jh")  # diamonds and spades may be exchanged
    group = module._symmetries(np.ones(NUM_HANDS), board)
    found, counts = board_orbits(board, 0, group)
    images = [p for p in permutations(range(4)) if p[0] == 0 and p[2] == 2]
    assert len(images) == len(group) == 2
    orbits: dict[frozenset[frozenset[int]], int] = {}
    for cards in combinations(sorted(set(range(52)) - set(board)), 2):
        orbit = frozenset(frozenset(card // 4 * 4 + p[card % 4] for card in cards) for p in images)
        orbits[orbit] = orbits.get(orbit, 0) + 1
    assert len(found) == len(orbits)
    for row, count in zip(found.tolist(), counts.tolist(), strict=True):
        assert row[:3] == list(board)
        assert sum(size for orbit, size in orbits.items() if frozenset(row[3:]) in orbit) == count


def test_a_complete_board_has_one_orbit():
    board = parse_cards("2c3d4h5s6c")
    found, counts = board_orbits(board, 0, np.zeros(1, dtype=np.intp))
    assert found.tolist() == [list(board)]
    assert counts.tolist() == [1]


@pytest.mark.compiled
def test_threads_do_not_change_a_bit(monkeypatch: pytest.MonkeyPatch):
    rng = np.random.default_rng(3)
    hero, villain = random_range(rng, 300), random_range(rng, 300)
    board = parse_cards("3h4cJh")
    results = []
    for count in (1, 2, 5):
        monkeypatch.setenv("NUMBA_NUM_THREADS", str(count))
        results.append((equity(hero, villain, board), equity_all(villain, board).tobytes()))
    assert results[0] == results[1] == results[2]


@pytest.mark.compiled
@pytest.mark.parametrize("board", ["", "3h 4c Jh", "2c7dTsJh", "2c7dTsJhKh"])
def test_samples_surround_the_exact_value(board):
    # five standard errors at a fixed seed: a correct sampler fails with a chance below 1e-6
    board = parse_cards(board)
    hero, villain = parse_range("AK, 77:0.5"), parse_range("A9s+, KQ:0.2, 66+")
    exact = equity(hero, villain, board)
    sampled = equity_sampled(hero, villain, board, 200_000, np.random.default_rng(11))
    assert sampled.samples == sampled.total == 200_000
    assert abs(sampled.value - exact.value) < 5 * sampled.standard_error
    assert abs(sampled.probabilities[1] - exact.probabilities[1]) < 0.01
    low, high = sampled.interval
    assert high - low == pytest.approx(2 * 1.96 * sampled.standard_error, rel=1e-3)


def test_sampling_repeats_with_the_seed_and_handles_blocked_hands():
    results = [
        equity_sampled(parse_range("AA, 22"), parse_cards("AhAs"), (), 500, np.random.default_rng(4))
        for _ in range(2)
    ]
    assert results[0] == results[1]
    assert results[0].value < 0.5
    few = equity_sampled(parse_cards("AhKh"), ANYTHING, (), 1, np.random.default_rng(4))
    assert math.isnan(few.standard_error)
    assert few.interval == (-math.inf, math.inf)


def test_an_exact_value_has_no_error():
    result = equity(parse_cards("AhAs"), parse_cards("KhKs"), parse_cards("2c3d4h5s"))
    assert result.samples == 0
    assert result.standard_error == 0
    assert result.interval == (result.value, result.value)
    assert sum(result.probabilities) == pytest.approx(1)


def test_standard_error_is_that_of_the_samples():
    result = Equity(5, 2, 3, 10)
    outcomes = np.array([1.0] * 5 + [0.5] * 2 + [0.0] * 3)
    assert result.standard_error == pytest.approx(outcomes.std(ddof=1) / math.sqrt(10))


def test_multiway_parts_add_up():
    rng = np.random.default_rng(8)
    players: list[Range | Sequence[int]] = [parse_cards("AhKh"), parse_range("QQ, JJ"), ANYTHING]
    parts = equity_multiway(players, parse_cards("2h7hTs"), 3000, rng)
    assert sum(part.mean for part in parts) == pytest.approx(1)
    assert all(part.n == 3000 for part in parts)
    chopped = equity_multiway(
        [parse_cards("2c3c"), parse_cards("2d3d"), parse_cards("2h3h")], parse_cards("AsKsQsJsTs"), 10, rng
    )
    assert [part.mean for part in chopped] == pytest.approx([1 / 3] * 3)


@pytest.mark.compiled
def test_two_players_multiway_is_equity():
    # five standard errors at a fixed seed: a correct sampler fails with a chance below 1e-6
    hero, villain = parse_range("22+:0.5, AKs"), parse_range("ATs+, QQ")
    board = parse_cards("3h4cJh")
    part, _ = equity_multiway([hero, villain], board, 100_000, np.random.default_rng(2))
    assert abs(part.mean - equity(hero, villain, board).value) < 5 * part.standard_error


def test_errors():
    rng = np.random.default_rng(0)
    with pytest.raises(ParseError, match="'Ah' comes twice"):
        equity(parse_cards("AhKh"), parse_cards("AhQh"))
    with pytest.raises(ParseError, match="'2c' comes twice"):
        equity(parse_cards("2cKh"), ANYTHING, parse_cards("2c3c4c"))
    with pytest.raises(ParseError, match="is not a hand; expected two cards"):
        equity(parse_cards("AhKhQh"), ANYTHING)
    with pytest.raises(ParseError, match="the board has 2 cards; expected 0, 3, 4 or 5 cards"):
        equity_all(ANYTHING, parse_cards("2c3c"))
    for compute in (equity, lambda hero, villain: equity_sampled(hero, villain, (), 10, rng)):
        with pytest.raises(SoulreadError, match="no deal is possible: any two hands of the ranges share"):
            compute(parse_range("AsAh"), parse_range("AsKs, AhKh"))
    with pytest.raises(SoulreadError, match="samples=0; expected at least 1"):
        equity_sampled(ANYTHING, ANYTHING, (), 0, rng)
    with pytest.raises(SoulreadError, match="expected at least two"):
        equity_multiway([ANYTHING], (), 10, rng)
    with pytest.raises(SoulreadError, match="no deal is possible"):
        equity_multiway([ANYTHING, parse_range("2c2d")], parse_cards("2c3c4c"), 10, rng)
    with pytest.raises(SoulreadError, match="the 3 ranges share cards in each of"):
        equity_multiway([parse_range("AA")] * 3, (), 10, rng)


@pytest.mark.parametrize(
    ("seen", "count"), [(range(12, 52), 5), (range(42), 5), ([0, 3, 51, *range(9, 40)], 4)]
)
def test_every_runout_comes_once_whatever_was_seen(seen, count) -> None:
    left = [card for card in range(52) if card not in seen]
    parts = np.concatenate([part[BITS] for part in parts_of_runouts(list(seen), count)])
    expected = [sum(1 << card for card in cards) for cards in combinations(left, count)]
    assert sorted(parts.tolist()) == sorted(expected)
