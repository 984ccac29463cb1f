"""Pots and amounts: what a hand put in, and what a user reads of it, nowhere in cents."""

import json
import warnings

import pytest
from click.testing import CliRunner
from pokerkit_twin import load
from test_formats_rooms import CASH, GG, TOURNAMENT
from test_formats_rooms import hand_of as hand_of_room
from test_statistics import PAPER, hand_of
from test_store import some_hands

from soulread.cli import cli
from soulread.games.kuhn import kuhn
from soulread.games.poker import replay
from soulread.hands.facts import facts_of, pot_of
from soulread.hands.formats.phh import write_phh
from soulread.hands.hand import Stakes
from soulread.hands.money import betting_text, big_blinds_text, money_text, shown_amount
from soulread.hands.record import seen_by
from soulread.hands.referee import retrace
from soulread.hands.store import Store
from soulread.study.hands.holdings import study_reading
from soulread.study.hands.replaying import study_replay
from soulread.study.hands.replaying_terminal import hand_text

DOLLARS = Stakes(small_bet=600, big_blind=600, currency="USD", chip="0.01")


# Amounts.


@pytest.mark.parametrize(
    ("chips", "stakes", "text"),
    [
        (3000, DOLLARS, "$30 (5 bb)"),
        (4750, DOLLARS, "$47.50 (7.92 bb)"),
        (-150, DOLLARS, "-$1.50 (-0.25 bb)"),
        (123_456_700, DOLLARS, "$1,234,567 (205,761.2 bb)"),
        (0, DOLLARS, "$0 (0 bb)"),
        (300, Stakes(100, 100), "300 chips (3 bb)"),
        (1, Stakes(2, 2), "1 chip (0.5 bb)"),
        (250, Stakes(10, 10, currency="EUR", chip="0.01"), "€2.50 (25 bb)"),
        (250, Stakes(10, 10, currency="SEK", chip="0.01"), "2.50 SEK (25 bb)"),
        (5, Stakes(2, 2, currency="USD", chip="0.001"), "$0.005 (2.5 bb)"),
        (350, Stakes(100, 100, chip="0.01"), "3.5 chips (3.5 bb)"),
        (4, Stakes(2, 2, chip="5"), "20 chips (2 bb)"),
    ],
)
def test_an_amount_in_money_and_big_blinds(chips, stakes, text):
    assert shown_amount(chips, stakes) == text


def test_what_was_won_has_a_sign():
    assert shown_amount(3000, DOLLARS, "+") == "+$30 (+5 bb)"
    assert shown_amount(-3000, DOLLARS, "+") == "-$30 (-5 bb)"
    assert money_text(0, DOLLARS, "+") == "$0"
    assert big_blinds_text(0, DOLLARS, "+") == "0 bb"


def test_betting_in_big_blinds():
    assert betting_text("fr1800c/r3800c/cr8000", DOLLARS) == "fr3c/r6.33c/cr13.3"
    assert betting_text("rrc/cc", Stakes(2, 2)) == "rrc/cc"


# The pot.


def test_pots_by_hand():
    """Each sum by hand: posts, calls and raises, without what nobody called."""
    cash = hand_of_room(CASH)
    assert pot_of(cash) == 3450  # "Total pot $34.50": 0.50 + 2 * (3 + 4 + 10)
    assert pot_of(hand_of_room(TOURNAMENT)) == 130  # three antes, 50 of each blind
    assert pot_of(hand_of_room(GG)) == 2950
    tied = hand_of(*PAPER[7][:4])  # both all-in for 200, and nobody wins
    assert (pot_of(tied), tied.payoffs) == (400, (0, 0))
    walk = hand_of(*PAPER[0][:4])
    assert pot_of(walk) == 2  # the small blind and as much of the big one
    game = kuhn()
    assert pot_of(seen_by(replay(game, "rc", "KsJs"), None)) == 4
    assert pot_of(seen_by(replay(game, "rf", "KsJs"), None)) == 2


def test_the_pot_is_what_all_paid_and_what_was_won():
    for hand in [*some_hands(60), *(hand_of(*row[:4]) for row in PAPER)]:
        pot = pot_of(hand)
        assert pot == sum(retrace(hand).paid)
        assert (facts_of([hand]).seats["pot"] == pot).all()
        collected = [won + paid for won, paid in zip(hand.payoffs, retrace(hand).paid, strict=True)]
        assert sum(collected) + hand.rake == pot


def test_pots_are_those_of_pokerkit():
    pytest.importorskip("pokerkit")
    ended = [hand for hand in [*some_hands(40), *(hand_of(*row[:4]) for row in PAPER)] if hand.showdown]
    assert len(ended) > 10
    for hand in ended:  # after a fold pokerkit pushes the pot at once, and shows none
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            collected = [sum(pot.amount for pot in state.pots) for state in load(write_phh(hand), 0)]
        assert max(collected) == pot_of(hand), hand.id


def test_chips_of_the_house_are_in_the_pot():
    text = CASH.replace("*** HOLE CARDS ***", "*** HOLE CARDS ***\nSTP added: $5")
    text = text.replace("collected $33 ", "collected $39.50 ").replace("Rake $1.50", "Rake $0")
    text = text.replace("Total pot $34.50 |", "Total pot $39.50 | Main pot $34.50 | STP $5 |")
    assert pot_of(hand_of_room(text)) == 3950


# What a user sees.


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    where = tmp_path_factory.mktemp("money") / "hands.db"
    with Store.open(where) as store:
        store.add([hand_of_room(CASH), hand_of_room(TOURNAMENT), hand_of(*PAPER[3][:4], id="9")])
    return where


def shown(*words: object) -> str:
    """The output of a command, with its lines joined: they are as wide as the terminal."""
    result = CliRunner().invoke(
        cli, [str(word) for word in words], env={"COLUMNS": "200"}, prog_name="soulread"
    )
    assert result.exit_code == 0, result.output
    return " ".join(result.output.split())


def test_replay_shows_money_and_big_blinds(place):
    text = shown("replay", "--hand", 7001, "--db", place)
    assert "Bo: raise to $3 (3 bb)" in text
    assert "Dee: bet $10 (10 bb)" in text
    assert "Cy small blind" not in text
    assert "pot $34.50 (34.5 bb)" in text
    assert "Dee +$16 (+16 bb), Bo -$17 (-17 bb), rake $1.50 (1.5 bb)" in text
    assert "$80.50 (80.5 bb)" in text
    for cents in ("3450", "1700", "8050", "3,450", "1,700", "8,050"):
        assert cents not in text
    assert "call 50 chips (0.5 bb)" in shown("replay", "--hand", 7002, "--db", place)


def test_the_pot_at_the_end_of_a_replay_is_without_the_uncalled_bet(place):
    hand = hand_of(*PAPER[10][:4])  # ends with a raise that nobody calls
    steps = study_replay(hand, 1).steps
    assert steps[-1].pot == pot_of(hand) < steps[-2].pot


def test_hands_show_money_and_big_blinds(place):
    text = shown("hands", "--db", place)
    assert "$34.50 (34.5 bb)" in text
    assert "fr3fc/cr7c/cc/r17c" in text
    assert "130 chips (1.3 bb)" in text
    assert "403 chips (201.5 bb)" in text
    assert "+$16 (+16 bb)" in shown("hands", "--player", "Dee", "--db", place)


@pytest.mark.compiled
def test_a_reading_and_an_example_show_money(place):
    assert "pot $21.50" not in (text := shown("read", "--hand", 7001, "--db", place, "--model", "gom"))
    assert "pot $24.50 (24.5 bb)" in text  # before Bo's call on the river
    study = study_reading(hand_of_room(CASH))
    assert study.pot == 2450
    lines = hand_text(study_replay(hand_of_room(CASH), 1))
    assert "Dee, $40 (40 bb)" in lines
    assert "pot $34.50 (34.5 bb)" in lines


def test_a_replay_of_a_game_of_chips(place):
    text = shown("replay", "leduc", "JhQhKs", "rc/c")
    assert "pot: 6 chips (6 bb)" in text


def test_json_has_chips_and_says_their_worth(place):
    record = json.loads(shown("hands", 7001, "--db", place, "--json"))["hands"][0]
    assert record["pot"] == 3450
    assert record["stakes"] == {
        "small_bet": 100,
        "big_blind": 100,
        "ante": 0,
        "currency": "USD",
        "chip": "0.01",
        "tournament": False,
    }
    replayed = json.loads(shown("replay", "--hand", 7001, "--db", place, "--json"))
    assert replayed["steps"][-1]["pot"] == 3450
    assert replayed["hand"]["stakes"]["chip"] == "0.01"
    read = json.loads(shown("read", "--hand", 7001, "--db", place, "--model", "gom", "--json"))
    assert (read["pot"], read["hand"]["stakes"]["currency"]) == (2450, "USD")
