from itertools import permutations
from math import comb

import known_values as known
import naive_cards as naive
import pytest

from soulread.cards.isomorphism import CARD_MAPS, HAND_MAPS, SUIT_RENAMINGS, all_boards
from soulread.cards.ranges import HAND_CARDS, hand_index


def test_renamings_move_cards_and_hands():
    assert list(map(tuple, SUIT_RENAMINGS.tolist())) == list(permutations(range(4)))
    for suits, cards, hands in zip(
        SUIT_RENAMINGS.tolist(), CARD_MAPS.tolist(), HAND_MAPS.tolist(), strict=True
    ):
        assert cards == [card // 4 * 4 + suits[card % 4] for card in range(52)]
        assert hands == [hand_index(cards[a], cards[b]) for a, b in HAND_CARDS.tolist()]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "num_cards"), [("flop", 3), ("turn", 4), ("river", 5)])
def test_one_board_of_each_class_and_the_size_of_the_class(name, num_cards):
    found = all_boards()
    boards, weights = getattr(found, f"{name}s"), getattr(found, f"{name}_weights")
    assert boards.shape == (known.ISOMORPHIC_BOARDS[num_cards], num_cards)
    assert weights.sum() == comb(52, num_cards)
    listed = [tuple(board) for board in boards.tolist()]
    assert listed == sorted(set(listed))
    for i in range(0, len(boards), 1 + len(boards) // 500):
        assert naive.canonical([listed[i]]) == (listed[i],)
        assert naive.orbit_size([listed[i]]) == weights[i]
