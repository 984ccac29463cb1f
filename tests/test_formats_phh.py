"""PHH and PHHS: the quick parser against tomllib, and what the format means."""

import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit_twin import compare

from soulread.cards.deck import parse_cards
from soulread.hands.formats.base import Skipped
from soulread.hands.formats.phh import cut_phh, looks_like_phh, parse_entries, split_hands, write_phh
from soulread.hands.formats.reading import read_hands, read_pieces
from soulread.hands.formats.sources import HandSource, sources
from soulread.hands.formats.times import utc_time
from soulread.hands.hand import ForcedBet, Hand, Post, Sight

REAL = Path("/work/shared/data")

HAND = """\
variant = 'NT'
ante_trimming_status = false
antes = [0, 0, 0, 0]
blinds_or_straddles = [3, 6, 0, 0]
min_bet = 6
starting_stacks = [130.05, 134.75, 278.50, 719]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'd dh p4 ????', 'p3 f', 'p4 cbr 14', 'p1 f', \
'p2 cc', 'd db 2cQh6h', 'p2 cc', 'p4 cbr 15.50', 'p2 cc', 'd db 7s', 'p2 cc', 'p4 cc', 'd db 8s', 'p2 cc', \
'p4 cc', 'p2 sm AcQs', 'p4 sm ????']
venue = 'Pine Room'
time = 23:30:01
day = 1
month = 1
year = 2010
hand = 4711
seats = [5, 1, 3, 4]
table = 'Oak'
players = ['ann', 'bob', 'cat', 'dan']
winnings = [0, 60, 0, 0]
currency_symbol = '$'
time_zone_abbreviation = 'ET'
"""


def read(text: str) -> list[Hand | Skipped]:
    return list(read_pieces(cut_phh([text.split("\n")], "folder/file.phh")))


def hand_of(text: str) -> Hand:
    (found,) = read(text)
    assert isinstance(found, Hand), found
    return found


def changed(old: str, new: str) -> str:
    assert old in HAND
    return HAND.replace(old, new)


def test_a_hand():
    hand = hand_of(HAND)
    assert hand.stacks == (13005, 13475, 27850, 71900)
    assert hand.betting == "fr1400fc/cr2950c/cc/cc"
    assert hand.hole == (None, parse_cards("AcQs"), None, None)
    assert hand.sights == (Sight.UNSEEN, Sight.SHOWN, Sight.UNSEEN, Sight.MUCKED)
    assert (hand.payoffs, hand.rake) == ((-300, 3050, 0, -2950), 200)
    assert (hand.id, hand.source, hand.table) == ("4711", "Pine Room", "Oak")
    assert hand.time == datetime(2010, 1, 2, 4, 30, 1, tzinfo=UTC)
    assert (hand.stakes.currency, hand.stakes.chip) == ("USD", "0.01")


def test_winnings_of_zero_say_nothing():
    hand = hand_of(changed("winnings = [0, 60, 0, 0]", "winnings = [0, 0, 0, 0]"))
    assert (hand.payoffs, hand.rake) == ((-300, 3250, 0, -2950), 0)


def test_a_hand_over_many_lines_with_comments_and_other_quotes():
    text = (
        HAND.replace("', '", "',  # said\n  '")
        .replace("[3, 6, 0, 0]", "[3, 6,\n 0, 0,]")
        .replace("'Oak'", '"Oak"')
    )
    assert hand_of("# a comment\n" + text) == hand_of(HAND)


def test_two_players():
    text = """\
variant = 'NT'
antes = [0, 0]
blinds_or_straddles = [1, 2]
min_bet = 2
starting_stacks = [50, 40]
actions = ['d dh p1 AhKh', 'd dh p2 ????', 'p2 cbr 6', 'p1 f']
"""
    hand = hand_of(text)
    assert hand.posts == (Post(1, ForcedBet.SMALL_BLIND, 1), Post(0, ForcedBet.BIG_BLIND, 2))
    assert hand.payoffs == (-2, 2)
    assert hand.hole == (parse_cards("AhKh"), None)
    assert hand.sights == (Sight.DEALT, Sight.UNSEEN)
    assert (hand.id, hand.source, hand.players) == ("file", "folder", ("p1", "p2"))


def test_somebody_who_sits_down_posts():
    hand = hand_of(changed("[3, 6, 0, 0]", "[3, 6, -6, 0]").replace("[0, 60,", "[0, 66,"))
    assert hand.posts[2] == Post(2, ForcedBet.BIG_BLIND, 600)
    assert hand.payoffs[2] == -600


def test_limit():
    text = """\
variant = 'FT'
antes = [0, 0, 0]
blinds_or_straddles = [0.5, 1, 0]
small_bet = 1
big_bet = 2
starting_stacks = [20, 20, 20]
actions = ['d dh p1 ????', 'd dh p2 ????', 'd dh p3 ????', 'p3 cbr 2', 'p1 cbr 3', 'p2 f', 'p3 f']
"""
    hand = hand_of(text)
    assert (hand.betting, hand.stakes.chip, hand.payoffs) == ("rrff", "0.1", (30, -10, -20))
    assert read(write_phh(hand)) == [hand]


def test_many_hands_and_a_bad_one_between():
    bad = changed("'p2 cc', 'd db 2c", "'p3 cc', 'd db 2c")
    text = f"[1]\n{HAND}\n[2]\n{bad}\n[3]\n{HAND}"
    first, second, third = read(text)
    assert first == third == hand_of(HAND)
    assert isinstance(second, Skipped)
    assert (second.line, second.id, second.reason) == (HAND.count("\n") + 3, "4711", "an action out of turn")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("'NT'", "'PO'", "pot-limit Omaha"),
        ("'NT'", "'F7S/8'", "limit seven card stud high-low"),
        ("'NT'", "'XY'", "another variant"),
        ("variant = 'NT'\n", "", "an entry is missing"),
        ("antes = [0, 0, 0, 0]\n", "", "an entry cannot be read"),
        ("antes = [0, 0, 0, 0]", "antes = [0, 0, 0]", "an entry cannot be read"),
        ("[130.05,", "[1e9,", "an amount cannot be read"),
        ("[130.05,", "[-130,", "an amount cannot be read"),
        ("[130.05,", "[true,", "an entry cannot be read"),
        ("'p4 cbr 14'", "'p4 cbr 11'", "an action is not legal"),
        ("'p4 cbr 14'", "'p4 cbr'", "an entry cannot be read"),
        ("'p4 cbr 14'", "'p44 cbr 14'", "an entry cannot be read"),
        ("'p4 cbr 14'", "'p4 jump'", "an action cannot be read"),
        ("'p4 cbr 14'", "7", "an entry cannot be read"),
        ("2cQh6h", "2cQh2c", "cards"),
        ("2cQh6h", "2cQhZh", "cards"),
        ("winnings = [0, 60,", "winnings = [0, 70,", "chips are not conserved"),
        ("winnings = [0, 60,", "winnings = [60, 0,", "the pot goes elsewhere"),
        ("'p2 sm AcQs', ", "", "nobody knows who won"),
        ("'bob'", "'ann'", "names"),
        ("min_bet = 6", "min_bet = 6 6", "this is not TOML"),
        ("min_bet = 6", "min_bet = 6\nmin_bet = 6", "this is not TOML"),
    ],
)
def test_reasons(old, new, reason):
    (found,) = read(
        changed(old, new).replace("winnings = [0, 60, 0, 0]\n", "") if "sm" in old else changed(old, new)
    )
    assert isinstance(found, Skipped)
    assert found.reason == reason, found
    assert found.other_game == ("limit" in reason or reason == "another variant")


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_the_quick_parser_reads_what_tomllib_reads(data):
    """One entry of a hand is rewritten at random; whatever the quick parser takes, tomllib takes alike."""
    lines = HAND.rstrip("\n").split("\n")
    place = data.draw(st.integers(0, len(lines) - 1))
    line = lines[place]
    signs = st.text("0123456789.,:'\"[]{}=# \\p\u00e9\tx-+_", min_size=0, max_size=3)
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, min(len(line), start + 3)))
    lines[place] = line[:start] + data.draw(signs) + line[end:]
    try:
        expected = tomllib.loads("\n".join(lines), parse_float=str)
    except tomllib.TOMLDecodeError:
        expected = None
    try:
        found = parse_entries(lines)
    except Exception:
        found = None
    if expected is None:
        assert found is None, lines[place]
        return
    assert found is not None
    for key, value in found.items():
        if value is not None:  # an entry nobody asks for
            right = expected[key]
            if isinstance(right, list):
                right = [str(item) if type(item) is int else item for item in right]
            assert value == (str(right) if key in ("min_bet", "small_bet", "big_bet") else right), key


def test_detection():
    assert looks_like_phh(HAND)
    assert looks_like_phh("[1]\n" + HAND)
    assert looks_like_phh("# made by hand\n\nvariant = 'NT'")
    assert not looks_like_phh("STATE:0:rf:Kh|As:1|-1:a|b")


@pytest.mark.parametrize(
    ("moment", "zone", "hours"),
    [
        ((2009, 7, 1), "ET", 4),
        ((2009, 12, 1), "ET", 5),
        ((2006, 3, 20), "ET", 5),
        ((2007, 3, 20), "ET", 4),
        ((2021, 7, 1), "CET", -2),
        ((2021, 1, 1), "CET", -1),
        ((2021, 1, 1), "MSK", -3),
        ((2021, 1, 1), "", 0),
        ((2021, 1, 1), "XYZ", 0),
        ((2009, 7, 1), "America/New_York", 4),
    ],
)
def test_time_zones(moment, zone, hours):
    year, month, day = moment
    assert utc_time(year, month, day, 12 * 3600, zone) == datetime(year, month, day, 12 + hours, tzinfo=UTC)


def test_summer_time_begins_and_ends_at_two_in_the_morning():
    spring = [utc_time(2010, 3, 14, hour * 3600, "ET") for hour in (1, 3)]
    autumn = [utc_time(2010, 11, 7, hour * 3600, "ET") for hour in (0, 3)]
    assert [moment.hour for moment in spring if moment] == [6, 7]
    assert [moment.hour for moment in autumn if moment] == [4, 8]
    assert utc_time(2010, 2, 30, 0, "ET") is None


# Real files, where they are.


@pytest.mark.skipif(not REAL.is_dir(), reason="the real hands are not here")
@pytest.mark.compiled
def test_real_hands_agree_with_pokerkit():
    source = next(opened := sources(REAL / "nlhe_ps600_20players.phhs.xz"))  # open while ``opened`` is alive
    assert isinstance(source, HandSource)
    compared = 0
    for number, (_, _, block) in enumerate(split_hands(source.texts())):
        if number % 97 == 0:
            (hand,) = read_pieces(cut_phh([block], "x"))
            if isinstance(hand, Hand):
                assert compare("\n".join(block), hand) == len(hand.actions)
                compared += 1
        if compared == 120:
            break
    assert compared == 120
    opened.close()  # type: ignore[attr-defined]


@pytest.mark.skipif(not REAL.is_dir(), reason="the real hands are not here")
@pytest.mark.compiled
def test_real_room_texts():
    found = list(read_hands(REAL / "room_texts.tar.xz"))
    hands = [hand for hand in found if isinstance(hand, Hand)]
    bad = [skipped for skipped in found if isinstance(skipped, Skipped) and not skipped.other_game]
    assert len(hands) / (len(hands) + len(bad)) > 0.98
