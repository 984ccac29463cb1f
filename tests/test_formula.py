"""Formula betting: odds by hand, rules, triples and styles."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from soulread.cards.scales.values import HandValue
from soulread.errors import SoulreadError
from soulread.games.named import parse_game
from soulread.games.poker import CALL, FOLD, RAISE
from soulread.model.loki.model import default_frequencies
from soulread.model.loki.triples import FLOOR
from soulread.play.search.formula import (
    MAKE1,
    MAKE2,
    MAKE3,
    RAISE_BARS,
    LimitDecision,
    PlayStyle,
    bars_now,
    beats,
    limit_decision,
    own_bars,
    parse_style,
    pot_odds,
    rule_choice,
    showdown_odds,
    triple_now,
    value_to_beat,
)

SIZES = 2, 2, 4, 4


def spot(round: int, to_call: int, pot: int, may_raise: bool = True, players: int = 2) -> LimitDecision:
    return LimitDecision(round, players, to_call, pot, SIZES, may_raise)


def hand(ehs: float, ppot: float = 0.0) -> HandValue:
    return HandValue(ehs, ppot, ehs)


def test_odds_by_hand() -> None:
    """A bet of 2 on the flop into 4: 2 of 8 now; with a bet of 4 on turn and river 10 of 24."""
    flop = spot(1, 2, 6)
    assert pot_odds(flop) == 2 / 8
    assert showdown_odds(flop) == 10 / 24
    assert bars_now(flop, PlayStyle())[0, 0] == pytest.approx((1 / 4 + 10 / 24) / 2)
    river = spot(3, 4, 12)
    assert pot_odds(river) == showdown_odds(river) == 4 / 16


@pytest.mark.parametrize(
    ("strength", "where", "expected"),
    [
        (hand(MAKE1), spot(1, 0, 4), RAISE),
        (hand(MAKE1 - 0.01), spot(1, 0, 4), CALL),
        (hand(0.1, 0.26), spot(1, 0, 4), RAISE),  # a semi-bluff: 2 of 8
        (hand(0.1, 0.24), spot(1, 0, 4), CALL),
        (hand(MAKE2), spot(1, 2, 6), RAISE),
        (hand(MAKE2), spot(1, 2, 6, may_raise=False), CALL),
        (hand(MAKE1), spot(1, 2, 6), CALL),
        (hand(0.1, 0.26), spot(1, 2, 6), CALL),  # pot odds of 2 in 8
        (hand(0.42), spot(1, 2, 6), CALL),  # showdown odds of 10 in 24
        (hand(0.41, 0.24), spot(1, 2, 6), FOLD),
        (hand(MAKE2), spot(1, 4, 8), CALL),
        (hand(MAKE3), spot(1, 4, 8), RAISE),
        (hand(0.39), spot(1, 4, 8), FOLD),  # 12 of 28 to the showdown
    ],
)
def test_the_rules_of_old_loki(strength: HandValue, where: LimitDecision, expected: int) -> None:
    assert rule_choice(strength, where, PlayStyle()) == expected


def test_potential_bets_and_calls_in_triples() -> None:
    """A draw of exactly the odds (2 of 8) is undecided; .05 above them it bets, or calls, nearly always."""
    for where, kind in ((spot(1, 0, 4), "raise_"), (spot(1, 2, 6), "call")):
        without, even, strong = (
            getattr(triple_now(hand(0.1, ppot), where, PlayStyle()), kind) for ppot in (0.1, 0.25, 0.3)
        )
        moved = 1 - without - FLOOR / 3 * (kind == "call")  # what checks or folds without the draw
        assert even == pytest.approx(without + (1 - FLOOR) * moved / 2)
        assert strong == pytest.approx(without + (1 - FLOOR) * moved)
    closed = triple_now(hand(0.1, 0.9), spot(1, 0, 4, may_raise=False), PlayStyle())
    assert closed == (0, 1, 0)


@pytest.mark.parametrize("players", [2, 10])
def test_before_the_flop_bars_are_shares_of_the_hands(players: int) -> None:
    where = spot(0, 2, 3, players=players)
    fold, raised = default_frequencies(players)[1]
    assert bars_now(where, PlayStyle())[:, 0] == pytest.approx([fold, min(1 - raised, 0.97)])
    assert rule_choice(hand(1.0), where, PlayStyle()) == RAISE
    assert rule_choice(hand(fold + 0.01), where, PlayStyle()) == CALL
    assert rule_choice(hand(fold - 0.01), where, PlayStyle()) == FOLD


def test_after_the_flop_the_bar_for_raising_grows_with_the_bets() -> None:
    bars = [bars_now(spot(1, 2 * bets, 40), PlayStyle())[1, 0] for bets in range(3)]
    assert bars == pytest.approx(RAISE_BARS)
    assert bars == sorted(set(bars))


def test_the_small_blind_pays_half() -> None:
    half, whole = (bars_now(spot(0, chips, 3, players=6), PlayStyle())[0, 0] for chips in (1, 2))
    assert half == pytest.approx(whole / 2)


@given(
    ehs=st.floats(0, 1),
    round=st.integers(0, 3),
    bets=st.integers(0, 3),
    pot=st.integers(3, 200),
    may_raise=st.booleans(),
)
def test_triples_are_chances_that_styles_shift(
    ehs: float, round: int, bets: int, pot: int, may_raise: bool
) -> None:
    where = spot(round, bets * SIZES[round], pot, may_raise, 6)
    usual, tight, wild = (
        triple_now(hand(ehs), where, parse_style(style)) for style in ("medium", "tight", "aggressive")
    )
    for found in (usual, tight, wild):
        assert sum(found) == pytest.approx(1)
        assert (found.fold > 0) == (bets > 0)
        assert (found.raise_ > 0) == may_raise
    assert tight.fold >= usual.fold - 1e-12
    assert wild.raise_ >= usual.raise_ - 1e-12


def test_styles_are_words() -> None:
    assert parse_style("medium") == PlayStyle()
    assert parse_style("tight-passive").stay > 0
    assert parse_style("tight-passive").raise_ > 0
    assert parse_style("loose").stay < 0
    assert parse_style("aggressive").raise_ < 0
    for wrong in ("", "mad", "tight-loose", "tight-tight", "passive-aggressive", "tight-"):
        with pytest.raises(SoulreadError, match="is not a style"):
            parse_style(wrong)


def test_our_bars_in_play_outs_answer_those_of_the_others() -> None:
    """By hand: a bet needs .8 of the other, so against it a hand needs .8 and the odds of what is left."""
    theirs = np.zeros((1, 12, 2, 2))
    theirs[0, :, 0, 0] = 0.4
    theirs[0, :, 1, 0] = 0.8
    where = spot(3, 0, 12)
    bars = own_bars(where, PlayStyle(), False, theirs)
    assert bars[9, 1, 0] == pytest.approx(0.7, abs=0.02)  # half of those who call with .4 and more
    assert bars[10, 0, 0] == pytest.approx(0.8 + 0.2 * 4 / 20, abs=0.02)  # 4 to call; a pot of 12, a bet of 4
    assert bars[10, 1, 0] == pytest.approx(0.9, abs=0.02)
    assert (own_bars(where, PlayStyle(), True, theirs)[:, :, 1] == 0).all()
    loose = own_bars(where, PlayStyle(), False, np.zeros((1, 12, 2, 2)))
    assert loose[10, 0, 0] == pytest.approx(4 / 20, abs=0.02)  # who bets anything tells nothing


def test_how_often_a_hand_wins_from_those_above_an_uncertain_bar() -> None:
    """With a ramp from 0 to 1 the one who acts has the density 2 v, so a hand of value v wins v^2."""
    even = beats(np.array([0.5, 0.5]))
    assert even[[0, 50, 100]] == pytest.approx([0, 0.25, 1], abs=0.01)
    assert value_to_beat(np.array([0.5, 0.5]), 0.49) == pytest.approx(0.7, abs=0.01)
    assert (np.diff(beats(np.array([0.9, 0.02]))) > 0).all()


def test_a_spot_needs_a_decision_in_a_limit_game() -> None:
    state = parse_game("nolimit").start().deal(range(4))
    with pytest.raises(SoulreadError, match="no limit decision"):
        limit_decision(state.view(state.player))
    state = parse_game("limit").start().deal(range(4))
    assert limit_decision(state.view(1)) == LimitDecision(0, 2, 1, 3, SIZES, True)
    with pytest.raises(SoulreadError, match="seat 0 has no limit decision"):
        limit_decision(state.view(0))
