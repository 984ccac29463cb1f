"""Texts of Winamax: every feature on a small hand of our own."""

from datetime import UTC, datetime

import pytest
from room_texts import the_hand, with_changes

from soulread.cards.deck import parse_cards
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.reading import read_pieces
from soulread.hands.formats.rooms import looks_like_room
from soulread.hands.formats.seated.ohh import cut_ohh, write_ohh
from soulread.hands.formats.seated.winamax import cut_winamax, looks_like_winamax
from soulread.hands.hand import ForcedBet, Hand, Post, Sight

CASH = """\
Winamax Poker - CashGame - HandId: #8871203-15-1583940117 - Holdem no limit (0.50€/1€) - \
2020/03/11 15:21:57 UTC
Table: 'Nantes 02' 6-max (real money) Seat #2 is the button
Seat 1: Ada B (100€)
Seat 2: Bo (80.50€)
Seat 4: Cy (120€)
Seat 5: Ada (40€)
*** ANTE/BLINDS ***
Cy posts small blind 0.50€
Ada posts big blind 1€
Dealt to Bo [Ah Kd]
*** PRE-FLOP ***
Ada B folds
Bo raises 2€ to 3€
Cy folds
Ada calls 2€
*** FLOP *** [As 7c 2d]
Ada checks
Bo bets 4€
Ada calls 4€
*** TURN *** [As 7c 2d][9h]
Ada checks
Bo checks
*** RIVER *** [As 7c 2d 9h][9s]
Ada bets 10€
Bo calls 10€
*** SHOW DOWN ***
Ada shows [7h 7d] (Full of 7 and 9)
Bo shows [Ah Kd] (Two pairs : Aces and 9)
Ada collected 33€ from pot
*** SUMMARY ***
Total pot 33€ | Rake 1.50€
Board: [As 7c 2d 9h 9s]
Seat 2: Bo (button) showed [Ah Kd] and lost with Two pairs : Aces and 9
Seat 5: Ada (big blind) showed [7h 7d] and won 33€ with Full of 7 and 9
"""

TOURNAMENT = """\
Winamax Poker - Tournament "Tour d'hiver" buyIn: 4,50€ + 0,50€ level: 7 - HandId: #99120-64-1428123510 - \
Holdem no limit (10/60/120) - 2015/04/04 04:58:30 UTC
Table: 'Tour d'hiver(146)#008' 6-max (real money) Seat #1 is the button
Seat 1: Ada (4818, 2.25€ bounty)
Seat 3: Bo (1305)
Seat 4: Cy (630)
Seat 6: Dee (5000)
*** ANTE/BLINDS ***
Ada posts ante 10
Bo posts ante 10
Cy posts ante 10
Dee posts ante 10
Bo posts small blind 60
Cy posts big blind 120
Dealt to Dee [Jh Jc]
*** PRE-FLOP ***
Dee raises 180 to 300
Bo raises 995 to 1295 and is all-in
Cy calls 500 and is all-in
Dee raises 2590 to 3885
*** FLOP *** [5h 3c 9d]
*** TURN *** [5h 3c 9d][Kd]
*** RIVER *** [5h 3c 9d Kd][7h]
*** SHOW DOWN ***
Bo shows [Ah Td] (High card : Ace)
Cy shows [7c 9c] (Two pairs : 9 and 7)
Dee shows [Jh Jc] (One pair : Jack)
Dee collected 3940 from side pot 1
Cy collected 1900 from main pot
*** SUMMARY ***
Total pot 5.84k | No rake
Board: [5h 3c 9d Kd 7h]
Seat 1: Ada (button) folded
Seat 3: Bo (small blind) showed [Ah Td] and lost with High card : Ace
Seat 4: Cy (big blind) showed [7c 9c] and won 1900 with Two pairs : 9 and 7
Seat 6: Dee showed [Jh Jc] and won 3940 with One pair : Jack
"""


def read(text: str) -> list[Hand | Skipped]:
    return list(read_pieces(cut_winamax([text.split("\n")], "file.txt")))


def hand_of(text: str) -> Hand:
    return the_hand(read(text))


def changed(*pairs: tuple[str, str], text: str = CASH) -> str:
    return with_changes(text, *pairs)


def test_a_hand() -> None:
    hand = hand_of(CASH)
    assert hand.players == ("Cy", "Ada", "Ada B", "Bo")
    assert hand.stacks == (12000, 4000, 10000, 8050)
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 50), Post(1, ForcedBet.BIG_BLIND, 100))
    assert hand.betting == "fr300fc/cr700c/cc/r1700c"
    assert hand.boards == (parse_cards("As7c2d9h9s"),)
    assert hand.hole == (None, parse_cards("7h7d"), None, parse_cards("AhKd"))
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.UNSEEN, Sight.SHOWN)
    assert (hand.payoffs, hand.rake) == ((-50, 1600, 0, -1700), 150)
    assert (hand.id, hand.source, hand.table) == ("8871203-15-1583940117", "Winamax", "Nantes 02")
    assert hand.room == "Winamax"
    assert hand.time == datetime(2020, 3, 11, 15, 21, 57, tzinfo=UTC)
    assert (hand.stakes.currency, hand.stakes.chip, hand.observer) == ("EUR", "0.01", 3)


def test_a_tournament() -> None:
    """Dee's raise nobody can answer: it is a call, and what is too much comes back as a side pot.

    Ada neither posts more nor acts, and folded by the summary: in turn, after Dee.
    """
    hand = hand_of(TOURNAMENT)
    assert hand.players == ("Bo", "Cy", "Dee", "Ada")
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.ante) == ("", "1", 10)
    assert hand.betting == "r310fr1305cc///"
    assert (hand.payoffs, hand.rake) == ((-1305, 1270, 45, -10), 0)
    assert hand.showdown
    assert hand.stakes.tournament
    assert hand.observer == 2


def test_a_bet_that_nobody_calls_is_collected_with_the_pot() -> None:
    text = changed(
        ("Bo calls 10€\n*** SHOW DOWN ***\n", "Bo folds\n"),
        ("Ada shows [7h 7d] (Full of 7 and 9)\n", ""),
        ("Bo shows [Ah Kd] (Two pairs : Aces and 9)\n", ""),
        ("collected 33€", "collected 23.80€"),
        ("Total pot 33€ | Rake 1.50€", "Total pot 23.80€ | Rake 0.70€"),
        ("Seat 2: Bo (button) showed [Ah Kd] and lost with Two pairs : Aces and 9\n", ""),
        ("showed [7h 7d] and won 33€ with Full of 7 and 9", "won 23.80€"),
    )
    hand = hand_of(text)
    assert (hand.payoffs, hand.rake) == ((-50, 680, 0, -700), 70)
    assert hand.sights[3] is Sight.DEALT
    given_back = text.replace("23.80€ from", "13.80€ from").replace("Total pot 23.80€", "Total pot 13.80€")
    assert hand_of(given_back).payoffs == hand.payoffs


def test_half_chips_are_collected_as_whole_ones() -> None:
    text = changed(
        ("CashGame", 'Tournament "x" buyIn: 1€ + 0€ level: 1'),
        ("0.50€", "0.50"),
        ("1.50€", "1.50"),
        ("€", ""),
    )
    text = text.replace("Rake 1.50", "No rake").replace("| No", "| No").replace("33", "35")
    hand = hand_of(text)  # the pot has 34.50, and the winner collects 35
    assert (hand.payoffs, hand.rake) == ((-50, 1750, 0, -1700), 0)


@pytest.mark.parametrize(
    ("line", "won", "expected"),
    [
        ("Ada B posts big blind 1€ out of position\n", 34, [Post(2, ForcedBet.BIG_BLIND, 100)]),
        ("Ada B posts small blind 0.50€ out of position\n", 33.5, [Post(2, ForcedBet.DEAD_BLIND, 50)]),
        (
            "Ada B posts small blind 1.50€ out of position\nAda B posts big blind 0€ out of position\n",
            34.5,
            [Post(2, ForcedBet.BIG_BLIND, 100), Post(2, ForcedBet.DEAD_BLIND, 50)],
        ),
        ("Ada posts ante 1€\n", 34, [Post(1, ForcedBet.ANTE, 100)]),
    ],
)
def test_posts(line: str, won: float, expected: list[Post]) -> None:
    hand = hand_of(changed(("Dealt to", f"{line}Dealt to"), ("33€", f"{won}€")))
    assert list(hand.posts[2:]) == expected
    assert hand.rake == 150


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(100€)", "(€100)"),
        ("(100€)", "(100 €)"),
        ("(100€)", "(100€, 12.50€ bounty)"),
        ("(100€)", "(100€) is sitting out"),
        ("33€ from", "33\u00a0€ from"),
        ("33€ from", "€33 from"),
        ("0.50€", "0,50€"),
        ("Ada B folds", "Ada B has timed out\nAda B folds\nZoe joins the table\nZoe denies big blind"),
        ("€", "â‚¬"),
    ],
)
def test_other_ways_to_write_the_same_hand(old: str, new: str) -> None:
    assert hand_of(changed((old, new))) == hand_of(CASH)


def test_play_money_has_no_currency() -> None:
    hand = hand_of(CASH.replace("€", "").replace("real money", "play money"))
    assert (hand.stakes.currency, hand.stakes.chip) == ("", "0.01")
    assert hand.payoffs == hand_of(CASH).payoffs


def test_limit_hold_em_by_its_bets() -> None:
    head, _, _ = changed(("Holdem no limit (0.50€/1€)", "Holdem fixed limit (1€/2€)")).partition("Bo raises")
    text = (
        head
        + "Bo raises 1€ to 2€\nCy folds\nAda folds\nBo collected 3.50€ from pot\n*** SUMMARY ***\n"
        + "Total pot 3.50€ | No rake\nSeat 2: Bo (button) won 3.50€\n"
    )
    hand = hand_of(text)
    assert (hand.game, hand.stakes.small_bet, hand.stakes.big_blind) == ("ring-limit:4", 100, 100)
    assert hand.payoffs == (-50, -100, 0, 150)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Holdem no limit", "Omaha pot limit", "Omaha"),
        ("Holdem no limit", "5 Card Omaha Hi/Lo pot limit", "Omaha"),
        ("Holdem no limit", "7-Card Stud fixed limit", "seven card stud"),
        ("Holdem no limit", "2-7 Triple Draw fixed limit", "draw poker"),
        ("Holdem no limit", "Holdem pot limit", "pot-limit hold'em"),
        ("Holdem no limit", "Razz fixed limit", "razz"),
        ("(0.50€/1€)", "(1€)", "the stakes are missing"),
        (" - 2020/03/11 15:21:57 UTC", "", "a hand without its first line"),
        (" Seat #2 is the button", "", "the button is missing"),
        ("Ada calls 4€", "Ada calls 5€", "an amount differs"),
        ("Ada checks\nBo bets", "Bo bets", "an action out of turn"),
        ("Total pot 33€", "Total pot 34€", "the pot differs"),
        ("Rake 1.50€", "Rake 1€", "the pot differs"),
        ("Ada collected", "Bo collected", "the pot goes elsewhere"),
        ("Ada collected 33€ from pot\n", "", "the hand is cut short"),
        ("*** TURN *** [As 7c 2d][9h]", "*** TURN *** [As 7c 2d][As]", "cards"),
        ("*** TURN ***", "*** RIVER ***", "the rounds do not fit"),
        ("Seat 4: Cy (120€)", "Seat 4: Bo (120€)", "names"),
        ("Seat 4: Cy (120€)", "Seat 4: Cy", "a seat cannot be read"),
        ("Cy folds", "Cyd folds", "a player has no seat"),
        ("Ada B folds", "Ada C folds", "a player has no seat"),
        ("Cy posts", "Cyd posts", "a player has no seat"),
        ("(80.50€)", "(80.505€)", "an amount cannot be read"),
    ],
)
def test_reasons(old: str, new: str, reason: str) -> None:
    (found,) = read(changed((old, new)))
    assert isinstance(found, Skipped)
    assert found.reason == reason, found
    assert found.id == "8871203-15-1583940117"
    assert found.other_game == (old == "Holdem no limit")


def test_many_hands_and_a_bad_one_between() -> None:
    bad = changed(("Ada calls 4€\n", ""))
    first, second, third = read(f"{CASH}\n\n{bad}\n\n{CASH}")
    assert first == third == hand_of(CASH)
    assert isinstance(second, Skipped)
    assert second.line == CASH.count("\n") + 3
    assert [type(entry) for entry in read(CASH + TOURNAMENT[:500])] == [Hand, Skipped]
    assert [type(entry) for entry in read(CASH[300:] + TOURNAMENT)] == [Skipped, Hand]


def test_detection() -> None:
    assert looks_like_winamax("\ufeff" + CASH)
    assert not looks_like_room(CASH)
    assert not looks_like_winamax("Winamax Poker - Tournament summary : Hiver(146)\nPlayer : Ada\n")


def test_through_open_hand_history() -> None:
    for text in (CASH, TOURNAMENT):
        hand = hand_of(text)
        assert list(read_pieces(cut_ohh([write_ohh(hand).split("\n")], "x"))) == [hand]
