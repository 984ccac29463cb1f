"""Sessions of iPoker: every feature on a small hand of our own, and XML that means harm."""

import re
import tracemalloc
from datetime import UTC, datetime

import pytest
from room_texts import the_hand, the_skip, with_changes

from soulread.cards.deck import parse_cards
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.reading import read_pieces
from soulread.hands.formats.rooms import read_amount
from soulread.hands.formats.seated.ipoker import cut_ipoker, looks_like_ipoker
from soulread.hands.formats.seated.ohh import cut_ohh, write_ohh
from soulread.hands.hand import ForcedBet, Hand, Post, Sight

CASH_HEAD = """\
<?xml version="1.0" encoding="utf-8"?>
<session sessioncode="771002">
 <general>
  <mode>real</mode>
  <gametype>Holdem NL €0.50/€1</gametype>
  <tablename>Rimini &amp; Co, 48001</tablename>
  <tablecurrency>EUR</tablecurrency>
  <startdate>2016-02-11 19:40:05</startdate>
  <currency>GBP</currency>
  <nickname>Bo</nickname>
 </general>
"""
CASH_GAME = """\
 <game gamecode="4411002290">
  <general>
   <startdate>2016-02-11 19:40:55</startdate>
   <players>
    <player seat="1" name="Ada" chips="€100" dealer="0" win="€0" bet="€0" rebuy="0" addon="0"/>
    <player seat="3" name="Bo" chips="€1,080.50" dealer="1" win="€0" bet="€17" rebuy="0" addon="0"/>
    <player seat="5" name="Cy" chips="€120" dealer="0" win="€0" bet="€0.50" rebuy="0" addon="0"/>
    <player seat="6" name="" chips="€0" dealer="0" win="€0" bet="€0"/>
    <player seat="8" name="D &lt;3" chips="€40" dealer="0" win="€33" bet="€17" rebuy="0" addon="0"/>
    <player seat="10" name="Idle" chips="€9" dealer="0" win="€0" bet="€0" rebuy="0" addon="0"/>
   </players>
  </general>
  <round no="0">
   <action no="2" player="D &lt;3" type="2" sum="€1" cards="[cards]"/>
   <action no="1" player="Cy" type="1" sum="€0.50" cards="[cards]"/>
  </round>
  <round no="1">
   <cards type="Pocket" player="Bo">HA DK</cards>
   <action no="4" player="Bo" type="23" sum="€3" cards=""/>
   <cards type="Pocket" player="D &lt;3">H7 D7</cards>
   <action no="6" player="D &lt;3" type="3" sum="€2" cards=""/>
   <cards type="Pocket" player="Ada">X X</cards>
   <action no="3" player="Ada" type="0" sum="€0" cards=""/>
   <cards type="Pocket" player="Cy">X X</cards>
   <action no="5" player="Cy" type="0" sum="€0" cards=""/>
  </round>
  <round no="2">
   <cards type="Flop" player="">SA C7 D10</cards>
   <action no="8" player="Bo" type="5" sum="€4" cards=""/>
   <action no="7" player="D &lt;3" type="4" sum="€0" cards=""/>
   <action no="9" player="D &lt;3" type="3" sum="€4" cards=""/>
  </round>
  <round no="3">
   <cards type="Turn" player="">H9</cards>
   <action no="10" player="D &lt;3" type="4" sum="€0" cards=""/>
   <action no="11" player="Bo" type="4" sum="€0" cards=""/>
  </round>
  <round no="4">
   <cards type="River" player="">S9</cards>
   <action no="12" player="D &lt;3" type="5" sum="€10" cards=""/>
   <action no="13" player="Bo" type="3" sum="€10" cards=""/>
  </round>
 </game>
"""
END = "</session>\n"
CASH = CASH_HEAD + CASH_GAME + END

TOURNAMENT = """\
<session sessioncode="5">
<general><mode>real</mode><gametype>Holdem NL</gametype><tablename>Sera €5, 99</tablename>
<currency>EUR</currency><nickname>Cy</nickname><tournamentname>Sera €5</tournamentname>
<buyin>€4,50 + €0,50</buyin></general>
<game gamecode="71"><general><startdate>30/01/2012 02:30</startdate><players>
<player seat="1" name="Ada" chips="1.500" dealer="1" win="0" bet="10"/>
<player seat="4" name="Bo" chips="2.600" dealer="0" win="1.110" bet="1.600"/>
<player seat="7" name="Cy" chips="510" dealer="0" win="1.540" bet="510"/>
<player seat="9" name="Eve" chips="530" dealer="0" win="0" bet="530"/>
</players></general>
<round no="0"><action no="1" player="Ada" type="15" sum="10"/><action no="2" player="Bo" type="15" sum="10"/>
<action no="3" player="Cy" type="15" sum="10"/><action no="4" player="Eve" type="15" sum="10"/>
<action no="5" player="Bo" type="1" sum="10"/><action no="6" player="Cy" type="2" sum="20"/></round>
<round no="1"><cards type="Pocket" player="Bo">CJ SQ</cards><cards type="Pocket" player="Cy">SK HK</cards>
<cards type="Pocket" player="Eve">C3 D3</cards>
<action no="7" player="Eve" type="7" sum="520"/><action no="8" player="Ada" type="9" sum="0"/>
<action no="9" player="Bo" type="23" sum="1.590"/><action no="10" player="Cy" type="7" sum="480"/></round>
<round no="2"><cards type="Flop">H10 S2 H6</cards></round><round no="3"><cards type="Turn">HQ</cards></round>
<round no="4"><cards type="River">C9</cards></round></game></session>
"""


def read(text: str) -> list[Hand | Skipped]:
    return list(read_pieces(cut_ipoker([text.split("\n")], "file.xml")))


def hand_of(text: str) -> Hand:
    return the_hand(read(text))


def skipped_of(text: str) -> Skipped:
    return the_skip(read(text))


def changed(*pairs: tuple[str, str], text: str = CASH) -> str:
    return with_changes(text, *pairs)


def test_a_hand() -> None:
    hand = hand_of(CASH)
    assert hand.players == ("Cy", "D <3", "Ada", "Bo")
    assert hand.stacks == (12000, 4000, 10000, 108050)
    assert hand.posts == (Post(0, ForcedBet.SMALL_BLIND, 50), Post(1, ForcedBet.BIG_BLIND, 100))
    assert hand.betting == "fr300fc/cr700c/cc/r1700c"  # by the numbers of the actions
    assert hand.boards == (parse_cards("As7cTd9h9s"),)
    assert hand.hole == (None, parse_cards("7h7d"), None, parse_cards("AhKd"))
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.UNSEEN, Sight.SHOWN)
    assert (hand.payoffs, hand.rake) == ((-50, 1600, 0, -1700), 150)
    assert (hand.id, hand.source, hand.table) == ("4411002290", "iPoker", "Rimini & Co, 48001")
    assert hand.room == "iPoker"
    assert hand.time == datetime(2016, 2, 11, 19, 40, 55, tzinfo=UTC)
    assert (hand.stakes.currency, hand.stakes.chip, hand.observer) == ("EUR", "0.01", 3)


def test_a_tournament() -> None:
    """A seat that posts and sits out folds. Bo's win has a side pot of 40 and 1,070 that nobody called."""
    hand = hand_of(TOURNAMENT)
    assert hand.players == ("Bo", "Cy", "Eve", "Ada")
    assert (hand.stakes.currency, hand.stakes.chip, hand.stakes.tournament) == ("", "1", True)
    assert (hand.stakes.ante, hand.stakes.big_blind) == (10, 20)
    assert hand.betting == "r530fcc///"  # nobody has the chips to answer the raise
    assert (hand.payoffs, hand.rake) == ((-490, 1030, -530, -10), 0)
    assert hand.time == datetime(2012, 1, 30, 2, 30, tzinfo=UTC)
    assert hand.observer == 1


def test_chips_that_a_tournament_loses_are_refused() -> None:
    assert skipped_of(TOURNAMENT.replace("1.540", "1.530")).reason == "chips are not conserved"


def test_a_big_blind_that_is_all_in_is_twice_the_small_one() -> None:
    text = TOURNAMENT.replace('chips="510"', 'chips="25"').replace('type="2" sum="20"', 'type="2" sum="15"')
    text = text.replace('<action no="10" player="Cy" type="7" sum="480"/>', "")
    text = text.replace('win="1.540" bet="510"', 'win="85" bet="25"')
    text = text.replace('win="1.110"', 'win="2.080"').replace("C3 D3", "C3 D4")
    hand = hand_of(text)
    assert (hand.stakes.big_blind, hand.payoffs) == (20, (480, 60, -530, -10))


def test_a_bet_that_nobody_calls_is_in_the_win_or_not() -> None:
    text = changed(
        (
            '<action no="13" player="Bo" type="3" sum="€10" cards=""/>',
            '<action no="13" player="Bo" type="0"/>',
        ),
        ('win="€0" bet="€17" rebuy', 'win="€0" bet="€7" rebuy'),
        ('win="€33" bet="€17"', 'win="€23.80" bet="€17"'),
    )
    hand = hand_of(text)
    assert (hand.payoffs, hand.rake) == ((-50, 680, 0, -700), 70)
    assert hand.sights[1] is Sight.SHOWN  # without a showdown: it was shown all the same
    assert hand.sights[3] is Sight.DEALT
    without = changed(('win="€23.80" bet="€17"', 'win="€13.80" bet="€7"'), text=text)
    assert hand_of(without).payoffs == hand.payoffs


def test_a_blind_of_more_than_the_blind_is_of_somebody_who_sits_down() -> None:
    late = '<action no="3" player="Ada" type="2" sum="€1.50" cards="[cards]"/>\n  </round>\n  <round no="1">'
    text = changed(
        ('</round>\n  <round no="1">', late),
        ('<action no="3" player="Ada" type="0"', '<action no="3.5" player="Ada" type="0"'),
        ('win="€33"', 'win="€34.50"'),
    )
    numbered = re.sub(r'no="3.5"', 'no="3"', text)
    hand = hand_of(numbered)
    assert hand.posts[2:] == (Post(2, ForcedBet.BIG_BLIND, 100), Post(2, ForcedBet.DEAD_BLIND, 50))
    assert hand.payoffs[2] == -150
    assert skipped_of(text).reason == "a number cannot be read"


LIMIT = """\
<session sessioncode="5"><general><gametype>%s</gametype><nickname>Cy</nickname></general>
<game gamecode="71"><general><startdate>07-Apr-2014 01:02:03</startdate><players>
<player seat="1" name="Ada" chips="$30" dealer="1" win="$0" bet="$2"/>
<player seat="4" name="Bo" chips="$3.30" dealer="0" win="$0" bet="$3.30"/>
<player seat="7" name="Cy" chips="$51" dealer="0" win="$11.10" bet="$6"/>
</players></general>
<round no="0"><action no="1" player="Bo" type="1" sum="$0.50"/>
<action no="2" player="Cy" type="2" sum="$1"/></round>
<round no="1"><cards type="Pocket" player="Bo">CJ SQ</cards><cards type="Pocket" player="Cy">SK HK</cards>
<action no="3" player="Ada" type="6" sum="$2"/><action no="4" player="Bo" type="3" sum="$1.50"/>
<action no="5" player="Cy" type="3" sum="$1"/></round>
<round no="2"><cards type="Flop">H10 S2 H6</cards><action no="6" player="Bo" type="4" sum="$0"/>
<action no="7" player="Cy" type="4"/><action no="8" player="Ada" type="4" sum="$0"/></round>
<round no="3"><cards type="Turn">HQ</cards><action no="9" player="Bo" type="7" sum="$1.30"/>
<action no="10" player="Cy" type="23" sum="$4"/><action no="11" player="Ada" type="0" sum="$0"/></round>
<round no="4"><cards type="River">C9</cards></round></game></session>
"""


@pytest.mark.parametrize("kind", ["Holdem L $1/$2", "LH 1/2 x2 Limit $0.50/$1"])
def test_limit_by_its_bets_or_its_blinds(kind: str) -> None:
    """Bo is all-in for less than a bet, and the room lets Cy raise to two whole ones."""
    text = LIMIT % kind
    hand = hand_of(text)
    assert (hand.game, hand.stakes.small_bet, hand.stakes.currency) == ("ring-limit:3", 100, "USD")
    assert hand.betting == "rcc/ccc/rrf/"
    assert (hand.payoffs, hand.rake) == ((-330, 510, -200), 20)
    assert hand.time == datetime(2014, 4, 7, 1, 2, 3, tzinfo=UTC)


def test_a_player_who_was_disconnected_is_named() -> None:
    text = (LIMIT % "Holdem L $1/$2").replace('type="7" sum="$1.30"', 'type="7" sum="DP"')
    assert skipped_of(text).reason == "all-in with chips left"


@pytest.mark.parametrize(
    ("text", "decimals", "chips"),
    [
        ("€1.234,50", 2, 123450),
        ("$1,234.50", 2, 123450),
        ("1.500", 0, 1500),
        ("1,500", 2, 150000),
        ("RSD45.70", 2, 4570),
        ("12 345,6 €", 2, 1234560),
        ("0.5", 2, 50),
        ("€0", 2, 0),
    ],
)
def test_amounts(text: str, decimals: int, chips: int) -> None:
    assert read_amount(text, decimals, points=True) == chips


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("2017/01/23 22:27:48", datetime(2017, 1, 23, 22, 27, 48, tzinfo=UTC)),
        ("18.05.2021 18:26:13", datetime(2021, 5, 18, 18, 26, 13, tzinfo=UTC)),
        ("12/31/2018 11:05:00 PM", datetime(2018, 12, 31, 23, 5, tzinfo=UTC)),
        ("32/01/2018 11:05", None),
        ("07-Foo-2018 11:05", None),
        ("soon", None),
    ],
)
def test_times(written: str, expected: datetime | None) -> None:
    assert hand_of(changed(("2016-02-11 19:40:55", written))).time == expected


def test_the_button_may_be_at_an_empty_seat() -> None:
    text = changed(('chips="€1,080.50" dealer="1"', 'chips="€1,080.50" dealer="0"'))
    assert skipped_of(text).reason == "the button is missing"
    text = changed(
        ("<players>", '<players><player seat="4" name="" chips="€0" dealer="1" win="€0"/>'), text=text
    )
    assert hand_of(text).players == ("Cy", "D <3", "Ada", "Bo")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("Holdem NL", "Omaha PL", "Omaha"),
        ("Holdem NL", "Omaha Hi-Lo PL", "Omaha"),
        ("Holdem NL", "7 Card Stud L", "seven card stud"),
        ("Holdem NL", "Holdem PL", "pot-limit hold'em"),
        ("Holdem NL", "Crazy NL", "another game"),
        ("<gametype>Holdem NL €0.50/€1</gametype>", "", "the game is missing"),
        ('type="23" sum="€3"', 'type="77" sum="€3"', "an action cannot be read"),
        ('type="23" sum="€3"', 'type="23" sum="€x"', "an amount cannot be read"),
        ('type="23" sum="€3"', 'type="23" sum="€-3"', "an amount cannot be read"),
        ('player="Cy" type="0"', 'player="Cyd" type="0"', "names"),
        ('name="Ada"', 'name="Cy"', "names"),
        ('win="€33"', 'win="€0"', "the hand is cut short"),
        ('win="€33"', 'win="€35"', "chips are not conserved"),
        ('win="€33"', "", "the hand is cut short"),
        ("SA C7 D10", "SA C7 D11", "cards"),
        ("SA C7 D10", "SA C7 HA", "cards"),
        ('<action no="13" player="Bo" type="3" sum="€10" cards=""/>', "", "the hand is not over"),
        ('seat="5"', 'seat="five"', "a number cannot be read"),
        ('<round no="2">', "<round>", "a number cannot be read"),
        ("</round>\n </game>", "</rouns>\n </game>", "this is not XML"),
        ('"Cy" chips', '"Cy chips', "this is not XML"),
        ("X X</cards>", "&who; X</cards>", "this is not XML"),
    ],
)
def test_reasons(old: str, new: str, reason: str) -> None:
    found = skipped_of(changed((old, new)))
    assert found.reason == reason, found
    assert found.id == "4411002290"
    assert found.other_game == (old == "Holdem NL")


ADA_FOLDS = '   <action no="3" player="Ada" type="0" sum="€0" cards=""/>\n'


@pytest.mark.parametrize("place", ['  </round>\n  <round no="2">', '  </round>\n  <round no="3">'])
def test_a_lone_fold_that_comes_too_late_counts_in_its_turn(place: str) -> None:
    late = ADA_FOLDS.replace('no="3"', 'no="20"')
    assert hand_of(changed((ADA_FOLDS, ""), (place, late + place))) == hand_of(CASH)


def test_a_fold_after_other_moves_or_of_a_big_blind_is_not_moved() -> None:
    call = '<action no="6" player="D &lt;3" type="3" sum="€2" cards=""/>'
    fold = '<action no="20" player="D &lt;3" type="0" sum="€0" cards=""/>'
    text = changed((call, ""), ('<action no="8"', f'{fold}<action no="8"'))
    assert skipped_of(text).reason == "the rounds do not fit"
    text = changed(('<action no="11" player="Bo" type="4"', '<action no="11" player="Bo" type="0"'))
    assert skipped_of(text).reason == "the rounds do not fit"  # he called before the flop


def test_a_seat_with_cards_that_sits_out_folds() -> None:
    assert hand_of(changed(('player="Ada" type="0"', 'player="Ada" type="9"'))) == hand_of(CASH)
    idle = '<action no="20" player="Idle" type="9" sum="€0"/><action no="3" player="Ada"'
    assert hand_of(changed(('<action no="3" player="Ada"', idle))) == hand_of(CASH)


def test_an_ampersand_that_begins_no_entity() -> None:
    hand = hand_of(changed(('"Ada"', '"Ada & Co"')))
    assert hand.players == ("Cy", "D <3", "Ada & Co", "Bo")


def test_a_hand_without_its_end_is_cut_short() -> None:
    assert skipped_of(CASH[: CASH.index('  <round no="4">')]).reason == "the hand is cut short"


def test_omaha_is_known_by_its_cards_where_it_is_not_named() -> None:
    text = changed(("Holdem NL", "PL"), (">HA DK<", ">HA DK C3 C4 C5<"))
    assert skipped_of(text).reason == "Omaha"


def test_a_file_that_is_cut_short_keeps_the_hands_before() -> None:
    second = CASH_GAME.replace("4411002290", "4411002291")
    whole = CASH_HEAD + CASH_GAME + second
    for end in range(len(CASH_HEAD + CASH_GAME) + 80, len(whole), 211):
        first, other = read(whole[:end])
        assert first == hand_of(CASH)
        assert isinstance(other, Hand) == (end >= len(whole) - len("</game>\n"))
    ended = whole[: whole.rindex("</game>")]  # all of its rounds are there
    assert [entry.id for entry in read(ended) if isinstance(entry, Hand)] == ["4411002290", "4411002291"]


def test_a_damaged_hand_does_not_spoil_the_others() -> None:
    bad = CASH_GAME.replace("</players>", "").replace("4411002290", "4411002291")
    first, second, third = read(CASH_HEAD + CASH_GAME + bad + CASH_GAME + END)
    assert first == third == hand_of(CASH)
    assert isinstance(second, Skipped)
    assert (second.reason, second.id) == ("this is not XML", "4411002291")
    assert second.line == (CASH_HEAD + CASH_GAME).count("\n") + 1


def test_several_sessions_in_one_file() -> None:
    assert read(CASH + TOURNAMENT + CASH) == [hand_of(CASH), hand_of(TOURNAMENT), hand_of(CASH)]


LAUGHS = "".join(f'<!ENTITY l{n} "{("&l" + str(n - 1) + ";") * 10}">' for n in range(1, 12))


@pytest.mark.parametrize(
    "harm",
    [
        f'<!DOCTYPE session [<!ENTITY l0 "ha">{LAUGHS}]>',
        '<!DOCTYPE session [<!ENTITY l11 SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE session SYSTEM "http://127.0.0.1:9/x.dtd">',
    ],
    ids=["billion laughs", "external entity", "external document type"],
)
def test_entities_of_a_file_are_never_expanded(harm: str) -> None:
    text = changed(("?>\n<session", f"?>\n{harm}\n<session"), ("X X</cards>", "&l11; X</cards>"))
    tracemalloc.start()
    assert skipped_of(text).reason == "this is not XML"
    inside = changed(('<game gamecode="4411002290">', f'<game gamecode="4411002290">{harm}'))
    assert skipped_of(inside).reason == "this is not XML"
    assert tracemalloc.get_traced_memory()[1] < 20_000_000
    tracemalloc.stop()
    assert hand_of(changed(("?>\n<session", f"?>\n{harm}\n<session"))) == hand_of(CASH)


def test_limits() -> None:
    deep = changed(("<players>", "<a>" * 30 + "</a>" * 30 + "<players>"))
    assert skipped_of(deep).reason == "a hand is too long"
    many = changed(('<round no="2">', '<round no="2">' + "<x/>" * 9000))
    assert skipped_of(many).reason == "a hand is too long"
    long = changed(("X X</cards>", "X" * 1_100_000 + "</cards>"))
    assert skipped_of(long).reason == "a hand is too long"


def test_detection() -> None:
    assert looks_like_ipoker(CASH)
    assert looks_like_ipoker(CASH_GAME)
    assert not looks_like_ipoker("<svg><game/></svg>")


def test_through_open_hand_history() -> None:
    for text in (CASH, LIMIT % "Holdem L $1/$2"):
        hand = hand_of(text)
        assert list(read_pieces(cut_ohh([write_ohh(hand).split("\n")], "x"))) == [hand]
