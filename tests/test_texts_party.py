"""Text of PartyPoker: tables, e-mails, and blinds that nobody is said to post."""

import re
from datetime import UTC, datetime

import pytest
from room_texts import PARTY, only, reasons, with_changes

from soulread.hands.formats.reading import NO_TEXT, Skipped, read_hands
from soulread.hands.hand import ForcedBet, Post

TOURNAMENT = """\
***** Hand History for Game 7002000012 *****
NL Texas Hold'em $10 USD Buy-in Trny: 80011 Level: 3  Blinds(50/100) - Friday, June 07, 20:00:01 EDT 2013
Table Turbo #44 (Real Money)
Seat 2 is the button
Total number of players : 5/6
Seat 1: Sven ( 2,400 )
Seat 6: Ulf ( 1,850 )
Seat 2: Tara ( 3,000 )
Seat 3: Moved ( 2,000 )
Seat 4: Vera ( 900 )
Trny: 80011 Level: 4
Blinds(100/200)
** Dealing down cards **
Dealt to Vera [  Ad 9d ]
Sven did not respond in time
Sven folds
Tara calls [200]
Vera is all-In  [800]
Ulf folds
Tara calls [700]
** Dealing Flop ** [ 9h, 6s, 2c ]
** Dealing Turn ** [ Qd ]
** Dealing River ** [ 3s ]
Vera shows [ Ad, 9d ]a pair of Nines.
Tara doesn't show [ Kc, 6d ]a pair of Sixes.
Vera wins 2,000 chips from the main pot with a pair of Nines.
Player Tara finished in 9.
"""

EMAIL = """\
***** Hand History For Game 7002000013 *****
0.25/0.50 Texas Hold'em Game Table (NL)  -  Mon Feb 04 13:00:00 EST 2013
Table Table Padua  (Real Money) -- Seat 4 is the button
Total number of players : 3/6
Seat 2: Sven ($50)
Seat 4: Tara ($60.5)
Seat 6: Ulf ($25)
Ulf posts small blind (0.25)
Sven posts big blind (0.5)
** Dealing down cards **
Dealt to Tara Lynn [ Ah, Kh ]
Tara Lynn raises 1.5 to 1.5
Ulf folds
Sven raises 4.0 to 4.5
Tara calls (3.0)
** Dealing Flop ** :  [ Kd, 8c, 3s ]
Sven bets (6.0)
Tara raises 12.0 to 12.0
Sven folds
** Summary **
Main Pot: $20.25 Rake: $1
Board: [ Kd 8c 3s ]
Sven balance $39.5, lost $10.5 (folded)
Tara Lynn balance $70.25, bet $16.5, collected $26.25, net +$9.75
Ulf balance $24.75, lost $0.25 (folded)
"""


CASH_OUT = """\
***** Hand History For Game 7002000015 *****
0.25/0.50 Texas Hold'em Game Table (NL) - Mon Feb 02 12:55:26 EST 2026
Table Table Padua (Real Money) -- Seat 4 is the button
Total number of players : 3/6
Seat 2: Sven ($50)
Seat 4: Tara ($60)
Seat 6: Ulf ($25)
Ulf posts small blind (0.25)
Sven posts big blind (0.50)
** Dealing down cards **
Tara raises 1.50 to 1.50
Ulf folds
Sven raises 49.50 to 50.00
Sven is all-In.
Tara raises 58.50 to 60.00
Creating Main Pot with $ 98.25 with Sven, Tara
Sven opted for cash-out
Sven Cashout Amount is 70.01
** Dealing Flop ** :  [ Jc, 7d, 6c ]
** Dealing Turn ** :  [ Ts ]
** Dealing River ** :  [ 2s ]
** Summary **
Main Pot: $98.25 Rake: $2.0
Board: [ Jc, 7d, 6c, Ts, 2s ]
Sven Cashed out  balance $70.01, bet $50, collected $70.01, net +$20.01[ Ac, Ad ] [ a pair of aces ]
Tara balance $10, bet $60, collected $10, net -$50[ Kc, Kd ] [ a pair of kings ]
Ulf balance $24.75, lost $0.25 (folded)
"""


def test_a_cash_out_is_no_part_of_the_pot():
    hand = only(CASH_OUT)  # the pot is Sven's by the cards, whatever the house paid
    assert (hand.players, hand.payoffs, hand.rake) == (("Ulf", "Sven", "Tara"), (-25, 4825, -5000), 200)
    lost = with_changes(CASH_OUT, ("$10, net -$50", "$108.25, net +$48.25"), ("[ Kc, Kd ]", "[ Jd, Jh ]"))
    assert (only(lost).payoffs, only(lost).rake) == ((-25, -5000, 4825), 200)
    both = with_changes(CASH_OUT, ("Tara balance", "Tara Cashed out  balance"))
    assert reasons(both) == ["nobody knows who won"]


def test_prizes_and_bounties_are_not_won_from_the_pot():
    text = TOURNAMENT + "Vera wins $2.50 USD bounty for knocking out Tara\nVera wins $10 USD\n"
    assert only(text) == only(TOURNAMENT)


def test_a_straddle_and_a_post_of_an_unknown_kind():
    posted = "Ulf posts straddle [$1 USD].\n** Dealing down"
    text = with_changes(PARTY, ("** Dealing down", posted), ("Ulf calls [$0.50 USD]\n", ""))
    hand = only(text.replace("wins $8.20", "wins $8.70"))
    assert hand.posts[2] == Post(2, ForcedBet.STRADDLE, 100)
    assert (hand.payoffs, hand.rake) == ((270, -200, -100, 0), 30)
    assert reasons(text.replace("posts straddle", "posts a bomb")) == ["an action cannot be read"]


def test_rooms_write_a_zero_byte_between_hands(tmp_path):
    path = tmp_path / "hands.txt"
    path.write_bytes(b"\0" + f"{PARTY}\n\0{EMAIL}\n\0\n\0".encode())
    assert list(read_hands(path)) == [only(PARTY), only(EMAIL)]
    path.write_bytes(f"{PARTY}\n\0\0\0{EMAIL}".encode())
    assert NO_TEXT in [entry.reason for entry in read_hands(path) if isinstance(entry, Skipped)]


def test_an_email_with_decimal_commas():
    text = re.sub(r"(?<=\d)\.(?=\d)", ",", EMAIL)
    assert only(text) == only(EMAIL)


def test_a_player_without_a_seat_sits_behind_the_last_who_posted():
    hand = only(PARTY)
    assert hand.players == ("Tara", "Vera", "Ulf", "Sven")
    assert hand.stacks == (4800, 5000, 3050, 5000)  # Vera's is the largest of the table
    assert hand.time == datetime(2011, 3, 1, 21, 10, tzinfo=UTC)
    assert hand.stakes.big_blind == 50


def test_winnings_have_the_uncalled_bet_in_them_and_the_rest_is_rake():
    hand = only(PARTY)  # wins 8.20: a pot of 4.50 and the own 4.00, less 0.30
    assert hand.payoffs == (220, -200, -50, 0)
    assert hand.rake == 30


def test_a_rake_larger_than_the_uncalled_bet():
    small = PARTY.replace("bets [$4 USD]", "bets [$0.50 USD]").replace("wins $8.20", "wins $4.40")
    hand = only(small)  # a pot of 4.50 and the own 0.50, less 0.60
    assert (hand.payoffs[0], hand.rake) == (190, 60)


def test_an_action_without_seat_or_post_is_refused():
    assert reasons(PARTY.replace("Sven folds", "Sven folds\nXaver folds")) == ["a player has no seat"]


def test_blinds_of_a_tournament_are_those_of_the_level_and_of_seats_that_play():
    hand = only(TOURNAMENT)
    assert hand.players == ("Vera", "Ulf", "Sven", "Tara")  # "Moved" was not dealt in
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 100), Post(1, ForcedBet.BIG_BLIND, 200))
    assert hand.stakes.big_blind == 200
    assert hand.payoffs == (1100, -200, 0, -900)
    assert hand.rake == 0
    assert hand.hole[3] is not None  # mucked, and written


def test_a_dead_small_blind():
    text = TOURNAMENT.replace("Vera is all-In  [800]", "Vera is all-In  [700]").replace("Ulf folds\n", "")
    hand = only(text.replace("wins 2,000", "wins 1,800"))
    assert hand.players == ("Vera", "Sven", "Tara")
    assert hand.posts == (Post(0, ForcedBet.BIG_BLIND, 200),)
    assert hand.payoffs == (900, 0, -900)


def test_an_email_tells_totals_pot_rake_and_the_whole_name():
    hand = only(EMAIL)
    assert hand.players == ("Ulf", "Sven", "Tara Lynn")
    assert hand.payoffs == (-25, -1050, 975)
    assert hand.rake == 100
    assert hand.betting == "r150fr450c/r1050r1650f"


def test_an_email_whose_pot_is_wrong_is_refused():
    assert reasons(EMAIL.replace("Main Pot: $20.25", "Main Pot: $22.25")) == ["the pot differs"]


def test_who_checks_without_having_posted_has_posted_silently():
    text = PARTY.replace("Vera has joined the table.\n", "").replace(
        "Seat 6", "Seat 4: Vera ( $20 USD )\nSeat 6"
    )
    silent = text.replace(
        "Sven folds\nTara raises [$1.75 USD]\nVera calls [$1.50 USD]\nUlf: nobody folds\n", ""
    )
    silent = silent.replace(
        "Ulf folds\n** Dealing Flop", "Sven checks\nTara folds\nVera checks\n** Dealing Flop"
    )
    silent = silent.replace(
        "Tara bets [$4 USD]\nVera folds\nTara does not show cards.Tara wins $8.20 USD",
        "Vera bets [$1 USD]\nUlf folds\nSven folds\nVera does not show cards.\nVera wins $2.90 USD",
    )
    hand = only(silent)  # 0.25 + 3 * 0.50 = 1.75, and more was won than that and the own bet: a dead blind
    assert hand.posts[2:] == (Post(3, ForcedBet.BIG_BLIND, 50), Post(3, ForcedBet.DEAD_BLIND, 25))
    assert hand.payoffs == (-25, 140, -50, -75)
    assert hand.rake == 10


@pytest.mark.parametrize(
    ("game", "reason"),
    [("PL Omaha", "Omaha"), ("NL Short Deck", "short deck hold'em"), ("NL Double Hold'em", "double hold'em")],
)
def test_other_games_are_named(game: str, reason: str):
    assert reasons(PARTY.replace("NL Texas Hold'em", game)) == [reason]


def test_half_a_bet_all_in_may_be_raised_again():
    text = """\
***** Hand History for Game 7002000014 *****
$2/$4 USD Texas Hold'em - Monday, April 25, 09:42:13 BST 2011
Table Bern (Real Money)
Seat 1 is the button
Total number of players : 3/6
Seat 1: Sven ( $60 USD )
Seat 2: Tara ( $60 USD )
Seat 3: Ulf ( $5.50 USD )
Tara posts small blind [$1 USD].
Ulf posts big blind [$2 USD].
** Dealing down cards **
Sven calls [$2 USD]
Tara calls [$1 USD]
Ulf checks
** Dealing Flop ** [ Kh, 8s, 2d ]
Tara bets [$2 USD]
Ulf is all-In  [$3.50 USD]
Sven folds
Tara raises [$3.50 USD]
"""
    assert reasons(text + "Sven wins $5 USD") != [""]
    end = (
        "** Dealing Turn ** [ 4c ]\n** Dealing River ** [ 9c ]\nTara shows [ Ks, Kc ]\nUlf shows [ As, Ad ]\n"
    )
    hand = only(
        text.replace("Sven folds", "Sven calls [$3.50 USD]").replace(
            "Tara raises [$3.50 USD]\n", "Tara raises [$3.50 USD]\nSven folds\n"
        )
        + end
        + "Tara wins $18.50 USD from the main pot"
    )
    assert hand.betting == "ccc/rrcrf//"
    assert hand.payoffs == (1100, -550, -550)
