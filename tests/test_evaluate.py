import itertools
import re
import subprocess
import sys
from typing import Any

import known_values as known
import naive_cards as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.cards.deck import card_name, parse_cards
from soulread.cards.evaluate import (
    KEY_BITS,
    NUM_VALUES,
    RANK_KEYS,
    Category,
    Tables,
    build_tables,
    category,
    describe,
    evaluate,
    evaluate_batch,
    tables,
    value5,
    value6,
    value7,
    value_of,
    values_of,
)
from soulread.errors import ParseError, ShapeError

hands = st.integers(5, 7).flatmap(
    lambda size: st.lists(st.integers(0, 51), min_size=size, max_size=size, unique=True)
)


def random_hands(size: int, count: int, seed: int) -> np.ndarray:
    order = np.random.default_rng(seed).random((count, 52)).argsort(axis=1)
    return order[:, :size].astype(np.uint8)


def value(text: str) -> int:
    return evaluate(parse_cards(text))


@pytest.mark.compiled
def test_five_card_frequencies():
    cards = np.array(list(itertools.combinations(range(52), 5)), dtype=np.uint8)
    values = evaluate_batch(cards)
    count = np.bincount(values, minlength=NUM_VALUES)
    categories = np.array([category(value) for value in range(NUM_VALUES)])
    assert tuple(np.bincount(categories, weights=count)) == known.FIVE_CARD_HANDS
    assert tuple(np.bincount(categories)) == known.VALUES_BY_CATEGORY
    assert np.count_nonzero(count) == known.FIVE_CARD_VALUES == NUM_VALUES
    assert count[NUM_VALUES - 1] == known.FIVE_CARD_ROYAL_FLUSHES


def test_key_sums_identify_the_ranks():
    multisets = [
        ranks
        for size in (5, 6, 7)
        for ranks in itertools.combinations_with_replacement(range(13), size)
        if max(map(ranks.count, ranks)) <= 4
    ]
    sums = {sum(RANK_KEYS[rank] for rank in ranks) % 2**KEY_BITS for ranks in multisets}
    assert len(multisets) == len(sums) == 6_175 + 18_395 + 49_205


def test_tables_fit_the_second_level_cache():
    assert tables().values.nbytes + tables().offsets.nbytes < 220 * 1024
    assert tables() is tables()


@given(hands, hands)
def test_order_agrees_with_best_of_all_fives(first, second):
    mine = evaluate(first) - evaluate(second)
    a, b = naive.strength(first), naive.strength(second)
    assert np.sign(mine) == (a > b) - (a < b)
    assert category(evaluate(first)) == a[0]


@pytest.mark.parametrize("size", [5, 6, 7])
def test_batch_agrees_with_best_of_all_fives(size):
    cards = random_hands(size, 400, seed=size)
    values = evaluate_batch(cards)
    assert_same_order(values, [naive.strength(hand) for hand in cards.tolist()])
    assert values.dtype == np.uint16
    assert [evaluate(hand) for hand in cards[:50].tolist()] == values[:50].tolist()


def test_flushes_of_every_suit_and_size():
    """Random hands rarely have six or seven cards of a suit."""
    rng = np.random.default_rng(7)
    for suit, size in itertools.product(range(4), (5, 6, 7)):
        ranks = [rng.permutation(13)[:size] for _ in range(30)]
        others = [card for card in range(52) if card % 4 != suit]
        cards = np.array(
            [[*(4 * chosen + suit), *rng.choice(others, 7 - size, replace=False)] for chosen in ranks]
        )
        assert_same_order(evaluate_batch(cards), [naive.strength(hand) for hand in cards.tolist()])


def assert_same_order(values, keys):
    """Each key has one value, and sorting by either gives the same order."""
    pairs = sorted(set(zip(keys, (int(value) for value in values), strict=True)))
    assert len(pairs) == len(set(keys))
    numbers = [value for _, value in pairs]
    assert numbers == sorted(set(numbers))


@pytest.mark.compiled
def test_agrees_with_eval7():
    eval7 = pytest.importorskip("eval7")
    deck = [eval7.Card(card_name(card)) for card in range(52)]
    cards = random_hands(7, 50_000, seed=1)
    theirs = [eval7.evaluate([deck[card] for card in hand]) for hand in cards.tolist()]
    assert_same_order(evaluate_batch(cards), theirs)


@pytest.mark.compiled
@pytest.mark.parametrize("size", [5, 6, 7])
def test_agrees_with_phevaluator(size):
    phevaluator = pytest.importorskip("phevaluator")
    cards = random_hands(size, 10_000, seed=10 + size)
    theirs = [phevaluator.evaluate_cards(*hand) for hand in cards.tolist()]  # the same 0..51, 1 is best
    assert (NUM_VALUES - np.array(theirs) == evaluate_batch(cards)).all()


def test_order_of_examples():
    ascending = [
        "7c 5d 4h 3s 2c",
        "Ac Kd Qh Js 8c",
        "Ac Kd Qh Js 9c",
        "2c 2d 3h 4s 5c",
        "Jc Jd Ah 9s 8c",
        "Jc Jd Ah Ts 8c 2c 3d",
        "3c 3d 2h 2s 4c",
        "Ac Ad Kh Ks Qc",
        "2c 2d 2h 3s 4c",
        "Ac Ad Ah Ks Qc",
        "Ac 2d 3h 4s 5c",
        "2c 3d 4h 5s 6c Ac Ad",
        "Tc Jd Qh Ks Ac",
        "7c 5c 4c 3c 2c",
        "Ac Kc Qc Jc 9c",
        "2c 2d 2h 3s 3c",
        "Kc Kd Kh Ts Tc",
        "Ac Ad Ah Ks Kc",
        "2c 2d 2h 2s 3c",
        "Ac Ad Ah As Kc",
        "Ac 2c 3c 4c 5c",
        "2c 3c 4c 5c 6c",
        "Tc Jc Qc Kc Ac",
    ]
    values = [value(hand) for hand in ascending]
    assert values == sorted(set(values))
    assert values[0] == 0
    assert values[-1] == NUM_VALUES - 1


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("As Ks Qs Js Ts 2c 2d", "Ah Kh Qh Jh Th"),
        ("3c 3d 2h 2s 4c 4d Ah", "3c 3d 4c 4d Ah Ks Qs"),  # the third pair does not count
        ("2c 2d 2h Ks Kc Kd Ah", "2c 2d Ks Kc Kd Qh Jc"),  # two sets of three make one full house
        ("2c 2d 2h 2s Kc Kd Ks", "2c 2d 2h 2s Kc Qd Js"),
        ("Ac 2d 3h 4s 5c Kd Qd", "Ah 2s 3s 4h 5d"),  # no straight wraps round the ace
        ("Ac 9c 7c 5c 3c Ad Ah", "As 9s 7s 5s 3s Kd Kh"),
    ],
)
def test_ties(first, second):
    assert value(first) == value(second)


@given(hands, st.randoms(use_true_random=False))
def test_order_and_suits_do_not_matter(hand, random):
    suits = random.sample(range(4), 4)
    moved = [card // 4 * 4 + suits[card % 4] for card in hand]
    random.shuffle(moved)
    assert evaluate(moved) == evaluate(hand)


@given(hands)
def test_incremental_sums(hand):
    table = tables()
    word = mask = 0
    for card in hand:
        word += int(table.words[card])
        mask += int(table.masks[card])
    assert value_of(table, word, mask) == evaluate(hand)


@pytest.mark.parametrize(
    ("hand", "text", "kind"),
    [
        ("7c 5d 4h 3s 2c", "seven high", Category.HIGH_CARD),
        ("Jc Jd Ah 9s 8c", "pair of jacks", Category.PAIR),
        ("6c 6d 2h 2s Ac", "two pair, sixes and deuces", Category.TWO_PAIR),
        ("6c 6d 6h 2s Ac", "three of a kind, sixes", Category.THREE_OF_A_KIND),
        ("Ac 2d 3h 4s 5c", "five-high straight", Category.STRAIGHT),
        ("Ac 9c 8c 7c 2c", "ace-high flush", Category.FLUSH),
        ("Kc Kd Kh Ts Tc", "full house, kings over tens", Category.FULL_HOUSE),
        ("Tc Td Th Ts 2c", "four of a kind, tens", Category.FOUR_OF_A_KIND),
        ("Ac 2c 3c 4c 5c", "five-high straight flush", Category.STRAIGHT_FLUSH),
        ("Ac Kc Qc Jc Tc", "royal flush", Category.STRAIGHT_FLUSH),
    ],
)
def test_words(hand, text, kind):
    assert describe(value(hand)) == text
    assert category(value(hand)) is kind


def test_errors_say_what_came():
    with pytest.raises(ShapeError, match="a hand of 4 cards was given; values exist for 5, 6 and 7 cards"):
        evaluate([0, 1, 2, 3])
    with pytest.raises(ParseError, match="'2c' comes twice"):
        evaluate([0, 1, 2, 3, 0])
    with pytest.raises(ParseError, match="52 is not a card"):
        evaluate([0, 1, 2, 3, 52])
    with pytest.raises(ParseError, match="-1 is not a card"):
        evaluate([0, 1, 2, 3, -1, 5])
    with pytest.raises(ShapeError, match=re.escape("cards have shape (3, 4) and type int64")):
        evaluate_batch(np.zeros((3, 4), dtype=np.int64))
    with pytest.raises(ShapeError, match="type float64; expected integers"):
        evaluate_batch(np.zeros((3, 7)))  # type: ignore[arg-type]
    with pytest.raises(ParseError, match="row 1: 255 is not a card; cards are numbered 0 to 51"):
        evaluate_batch(np.array([[0, 1, 2, 3, 4], [0, 1, 2, 3, 255]], dtype=np.uint8))
    with pytest.raises(ParseError, match="row 0: -1 is not a card"):
        evaluate_batch(np.array([[0, 1, 2, 3, -1]]))
    with pytest.raises(ParseError, match="7462 is not the value of a hand; values are 0 to 7461"):
        describe(7462)
    with pytest.raises(ParseError, match="-1 is not the value of a hand"):
        category(-1)


def test_batch_reads_any_integers_and_no_hands():
    cards = random_hands(7, 20, seed=3)
    expected = evaluate_batch(cards)
    assert (evaluate_batch(cards.astype(np.int32)) == expected).all()
    assert (evaluate_batch(np.asfortranarray(cards)) == expected).all()
    assert (evaluate_batch(cards[::2]) == expected[::2]).all()
    assert evaluate_batch(np.empty((0, 7), dtype=np.uint8)).shape == (0,)


def test_the_stored_tables_are_those_of_the_rules():
    rules = build_tables()
    for name in Tables._fields:
        stored, built = getattr(tables(), name), getattr(rules, name)
        assert stored.dtype == built.dtype
        assert np.array_equal(stored, built)
        assert not stored.flags.writeable


@pytest.mark.parametrize("size", [5, 6, 7])
def test_numpy_reads_the_same_values(size):
    cards = random_hands(size, 3000, 5).astype(np.int64)
    suited = cards.copy()
    suited[:, :5] = np.sort(np.random.default_rng(6).random((3000, 13)).argsort(axis=1)[:, :5]) * 4 + (
        np.arange(3000)[:, None] % 4
    )
    suited[:, 5:] = (suited[:, :1] + 1) // 4 * 4 + (suited[:, :1] + 1 + np.arange(size - 5)) % 4
    suited = suited[[len(set(row)) == size for row in suited.tolist()]]
    assert len(suited) > 1000
    for hands in (cards, suited):
        table = tables()
        found = values_of(table, table.words[hands].sum(axis=1), table.masks[hands].sum(axis=1))
        one: Any = {5: value5, 6: value6, 7: value7}[size]
        assert found.tolist() == [one(table, *row) for row in hands.tolist()]
    assert sum(category(int(value)) == Category.FLUSH for value in found) > 500


def test_small_questions_have_the_same_answers_with_and_without_numba():
    """A process that asks little imports no Numba, and says the same."""
    code = """
import sys
from soulread.cards.deck import parse_cards
from soulread.cards.equity import equity, equity_all
from soulread.cards.evaluate import evaluate
from soulread.cards.ranges import parse_range
from soulread.cards.strength import hand_strength, potential
if sys.argv[1:] == ["numba"]:
    import numba
board = parse_cards("3h4cJh")
hole = parse_cards("AdQc")
print(hand_strength(hole, board), potential(hole, board).table.tolist())
print(equity(parse_range("77+"), parse_range("A2s+,KTs+:0.5"), board))
print(equity(parse_range("AhKh"), parse_range("QsQd"), parse_cards("2c3c4d5h")))
shares = equity_all(parse_range("AhKh,QQ"), parse_cards("2c3c4d5h9h"))
print(["-" if share != share else round(share, 12) for share in shares.tolist()])
print(evaluate(parse_cards("AhKhQhJhTh")), evaluate(parse_cards("AhKhQhJhTc9c9d")))
if sys.argv[1:] != ["numba"]:
    assert "numba" not in sys.modules
"""
    printed = [
        subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
        ).stdout
        for words in ([], ["numba"])
    ]
    assert printed[0] == printed[1]
    assert printed[0].count("\n") == 5
