"""Text of Bovada and Ignition: seats without names, cards of everybody, old files without streets."""

from datetime import UTC, datetime

import pytest
from room_texts import BOVADA, only, reasons, with_changes

from soulread.cards.deck import cards_name
from soulread.hands.formats.reading import write_hand
from soulread.hands.formats.rooms import read_block
from soulread.hands.hand import ForcedBet, Post, Sight

TOURNAMENT = """\
Bovada Hand #700400002: HOLDEM Tournament #31 TBL#4, No Limit- Level 7 (100/200) - 2014-08-06 21:46:09
Seat 75: Dealer (3,000 in chips)
Seat 8: Small Blind (15 in chips)
Seat 111: Big Blind [ME] (120 in chips)
Dealer : Set dealer/Bring in spot [1]
Dealer : Ante chip 20
Small Blind : All-in 15
Big Blind [ME] : Ante chip 20
Big Blind [ME] : All-in 100
*** HOLE CARDS ***
Dealer : Card dealt to a spot [Kc 9d]
Small Blind : Card dealt to a spot [4c 4d]
Big Blind [ME] : Card dealt to a spot [Ah Th]
Dealer : Call 200
Dealer : Call 200
Dealer : Return uncalled portion of bet 100
*** FLOP *** [9s 3h Ac]
*** TURN *** [9s 3h Ac] [Qd]
*** RIVER *** [9s 3h Ac Qd] [7c]
Dealer : Showdown [9s 9d Ac Kc Qd] (One pair)
Small Blind : Showdown [4c 4d Ac Qd 9s] (One pair)
Big Blind [ME] : Showdown [Ac Ah Qd Th 9s] (One pair)
Big Blind [ME] : Hand Result-Side Pot 210
Big Blind [ME] : Hand Result 45
Big Blind [ME] : Hand Result 45
Small Blind : Ranking 2
*** SUMMARY ***
Total Pot(255)
Board [9s 3h Ac Qd 7c]
"""

OLD = """\
Bodog Hand #700400003 TBL#77 HOLDEM Fixed Limit - 2012-05-22 14:54:12
Seat 1: Dealer ($41.25 in chips)
Seat 3: Big Blind [ME] ($52 in chips)
Dealer : Set dealer/Bring in spot [1]
Dealer : Ante/Small Blind $1
Big Blind  [ME] : Big blind/Bring in $2
*** HOLE CARDS ***
Dealer : Card dealt to a spot [4d 4s]
Big Blind  [ME] : Card dealt to a spot [Ad 2h]
Dealer : Calls $1
Big Blind  [ME] : Checks
Big Blind  [ME] : Checks
Dealer : Checks
Big Blind  [ME] : Bets $4
Dealer : Raises $8
Big Blind  [ME] : Calls $4
Big Blind  [ME] : Checks
Dealer : Checks
Dealer : Showdown [5s 5c 4s 4d Kd] (Two pair)
Big Blind  [ME] : Mucks [Ad 2h] (Two pair)
Dealer : Hand result $19.50
*** SUMMARY ***
Total Pot($20) | Rake ($0.50)
Board [2s Qh 5c 5s Kd]
Seat 1: Dealer $19.50  with Two pair [4d 4s-5s 5c 4s 4d Kd]
Seat 3: Big Blind [Mucked] [Ad 2h]
"""


def test_strangers_have_a_name_that_no_other_hand_has():
    hand = only(BOVADA)
    assert hand.players == ("Hero", "Big Blind #700400001", "UTG #700400001", "Dealer #700400001")
    assert hand.observer == 0
    other = only(BOVADA.replace("700400001", "700400009"))
    assert set(hand.players) & set(other.players) == {"Hero"}


def test_a_cash_hand():
    hand = only(BOVADA)
    assert (hand.room, hand.table, hand.stakes.currency) == ("Ignition", "5551", "USD")
    assert hand.time == datetime(2019, 4, 1, 18, 0, tzinfo=UTC)
    assert hand.payoffs == (-150, 1950, 0, -2000)
    assert hand.rake == 200  # a pot of 41.50, and 39.50 won
    assert [cards_name(cards or ()) for cards in hand.hole] == ["As5s", "KdKh", "2c7d", "QhQs"]
    assert hand.sights == (Sight.DEALT, Sight.SHOWN, Sight.DEALT, Sight.MUCKED)


def test_antes_and_blinds_that_take_a_whole_stack_and_lines_written_twice():
    hand = only(TOURNAMENT)
    assert hand.players == ("Small Blind #700400002", "Hero", "Dealer #700400002")
    assert hand.posts == (
        Post(2, ForcedBet.ANTE, 20),
        Post(0, ForcedBet.ANTE, 15),
        Post(1, ForcedBet.ANTE, 20),
        Post(1, ForcedBet.BIG_BLIND, 100),
    )
    assert hand.payoffs == (-15, 135, -120)
    assert hand.stakes.big_blind == 200


def test_rounds_of_files_without_streets_are_cut_by_the_betting():
    hand = only(OLD)
    assert hand.betting == "cc/cc/rrc/cc"
    assert cards_name(hand.board) == "2sQh5c5sKd"
    assert hand.payoffs == (-1000, 950)
    assert hand.rake == 50
    assert hand.stakes.small_bet == 200


def test_a_record_written_as_pokerstars_text_is_not_taken_for_bovada():
    hand = only(BOVADA)
    assert read_block(write_hand(hand, "pokerstars").strip().split("\n")) == hand


def test_other_games_and_reasons():
    assert reasons(BOVADA.replace("HOLDEM No Limit", "OMAHA HiLo Pot Limit")) == ["Omaha"]
    assert reasons(BOVADA.replace("HOLDEM No Limit", "7CARD HiLo Fixed Limit")) == ["seven card stud"]
    lines = BOVADA.split("\n")
    assert reasons("\n".join([*lines, *lines[1:]])) == ["two hands run into one"]
    assert reasons(BOVADA.replace("Hand result $39.50", "Hand result $49.50")) == ["chips are not conserved"]
    assert reasons(BOVADA.replace("Total Pot($41.50)", "Total Pot($40)")) == ["the pot differs"]
    assert reasons(BOVADA.partition("*** FLOP")[0]) == ["the hand is cut short"]


def test_players_who_run_out_of_time():
    text = with_changes(
        BOVADA,
        ("UTG : Folds", "UTG : Folds(timeout)"),
        ("Big Blind : Raises $7.50 to $8", "Big Blind : All-in(raise-timeout) $7.50 to $8"),
    )
    assert only(text).betting == only(BOVADA).betting


@pytest.mark.parametrize(
    "posts", ["UTG : Posts dead chip $0.75\n", "UTG : Posts dead chip $0.25\nUTG : Posts chip $0.50\n"]
)
def test_missed_blinds_in_one_line_or_two(posts: str):
    text = with_changes(BOVADA, ("*** HOLE", posts + "*** HOLE"), ("39.50", "40.25"), ("41.50", "42.25"))
    hand = only(text)
    assert sorted(post.amount for post in hand.posts if post.seat == 2) == [25, 50]
    assert hand.payoffs == (-150, 2025, -75, -2000)
