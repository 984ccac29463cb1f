import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards.deck import RANKS, SUITS, parse_cards
from soulread.cards.preflop import preflop_table
from soulread.cards.ranges import (
    CELL_SIZES,
    HAND_CARDS,
    HAND_CELLS,
    NUM_HANDS,
    Range,
    cards_mask,
    class_name,
    format_range,
    hand_index,
    hand_name,
    parse_range,
)
from soulread.errors import ParseError, ShapeError, SoulreadError


def names(hands: Range) -> set[str]:
    return {class_name(int(cell)) for cell in HAND_CELLS[np.flatnonzero(hands.weights)]}


def test_hands_are_numbered_by_the_higher_card():
    pairs = [(a, b) for b in range(52) for a in range(b)]
    assert [hand_index(a, b) for a, b in pairs] == list(range(NUM_HANDS))
    assert [hand_index(b, a) for a, b in pairs] == list(range(NUM_HANDS))
    assert HAND_CARDS.tolist() == [list(pair) for pair in pairs]
    assert hand_name(1325) == "AsAh"


@pytest.mark.parametrize("hand", [(3, 3), (-1, 4), (5, 52)])
def test_what_is_not_a_hand(hand):
    with pytest.raises(ParseError, match="is not a hand; expected two different cards from 0 to 51"):
        hand_index(*hand)


def test_classes_of_the_grid():
    sizes = np.bincount(HAND_CELLS).reshape(13, 13)
    assert np.array_equal(sizes, np.where(np.eye(13, dtype=bool), 6, np.where(np.tri(13, dtype=bool), 12, 4)))
    assert [class_name(cell) for cell in (0, 1, 13, 168, 14)] == ["AA", "AKs", "AKo", "22", "KK"]


@pytest.mark.parametrize(
    ("text", "classes", "num_hands"),
    [
        ("AKs", "AKs", 4),
        ("AKo", "AKo", 12),
        ("AK", "AKs AKo", 16),
        ("kas", "AKs", 4),
        ("77", "77", 6),
        ("QQ+", "QQ KK AA", 18),
        ("ATs+", "ATs AJs AQs AKs", 16),
        ("QTo+", "QTo QJo", 24),
        ("AK+", "AKs AKo", 16),
        ("QQ-99", "QQ JJ TT 99", 24),
        ("99-QQ", "QQ JJ TT 99", 24),
        ("T9s-54s", "T9s 98s 87s 76s 65s 54s", 24),
        ("54s-T9s", "T9s 98s 87s 76s 65s 54s", 24),
        ("J9o-86o", "J9o T8o 97o 86o", 48),
        ("A5s-A2s", "A5s A4s A3s A2s", 16),
        ("KTo-K8o", "KTo K9o K8o", 36),
        ("A3-A2", "A3s A3o A2s A2o", 32),
        ("AhKh", "AKs", 1),
        ("KhAs", "AKo", 1),
        ("22 , 33\n44", "22 33 44", 18),
        ("QQ - 99", "QQ JJ TT 99", 24),
    ],
)
def test_notation(text, classes, num_hands):
    hands = parse_range(text)
    assert names(hands) == set(classes.split())
    assert hands.num_hands == num_hands == hands.total


@pytest.mark.parametrize(
    "text", ["random", "any", "*", "Random", "22+ A2+ K2+ Q2+ J2+ T2+ 92+ 82+ 72+ 62+ 52+ 42+ 32"]
)
def test_every_hand(text):
    assert parse_range(text) == Range.all()
    assert format_range(parse_range(text)) == "random"


def test_weights_and_overriding():
    hands = parse_range("AA:0.5, AsAh, KK:1e-3, KsKh : 0")
    assert hands.weight(parse_cards("AhAs")) == 1
    assert hands.weight(parse_cards("AcAs")) == 0.5
    assert hands.weight(parse_cards("KcKs")) == 1e-3
    assert parse_cards("KhKs") not in hands
    assert parse_cards("KcKs") in hands
    assert hands.num_hands == 11
    assert hands.total == pytest.approx(3.505)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AKx", "'AKx' is not a range item; write for example 'AKs', '77+', 'T9s-54s', 'AhKh:0.25'"),
        ("AA, 1Ks", "'1Ks' is not a range item; write for example"),
        ("A", "'A' is not a range item"),
        ("-", "'-' is not a range item"),
        ("AA-", "'AA-' is not a range item"),
        ("77s", "'77s' is not a range item: a pair is neither suited nor offsuit; expected '77'"),
        ("77o+", "a pair is neither suited nor offsuit; expected '77+'"),
        ("T9s-53s", "'T9s-53s' is not a run: the ends must be pairs ('QQ-99'), share the high card"),
        ("QQ-AK", "'QQ-AK' is not a run"),
        ("AKs-AQo", "'AKs-AQo' is not a run: both ends must be suited, both offsuit, or neither marked"),
        ("77+-99", "'77+-99' is not a range item: use either '+' or a run with '-'"),
        ("AhAh", "'AhAh' holds the same card twice"),
        ("AA:-0.5", "'-0.5' is not a weight in 'AA:-0.5'; expected a number >= 0"),
        ("AA:nan", "'nan' is not a weight"),
        ("AA:inf", "'inf' is not a weight"),
        ("AA:", "'' is not a weight in 'AA:'"),
        ("", "'' is an empty range; write for example"),
        (" , ", "' , ' is an empty range"),
    ],
)
def test_errors_quote_the_item(text, message):
    with pytest.raises(ParseError) as raised:
        parse_range(text)
    assert message in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "77+, ATs+, T9s-54s, AhKh:0.25",
        "22+, A2s+, ATo+, KTs+, KQo, QTs+, JTs",
        "77+, ATs+, AJo+, KQ",
        "A2+, T9-54",
        "random:0.5",
        "random, AA:0",
        "random:0",
        "QQ-99, A5s-A2s, AK:0.5",
        "KK, KsKh:0",
        "KsKd, KhKc:0.1",
    ],
)
def test_format_is_what_one_would_type(text):
    assert format_range(parse_range(text)) == text
    assert str(parse_range(text)) == text
    assert repr(parse_range(text)) == f"parse_range({text!r})"


weights_of_hands = st.sampled_from([0.0, 0.25, 0.1, 1.0, 3.0, 1e-17]) | st.floats(0, 1e6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(weights_of_hands, min_size=169, max_size=169),
    st.dictionaries(st.integers(0, NUM_HANDS - 1), weights_of_hands, max_size=20),
)
def test_format_and_parse_are_opposites(classes, exceptions):
    weights = np.array(classes)[HAND_CELLS]
    weights[list(exceptions)] = list(exceptions.values())
    hands = Range(weights)
    assert parse_range(format_range(hands)) == hands


@settings(max_examples=50, deadline=None)
@given(st.sets(st.integers(0, 168)))
def test_runs_cover_exactly_the_classes(cells):
    hands = Range(np.isin(HAND_CELLS, list(cells)).astype(float))
    text = format_range(hands)
    assert parse_range(text) == hands
    assert len(text.split(", ")) <= max(1, len(cells))


def test_dead_cards():
    dead = parse_cards("As 7c")
    hands = Range.all().without(dead)
    assert hands.num_hands == 50 * 49 // 2
    assert all(
        (hand in hands) == (not set(hand) & set(dead)) for hand in itertools.combinations(range(52), 2)
    )
    assert cards_mask(dead) == 1 << 51 | 1 << 20


def test_grid_has_means_with_aces_first():
    grid = parse_range("AA, AKs:0.5, AsKh, 32o").grid()
    assert grid.shape == (13, 13)
    assert grid[0, 0] == 1
    assert grid[0, 1] == 0.5
    assert grid[1, 0] == pytest.approx(1 / 12)
    assert grid[12, 11] == 1
    assert np.count_nonzero(grid) == 4


def test_a_range_is_read_only_equal_and_hashable():
    weights = np.ones(NUM_HANDS)
    hands = Range(weights)
    weights[0] = 0
    assert hands == Range.all()
    assert hash(hands) == hash(Range.all())
    assert hands != parse_range("AA")
    assert hands != "random"
    assert hash(Range(np.zeros(NUM_HANDS))) == hash(Range(-np.zeros(NUM_HANDS)))
    with pytest.raises(ValueError, match="read-only"):
        hands.weights[0] = 2.0


def test_weights_are_checked():
    with pytest.raises(ShapeError, match=r"shape \(169,\), expected one for each of 1326 hands"):
        Range(np.ones(169))
    for bad in (-1.0, np.nan, np.inf):
        weights = np.ones(NUM_HANDS)
        weights[hand_index(*parse_cards("AsAh"))] = bad
        with pytest.raises(SoulreadError, match=r"the weight of AsAh is .*; weights must be finite"):
            Range(weights)


def test_one_hand():
    hand = parse_cards("7h7d")
    assert Range.of(hand) == parse_range("7d7h")
    with pytest.raises(ParseError, match="is not a hand; expected two cards"):
        Range.of((1, 2, 3))
    with pytest.raises(ParseError, match="is not a hand; expected two cards"):
        Range.all().weight((1,))
    with pytest.raises(ParseError, match="60 is not a card"):
        Range.all().without((60,))


def test_every_class_by_its_own_name():
    for cell in range(169):
        hands = parse_range(class_name(cell))
        assert names(hands) == {class_name(cell)}
        assert format_range(hands) == class_name(cell)
    for a, b in itertools.combinations([rank + suit for rank in RANKS for suit in SUITS], 2):
        assert parse_range(a + b).num_hands == 1


def test_the_best_hands_are_those_that_win_most_against_any_hand():
    table = preflop_table()
    share = table.half_wins.sum(axis=1) / CELL_SIZES
    order = np.argsort(-share)
    held = np.cumsum(CELL_SIZES[order])
    for percent in (0.1, 1, 5, 15, 33.3, 50, 99.9, 100):
        best = parse_range(f"{percent}%").weights
        cells = sorted(set(HAND_CELLS[best > 0].tolist()))
        assert cells == sorted(order[: len(cells)].tolist())
        assert best.sum() == held[np.argmin(abs(held / 1326 - percent / 100))]
    assert parse_range("15%:0.5, AA").weight(parse_cards("AhAs")) == 1
    assert parse_range("15%:0.5, AA").weight(parse_cards("KhKs")) == 0.5


@pytest.mark.parametrize("text", ["0%", "100.5%"])
def test_a_part_of_all_hands_has_bounds(text):
    with pytest.raises(ParseError, match="above 0%"):
        parse_range(text)
