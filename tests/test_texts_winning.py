"""Text of the Winning network, today's and that of before 2018."""

from datetime import UTC, datetime

import pytest
from room_texts import OLD_WINNING, WINNING, only, reasons, with_changes

from soulread.cards.deck import cards_name
from soulread.hands.hand import ForcedBet, Post, Sight

WALK = """\
Hand #700300002 - Holdem(No Limit) - $0.50/$1.00 - 2020/02/29 23:59:59 UTC
Salt Flat 6-max Seat #3 is the button
Seat 2: Xena ($80.00)
Seat 3: Yuri ($120.50)
Seat 5: Zoe ($99.00)
Zoe posts the small blind $0.50
Xena posts the big blind $1.00
*** HOLE CARDS ***
Dealt to Xena [Th Ts]
Yuri folds
Zoe folds
Xena does not show
*** SUMMARY ***
Total pot $1.50
Seat 2: Xena did not show and won $1.50
Seat 3: Yuri (button) folded on the Pre-Flop
Seat 5: Zoe (small blind) folded on the Pre-Flop
"""

TOURNAMENT = """\
Game Hand #700300003 - $500 GTD Tournament #31 - Holdem(No Limit) - \
Level 2 (100.00/200.00)- 2022/07/11 01:11:44 UTC
Table '7' 8-max Seat #8 is the button
Seat 1: Wim (6000.00)
Seat 5: Xena (1200.00)
Seat 8: Yuri (150.00)
Dealt to Wim [4s]
Dealt to Xena [7s]
Dealt to Yuri [Qc]
Wim posts ante 20.00
Xena posts ante 20.00
Yuri posts ante 20.00
Wim posts the small blind 100.00
Xena posts the big blind 200.00
*** HOLE CARDS ***
Main pot 60.00
Dealt to Wim [Qd Jc]
Yuri calls 130.00 and is all-in
Wim folds
Xena checks
*** FLOP *** [6h 4c 6s]
Main pot 430.00
*** TURN *** [6h 4c 6s] [7d]
Main pot 430.00
*** RIVER *** [6h 4c 6s 7d] [3c]
Main pot 430.00
*** SHOW DOWN ***
Main pot 420.00
Xena shows [Ah 2h] (a pair)
Yuri shows [8c 8d] (two pair)
Yuri collected 420.00 from main pot
*** SUMMARY ***
Total pot 420.00
Seat 1: Wim (small blind) folded on the Pre-Flop
Seat 5: Xena (big blind) showed [Ah 2h] and lost with a pair
Seat 8: Yuri (button) showed [8c 8d] and won 420.00 with two pair
"""


def test_a_cash_hand():
    hand = only(WINNING)
    assert (hand.id, hand.room, hand.table) == ("700300001", "Winning", "Salt Flat")
    assert hand.time == datetime(2020, 2, 29, 23, 59, 58, tzinfo=UTC)
    assert hand.players == ("Zoe", "Xena", "Yuri")
    assert hand.betting == "r300fr1000c/r8000c//"
    assert hand.payoffs == (-50, 7550, -8000)
    assert hand.rake == 500  # the fee of the jackpot too


def test_a_walk_has_the_own_blind_in_the_pot():
    hand = only(WALK)
    assert (hand.payoffs, hand.rake) == ((-50, 50, 0), 0)


def test_a_tournament_draws_for_the_button_first():
    hand = only(TOURNAMENT)
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.ante) == ("", "1", 20)
    assert hand.stacks == (6000, 1200, 150)
    assert hand.payoffs == (-120, -150, 270)
    assert cards_name(hand.hole[0] or ()) == "QdJc"
    assert hand.observer == 0


def test_an_old_hand():
    hand = only(OLD_WINNING)
    assert (hand.id, hand.table) == ("700310001", "Basilisk - 4")
    assert hand.players == ("Xena Q", "Yuri", "Wim")
    assert hand.time == datetime(2016, 5, 7, 8, 9, 10, tzinfo=UTC)
    assert hand.payoffs == (-50, 7250, -7500)
    assert hand.rake == 300
    assert hand.stakes.currency == "USD"
    assert cards_name(hand.board) == "Th9s2cTdAc"
    assert hand.sights[1:] == (Sight.SHOWN, Sight.SHOWN)
    assert hand.observer == 1


def test_an_old_game_has_a_limit_if_its_blinds_are_half_of_the_stakes():
    text = """\
Game started at: 2016/5/7 9:9:10
Game ID: 700310002 2/4 Chimera 2 (Hold'em)
Seat 1 is the button
Seat 1: Wim (40).
Seat 2: Xena (80).
Player Wim has small blind (1)
Player Xena has big blind (2)
Player Wim raises (3)
Player Xena folds
Uncalled bet (2) returned to Wim
Player Wim mucks cards
------ Summary ------
Pot: 4. Rake 0
*Player Wim mucks (does not show cards). Bets: 2. Collects: 4. Wins: 2.
Player Xena does not show cards.Bets: 2. Collects: 0. Loses: 2.
Game ended at: 2016/5/7 9:10:12
"""
    hand = only(text)
    assert (hand.game, hand.stakes.small_bet) == ("ring-limit:2", 200)
    assert hand.payoffs == (-200, 200)
    assert only(OLD_WINNING).game == "nolimit:players=3"


def test_tournaments_and_play_money_have_no_currency():
    tournament = only(
        OLD_WINNING.replace("(PRR) Basilisk - 4", "$3 Turbo, Table 1")
        .replace("Rake 2.50. JP fee 0.50", "Rake 0")
        .replace("147.50", "150.50")
        .replace("72.50", "75.50")
    )
    assert (tournament.stakes.currency, tournament.rake) == ("", 0)
    assert only(OLD_WINNING.replace("(PRR) Basilisk - 4", "PM Basilisk")).stakes.currency == ""


def test_a_straddle():
    text = OLD_WINNING.replace(
        "Player Yuri has big blind (1)\n", "Player Yuri has big blind (1)\nPlayer Wim straddle (2)\n"
    )
    text = text.replace("Player Wim raises (3)\n", "").replace(
        "Player Xena Q folds\n", "Player Xena Q folds\n"
    )
    text = text.replace("Player Yuri calls (2)\n", "Player Yuri calls (1)\nPlayer Wim checks\n")
    text = text.replace("allin (67)", "allin (68)").replace(
        "Player Yuri calls (57)", "Player Yuri calls (58)"
    )
    hand = only(text)
    assert hand.posts[-1] == Post(2, ForcedBet.STRADDLE, 200)
    assert hand.betting == "fcc/cr700r1700r7500c//"


def test_the_only_seat_that_the_summary_leaves_out_is_the_player_without_a_name():
    text = OLD_WINNING.replace("Player Xena Q ", "Player  ")
    assert only(text).players == ("Xena Q", "Yuri", "Wim")
    assert only(text).payoffs == (-50, 7250, -7500)
    two = text.replace("Seat 6: Yuri", "Seat 5: Zoe (10).\nSeat 6: Yuri")
    assert reasons(two) == ["names"]


def test_stacks_of_a_capped_game_count_up_to_the_cap():
    capped = WALK.replace("Salt Flat", "Salt Flat (Cap)")
    assert only(capped).stacks == (3000, 3000, 3000)  # 30 big blinds
    text = WINNING.replace("Salt Flat", "Salt Flat (Cap)")
    assert only(text).stacks == (8000, 8000, 8000)  # more than 30 big blinds were lost, so the cap is higher


def test_other_games_and_reasons():
    assert reasons(OLD_WINNING.replace("(Hold'em)", "(Omaha HiLow)")) == ["Omaha"]
    assert reasons(OLD_WINNING.replace("(Hold'em)", "(Six Plus Hold'em)")) == ["short deck hold'em"]
    assert reasons(WINNING.replace("Holdem(", "Omaha H/L(")) == ["Omaha"]
    assert reasons(WINNING.replace("Total pot $155.50", "Total pot $155.60")) == ["the pot differs"]
    assert reasons(OLD_WINNING.replace("Rake 2.50", "Rake 2.40")) == ["the pot differs"]
    assert reasons(OLD_WINNING.partition("------")[0]) == ["the hand is cut short"]
    assert reasons(OLD_WINNING.replace("Game ID", "Game")) == ["the stakes are missing"]


@pytest.mark.parametrize("words", ["FIRST {0}, SECOND {0}", "{0} 1, {0} 2"])
def test_a_hand_that_is_run_twice(words: str):
    first, second = words.split(", ")
    text = with_changes(
        WINNING,
        ("*** TURN ***", f"*** {first.format('TURN')} ***"),
        (
            "*** RIVER *** [9h 4c 2s Qd] [5h]\n",
            f"*** {first.format('RIVER')} *** [9h 4c 2s Qd] [5h]\n"
            f"*** {second.format('TURN')} *** [9h 4c 2s] [9s]\n"
            f"*** {second.format('RIVER')} *** [9h 4c 2s 9s] [6h]\n",
        ),
        (
            "Xena collected $155.50 from main pot\n",
            "Xena collected $77.75 from main pot 1\nYuri collected $77.75 from main pot 2\n",
        ),
    )
    hand = only(text)
    assert [cards_name(board) for board in hand.boards] == ["9h4c2sQd5h", "9h4c2s9s6h"]
    assert hand.payoffs == (-50, -225, -225)


def test_names_that_hold_a_verb():
    assert only(with_changes(WINNING, ("Zoe", "bets on red"))).players[0] == "bets on red"


def test_a_post_of_both_blinds_has_the_small_one_dead():
    text = with_changes(
        OLD_WINNING,
        ("has big blind (1)\n", "has big blind (1)\nPlayer Wim posts (1.50)\n"),
        ("Wim raises (3)", "Wim raises (2)"),
        ("allin (67)", "allin (66.50)"),
        ("Yuri calls (57)", "Yuri calls (56.50)"),
        ("Pot: 147.50.", "Pot: 147."),
        ("Collects: 147.50.", "Collects: 147."),
    )
    hand = only(text)
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 100), Post(2, ForcedBet.DEAD_BLIND, 50))
    assert hand.payoffs == (-50, 7250, -7500)
