"""Text of 888: the shape of a hand, its languages, and what nobody called."""

from datetime import UTC, datetime

from room_texts import PACIFIC, only, reasons, with_changes

from soulread.cards.deck import cards_name
from soulread.hands.hand import ForcedBet, Post, Sight

TOURNAMENT = """\
***** 888.ro Hand History for Game 700100002 *****
1.500 $/3.000 $ Blinds No Limit Holdem - ***
Tournament #900 12 $ + 1 $ - Table #2 6 Max (Real Money)
Seat 1 is the button
Total number of players : 3
Seat 1: Otto ( 30.250 $ )
Seat 3: Pia ( 12.500 $ )
Seat 6: Quin ( 3.100 $ )
Quin posts ante [300 $]
Otto posts ante [300 $]
Pia posts ante [300 $]
Pia posts small blind [1.500 $]
Quin posts big blind [2.800 $]
** Dealing down cards **
Dealt to Otto [ 8c, 8d ]
Otto raises [9.000 $]
Pia folds
** Dealing flop ** [ Ac, 7h, 2s ]
** Dealing turn ** [ 9d ]
** Dealing river ** [ 3c ]
** Summary **
Otto shows [ 8c, 8d ]
Quin shows [ As, 4h ]
Quin collected [ 8.000 $ ]
Otto collected [ 6.200 $ ]
"""

GERMAN = """\
***** Cassava Hand History for Game 700100003 *****
0,50 €/1 € Blinds Fix Limit Holdem - *** 24 12 2013 08:09:10
Table Kiel (Real Money)
Seat 1 is the button
Total number of players : 2
Seat 1: Otto ( 1 234,50 € )
Seat 2: Pia ( 20 € )
Otto posts small blind [0,50 €]
Pia posts big blind [1 €]
** Dealing down cards **
Dealt to Otto [ DPik, 10Herz ]
Otto raises [1,50 €]
Pia calls [1 €]
** Dealing flop ** [ BKaro, 9Kreuz, 2Herz ]
Pia checks
Otto bets [1 €]
Pia folds
** Summary **
Otto did not show his hand
Otto collected [ 3,80 € ]
"""


def test_a_cash_hand():
    hand = only(PACIFIC)
    assert (hand.id, hand.room, hand.table) == ("700100001", "888", "Arhus 6 Max")
    assert hand.time == datetime(2012, 11, 5, 21, 30, 15, tzinfo=UTC)  # the day comes first
    assert hand.players == ("Pia", "Quin", "Rosa", "Otto")
    assert hand.stacks == (6000, 4020, 4000, 5000)
    assert hand.stakes.currency == "USD"
    assert hand.posts[2:] == (Post(2, ForcedBet.DEAD_BLIND, 25), Post(2, ForcedBet.BIG_BLIND, 50))
    assert hand.observer == 2


def test_an_uncalled_bet_that_is_less_than_the_rake_is_not_won():
    hand = only(PACIFIC)  # $0.45 of the big blind's $40.20 went back
    assert hand.payoffs == (-25, -3975, 3800, 0)
    assert hand.rake == 200


def test_a_tournament_in_thousands():
    hand = only(TOURNAMENT)
    assert hand.stacks == (12500, 3100, 30250)
    assert hand.payoffs == (-1800, 4900, -3100)
    assert (hand.rake, hand.stakes.currency, hand.stakes.chip, hand.time) == (0, "", "1", None)
    assert hand.stakes.ante == 300


def test_cards_and_amounts_in_german():
    hand = only(GERMAN)
    assert hand.stacks == (2000, 123450)
    assert cards_name(hand.hole[1] or ()) == "QsTh"
    assert cards_name(hand.board) == "Jd9c2h"
    assert hand.payoffs == (-200, 180)
    assert hand.rake == 20
    assert hand.stakes.currency == "EUR"
    assert hand.game == "ring-limit:2"
    assert hand.stakes.small_bet == 100  # the stakes are blinds in limit games too


def test_lost_russian_letters_are_ranks():
    hand = only(PACIFIC.replace("[ Ah, Kd ]", "[ Òh, Êd ]").replace("Qs, Qh", "Äs, Дh"))
    assert cards_name(hand.hole[2] or ()) == "AhKd"
    assert cards_name(hand.hole[1] or ()) == "QsQh"
    assert hand.sights[1] is Sight.SHOWN


def test_other_games_are_named():
    omaha = PACIFIC.replace("No Limit Holdem", "Pot Limit OmahaHL")
    assert reasons(omaha) == ["Omaha"]
    assert reasons(PACIFIC.replace("No Limit", "Pot Limit")) == ["pot-limit hold'em"]


def test_reasons():
    assert reasons(PACIFIC.replace("Rosa collected [ $78 ]", "Rosa collected [ $90 ]")) == [
        "chips are not conserved"
    ]
    assert reasons(PACIFIC.partition("** Summary")[0]) == ["the hand is cut short"]
    assert reasons(PACIFIC.replace("$0.25/$0.50 Blinds", "Blinds")) == ["the stakes are missing"]
    assert reasons(PACIFIC.replace("Ah, Kd", "Ah, Zd")) == ["cards"]
    assert reasons(PACIFIC.replace("Pia folds\n", "")) == ["an action out of turn"]
    assert reasons(PACIFIC.replace("Seat 2 is the button\n", "")) == ["the button is missing"]


def test_fewer_stars_other_words_and_names_that_look_like_seats():
    won = only(PACIFIC).payoffs
    assert only(with_changes(PACIFIC, ("*****", "****"))).payoffs == won
    assert only(with_changes(PACIFIC, ("888poker Hand", "888.es Snap Poker Hand"))).payoffs == won
    assert only(with_changes(PACIFIC, ("$", ""), ("(Real Money)", "(Play Money)"))).stakes.currency == ""
    hand = only(with_changes(PACIFIC, ("Otto", "[x] ( $5 )"), ("Pia", "never folds")))
    assert hand.players == ("never folds", "Quin", "Rosa", "[x] ( $5 )")
    assert hand.payoffs == won


def test_a_second_small_blind_is_dead():
    text = with_changes(
        PACIFIC,
        ("Rosa posts dead blind [$0.25 + $0.50]", "Rosa posts small blind [$0.25]"),
        ("Rosa raises [$1.50]", "Rosa raises [$2]"),
    )
    hand = only(text)
    assert hand.posts[2:] == (Post(2, ForcedBet.DEAD_BLIND, 25),)
    assert hand.payoffs == only(PACIFIC).payoffs


def test_antes_with_an_article():
    antes = "".join(f"{name} posts the ante [$0.20]\n" for name in ("Otto", "Pia", "Quin", "Rosa"))
    text = with_changes(
        PACIFIC,
        ("Pia posts small", antes + "Pia posts small"),
        ("Seat 5: Quin ( $40.20 )", "Seat 5: Quin ( $40.40 )"),
        ("Seat 9: Rosa ( $40 )", "Seat 9: Rosa ( $40.20 )"),
        ("[ $78 ]", "[ $78.80 ]"),
    )
    assert only(text).payoffs == (-45, -3995, 3860, -20)


def test_a_dutch_queen_is_not_a_french_jack():
    dutch = with_changes(PACIFIC, ("Qs, Qh", "Vs, Vh"), ("Kd", "Hd"), ("Kc", "Hc"))
    assert cards_name(only(dutch).hole[1] or ()) == "QsQh"
    assert cards_name(only(dutch).board) == "Kc7h2s9d3c"
    french = with_changes(PACIFIC, ("Qs, Qh", "Vs, Vh"), ("Kd", "Rd"), ("Kc", "Rc"))
    assert cards_name(only(french).hole[1] or ()) == "JsJh"
    assert reasons(with_changes(PACIFIC, ("Qs, Qh", "Vs, Vh"))) == ["cards"]
