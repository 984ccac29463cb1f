"""What rooms write in their own way: walks, straddles, blinds that sit out, short blinds. Payoffs by hand."""

import pytest
from test_formats_rooms import CASH, TOURNAMENT, hand_of, reason_of, there_and_back

from soulread.hands.facts import pot_of
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.reading import read_pieces
from soulread.hands.formats.rooms import cut_room
from soulread.hands.hand import ForcedBet

TABLE = """\
PokerStars Hand #7101: Hold'em No Limit ($2/$4 USD) - 2021/07/04 14:05:09 ET
Table 'Elm' 6-max Seat #{button} is the button
Seat 1: Ann ({ann} in chips)
Seat 2: Bob ({bob} in chips)
Seat 3: Cat ($400 in chips)
{more}"""
BOARD = """\
*** FLOP *** [As 7c 2d]
*** TURN *** [As 7c 2d] [9h]
*** RIVER *** [As 7c 2d 9h] [9s]
*** SHOW DOWN ***
"""


def text_of(
    play: str, end: str, pot: str, *, ann: str = "$400", bob: str = "$400", more: str = "", button: str = "3"
) -> str:
    head = TABLE.format(ann=ann, bob=bob, more=more, button=button)
    return f"{head}{play}{end}*** SUMMARY ***\nTotal pot {pot} | Rake $0\n"


BLINDS = "Ann: posts small blind $2\nBob: posts big blind $4\n*** HOLE CARDS ***\n"


def won(text: str) -> dict[str, int]:
    """What each player won, in cents; the hand comes back from every format."""
    hand = hand_of(text)
    there_and_back(hand)
    return dict(zip(hand.players, hand.payoffs, strict=True))


# Walks.


@pytest.mark.parametrize(
    ("returned", "collected", "pot"),
    [("$2", "$4", "$4"), ("$4", "$2", "$2")],  # what nobody called, or the whole blind
)
def test_a_walk_with_the_uncalled_part_or_the_whole_blind_returned(returned, collected, pot):
    end = f"Uncalled bet ({returned}) returned to Bob\nBob collected {collected} from pot\n"
    text = text_of(BLINDS + "Cat: folds\nAnn: folds\n", end, pot)
    assert won(text) == {"Ann": -200, "Bob": 200, "Cat": 0}
    assert pot_of(hand_of(text)) == 400  # the small blind, and as much of the big one


def test_a_walk_in_a_tournament_with_the_whole_blind_returned():
    text = """\
PokerStars Hand #7102: Tournament #55, $5.00+$0.50 USD Hold'em No Limit - Level IV (50/100) - \
2014/01/20 14:00:00 ET
Table '55 3' 9-max Seat #9 is the button
Seat 1: Ada (2000 in chips)
Seat 3: Bo (900 in chips)
Seat 9: Cy (1500 in chips)
Ada: posts the ante 10
Bo: posts the ante 10
Cy: posts the ante 10
Ada: posts small blind 50
Bo: posts big blind 100
*** HOLE CARDS ***
Cy: folds
Ada: folds
Uncalled bet (100) returned to Bo
Bo collected 80 from pot
*** SUMMARY ***
Total pot 80 | Rake 0
"""
    hand = hand_of(text)
    assert hand.payoffs == (-60, 70, -10)
    assert hand.stakes.tournament
    assert pot_of(hand) == 130
    there_and_back(hand)


@pytest.mark.parametrize(
    "end",
    ["Uncalled bet ($4) returned to Bob\n", "Uncalled bet ($4) returned to Bob\nBob collected $0 from pot\n"],
)
def test_a_walk_without_a_small_blind_has_nothing_to_collect(end):
    play = "Bob: posts big blind $4\n*** HOLE CARDS ***\nCat: folds\nAnn: folds\n"
    text = text_of(play, end, "$0")
    assert won(text) == {"Ann": 0, "Bob": 0, "Cat": 0}
    assert pot_of(hand_of(text)) == 0


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("collected $2", "collected $3", "chips are not conserved"),
        ("Total pot $2", "Total pot $1", "the pot differs"),
        ("Uncalled bet ($4)", "Uncalled bet ($3)", "the pot differs"),
        ("Uncalled bet ($4) returned to Bob", "Uncalled bet ($4) returned to Cat", "the pot differs"),
        ("Bob collected $2 from pot\n", "", "chips are not conserved"),
    ],
)
def test_a_walk_that_does_not_add_up_is_refused(old, new, reason):
    end = "Uncalled bet ($4) returned to Bob\nBob collected $2 from pot\n"
    text = text_of(BLINDS + "Cat: folds\nAnn: folds\n", end, "$2")
    assert old in text
    assert reason_of(text.replace(old, new)) == reason


# Straddles.

FIVE = {"more": "Seat 4: Dan ($400 in chips)\nSeat 5: Eve ($400 in chips)\n", "button": "5"}
STRADDLED = BLINDS.replace("*** HOLE", "Cat: posts big blind $8\n*** HOLE")


def test_a_straddle_may_be_called_a_big_blind():
    play = STRADDLED + "Dan: folds\nEve: calls $8\nAnn: folds\nBob: calls $4\nCat: checks\n"
    play += "*** FLOP *** [As 7c 2d]\nBob: checks\nCat: bets $10\nEve: folds\nBob: folds\n"
    end = "Uncalled bet ($10) returned to Cat\nCat collected $26 from pot\n"
    text = text_of(play, end, "$26", **FIVE)
    assert won(text) == {"Ann": -200, "Bob": -800, "Cat": 1800, "Dan": 0, "Eve": -800}
    hand = hand_of(text)
    assert [post.kind for post in hand.posts][-1] is ForcedBet.STRADDLE
    assert (hand.stakes.big_blind, pot_of(hand)) == (400, 2600)


def test_a_raise_of_a_straddle_called_a_big_blind():
    play = STRADDLED + "Dan: raises $16 to $24\nEve: folds\nAnn: folds\nBob: folds\nCat: folds\n"
    end = "Uncalled bet ($16) returned to Dan\nDan collected $22 from pot\n"
    text = text_of(play, end, "$22", **FIVE)
    assert won(text) == {"Ann": -200, "Bob": -400, "Cat": -800, "Dan": 1400, "Eve": 0}


def test_who_posts_a_big_blind_on_sitting_down_does_not_straddle():
    play = BLINDS.replace("*** HOLE", "Dan: posts big blind $4\n*** HOLE")
    play += "Cat: folds\nDan: checks\nEve: folds\nAnn: folds\nBob: checks\n"
    play += "*** FLOP *** [As 7c 2d]\nBob: bets $4\nDan: folds\n"
    end = "Uncalled bet ($4) returned to Bob\nBob collected $10 from pot\n"
    text = text_of(play, end, "$10", **FIVE)
    assert won(text) == {"Ann": -200, "Bob": 600, "Cat": 0, "Dan": -400, "Eve": 0}


# Blinds that sit out.

LIMPED = (
    "Cat: calls $4\nAnn: calls $2\n{fold}*** FLOP *** [As 7c 2d]\nAnn: checks\nCat: bets $6\nAnn: folds\n"
)
LIMPED_END = "Uncalled bet ($6) returned to Cat\nCat collected $12 from pot\n"
FOLDED = "Seat 2: Bob (big blind) folded before Flop\n"


@pytest.mark.parametrize("how", ["in turn", "at once", "in the summary"])
def test_a_big_blind_that_sits_out_folds_with_nothing_to_call(how):
    play = BLINDS + LIMPED.format(fold="Bob: folds\n" if how == "in turn" else "")
    if how == "at once":
        play = play.replace("Cat: calls", "Bob: folds\nCat: calls")
    text = text_of(play, LIMPED_END, "$12", bob="$400")
    text = text.replace("Bob ($400 in chips)", "Bob ($400 in chips) is sitting out")
    text += FOLDED if how == "in the summary" else ""
    assert won(text) == {"Ann": -400, "Bob": -400, "Cat": 800}
    assert hand_of(text).betting == "ccf/cr1000f"


def test_both_blinds_may_fold_in_the_summary_only():
    end = "Uncalled bet ($4) returned to Cat\nCat collected $10 from pot\n"
    text = text_of(BLINDS + "Cat: raises $4 to $8\n", end, "$10")
    text += "Seat 1: Ann (small blind) folded before Flop\n" + FOLDED
    assert won(text) == {"Ann": -200, "Bob": -400, "Cat": 600}
    assert reason_of(text.replace(FOLDED, "")) == "the hand is not over"


@pytest.mark.parametrize("play", ["Bob: folds\nCat: folds\n", "Cat: folds\nBob: folds\n"])
@pytest.mark.parametrize(
    ("end", "pot"),
    [
        ("Ann collected $6 from pot\n", "$6"),
        ("Uncalled bet ($2) returned to Ann\nAnn collected $4 from pot\n", "$4"),
    ],
)
def test_a_small_blind_wins_a_big_one_that_folded_before_it_acted(play, end, pot):
    text = text_of(BLINDS + play, end, pot)
    assert won(text) == {"Ann": 400, "Bob": -400, "Cat": 0}


def test_an_action_that_is_missing_is_not_made_up():
    play = "Cat: raises $4 to $8\nBob: folds\n"  # Ann's fold is nowhere
    end = "Uncalled bet ($4) returned to Cat\nCat collected $10 from pot\n"
    assert reason_of(text_of(BLINDS + play, end, "$10")) == "the hand is not over"


# A big blind that is all-in for less.

SHOW = "Ann: shows [Ah Kh] (two pair, Aces and Nines)\nBob: shows [Kc Qc] (a pair of Nines)\n"
SHORT = BLINDS.replace("big blind $4", "big blind $3 and is all-in")


def test_a_call_capped_by_a_short_big_blind():
    text = text_of(
        SHORT + "Cat: folds\nAnn: calls $1\n" + BOARD + SHOW, "Ann collected $6 from pot\n", "$6", bob="$3"
    )
    assert won(text) == {"Ann": 300, "Bob": -300, "Cat": 0}
    assert pot_of(hand_of(text)) == 600


def test_a_short_big_blind_may_be_called_for_what_it_is_by_everybody():
    checks = "Ann: checks\nCat: checks\n"
    play = SHORT + "Cat: calls $3\nAnn: calls $1\n*** FLOP *** [As 7c 2d]\n" + checks
    play += "*** TURN *** [As 7c 2d] [9h]\n" + checks + "*** RIVER *** [As 7c 2d 9h] [9s]\n" + checks
    play += "*** SHOW DOWN ***\n" + SHOW + "Cat: mucks hand\n"
    text = text_of(play, "Ann collected $9 from pot\n", "$9", bob="$3")
    hand = hand_of(text)
    assert hand.payoffs == (600, -300, -300)
    assert pot_of(hand) == 900


def test_a_short_big_blind_that_is_called_in_full():
    play = SHORT + "Cat: calls $4\nAnn: folds\nUncalled bet ($1) returned to Cat\n" + BOARD
    play += SHOW.replace("Ann", "Cat")
    text = text_of(play, "Cat collected $8 from pot\n", "$8", bob="$3")
    assert won(text) == {"Ann": -200, "Bob": -300, "Cat": 500}


@pytest.mark.parametrize("checks", ["", "Ann: checks\n", "Ann: calls $2\n"])
def test_a_big_blind_shorter_than_the_small_one(checks):
    returned = "$3" if "calls" in checks else "$1"
    play = (
        SHORT.replace("$3", "$1")
        + f"Cat: folds\n{checks}Uncalled bet ({returned}) returned to Ann\n"
        + BOARD
        + SHOW
    )
    text = text_of(play, "Ann collected $2 from pot\n", "$2", bob="$1")
    assert won(text) == {"Ann": 100, "Bob": -100, "Cat": 0}
    assert pot_of(hand_of(text)) == 200


def test_a_call_of_another_amount_is_still_refused():
    play = SHORT + "Cat: folds\nAnn: calls $1.50\n" + BOARD + SHOW
    assert reason_of(text_of(play, "Ann collected $6 from pot\n", "$6", bob="$3")) == "an amount differs"
    assert reason_of(CASH.replace("Dee: calls $2", "Dee: calls $1")) == "an amount differs"


# Words of a refusal.


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        (CASH.replace("Dee: calls $2", "Dee: calls $1"), "a call of $1 (1 bb) with $2 (2 bb) to call"),
        (CASH.replace("raises $2 to $3", "raises $0.50 to $1.50"), "a raise to $1.50 (1.5 bb)"),
        (CASH.replace("Total pot $34.50", "Total pot $35"), "$35 (35 bb), by the rules $34.50 (34.5 bb)"),
        (
            CASH.replace("collected $33 ", "collected $33.50 "),
            "$33.50 (33.5 bb) collected and a rake of $1.50",
        ),
        (CASH.replace("Dee: checks\nBo: bets $4", "Bo: bets $4"), "after 'fr3fc/'"),
        (TOURNAMENT.replace("Ada: calls 50", "Ada: calls 40"), "40 chips (0.4 bb)"),
    ],
)
def test_refusals_speak_of_money_and_big_blinds(text, detail):
    (found,) = read_pieces(cut_room([text.split("\n")], "x"))
    assert isinstance(found, Skipped)
    assert detail in found.detail


def test_holdem_of_a_room_that_is_not_read_is_named():
    for room, header in (
        (
            "Full Tilt Poker",
            "Full Tilt Poker Game #32: Table Vera (6 max) - NL Hold'em - $0.01/$0.02 - 08:55:55 ET",
        ),
        ("Ignition", "Ignition Hand #3: HOLDEM Tournament #2 TBL#1, No Limit- Level 3 (30/60)"),
    ):
        (found,) = read_pieces(cut_room([[header, "Seat 1: Ann ($2)"]], "x"))
        assert isinstance(found, Skipped)
        assert (found.reason, found.other_game) == (f"this is a hand of {room}; not read yet", True)


def test_chips_that_the_house_drops_into_the_pot():
    end = "Uncalled bet ($2) returned to Bob\nBob collected $14 from pot\n"
    text = text_of(BLINDS + "Cash Drop to Pot : total $10\nCat: folds\nAnn: folds\n", end, "$14")
    assert won(text) == {"Ann": -200, "Bob": 1200, "Cat": 0}


def test_a_cancelled_hand_is_called_so():
    assert reason_of(text_of(BLINDS + "Hand cancelled\n", "", "$0")) == "the hand was cancelled"
