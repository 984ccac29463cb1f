"""Text of Full Tilt Poker, and of Everest and Unibet, who write like it."""

from datetime import UTC, datetime

import pytest
from room_texts import EVEREST, FULL_TILT, UNIBET, only, reasons, with_changes

from soulread.cards.deck import cards_name
from soulread.hands.formats.texts.fulltilt import FullTilt
from soulread.hands.hand import ForcedBet, Post, Sight

TOURNAMENT = """\
Full Tilt Poker Game #700500002: $2 + $0.20 KO (2294), Table 11 - 1K/2K Ante 250 - No Limit Hold'em - \
16:06:40 ET - 2011/01/05
Seat 1: Abe (28,500)
Seat 4: Bea (16,000)
Seat 6: Cal (1,200)
Abe antes 250
Bea antes 250
Cal antes 250
Bea posts the small blind of 1,000
Cal posts the big blind of 950
The button is in seat #1
*** HOLE CARDS ***
Dealt to Abe [Tc Kh]
Abe folds
Bea shows [2c 2d]
Cal shows [6s 6c]
Uncalled bet of 50 returned to Bea
*** FLOP *** [Ac Th Kd] (Total Pot: 2,650, 2 Players)
*** TURN *** [Ac Th Kd] [Kc]
*** RIVER *** [Ac Th Kd Kc] [3c]
Cal wins the pot (2,650) with two pair
*** SUMMARY ***
Total pot 2,650 | Rake 0
Seat 1: Abe (button) didn't bet (folded)
Seat 4: Bea (small blind) showed [2c 2d] and lost with two pair
Seat 6: Cal (big blind) showed [6s 6c] and won (2,650) with two pair
"""

TWICE = """\
Full Tilt Poker Game #700500003: Table Elm - NL Hold'em - $1/$2 - 10:00:00 ET - 2012/06/01
Seat 1: Abe ($50)
Seat 2: Bea ($50)
Seat 3: Cal ($80)
Bea posts the small blind of $1
Cal posts the big blind of $2
Abe posts a dead small blind of $1
Abe posts $2
The button is in seat #1
*** HOLE CARDS ***
Abe raises to $49, and is all in
Bea calls $48
Cal folds
Players agree to Run It Twice
Abe shows [Ah Ad]
Bea shows [Kh Kd]
*** FLOP *** [2c 7d Jh]
*** TURN 1 *** [2c 7d Jh] [9h]
*** RIVER 1 *** [2c 7d Jh 9h] [3s]
*** TURN 2 *** [2c 7d Jh] [Kc]
*** RIVER 2 *** [2c 7d Jh Kc] [5d]
*** SHOW DOWN 1 ***
*** SHOW DOWN 2 ***
Abe wins pot 1 ($50) with a pair of Aces
Bea wins pot 2 ($50) with three of a kind, Kings
*** SUMMARY ***
Total pot $101 | Rake $1
"""


def test_a_cash_hand():
    hand = only(FULL_TILT)
    assert (hand.id, hand.room, hand.table) == ("700500001", "Full Tilt Poker", "Birch (6 max)")
    assert hand.time == datetime(2012, 3, 24, 22, 30, tzinfo=UTC)  # by Eastern time
    assert hand.players == ("Cal", "Dot", "Abe")
    assert hand.payoffs == (3200, -3100, -300)
    assert hand.rake == 200
    assert hand.sights == (Sight.SHOWN, Sight.SHOWN, Sight.UNSEEN)
    assert hand.observer == 1


@pytest.mark.parametrize(
    ("when", "time"),
    [
        ("15:13 ET - Wed, July 21, 2010", datetime(2010, 7, 21, 19, 13, tzinfo=UTC)),
        (
            "18:38:07 UTC - 2013/05/24 [14:38:07 ET - 2013/05/24]",
            datetime(2013, 5, 24, 18, 38, 7, tzinfo=UTC),
        ),
        ("09:20:06 EET - 2012/11/23", datetime(2012, 11, 23, 7, 20, 6, tzinfo=UTC)),
    ],
)
def test_times(when: str, time: datetime):
    first, _, rest = FULL_TILT.partition("\n")
    head = first.rpartition("Hold'em - ")[0] + "Hold'em - "
    assert only(f"{head}{when}\n{rest}").time == time


def test_a_tournament_with_thousands_and_short_blinds():
    hand = only(TOURNAMENT)
    assert hand.stakes.big_blind == 2000
    assert hand.stacks == (16000, 1200, 28500)
    assert hand.payoffs == (-1200, 1450, -250)
    assert hand.stakes.currency == ""


def test_a_hand_that_is_run_twice():
    hand = only(TWICE)
    assert [cards_name(board) for board in hand.boards] == ["2c7dJh9h3s", "2c7dJhKc5d"]
    assert hand.posts[2:] == (Post(2, ForcedBet.DEAD_BLIND, 100), Post(2, ForcedBet.BIG_BLIND, 200))
    assert hand.payoffs == (100, -200, 0)
    assert hand.rake == 100


def test_a_blind_that_folds_in_the_summary_only():
    text = """\
Full Tilt Poker Game #700500004: Table Elm - NL Hold'em - $1/$2 - 10:00:00 ET - 2012/06/01
Seat 1: Abe ($50)
Seat 2: Bea ($50)
Seat 3: Cal ($80)
Bea posts the small blind of $1
Cal posts the big blind of $2
The button is in seat #1
*** HOLE CARDS ***
Abe folds
*** SUMMARY ***
Total pot $2 | Rake $0
Seat 1: Abe (button) didn't bet (folded)
Seat 2: Bea (small blind) folded before the Flop
Seat 3: Cal (big blind) collected ($2), mucked
"""
    hand = only(text)
    assert hand.betting == "ff"
    assert hand.payoffs == (-100, 100, 0)


def test_a_capped_game():
    text = FULL_TILT.replace("$0.50/$1 - No Limit Hold'em", "$0.50/$1 - $40 Cap No Limit Hold'em")
    assert only(text).stacks == (3100, 4000, 4000)


def test_everest_names_no_rake():
    hand = only(EVEREST)
    assert (hand.room, hand.game, hand.stakes.small_bet) == ("Everest", "ring-limit:3", 100)
    assert hand.payoffs == (-50, 320, -300)
    assert hand.rake == 30
    assert hand.time == datetime(2010, 10, 10, 7, 8, 9, tzinfo=UTC)


def test_a_dead_blind_of_everest_is_live():
    text = EVEREST.replace("Limit Hold'em", "No Limit Hold'em").replace("$1/$2", "$0.50/$1")
    text = text.replace("The button", "Abe posts the dead blind of $1.50\nThe button")
    hand = only(text.replace("Cal collects $6.20", "Cal collects $6.70"))
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 100), Post(2, ForcedBet.DEAD_BLIND, 50))
    assert (hand.payoffs, hand.rake) == ((-50, 370, -350), 30)


def test_a_limit_raise_that_nobody_can_answer_is_a_call():
    text = EVEREST.replace("Seat 2: Abe ($40.00)", "Seat 2: Abe ($4.50)").replace(
        "Abe folds\nUncalled bet of $1.00 returned to Cal\n",
        "Abe raises to $1.50, and is all-in\nCal raises to $2.50\nUncalled bet of $1.00 returned to Cal\n"
        "*** TURN *** [3d]\n*** RIVER *** [8d]\nCal shows [9d 9c]\nAbe shows [As Qs]\n",
    )
    hand = only(text.replace("Cal collects $6.20", "Cal collects $9.20"))
    assert hand.betting == "rfrc/rrc//"
    assert hand.payoffs == (-50, 470, -450)
    assert hand.rake == 30


def test_a_disconnected_player_who_counts_as_all_in_is_refused():
    text = FULL_TILT.replace("Abe folds", "Abe has been disconnected, and is allin")
    assert reasons(text) == ["a disconnected player counts as all-in"]


def test_unibet_has_the_uncalled_bet_in_pot_and_winnings():
    hand = only(UNIBET)
    assert (hand.room, hand.stakes.currency, hand.stakes.big_blind) == ("Unibet", "EUR", 4)
    assert hand.players == ("Bea", "Cal", "Abe")
    assert hand.payoffs == (-12, -4, 15)
    assert hand.rake == 1
    assert hand.time == datetime(2022, 9, 8, 6, 5, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        ("Pot Limit Omaha Hi", "Omaha"),
        ("Limit Razz", "razz"),
        ("Limit 2-7 Triple Draw", "draw poker"),
        ("Limit Stud H/L", "seven card stud"),
        ("Pot Limit Hold'em", "pot-limit hold'em"),
    ],
)
def test_other_games_are_named(game: str, reason: str):
    assert reasons(FULL_TILT.replace("No Limit Hold'em", game)) == [reason]


def test_reasons():
    assert reasons(FULL_TILT.replace("| Rake $2", "| Rake $1")) == ["chips are not conserved"]
    assert reasons(FULL_TILT.replace("calls $21,", "calls $22,")) == ["an amount differs"]
    assert reasons(FULL_TILT.replace("Seat 3: Cal", "Seat 3: Abe")) == ["names"]
    assert reasons(FULL_TILT.partition("*** FLOP")[0]) == ["the hand is cut short"]
    cancelled = FULL_TILT.partition("*** HOLE")[0] + "Hand #700500001 has been canceled\n"
    assert reasons(cancelled) == ["the hand was cancelled"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("$0.50/$1 - No", "HORSE - $0.50/$1 - No"),
        ("Hold'em - ", "Hold'em - 8-Game - "),
        ("Abe", "Abe (7)"),
        ("Abe", "Abe folds"),
    ],
)
def test_mixed_games_and_names_that_look_like_lines(old: str, new: str):
    assert only(with_changes(FULL_TILT, (old, new))).payoffs == only(FULL_TILT).payoffs


@pytest.mark.parametrize(("stakes", "big"), [("1.5K/3K", 3000), ("1M/2.5M", 2_500_000)])
def test_stakes_in_thousands_and_millions(stakes: str, big: int):
    text = with_changes(TOURNAMENT, ("1K/2K", stakes))
    lines = [line for line in text.splitlines() if "big blind of" not in line]
    hand = FullTilt(lines)
    assert (hand.big, hand.decimals) == (big, 0)


def test_an_ante_that_is_given_back():
    text = with_changes(
        TOURNAMENT,
        ("The button", "Abe has timed out\nAnte of 250 returned to Abe\nThe button"),
        ("Abe folds\n", ""),
        ("2,650", "2,400"),
    )
    assert only(text).payoffs == (-1200, 1200)


def test_everest_without_stakes_and_unibet_in_crowns():
    assert only(with_changes(EVEREST, ("- $1/$2 -", "-  -"))).payoffs == only(EVEREST).payoffs
    hand = only(with_changes(UNIBET, ("€", "SEK ")))
    assert (hand.payoffs, hand.stakes.currency) == (only(UNIBET).payoffs, "SEK")
