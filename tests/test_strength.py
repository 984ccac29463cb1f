from itertools import combinations

import known_values as known
import naive_strength as naive
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from soulread.cards import strength
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, NUM_HANDS, Range, hand_index, parse_range
from soulread.cards.strength import (
    DEAD,
    Potential,
    hand_strength,
    hand_strength_all,
    potential,
    potential_all,
)
from soulread.errors import ParseError, SoulreadError

FLOP = parse_cards(known.FLOP)


@st.composite
def deals(draw, boards=(3, 4, 5)):
    """Two hole cards, a board, and a generator."""
    cards = draw(st.permutations(range(52)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    return tuple(cards[:2]), tuple(cards[2 : 2 + draw(st.sampled_from(boards))]), rng


def random_range(rng: np.random.Generator, num_hands: int) -> Range:
    weights = np.zeros(NUM_HANDS)
    weights[rng.choice(NUM_HANDS, num_hands, replace=False)] = rng.random(num_hands)
    return Range(weights)


def test_standing_on_the_flop():
    for hole in known.TRANSITIONS:
        hs = hand_strength(parse_cards(hole), FLOP)
        assert (hs.ahead, hs.tied, hs.behind) == known.STANDING
        assert round(hs.value, 3) == known.HS
        assert round(hs.against(3), 3) == known.HS_3


def test_potential_of_the_published_table():
    table = Potential(np.array(known.TRANSITIONS["AdQc"], dtype=float), 2)
    assert round(table.hs, 3) == known.HS
    assert round(table.ppot, 3) == known.PPOT
    assert round(table.npot, 3) == known.NPOT
    assert table.ehs() == pytest.approx(table.hs + (1 - table.hs) * table.ppot)
    assert table.ehs(3) == pytest.approx(table.hs**3 + (1 - table.hs**3) * table.ppot)


@pytest.mark.compiled
@pytest.mark.parametrize("hole", known.TRANSITIONS)
def test_two_card_look_ahead(hole):
    result = potential(parse_cards(hole), FLOP)
    assert result.lookahead == 2
    assert result.table.tolist() == known.TRANSITIONS[hole]
    everything = potential_all(FLOP)
    assert everything.tables[hand_index(*parse_cards(hole))].tolist() == known.TRANSITIONS[hole]


@settings(max_examples=30, deadline=None)
@given(deals(), st.sampled_from([1, 30, 800]))
def test_hand_strength_agrees_with_naive(deal, num_hands):
    hole, board, rng = deal
    villain = random_range(rng, num_hands)
    expected = naive.standing(hole, board, villain)
    if sum(expected) == 0:
        with pytest.raises(SoulreadError, match="no hand of villain's range is possible beside"):
            hand_strength(hole, board, villain)
    else:
        hs = hand_strength(hole, board, villain)
        assert [hs.ahead, hs.tied, hs.behind] == pytest.approx(expected)


@settings(max_examples=15, deadline=None)
@given(deals(boards=(4,)))
def test_turn_potential_agrees_with_naive(deal):
    hole, board, rng = deal
    villain = random_range(rng, 40)
    result = potential(hole, board, villain)
    assert result.lookahead == 1
    assert result.table == pytest.approx(np.array(naive.transitions(hole, board, villain, 1)))


@pytest.mark.compiled
@settings(max_examples=10, deadline=None)
@given(deals(boards=(3,)), st.sampled_from([1, 2]))
def test_flop_potential_agrees_with_naive(deal, lookahead):
    hole, board, rng = deal
    villain = random_range(rng, 15)
    expected = np.array(naive.transitions(hole, board, villain, lookahead))
    if expected.any():
        assert potential(hole, board, villain, lookahead).table == pytest.approx(expected)


@settings(max_examples=15, deadline=None)
@given(deals(), st.sampled_from([1, 2, 30, 1326]))
def test_all_strengths_agree_with_one_by_one(deal, num_hands):
    _, board, rng = deal
    villain = random_range(rng, num_hands)
    if villain.without(board).num_hands == 0:
        with pytest.raises(SoulreadError, match="no hand of villain's range is possible on this board"):
            hand_strength_all(board, villain)
        return
    strengths = hand_strength_all(board, villain)
    for i in rng.choice(NUM_HANDS, 40, replace=False):
        hole = naive.ALL_HANDS[i]
        if set(hole) & set(board) or villain.without((*hole, *board)).num_hands == 0:
            assert np.isnan(strengths[i])
        else:
            assert strengths[i] == pytest.approx(
                hand_strength(hole, board, villain).value, rel=1e-11, abs=1e-13
            )


def test_all_strengths_without_a_range_are_exact():
    strengths = hand_strength_all(FLOP)
    assert np.isnan(strengths).sum() == 1326 - 49 * 48 // 2
    for hole in ("AdQc", "AhQc", "2c2d", "JsJc", "5h2h"):
        assert strengths[hand_index(*parse_cards(hole))] == hand_strength(parse_cards(hole), FLOP).value


def test_nearly_all_of_the_range_is_blocked():
    """Aces weigh 1 and the rest next to nothing; a hero with two aces sees only the rest."""
    villain = parse_range("random:1e-13, AcAd")
    strengths = hand_strength_all(FLOP, villain)
    hole = parse_cards("AcAd")
    assert strengths[hand_index(*hole)] == pytest.approx(hand_strength(hole, FLOP, villain).value, rel=1e-12)
    assert strengths[hand_index(*hole)] == pytest.approx(hand_strength(hole, FLOP).value, rel=1e-12)


@pytest.mark.compiled
@settings(max_examples=8, deadline=None)
@given(deals(boards=(3, 4)), st.sampled_from([2, 40, 1326]))
def test_all_potentials_agree_with_one_by_one(deal, num_hands):
    _, board, rng = deal
    villain = random_range(rng, num_hands)
    if villain.without(board).num_hands == 0:
        return
    lookahead = int(rng.integers(1, 6 - len(board)))
    results = potential_all(board, villain, lookahead)
    for i in rng.choice(NUM_HANDS, 12, replace=False):
        hole = naive.ALL_HANDS[i]
        if set(hole) & set(board) or villain.without((*hole, *board)).num_hands == 0:
            assert np.isnan(results.tables[i]).all()
            assert np.isnan([results.hs[i], results.ppot[i], results.npot[i], results.ehs()[i]]).all()
        else:
            one = potential(hole, board, villain, lookahead)
            assert results.tables[i] == pytest.approx(one.table, rel=1e-12)
            assert results.hs[i] == pytest.approx(one.hs)
            assert results.ppot[i] == pytest.approx(one.ppot)
            assert results.npot[i] == pytest.approx(one.npot)
            assert results.ehs(2)[i] == pytest.approx(one.ehs(2))


@pytest.mark.compiled
def test_kept_counts_serve_every_range_and_order_of_the_board():
    villain = parse_range("22+, A2s+:0.5")
    strength._outcomes.cache_clear()
    fresh = potential_all(FLOP, villain).tables
    potential_all(FLOP)
    again = potential_all(FLOP[::-1], villain).tables
    assert np.array_equal(fresh, again, equal_nan=True)
    assert strength._outcomes.cache_info().misses == 1
    assert np.allclose(potential_all(FLOP, villain).hs, hand_strength_all(FLOP, villain), equal_nan=True)


@pytest.mark.compiled
def test_the_nuts_have_no_potential():
    royal = potential(parse_cards("AhKh"), parse_cards("QhJhTh"))
    assert (royal.hs, royal.ppot, royal.npot, royal.ehs(5)) == (1, 0, 0, 1)
    assert royal.table[0, 0] == 1081 * 990


def test_a_hand_that_is_never_ahead():
    beaten = potential(parse_cards("2c3d"), parse_cards("AhKhQhJh"), parse_range("Th9h"))
    assert (beaten.hs, beaten.ppot, beaten.npot, beaten.ehs()) == (0, 0, 0, 0)


def test_counting_wins_agrees_with_naive():
    final = np.random.default_rng(5).integers(0, 4, (6, 9)).astype(np.int16)
    final[0, 3] = final[2, 5] = DEAD
    wins = np.zeros((9, 9), dtype=np.uint16)
    strength._count_wins(final, wins)
    for h, v in combinations(range(9), 2):
        alive = [row for row in final if row[h] != DEAD and row[v] != DEAD]
        assert wins[h, v] == sum(row[h] > row[v] for row in alive)
        assert wins[v, h] == sum(row[v] > row[h] for row in alive)


@pytest.mark.parametrize("num_values", [1, 5, 7462])
def test_running_sums_agree_with_pairs(num_values):
    rng = np.random.default_rng(num_values)
    values = rng.integers(7462 - num_values, 7462, NUM_HANDS).astype(np.int16)
    values[rng.random(NUM_HANDS) < 0.1] = DEAD
    weights = rng.integers(0, 4, NUM_HANDS).astype(float)
    below, upto = np.zeros(NUM_HANDS), np.zeros(NUM_HANDS)
    scratch = strength.scratch_for(NUM_HANDS)
    strength.rank_weights(values, HAND_CARDS, weights, scratch, below, upto)
    alive = values != DEAD
    apart = ((HAND_MASKS[:, None] & HAND_MASKS) == 0) & alive
    expected_below = (apart & (values < values[:, None])) @ weights
    expected_upto = (apart & (values <= values[:, None])) @ weights
    assert np.array_equal(below[alive], expected_below[alive])
    assert np.array_equal(upto[alive], expected_upto[alive])

    some = np.flatnonzero(alive)[::37]
    below[:], upto[:] = -1, -1
    strength.compare_weights(values, HAND_MASKS, weights, some, below, upto)
    assert np.array_equal(below[some], expected_below[some])
    assert np.array_equal(upto[some], expected_upto[some])
    assert (np.delete(below, some) == -1).all()


def test_errors():
    hole = parse_cards("AdQc")
    with pytest.raises(ParseError, match="'Jh' comes twice"):
        hand_strength(parse_cards("AdJh"), FLOP)
    with pytest.raises(ParseError, match="1 hole cards were given; expected two"):
        hand_strength(hole[:1], FLOP)
    for board in (FLOP[:2], parse_cards("2c3c4c5c6c7c")):
        with pytest.raises(ParseError, match=f"the board has {len(board)} cards; expected a flop"):
            hand_strength_all(board)
    with pytest.raises(ParseError, match="'3h' comes twice"):
        potential_all((*FLOP, FLOP[0]))
    with pytest.raises(SoulreadError, match="there is no card to look ahead to, use hand_strength"):
        potential(hole, parse_cards("3h4cJh2s2d"))
    with pytest.raises(SoulreadError, match="lookahead=3 on a board of 3 cards; expected 1 to 2"):
        potential(hole, FLOP, lookahead=3)
    with pytest.raises(SoulreadError, match="lookahead=0 on a board of 4 cards; expected 1 to 1"):
        potential_all(parse_cards("3h4cJh2s"), lookahead=0)
    with pytest.raises(SoulreadError, match="no hand of villain's range is possible on this board"):
        potential_all(FLOP, parse_range("JhJc"))
