"""Files of rooms that write plain text: what they are, how they are cut into hands, what is not read."""

from pathlib import Path

import pytest
from room_texts import ALL, BOVADA, FULL_TILT, PACIFIC, PARTY, WINNING, only, read_bytes
from test_formats_rooms import CASH

from soulread.errors import SoulreadError
from soulread.hands.formats.reading import Skipped, read_hands, read_pieces, write_hand
from soulread.hands.formats.rooms import read_amount
from soulread.hands.formats.texts.reading import cut_texts, looks_like_text, room_of
from soulread.hands.hand import Hand, hand_from_json
from soulread.hands.referee import Unfit, retrace

READ = [
    pytest.param(content, id=name)
    for name, content in {
        "BOM": "\ufeff".join(["", PACIFIC]).encode(),
        "UTF-16": "\n\n".join(ALL.values()).encode("utf-16"),
        "CRLF": "\r\n".join("\n\n".join(ALL.values()).split("\n")).encode(),
        "cp1252": "\n\n".join(ALL.values()).encode("cp1252"),
        "NUL before a hand": b"\0" + PARTY.encode(),
    }.items()
]


@pytest.mark.parametrize("name", ALL)
def test_every_room_is_known_by_its_content(name: str):
    hand = only(ALL[name])
    assert looks_like_text(ALL[name])
    assert hand.room == name.partition(",")[0]
    assert hand.source == hand.room


@pytest.mark.parametrize("name", ALL)
def test_records_are_whole(name: str):
    hand = only(ALL[name])
    assert hand_from_json(hand.to_json()) == hand
    assert sum(hand.payoffs) + hand.rake == 0
    assert len(retrace(hand).steps) == len(hand.actions)


@pytest.mark.parametrize("name", [name for name in ALL if name != "Merge"])  # whose numbers have a dash
def test_records_may_be_written_as_pokerstars_text(name: str, tmp_path: Path):
    hand = only(ALL[name])
    assert read_bytes(write_hand(hand, "pokerstars").encode(), tmp_path) == [hand]


@pytest.mark.parametrize("content", READ)
def test_encodings(content: bytes, tmp_path: Path):
    hands = read_bytes(content, tmp_path)
    assert len(hands) in (1, len(ALL))
    known = [only(text) for text in ALL.values()]
    assert all(hand in known for hand in hands)


def test_hands_of_several_rooms_and_tables_in_one_file():
    text = "\n\n".join([PACIFIC, CASH, FULL_TILT, BOVADA, CASH])
    found = list(read_pieces(cut_texts([text.split("\n")], "f")))
    assert [entry.room for entry in found if isinstance(entry, Hand)] == [
        "888",
        "PokerStars",
        "Full Tilt Poker",
        "Ignition",
        "PokerStars",
    ]


def test_a_damaged_hand_costs_itself_only():
    cut = FULL_TILT.partition("*** TURN")[0]
    found = list(
        read_pieces(
            cut_texts([f"{WINNING}\n{cut}\n{WINNING.replace('700300001', '700300009')}".split("\n")], "f")
        )
    )
    assert [isinstance(entry, Hand) for entry in found] == [True, False, True]
    assert isinstance(found[1], Skipped)
    assert (found[1].id, found[1].line, found[1].reason) == ("700500001", 35, "the hand is cut short")


def test_a_hand_without_its_first_line():
    (first, second) = read_pieces(cut_texts([(FULL_TILT.partition("\n")[2] + WINNING).split("\n")], "f"))
    assert isinstance(first, Skipped)
    assert first.reason == "a hand without its first line"
    assert isinstance(second, Hand)


def test_a_hand_that_is_too_long():
    (found,) = read_pieces(cut_texts([(PACIFIC + "Otto: hello\n" * 3000).split("\n")], "f"))
    assert isinstance(found, Skipped)
    assert found.reason == "a hand is too long"


@pytest.mark.parametrize(
    ("line", "room"),
    [
        ("Stage #C1234567890: Holdem  No Limit $0.50", "Absolute Poker"),
        ("***** History for hand R5-1234567-8 *****", "OnGame"),
        ("***** Betfair Poker Hand History for Game 1234 *****", "Betfair Poker"),
        ("Everleaf Gaming Game #123456", "Everleaf Gaming"),
        ("Hand#4710A1B2C3 - Table 1", "Cake"),
        ('<HISTORY ID="123" SESSION="9">', "Boss"),
    ],
)
def test_hands_of_other_rooms_are_named_by_their_room(line: str, room: str, tmp_path: Path):
    path = tmp_path / "hands.txt"
    path.write_text(f"{line}\nSeat 1: Ann ($5)\n\n{line}\nSeat 1: Ann ($6)\n")
    found = list(read_hands(path))
    assert [entry.reason for entry in found if isinstance(entry, Skipped)] == [
        f"this is a hand of {room}; not read yet"
    ] * 2
    assert not any(entry.other_game for entry in found if isinstance(entry, Skipped))


def test_prose_is_no_hand_history(tmp_path: Path):
    path = tmp_path / "notes.txt"
    path.write_text("Ann folds too much.\nGame theory says so.\n")
    with pytest.raises(SoulreadError, match="is no hand history in"):
        list(read_hands(path))


@pytest.mark.parametrize("line", ["Seat 1: Ann ($5)", "Ann folds", "*** FLOP *** [2c 3c 4c]", "Hand #12", ""])
def test_lines_that_begin_no_hand(line: str):
    assert room_of(line) is None


@pytest.mark.parametrize(
    ("text", "decimals", "chips"),
    [
        ("3.000 $", 0, 3000),
        ("1.183.764 $", 0, 1183764),
        ("42.797,60 $", 2, 4279760),
        ("1,250", 0, 1250),
        ("€1.234", 2, 123400),
        ("15\xa0788,50 $", 2, 1578850),
        ("1 234,50 €", 2, 123450),
        ("0,01$", 2, 1),
        ("$1,728.25", 2, 172825),
    ],
)
def test_amounts(text: str, decimals: int, chips: int):
    assert read_amount(text, decimals, points=True) == chips


def test_a_point_before_three_digits_parts_thousands_only_where_a_room_writes_so():
    with pytest.raises(Unfit):
        read_amount("80.505€", 2)
    assert read_amount("80,505€", 2) == 8050500
