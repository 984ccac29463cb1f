import re
from itertools import combinations
from math import comb

import known_values as known
import naive_cards as naive
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.cards.deck import parse_cards
from soulread.cards.isomorphism import (
    WORK_SIZE,
    Indexer,
    canonical,
    canonical_boards,
    count_isomorphic,
    deal_index,
    orbit_size,
)
from soulread.errors import ParseError, ShapeError

HOLDEM = Indexer((2, 3, 1, 1))
INDEXERS = {rounds: Indexer(rounds) for rounds in [*known.ISOMORPHIC_DEALS, (1,) * 6, (4, 3), (2, 2, 5)]}

rounds_and_cards = st.sampled_from(sorted(INDEXERS)).flatmap(
    lambda rounds: st.tuples(
        st.just(rounds),
        st.lists(st.integers(0, 51), min_size=sum(rounds), max_size=sum(rounds), unique=True),
    )
)
suit_orders = st.permutations(range(4))


def split(cards, rounds):
    """Cut a flat deal into its rounds."""
    ends = np.cumsum(rounds)
    return [list(cards[end - count : end]) for count, end in zip(rounds, ends, strict=True)]


def random_deals(size: int, count: int, seed: int) -> np.ndarray:
    order = np.random.default_rng(seed).random((count, 52)).argsort(axis=1)
    return order[:, :size].astype(np.uint8)


@pytest.mark.parametrize(("rounds", "size"), known.ISOMORPHIC_DEALS.items(), ids=str)
def test_published_sizes(rounds, size):
    assert Indexer(rounds).size == size
    assert count_isomorphic(rounds) == size


@pytest.mark.parametrize(
    "rounds", [(1,), (1, 1, 1), (6,), (13,), (4, 3), (2, 2, 3, 1, 1), (2, 2, 5)], ids=str
)
def test_sizes_agree_with_burnside(rounds):
    assert Indexer(rounds).sizes == tuple(count_isomorphic(rounds[: i + 1]) for i in range(len(rounds)))


def test_holdem_sizes():
    assert HOLDEM.sizes == (169, 1_286_792, 55_190_538, 2_428_287_420)


@pytest.mark.parametrize("rounds", [(2,), (1, 1), (3,)], ids=str)
def test_every_small_deal(rounds):
    """Deals share a number exactly when they share a canonical form, and no number is left out."""
    deals = naive.deals(rounds, range(52))
    indexer = Indexer(rounds)
    numbers = indexer.index_batch(np.array([[card for group in deal for card in group] for deal in deals]))
    number_of: dict[object, int] = {}
    for deal, number in zip(deals, numbers.tolist(), strict=True):
        assert number_of.setdefault(naive.canonical(deal), number) == number
    assert sorted(number_of.values()) == list(range(indexer.size))


@pytest.mark.compiled
def test_every_pair_of_hole_hands():
    """Two permutations generate all 24; numbers they keep, as many as classes, number the classes."""
    holes = np.array(list(combinations(range(52), 2)), dtype=np.uint8)
    pairs = np.concatenate([np.repeat(holes, len(holes), axis=0), np.tile(holes, (len(holes), 1))], axis=1)
    pairs = pairs[~(pairs[:, :2, None] == pairs[:, None, 2:]).any(axis=(1, 2))]
    numbers = INDEXERS[2, 2].index_batch(pairs)
    assert len(pairs) == 1326 * 1225
    assert (np.unique(numbers) == np.arange(known.ISOMORPHIC_DEALS[2, 2])).all()
    for suits in ([1, 0, 2, 3], [1, 2, 3, 0]):
        moved = pairs // 4 * 4 + np.array(suits, dtype=np.uint8)[pairs % 4]
        assert (INDEXERS[2, 2].index_batch(moved) == numbers).all()


@pytest.mark.compiled
def test_every_flop():
    """All hole cards up to their suits, with all flops: every number of (2, 3) and none beyond."""
    holes = {canonical([hole])[0] for hole in combinations(range(52), 2)}
    flops = np.array(list(combinations(range(52), 3)), dtype=np.uint8)
    count = np.zeros(1_286_792, dtype=np.int64)
    for hole in holes:
        free = flops[~np.isin(flops, hole).any(axis=1)]
        cards = np.concatenate(
            [np.broadcast_to(np.array(hole, dtype=np.uint8), (len(free), 2)), free], axis=1
        )
        numbers = HOLDEM.index_batch(cards)
        count += orbit_size([hole]) * np.bincount(numbers, minlength=count.size)
    assert count.min() >= 1
    assert count.sum() == comb(52, 2) * comb(50, 3)
    rng = np.random.default_rng(4)
    for number in rng.integers(count.size, size=300).tolist():
        assert count[number] == orbit_size(split(HOLDEM.unindex(1, number), (2, 3)))


@given(rounds_and_cards, suit_orders, st.randoms(use_true_random=False))
def test_suits_and_order_within_a_round_do_not_matter(deal, suits, random):
    rounds, cards = deal
    moved = split([card // 4 * 4 + suits[card % 4] for card in cards], rounds)
    for group in moved:
        random.shuffle(group)
    indexer = INDEXERS[rounds]
    assert indexer.index([card for group in moved for card in group]) == indexer.index(cards)
    assert canonical(moved) == canonical(split(cards, rounds))
    assert orbit_size(moved) == orbit_size(split(cards, rounds))


@given(rounds_and_cards, st.data())
def test_other_deals_have_other_numbers(deal, data):
    """One card is exchanged, which random pairs of deals would hardly ever try."""
    rounds, cards = deal
    place = data.draw(st.integers(0, len(cards) - 1))
    card = data.draw(st.sampled_from([card for card in range(52) if card not in cards]))
    other = [*cards[:place], card, *cards[place + 1 :]]
    same = naive.canonical(split(cards, rounds)) == naive.canonical(split(other, rounds))
    assert (INDEXERS[rounds].index(cards) == INDEXERS[rounds].index(other)) == same


@given(rounds_and_cards)
def test_forms_and_orbits_agree_with_all_relabellings(deal):
    rounds, cards = deal
    groups = split(cards, rounds)
    assert canonical(groups) == naive.canonical(groups)
    assert orbit_size(groups) == naive.orbit_size(groups)


@given(rounds_and_cards)
def test_unindex_gives_the_canonical_deal(deal):
    rounds, cards = deal
    indexer = INDEXERS[rounds]
    for last in range(len(rounds)):
        prefix = cards[: sum(rounds[: last + 1])]
        number = indexer.index(prefix)
        assert 0 <= number < indexer.sizes[last]
        representative = indexer.unindex(last, number)
        assert tuple(map(tuple, split(representative, rounds[: last + 1]))) == canonical(
            split(prefix, rounds[: last + 1])
        )


@pytest.mark.parametrize("rounds", sorted(INDEXERS), ids=str)
def test_round_trip(rounds):
    indexer = INDEXERS[rounds]
    rng = np.random.default_rng(5)
    for last, size in enumerate(indexer.sizes):
        for number in {0, size - 1, *rng.integers(size, size=60).tolist()}:
            assert indexer.index(indexer.unindex(last, number)) == number


def test_batch_agrees_with_one_by_one():
    cards = random_deals(7, 100, seed=1)
    for size in (2, 5, 6, 7):
        numbers = HOLDEM.index_batch(cards[:, :size])
        assert numbers.dtype == np.int64
        assert numbers.tolist() == [HOLDEM.index(hand[:size]) for hand in cards.tolist()]
    assert HOLDEM.index_batch(np.empty((0, 5), dtype=np.uint8)).shape == (0,)


def test_kernel_ignores_further_cards():
    cards = random_deals(7, 1, seed=2)[0]
    work = np.empty(WORK_SIZE, dtype=np.int64)
    assert deal_index(HOLDEM.layout, 1, cards, work) == HOLDEM.index(cards[:5].tolist())


@pytest.mark.parametrize(
    "num_cards", [3, pytest.param(4, marks=pytest.mark.compiled), pytest.param(5, marks=pytest.mark.compiled)]
)
def test_boards(num_cards):
    boards, weights = canonical_boards(num_cards)
    assert boards.shape == (known.ISOMORPHIC_DEALS[num_cards,], num_cards)
    assert weights.sum() == comb(52, num_cards)
    listed = [tuple(board) for board in boards.tolist()]
    assert listed == sorted(set(listed))
    for i in range(0, len(boards), 1 + len(boards) // 500):
        assert canonical([listed[i]]) == (listed[i],)
        assert orbit_size([listed[i]]) == weights[i]


def test_examples():
    deal = [parse_cards("Ah Kh"), parse_cards("Qs 2h 7d")]
    assert canonical(deal) == (parse_cards("Kc Ac"), parse_cards("2c 7d Qh"))
    assert orbit_size(deal) == 24
    assert orbit_size([parse_cards("Ah Ad")]) == 6
    assert orbit_size([parse_cards("Ah Kh")]) == 4
    assert orbit_size([parse_cards("Ah Kd")]) == 12
    assert orbit_size([parse_cards("Ac Ad Ah As")]) == 1
    assert repr(HOLDEM) == "Indexer((2, 3, 1, 1))"


def test_errors_say_what_came():
    with pytest.raises(
        ShapeError, match=re.escape("a deal of 4 cards was given; Indexer((2, 3, 1, 1)) has 2, 5, 6 or 7")
    ):
        HOLDEM.index([0, 1, 2, 3])
    with pytest.raises(ParseError, match="'2c' comes twice"):
        HOLDEM.index([0, 0])
    with pytest.raises(ParseError, match="52 is not a card"):
        HOLDEM.index([0, 52])
    with pytest.raises(ParseError, match=re.escape("row 1: a card comes twice in [3, 4, 5, 6, 3]")):
        HOLDEM.index_batch(np.array([[0, 1, 2, 3, 4], [3, 4, 5, 6, 3]]))
    with pytest.raises(ParseError, match="row 0: -1 is not a card"):
        HOLDEM.index_batch(np.array([[0, -1]]))
    with pytest.raises(
        ShapeError, match=re.escape("shape (2,) and type int64; expected integers of shape [n, k]")
    ):
        HOLDEM.index_batch(np.array([0, 1]))
    with pytest.raises(ShapeError, match="round 4 was asked for"):
        HOLDEM.unindex(4, 0)
    with pytest.raises(
        ShapeError, match=re.escape("index 169 was asked for; round 0 of Indexer((2, 3, 1, 1)) has 169")
    ):
        HOLDEM.unindex(0, 169)
    with pytest.raises(ShapeError, match=re.escape("rounds (2, 0) cannot be dealt")):
        Indexer((2, 0))
    with pytest.raises(ShapeError, match=re.escape("rounds () cannot be dealt")):
        count_isomorphic(())
    with pytest.raises(ShapeError, match=re.escape("rounds (5, 5, 5) are too many to index")):
        Indexer((5, 5, 5))
    with pytest.raises(ShapeError, match="boards of 6 cards were asked for; they have 1 to 5 cards"):
        canonical_boards(6)
    with pytest.raises(ParseError, match="'2d' comes twice"):
        canonical([[1, 2], [1]])
