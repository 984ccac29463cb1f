"""PokerStars and GGPoker text: every feature on a small hand of our own, and the way there and back."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from soulread.cards.deck import parse_cards
from soulread.errors import SoulreadError
from soulread.games.poker import CALL, FOLD
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.phh import cut_phh, write_phh
from soulread.hands.formats.reading import read_pieces
from soulread.hands.formats.rooms import cut_room, looks_like_room, read_amount, write_room
from soulread.hands.hand import ForcedBet, Hand, Post, Sight

CASH = """\
PokerStars Hand #7001: Hold'em No Limit ($0.50/$1 USD) - 2021/07/04 14:05:09 ET
Table 'Elm Street' 6-max Seat #2 is the button
Seat 1: Ada ($100 in chips)
Seat 2: Bo ($80.50 in chips)
Seat 4: Cy ($120 in chips)
Seat 5: Dee ($40 in chips)
Cy: posts small blind $0.50
Dee: posts big blind $1
*** HOLE CARDS ***
Dealt to Bo [Ah Kd]
Ada: folds
Bo: raises $2 to $3
Cy: folds
Dee: calls $2
*** FLOP *** [As 7c 2d]
Dee: checks
Bo: bets $4
Dee: calls $4
*** TURN *** [As 7c 2d] [9h]
Dee: checks
Bo: checks
*** RIVER *** [As 7c 2d 9h] [9s]
Dee: bets $10
Bo: calls $10
*** SHOW DOWN ***
Dee: shows [7h 7d] (a full house, Sevens full of Nines)
Bo: mucks hand
Dee collected $33 from pot
*** SUMMARY ***
Total pot $34.50 | Rake $1.50
Board [As 7c 2d 9h 9s]
Seat 1: Ada folded before Flop (didn't bet)
Seat 2: Bo (button) mucked [Ah Kd]
Seat 4: Cy (small blind) folded before Flop
Seat 5: Dee (big blind) showed [7h 7d] and won ($33) with a full house, Sevens full of Nines
"""

TOURNAMENT = """\
PokerStars Hand #7002: Tournament #55, $5.00+$0.50 USD Hold'em No Limit - Level IV (50/100) - \
2014/01/20 20:00:00 CET [2014/01/20 14:00:00 ET]
Table '55 3' 9-max Seat #9 is the button
Seat 1: Ada (2000 in chips)
Seat 3: Bo (60 in chips, $1.25 bounty)
Seat 9: Cy (1500 in chips) is sitting out
Ada: posts the ante 10
Bo: posts the ante 10
Cy: posts the ante 10
Ada: posts small blind 50
Bo: posts big blind 50 and is all-in
*** HOLE CARDS ***
Dealt to Ada [Qs Qd]
Cy: folds
Ada: calls 50
Uncalled bet (50) returned to Ada
*** FLOP *** [2c 3c 4c]
*** TURN *** [2c 3c 4c] [5d]
*** RIVER *** [2c 3c 4c 5d] [9d]
*** SHOW DOWN ***
Ada: shows [Qs Qd] (a pair of Queens)
Bo: shows [Ac 8h] (a straight, Ace to Five)
Bo collected 130 from pot
*** SUMMARY ***
Total pot 130 | Rake 0
Board [2c 3c 4c 5d 9d]
"""


def read(text: str) -> list[Hand | Skipped]:
    return list(read_pieces(cut_room([text.split("\n")], "file.txt")))


def hand_of(text: str) -> Hand:
    (found,) = read(text)
    assert isinstance(found, Hand), found
    return found


def reason_of(text: str) -> str:
    (found,) = read(text)
    assert isinstance(found, Skipped), found
    return found.reason


def there_and_back(hand: Hand) -> None:
    """Through PHH and PokerStars text, and the same again."""
    (through_phh,) = read_pieces(cut_phh([write_phh(hand).split("\n")], "x.phh"))
    assert through_phh == hand
    assert hand_of(write_room(hand)) == hand


def test_cash_hand():
    hand = hand_of(CASH)
    assert hand.players == ("Cy", "Dee", "Ada", "Bo")  # by position, the button last
    assert hand.stacks == (12000, 4000, 10000, 8050)
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 50), Post(1, ForcedBet.BIG_BLIND, 100))
    assert hand.betting == "fr300fc/cr700c/cc/r1700c"
    assert hand.boards == (parse_cards("As7c2d9h9s"),)
    assert hand.hole == (None, parse_cards("7h7d"), None, parse_cards("AhKd"))
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.UNSEEN, Sight.MUCKED)
    assert (hand.payoffs, hand.rake, hand.showdown) == ((-50, 1600, 0, -1700), 150, True)
    assert (hand.id, hand.source, hand.table, hand.observer) == ("7001", "PokerStars", "Elm Street", 3)
    assert hand.time == datetime(2021, 7, 4, 18, 5, 9, tzinfo=UTC)
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.big_blind) == ("USD", "0.01", 100)
    there_and_back(hand)


def test_tournament_with_antes_and_a_short_big_blind():
    hand = hand_of(TOURNAMENT)
    assert hand.players == ("Ada", "Bo", "Cy")
    assert [post.kind for post in hand.posts] == [ForcedBet.ANTE] * 3 + [
        ForcedBet.SMALL_BLIND,
        ForcedBet.BIG_BLIND,
    ]
    assert hand.payoffs == (-60, 70, -10)  # Ada calls the whole blind and gets half of it back
    assert (hand.stakes.ante, hand.stakes.currency, hand.stakes.chip) == (10, "", "1")
    assert hand.time == datetime(2014, 1, 20, 19, 0, tzinfo=UTC)
    there_and_back(hand)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: "\ufeff" + text,
        lambda text: "\n\n" + text.replace("\n", "  \n") + "\n\n\n",
        lambda text: text.replace("PokerStars Hand", "PokerStars Game").replace("7001: ", "7001:  "),
        lambda text: text.replace("PokerStars Hand #", "PokerStars Zoom Hand #"),
        lambda text: text.replace("Bo: raises", 'Ada said, "Cy: folds"\nDee has timed out\nBo: raises'),
        lambda text: text.replace("*** FLOP", "Finn joins the table at seat #6\n*** FLOP"),
        lambda text: text.replace("Cy: posts small", "Finn: sits out\nCy: posts small"),
        lambda text: text.replace(
            "Seat 5: Dee (", "Seat 3: Finn ($9 in chips) is sitting out\nSeat 5: Dee (", 1
        ),
        lambda text: text.replace(
            "2021/07/04 14:05:09 ET", "2021/07/04 20:05:09 CET [2021/07/04 14:05:09 ET]"
        ),
        lambda text: text.replace("2021/07/04 14:05:09 ET", "2021/07/04 - 14:05:09 (ET)"),
        lambda text: text.replace("$40 in", "$40.00 in").replace("$120 in", "$120,00 in"),
        lambda text: text.replace(
            "\nTotal pot $34.50 |", "\nDee cashed out the hand for $30 | Cash Out Fee $1\nTotal pot $34.50 |"
        ),
    ],
)
def test_what_says_nothing_about_the_play_changes_nothing(change):
    assert hand_of(change(CASH)) == hand_of(CASH)


@pytest.mark.parametrize(
    ("sign", "code"), [("€", "EUR"), ("£", "GBP"), ("", "")], ids=["euro", "pound", "play money"]
)
def test_currencies(sign, code):
    text = CASH.replace(" USD", f" {code}" if code else "").replace("$", sign)
    hand = hand_of(text)
    assert (hand.stakes.currency, hand.stakes.chip) == (code, "0.01")
    there_and_back(hand)


def test_play_money_without_decimals_is_counted_in_chips():
    text = TOURNAMENT.replace("Tournament #55, $5.00+$0.50 USD ", "").replace(" - Level IV", "")
    assert hand_of(text).stakes.chip == "1"


@pytest.mark.parametrize(
    ("text", "chips"),
    [
        ("$47.5", 4750),
        ("47,50 € and is all-in", 4750),
        ("€1.234,50", 123450),
        ("$1,234.50", 123450),
        ("24,152", 2415200),
        ("1 234,5", 123450),
        ("$.5", 500),
        ("1.234.567", 123456700),
    ],
)
def test_amounts(text, chips):
    assert read_amount(text, 2) == chips


def test_walk_with_the_uncalled_blind_collected_or_returned():
    lines = CASH.split("\n")
    start = lines[:9]
    walk = ["Ada: folds", "Bo: folds", "Cy: folds"]
    new = [*start, *walk, "Uncalled bet ($0.50) returned to Dee", "Dee collected $1 from pot"]
    old = [*start, *walk, "Dee collected $1.50 from pot"]
    for end in (new, old):
        hand = hand_of("\n".join(end))
        assert (hand.payoffs, hand.rake, hand.showdown) == ((-50, 50, 0, 0), 0, False)
        there_and_back(hand)


def test_one_card_shown_and_a_fold_that_shows():
    text = CASH.replace("Bo: mucks hand", "Bo: shows [XX Kd]").replace("Dealt to Bo [Ah Kd]\n", "")
    text = text.replace(" mucked [Ah Kd]", "").replace("Cy: folds", "Cy: folds [2h 2s]")
    hand = hand_of(text)
    assert hand.hole == (parse_cards("2h2s"), parse_cards("7h7d"), None, parse_cards("Kd"))
    assert hand.sights == (Sight.SHOWN, Sight.SHOWN, Sight.UNSEEN, Sight.SHOWN)
    assert hand.observer is None
    there_and_back(hand)


def test_a_seat_that_sits_down_posts_both_blinds():
    text = CASH.replace("*** HOLE", "Ada: posts small & big blinds $1.50\n*** HOLE").replace(
        "Ada: folds", "Ada: checks", 1
    )
    text = text.replace("Dee: calls $2\n***", "Dee: calls $2\nAda: folds\n***").replace(
        "$33 from", "$34.50 from"
    )
    text = text.replace("$34.50 |", "$36 |")
    hand = hand_of(text)
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 100), Post(2, ForcedBet.DEAD_BLIND, 50))
    assert hand.payoffs == (-50, 1750, -150, -1700)
    there_and_back(hand)


def test_straddle_acts_last_before_the_flop():
    text = CASH.replace("*** HOLE", "Ada: straddle $2\n*** HOLE").replace(
        "Ada: folds\nBo: raises $2 to $3", "Bo: raises $3 to $5"
    )
    text = text.replace("Dee: calls $2\n***", "Dee: calls $4\nAda: folds\n***").replace(
        "$33 from", "$39 from"
    )
    text = text.replace("$34.50 |", "$40.50 |")
    hand = hand_of(text)
    assert hand.posts[2] == Post(2, ForcedBet.STRADDLE, 200)
    assert hand.payoffs == (-50, 2000, -200, -1900)
    there_and_back(hand)


TWICE = """\
PokerStars Hand #7003: Hold'em No Limit ($1/$2 USD) - 2020/02/02 10:00:00 ET
Table 'Oak' 2-max Seat #1 is the button
Seat 1: Ada ($50 in chips)
Seat 2: Bo ($70 in chips)
Ada: posts small blind $1
Bo: posts big blind $2
*** HOLE CARDS ***
Ada: raises $48 to $50 and is all-in
Bo: calls $48
*** FIRST FLOP *** [2c 7d Jh]
*** FIRST TURN *** [2c 7d Jh] [Js]
*** FIRST RIVER *** [2c 7d Jh Js] [3c]
*** SECOND FLOP *** [5c 6d Kh]
*** SECOND TURN *** [5c 6d Kh] [9s]
*** SECOND RIVER *** [5c 6d Kh 9s] [4d]
*** FIRST SHOW DOWN ***
Ada: shows [Ah As] (two pair, Aces and Jacks)
Bo: shows [Kc Ks] (two pair, Kings and Jacks)
Ada collected $48.50 from pot
*** SECOND SHOW DOWN ***
Bo: shows [Kc Ks] (three of a kind, Kings)
Bo collected $48.50 from pot
*** SUMMARY ***
Total pot $100 | Rake $3
Hand was run twice
FIRST Board [2c 7d Jh Js 3c]
SECOND Board [5c 6d Kh 9s 4d]
"""


def test_run_it_twice():
    hand = hand_of(TWICE)
    assert hand.players == ("Bo", "Ada")  # two players: the button posts the small blind
    assert hand.boards == (parse_cards("2c7dJhJs3c"), parse_cards("5c6dKh9s4d"))
    assert (hand.payoffs, hand.rake) == ((-150, -150), 300)
    there_and_back(hand)
    assert reason_of(TWICE.replace("Bo collected $48.50", "Ada collected $48.50")) == "the pot goes elsewhere"


def test_run_twice_from_the_turn():
    text = TWICE.replace("*** FIRST FLOP", "*** FLOP").replace("*** SECOND FLOP *** [5c 6d Kh]\n", "")
    text = text.replace("5c 6d Kh", "2c 7d Jh").replace("Bo collected $48.50", "Ada collected $48.50")
    hand = hand_of(text)
    assert hand.boards[1] == parse_cards("2c7dJh9s4d")
    there_and_back(hand)


def test_side_pots_and_a_fold_out_of_turn():
    text = """\
PokerStars Hand #7004: Hold'em No Limit ($1/$2 USD) - 2020/02/02 10:00:00 ET
Table 'Oak' 6-max Seat #4 is the button
Seat 1: Ada ($20 in chips)
Seat 2: Bo ($50 in chips)
Seat 3: Cy ($80 in chips)
Seat 4: Dee ($90 in chips)
Ada: posts small blind $1
Bo: posts big blind $2
*** HOLE CARDS ***
Cy: raises $4 to $6
Ada: folds
Dee: calls $6
Bo: raises $44 to $50 and is all-in
Cy: raises $30 to $80 and is all-in
Dee: calls $74
*** FLOP *** [2c 7d Jh]
*** TURN *** [2c 7d Jh] [Js]
*** RIVER *** [2c 7d Jh Js] [3c]
*** SHOW DOWN ***
Cy: shows [Ah As] (two pair, Aces and Jacks)
Dee: shows [Qc Qs] (two pair, Queens and Jacks)
Cy collected $59 from side pot
Bo: shows [Jd Tc] (three of a kind, Jacks)
Bo collected $149 from main pot
*** SUMMARY ***
Total pot $211 Main pot $151. Side pot $60. | Rake $3
"""
    hand = hand_of(text)
    assert hand.betting == "r600cfr5000r8000c///"
    assert hand.actions[2] == (0, FOLD)  # when it is Ada's turn
    assert hand.payoffs == (-100, 9900, -2100, -8000)
    there_and_back(hand)


def test_folding_with_nothing_to_call():
    text = CASH.replace("Dee: checks\nBo: checks\n", "Dee: folds\n").partition("*** RIVER")[0]
    text += "Bo collected $13.80 from pot\n*** SUMMARY ***\nTotal pot $14.50 | Rake $0.70\n"
    hand = hand_of(text)
    assert hand.actions[-1] == (1, FOLD)
    assert hand.payoffs == (-50, -700, 0, 680)
    there_and_back(hand)


def test_a_raise_nobody_can_answer_is_a_call():
    text = TOURNAMENT.replace(
        "Ada: calls 50\nUncalled bet (50)", "Ada: raises 1890 to 1990\nUncalled bet (1940)"
    )
    assert hand_of(text).actions[-1] == (0, CALL)


GG = """\
Poker Hand #TM77: Tournament #9, Sunday $20 Hold'em No Limit - Level8(600/1,200) - 2022/05/01 18:00:00
Table '12' 8-max Seat #1 is the button
Seat 1: Hero (31,000 in chips)
Seat 4: 1a2b3c4d (9,500 in chips)
Seat 6: 5e6f7a8b (28,250 in chips)
Hero: posts the ante 150
5e6f7a8b: posts the ante 150
1a2b3c4d: posts the ante 150
1a2b3c4d: posts small blind 500
5e6f7a8b: posts big blind 1,000
*** HOLE CARDS ***
Dealt to Hero [Kc Jc]
Dealt to 1a2b3c4d
Dealt to 5e6f7a8b
Hero: raises 1,000 to 2,000
1a2b3c4d: folds
5e6f7a8b: folds
Uncalled bet (1,000) returned to Hero
*** SHOWDOWN ***
Hero collected 2,950 from pot
*** SUMMARY ***
Total pot 2,950 | Rake 0 | Jackpot 0 | Bingo 0
"""


def test_ggpoker():
    hand = hand_of(GG)
    assert (hand.source, hand.id, hand.stakes.big_blind) == ("GGPoker", "TM77", 1000)  # as posted
    assert hand.payoffs == (-650, -1150, 1800)
    there_and_back(hand)
    with_fees = CASH.replace("Rake $1.50", "Rake $1 | Jackpot $0.30 | Bingo $0.20")
    assert hand_of(with_fees).rake == 150


def test_limit():
    text = """\
PokerStars Game #7005:  Hold'em Limit ($1/$2 USD) - 2005/08/15 14:27:10 ET
Table 'Fir' Seat #1 is the button
Seat 1: Ada ($40 in chips)
Seat 2: Bo ($24.75 in chips)
Ada: posts small blind $0.50
Bo: posts big blind $1
*** HOLE CARDS ***
Ada: raises $1 to $2
Bo: calls $1
*** FLOP *** [2c 7d Jh]
Bo: bets $1
Ada: raises $1 to $2
Bo: folds
Uncalled bet ($1) returned to Ada
Ada collected $5.70 from pot
*** SUMMARY ***
Total pot $6 | Rake $0.30
"""
    hand = hand_of(text)
    assert (hand.betting, hand.stakes.small_bet) == ("rc/rrf", 100)
    assert hand.payoffs == (-300, 270)
    there_and_back(hand)
    assert (
        reason_of(text.replace("raises $1 to $2\nBo: folds", "raises $2 to $3\nBo: folds"))
        == "an amount differs"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Omaha Pot Limit", "Omaha"),
        ("PLO-5", "Omaha"),
        ("ShortDeck No Limit", "short deck hold'em"),
        ("6+ Hold'em No Limit", "short deck hold'em"),
        ("7 Card Stud Limit", "seven card stud"),
        ("Razz Limit", "razz"),
        ("5 Card Draw No Limit", "draw poker"),
        ("Hold'em Pot Limit", "pot-limit hold'em"),
        ("Pinochle", "another game"),
    ],
)
def test_other_games_are_named(name, reason):
    (found,) = read(CASH.replace("Hold'em No Limit", name))
    assert isinstance(found, Skipped)
    assert (found.reason, found.other_game, found.id, found.line) == (reason, True, "7001", 1)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Dee: calls $2", "Dee: calls $3", "an amount differs"),
        ("raises $2 to $3", "raises $0.50 to $1.50", "an action is not legal"),
        ("Cy: folds", "Cy: checks", "an amount differs"),
        ("Ada: folds\n", "", "an action is missing"),
        ("Dee: bets $10\n", "", "an action out of turn"),
        ("Rake $1.50", "Rake $1.40", "chips are not conserved"),
        ("Total pot $34.50", "Total pot $35", "the pot differs"),
        ("Dee collected $33", "Bo collected $33", "the pot goes elsewhere"),
        ("Dee collected $33 from pot\n", "", "the hand is cut short"),
        ("[9s]", "[9h]", "cards"),
        ("[9s]", "[As]", "cards"),
        ("[9s]", "[1x]", "cards"),
        ("[7h 7d]", "[7h 7c]", "cards"),
        ("Bo: calls $10\n", "", "the hand is not over"),
        ("*** TURN *** [As 7c 2d] [9h]\n", "", "an action out of turn"),
        ("($120 in chips)", "(a lot in chips)", "the pot differs"),
        ("Seat 4: Cy", "Seat 4: Bo", "names"),
        ("($0.50/$1 USD)", "", "the stakes are missing"),
        ("Table 'Elm Street' 6-max Seat #2 is the button", "", "the table is missing"),
    ],
)
def test_a_hand_that_does_not_add_up_is_skipped_and_its_neighbours_are_kept(old, new, reason):
    assert CASH.count(old) >= 1
    found = read(CASH + "\n\n" + CASH.replace(old, new).replace("#7001", "#7009") + "\n\n" + TOURNAMENT)
    assert [entry.id for entry in found] == ["7001", "7009", "7002"]
    assert isinstance(found[1], Skipped)
    assert found[1].reason == reason, found[1]
    assert found[1].line == CASH.count("\n") + 3
    assert isinstance(found[0], Hand)
    assert isinstance(found[2], Hand)


def test_house_money_in_the_pot():
    text = CASH.replace("Dealt to Bo", "STP added: $5\nDealt to Bo").replace("$33 from", "$38 from")
    text = text.replace("Total pot $34.50 |", "Total pot $39.50 | Main pot $34.50 | STP $5 |")
    hand = hand_of(text)
    assert (hand.payoffs, hand.rake) == ((-50, 2100, 0, -1700), 150 - 500)
    (through_phh,) = read_pieces(cut_phh([write_phh(hand).split("\n")], "x.phh"))
    assert through_phh == hand


def test_detection():
    assert looks_like_room(CASH)
    assert looks_like_room("\ufeff\n\n" + GG)
    assert not looks_like_room("Dear Ada,\nhow are you? Seat 1: Bo")


def test_what_cannot_be_written_is_said():
    hand = hand_of(CASH)
    nowhere = replace(hand, room="", source="a:b")
    for bad in (replace(hand, id="x"), replace(hand, room="a:b"), nowhere, replace(hand, stacks=None)):
        with pytest.raises(SoulreadError, match="PokerStars text"):
            write_room(bad)
