"""Hands in the words of rooms, all of our own invention, with the results that were worked out by hand."""

from collections.abc import Iterable
from pathlib import Path

from soulread.hands.formats.reading import Skipped, read_hands, read_pieces
from soulread.hands.formats.texts.reading import cut_texts
from soulread.hands.hand import Hand


def only(text: str) -> Hand:
    """The one hand of a text."""
    return the_hand(read_pieces(cut_texts([text.split("\n")], "here")))


def the_hand(found: Iterable[Hand | Skipped]) -> Hand:
    """The one hand that was found."""
    (entry,) = found
    assert isinstance(entry, Hand), entry
    return entry


def the_skip(found: Iterable[Hand | Skipped]) -> Skipped:
    """The one skip that was found."""
    (entry,) = found
    assert isinstance(entry, Skipped), entry
    return entry


def with_changes(text: str, *pairs: tuple[str, str]) -> str:
    """A text in which the first of each pair, which must be there, is the second."""
    for old, new in pairs:
        assert old in text, old
        text = text.replace(old, new)
    return text


def reasons(text: str) -> list[str]:
    """Why the hands of a text are not read; an empty string for one that is."""
    found = read_pieces(cut_texts([text.split("\n")], "here"))
    return ["" if isinstance(entry, Hand) else entry.reason for entry in found]


def read_bytes(content: bytes, folder: Path) -> list[Hand]:
    """The hands of a file with this content."""
    path = folder / "hands.txt"
    path.write_bytes(content)
    return [entry for entry in read_hands(path) if isinstance(entry, Hand)]


PACIFIC = """\
#Game No : 700100001
***** 888poker Hand History for Game 700100001 *****
$0.25/$0.50 Blinds No Limit Holdem - *** 05 11 2012 21:30:15
Table Arhus 6 Max (Real Money)
Seat 2 is the button
Total number of players : 4
Seat 2: Otto ( $50 )
Seat 4: Pia ( $60 )
Seat 5: Quin ( $40.20 )
Seat 9: Rosa ( $40 )
Pia posts small blind [$0.25]
Quin posts big blind [$0.50]
Rosa posts dead blind [$0.25 + $0.50]
** Dealing down cards **
Dealt to Rosa [ Ah, Kd ]
Rosa raises [$1.50]
Otto folds
Pia folds
Quin raises [$39.70]
Rosa calls [$37.75]
** Dealing flop ** [ Kc, 7h, 2s ]
** Dealing turn ** [ 9d ]
** Dealing river ** [ 3c ]
** Summary **
Quin shows [ Qs, Qh ]
Rosa shows [ Ah, Kd ]
Rosa collected [ $78 ]
Quin collected [ $0.45 ]
"""

PARTY = """\
Game #7002000011 starts.

#Game No : 7002000011
***** Hand History for Game 7002000011 *****
$50 USD NL Texas Hold'em - Tuesday, March 01, 22:10:00 CET 2011
Table Lugano (Real Money)
Seat 1 is the button
Total number of players : 3/6
Seat 1: Sven ( $50 USD )
Seat 6: Ulf ( $30.50 USD )
Seat 3: Tara ( $48 USD )
Tara posts small blind [$0.25 USD].
Vera has joined the table.
Vera posts big blind [$0.50 USD].
** Dealing down cards **
Dealt to Ulf [  7c 7d ]
Ulf calls [$0.50 USD]
Sven folds
Tara raises [$1.75 USD]
Vera calls [$1.50 USD]
Ulf: nobody folds
Ulf folds
** Dealing Flop ** [ Kh, 8s, 2d ]
Tara bets [$4 USD]
Vera folds
Tara does not show cards.Tara wins $8.20 USD
"""

WINNING = """\
Hand #700300001 - Holdem(No Limit) - $0.50/$1.00 - 2020/02/29 23:59:58 UTC
Salt Flat 6-max Seat #3 is the button
Seat 1: Wim ($0.00) is sitting out
Seat 2: Xena ($80.00)
Seat 3: Yuri ($120.50)
Seat 5: Zoe ($99.00)
Zoe posts the small blind $0.50
Xena posts the big blind $1.00
*** HOLE CARDS ***
Dealt to Xena [Th Ts]
Yuri raises $3.00 to $3.00
Zoe folds
Xena raises $9.00 to $10.00
Yuri calls $7.00
*** FLOP *** [9h 4c 2s]
Main pot $19.50 | Rake $1.00
Xena bets $70.00 and is all-in
Yuri calls $70.00
*** TURN *** [9h 4c 2s] [Qd]
Main pot $155.50 | Rake $5.00
*** RIVER *** [9h 4c 2s Qd] [5h]
Main pot $155.50 | Rake $5.00
*** SHOW DOWN ***
Main pot $155.50 | Rake $5.00
Xena shows [Th Ts] (a pair of Tens)
Yuri shows [Ad 9d] (a pair of Nines)
Xena collected $155.50 from main pot
*** SUMMARY ***
Total pot $155.50 | Rake $4.50 | JP Fee $0.50
Board [9h 4c 2s Qd 5h]
Seat 2: Xena (big blind) showed [Th Ts] and won $155.50 with a pair of Tens
Seat 3: Yuri (button) showed [Ad 9d] and lost with a pair of Nines
Seat 5: Zoe (small blind) folded on the Pre-Flop
"""

OLD_WINNING = """\
Game started at: 2016/5/7 8:9:10
Game ID: 700310001 0.50/1 (PRR) Basilisk - 4 (Hold'em)
Seat 2 is the button
Seat 2: Wim (75).
Seat 4: Xena Q (80.40).
Seat 6: Yuri (100).
Player Xena Q has small blind (0.50)
Player Yuri has big blind (1)
Player Xena Q received a card.
Player Xena Q received a card.
Player Yuri received card: [10c]
Player Yuri received card: [Jd]
Player Wim received a card.
Player Wim received a card.
Player Wim raises (3)
Player Xena Q is timed out.
Player Xena Q folds
Player Yuri calls (2)
*** FLOP ***: [10h 9s 2c]
Player Yuri checks
Player Wim bets (5)
Player Yuri raises (15)
Player Wim allin (67)
Player Yuri calls (57)
*** TURN ***: [10h 9s 2c] [10d]
*** RIVER ***: [10h 9s 2c 10d] [Ac]
------ Summary ------
Pot: 147.50. Rake 2.50. JP fee 0.50
Board: [10h 9s 2c 10d Ac]
Player Wim shows: Two pairs. As and 10s [As Ks]. Bets: 75. Collects: 0. Loses: 75.
Player Xena Q does not show cards.Bets: 0.50. Collects: 0. Loses: 0.50.
*Player Yuri shows: Three Of Kind of 10s [10c Jd]. Bets: 75. Collects: 147.50. Wins: 72.50.
Game ended at: 2016/5/7 8:11:12
"""

BOVADA = """\
Ignition Hand #700400001 TBL#5551 HOLDEM No Limit - 2019-04-01 18:00:00
Seat 1: UTG ($60 in chips)
Seat 3: Dealer ($45.25 in chips)
Seat 4: Small Blind [ME] ($50 in chips)
Seat 6: Big Blind ($20 in chips)
Dealer : Set dealer [3]
Small Blind  [ME] : Small Blind $0.25
Big Blind : Big blind $0.50
*** HOLE CARDS ***
UTG : Card dealt to a spot [2c 7d]
Dealer : Card dealt to a spot [Qh Qs]
Small Blind  [ME] : Card dealt to a spot [As 5s]
Big Blind : Card dealt to a spot [Kd Kh]
UTG : Folds
Dealer : Raises $1.50 to $1.50
Table enter user
Small Blind  [ME] : Calls $1.25
Big Blind : Raises $7.50 to $8
Dealer : Calls $6.50
Small Blind  [ME] : Folds
*** FLOP *** [Qd 6c 3s]
Big Blind : All-in $12
Dealer : Calls $12
*** TURN *** [Qd 6c 3s] [9h]
*** RIVER *** [Qd 6c 3s 9h] [Kc]
Big Blind : Showdown [Kd Kh Kc Qd 9h] (Three of a kind)
Dealer : Mucks [Qh Qs] (Three of a kind)
Big Blind : Hand result $39.50
*** SUMMARY ***
Total Pot($41.50)
Board [Qd 6c 3s 9h Kc]
Seat+1: UTG Folded before the FLOP
Seat+3: Dealer [Mucked] [Qh Qs]
Seat+4: Small Blind Folded before the FLOP
Seat+6: Big Blind $39.50  with Three of a kind [Kd Kh-Kd Kh Kc Qd 9h]
"""

FULL_TILT = """\
Full Tilt Poker Game #700500001: Table Birch (6 max) - $0.50/$1 - No Limit Hold'em - \
23:30:00 CET - 2012/03/24 [18:30:00 ET - 2012/03/24]
Seat 1: Abe ($100)
Seat 2: Bea ($64.50), is sitting out
Seat 3: Cal ($31)
Seat 5: Dot ($150)
Cal posts the small blind of $0.50
Dot posts the big blind of $1
The button is in seat #1
*** HOLE CARDS ***
Dealt to Dot [Ac Ad]
Abe has 15 seconds left to act
Abe raises to $3
Cal raises to $10
Dot raises to $40
Abe folds
Cal calls $21, and is all in
Dot shows [Ac Ad]
Cal shows [8h 8d]
Uncalled bet of $9 returned to Dot
*** FLOP *** [8c Jd 4s]
*** TURN *** [8c Jd 4s] [2h]
*** RIVER *** [8c Jd 4s 2h] [Th]
Dot shows a pair of Aces
Cal shows three of a kind, Eights
Cal wins the pot ($63) with three of a kind, Eights
*** SUMMARY ***
Total pot $65 | Rake $2
Board: [8c Jd 4s 2h Th]
Seat 1: Abe (button) folded before the Flop
Seat 2: Bea is sitting out
Seat 3: Cal (small blind) showed [8h 8d] and won ($63) with three of a kind, Eights
Seat 5: Dot (big blind) showed [Ac Ad] and lost with a pair of Aces
"""

EVEREST = """\
EverestPoker Game #700510001: Table Nairobi-2 - $1/$2 - Limit Hold'em - 07:08:09 - 2010/10/10
Seat 2: Abe ($40.00)
Seat 4: Bea ($33.50)
Seat 7: Cal ($50.00)
Bea posts the small blind of $0.50
Cal posts the big blind of $1.00
The button is in seat #2
*** HOLE CARDS ***
Dealt to Cal [9d 9c]
Abe raises to $2.00
Bea folds
Cal raises to $3.00
Abe calls $1.00
*** FLOP *** [Ks 5h 2c]
Cal bets $1.00
Abe folds
Uncalled bet of $1.00 returned to Cal
*** SUMMARY ***
Cal collects $6.20
"""

UNIBET = """\
Game #700520001: Table €4 NL - 0.02/0.04 - No Limit Hold'Em - 06:05:04 2022/09/08
*** Seated players ***
Seat 1: Abe (€4)
Seat 2: Bea (€3.60)
Seat 3: Cal (€4.40)
*** Blinds and button ***
Abe has the button
Bea posts small blind €0.02
Cal posts big blind €0.04
*** Hole cards ***
Dealt to Abe [Jh Jc]
*** Preflop ***
Abe raises €0.12 to €0.12
Bea calls €0.10
Cal folds
*** Flop *** [9s 6d 2h]
Bea checks
Abe bets €0.20
Bea folds
Abe wins €0.47
*** Summary ***
Total pot €0.47 Rake €0.01
Seat 1: Abe: bet €0.32 and won €0.47, net result: €0.15
"""

IPOKER = """\
GAME #700600001: Texas Hold'em NL $0.10/$0.20 2012/12/12 12:12:12
Table Granada
Seat 1: Eli ($20.00 in chips) DEALER
Seat 3: Fay ($18.40 in chips)
Seat 5: Gus ($1,040.00 in chips)
Fay: Post SB $0.10
Gus: Post BB $0.20
*** HOLE CARDS ***
Dealt to Gus [HA C10]
Eli: Raise (NF) $0.60
Fay: Fold
Gus: Call $0.40
*** FLOP *** [D10 S7 C2]
Gus: Check
Eli: Bet $0.90
Gus: Raise (NF) $2.70
Eli: Fold
*** SUMMARY ***
Total pot $4.75 Rake $0.15
Gus: wins $4.75
"""

MERGE = """\
Merge Game #7006100-12 | Holdem NL ($0.25/$0.50) | 11/30/2013 17:05:06 EST | Version:2
Table Reno - Fast (7006100), Seats 6
Seat 1: Eli ($50.00 in chips)
Seat 2: Fay ($49.50 in chips) DEALER
Fay: Post SB $0.25
Eli: Post BB $0.50
*** HOLE CARDS ***
Dealt to Eli [7h 7s]
Fay: Raise $1.50
Eli: Call $1.00
*** FLOP *** [7c Kd 4h]
Eli: Check
Fay: Bet $2.00
Eli: Raise $6.00
Fay: Fold
*** SUMMARY ***
Eli: wins $6.65
Eli: wins $4.00 (uncalled)
"""

MICROGAMING = """\
** Game ID 700620001 starting - 2011-09-08 07:06:05
** Deal 17 - €10 Max [Hold'em] (0.05|0.10 NL - € Cash Game) Real Money

- Eli sitting in seat 1 with €10.00
- Fay sitting in seat 2 with €12.30 [Dealer]
- Gus sitting in seat 4 with €0.00 [Sitting out]
- Hal sitting in seat 5 with €7.00

Hal posted the small blind - €0.05
Eli posted the big blind - €0.10
** Dealing card to Hal: A of s, 10 of s
Fay raised - €0.30
Hal called - €0.30
Eli folded
** Dealing the flop: 10 of d, 4 of c, 2 of h
Hal checked
Fay bet - €0.50
Hal raised - €1.50
Fay folded
Hal mucks:
Hal wins €2.63 from the main pot

End of game 700620001
"""

ALL = {
    "888": PACIFIC,
    "PartyPoker": PARTY,
    "Winning": WINNING,
    "Winning, old": OLD_WINNING,
    "Ignition": BOVADA,
    "Full Tilt Poker": FULL_TILT,
    "Everest": EVEREST,
    "Unibet": UNIBET,
    "iPoker": IPOKER,
    "Merge": MERGE,
    "Microgaming": MICROGAMING,
}
