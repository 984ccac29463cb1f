"""Texts that PokerTracker exports: iPoker, Merge, Microgaming."""

from datetime import UTC, datetime

import pytest
from room_texts import IPOKER, MERGE, MICROGAMING, only, reasons, with_changes

from soulread.cards.deck import cards_name
from soulread.hands.hand import ForcedBet, Post

TOURNAMENT = """\
GAME #700600002 Version:18.5.6.4 Uncalled:Y Texas Hold'em NL Tournament 2019-01-10 19:32:38/GMT
Table €200 Deep, 9429, 9423 (Tournament: €200 Deep Buy-In: €0.91 + €0.09)
Seat 1: Eli (€5,280.00 in chips)
Seat 3: Fay (€385.50 in chips)
Seat 5: Gus (€4,967.00 in chips)
Eli: Post Ante €100.00
Fay: Post Ante €100.00
Gus: Post Ante €100.00
Fay: Post SB €285.50
Gus: Post BB €1,000.00
*** HOLE CARDS ***
Dealt to Eli [HQ D2]
Eli: Fold
*** FLOP *** [C9 H3 C5]
*** TURN *** [DA]
*** RIVER *** [CQ]
*** SUMMARY ***
Total pot €871.00 Rake €0.00
Fay: Shows [HA S4] One Pair, Aces
Gus: Mucks [D7 S8] High Card
Fay: wins €871.00
"""


def test_ipoker():
    hand = only(IPOKER)
    assert (hand.id, hand.room, hand.table) == ("700600001", "iPoker", "Granada")
    assert hand.players == ("Fay", "Gus", "Eli")
    assert hand.stacks == (1840, 104000, 2000)
    assert cards_name(hand.hole[1] or ()) == "AhTc"
    assert cards_name(hand.board) == "Td7s2c"
    assert hand.payoffs == (-10, 145, -150)  # wins 4.75: a pot of 3.10 and the own 1.80, less 0.15
    assert hand.rake == 15
    assert hand.time == datetime(2012, 12, 12, 12, 12, 12, tzinfo=UTC)


def test_newer_files_give_uncalled_bets_back():
    text = IPOKER.replace("700600001:", "700600001 Version:18.9.3.4 Uncalled:Y").replace("$4.75", "$2.95")
    assert only(text).payoffs == (-10, 145, -150)


def test_a_tournament_with_a_dead_button_and_half_chips():
    hand = only(TOURNAMENT)
    assert hand.players == ("Fay", "Gus", "Eli")
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.big_blind) == ("", "0.01", 100000)
    assert hand.payoffs == (48550, -38550, -10000)
    assert hand.time == datetime(2019, 1, 10, 19, 32, 38, tzinfo=UTC)
    assert hand.observer == 2


def test_both_blinds_in_one_amount():
    text = IPOKER.replace("*** HOLE", "Eli: Post BB $0.30\n*** HOLE").replace("$4.75", "$4.85")
    hand = only(text)
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 20), Post(2, ForcedBet.DEAD_BLIND, 10))
    assert hand.payoffs == (-10, 155, -160)


def test_streets_that_come_late():
    late = IPOKER.replace(
        "Gus: Check\nEli: Bet $0.90\n", "Gus: Check\nEli: Check\nGus: Check\nEli: Bet $0.90\n"
    )
    late = late.replace("Eli: Fold\n", "Eli: Fold\n*** TURN *** [H3]\n")
    assert only(late).betting == "r60fc/cc/cr150r330f"


def test_merge():
    hand = only(MERGE)
    assert (hand.id, hand.room) == ("7006100-12", "Merge")
    assert hand.time == datetime(2013, 11, 30, 22, 5, 6, tzinfo=UTC)  # the month comes first
    assert hand.payoffs == (315, -350)
    assert hand.rake == 35
    assert hand.stakes.currency == "USD"


def test_microgaming_writes_totals():
    hand = only(MICROGAMING)
    assert hand.players == ("Hal", "Eli", "Fay")
    assert hand.betting == "r30cf/cr80r180f"
    assert hand.payoffs == (83, -10, -80)
    assert hand.rake == 7
    assert cards_name(hand.hole[0] or ()) == "AsTs"


def test_microgaming_with_a_version_writes_what_is_added():
    text = MICROGAMING.replace("700620001 starting", "700620001 Version:3 starting")
    text = text.replace("Hal called - €0.30", "Hal called - €0.25")
    assert only(text).payoffs == (83, -10, -80)


def test_names_of_anonymous_tables_are_no_persons():
    hand = only(MICROGAMING.replace("Deal 17", "Anonymous 17"))
    assert hand.players == ("Hal", "Eli #700620001", "Fay #700620001")


def test_other_games_and_reasons():
    assert reasons(IPOKER.replace("Texas Hold'em NL", "Omaha PL")) == ["Omaha"]
    assert reasons(MICROGAMING.replace("[Hold'em]", "[Omaha]")) == ["Omaha"]
    assert reasons(IPOKER.replace("Rake $0.15", "Rake $0.25")) == ["the pot differs"]
    assert reasons(IPOKER.replace("Gus: Call $0.40", "Gus: Call $0.50")) == ["an amount differs"]
    assert reasons(IPOKER.replace("$0.10/$0.20 ", "")) == ["the stakes are missing"]
    assert reasons(MERGE.partition("*** SUMMARY")[0]) == ["the hand is cut short"]


MERGE_TOURNAMENT = """\
MERGE_GAME #700610002: Holdem NL Tournament 02/16/2012 04:27:31
Table $5 Deep, 49 (Tournament: $5 Deep, 49 Buy-In: $5+$0.50)
Seat 4: Eli ($3,900.00 in chips) DEALER
Seat 5: Fay ($0.00 in chips)
Seat 6: Gus ($6,290.00 in chips)
Eli: Post Ante $10.00
Fay: Post Ante $10.00
Gus: Post Ante $10.00
Eli: Post SB $100.00
Fay: Post SB $135.00
*** HOLE CARDS ***
Gus: Fold
Eli: Call $100.00
*** FLOP *** [6c 3h 4s]
*** TURN *** [4h]
*** RIVER *** [7h]
*** SUMMARY ***
Eli: Shows [Kh 5s]
Fay: Shows [Kc Qs]
Eli: wins $300.00
Eli: wins $65.00
"""


def test_stacks_of_a_merge_tournament_are_those_after_the_posts():
    hand = only(MERGE_TOURNAMENT)
    assert hand.players == ("Fay", "Gus", "Eli")
    assert hand.stacks == (145, 6300, 4010)
    assert hand.stakes.big_blind == 200  # the second small blind is a big one, all-in for less
    assert hand.payoffs == (-145, -10, 155)


def test_a_game_without_a_word_for_its_limit_has_none():
    assert only(with_changes(IPOKER, ("Hold'em NL", "Hold'em"))).betting == only(IPOKER).betting


@pytest.mark.parametrize("post", ["Post DB", "DB", "Post"])
def test_other_words_for_both_blinds(post: str):
    text = with_changes(IPOKER, ("*** HOLE", f"Eli: {post} $0.30\n*** HOLE"), ("$4.75", "$4.85"))
    hand = only(text)
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 20), Post(2, ForcedBet.DEAD_BLIND, 10))
    assert hand.payoffs == (-10, 155, -160)


def test_a_stack_smaller_than_its_bets_counts_as_what_was_bet():
    hand = only(with_changes(IPOKER, ("$1,040.00", "$3.00")))
    assert hand.stacks == (1840, 330, 2000)
    assert hand.payoffs == only(IPOKER).payoffs
    text = with_changes(IPOKER, ("$1,040.00", "$3.00"), ("Total pot $4.75 Rake $0.15\n", ""))
    assert reasons(text) == ["an action is not legal"]  # nothing tells that the bets are right


def test_microgaming_blinds_that_take_a_whole_stack():
    text = """\
** Hand # 700620009 Version:4 starting - 2013-07-02 23:08:51
** Deal 252(5552):Table 3 [Single Table Hold'em] (25|50 NL - SNG seats:6) Real Money
- Eli sitting in seat 3 with 1000 [Dealer]
- Fay sitting in seat 4 with 20
- Gus sitting in seat 5 with 500
Fay went all-in - 20
Gus posted the big blind - 50
** Dealing card to Eli: A of c, A of d
Eli raised - 100
Gus folded
** Dealing the flop: 2 of c, 3 of d, 4 of h
** Dealing the turn: 9 of c
** Dealing the river: 9 of d
Eli shows: A of c, A of d
Fay shows: K of c, K of d
Eli wins 60 from the main pot
Eli wins 110 from the side pot 1
End of game 700620009
"""
    hand = only(text)
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 20), Post(1, ForcedBet.BIG_BLIND, 50))
    assert hand.payoffs == (-20, -50, 70)
    both = with_changes(
        text,
        ("with 500", "with 40"),
        ("Gus posted the big blind - 50", "Gus went all-in - 40"),
        ("Gus folded\n", ""),
        ("Fay shows", "Gus shows: 7 of c, 7 of d\nFay shows"),
        ("Eli wins 110", "Eli wins 40"),
        ("main pot", "main pot\nEli wins 60 from the side pot 2"),
    )
    assert [post.kind for post in only(both).posts] == [ForcedBet.SMALL_BLIND, ForcedBet.BIG_BLIND]
    assert only(both).payoffs == (-20, -40, 60)
