"""Spots from stored hands, reads counted in a player's own hands, many boards, and the commands for them."""

import csv
import json
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from soulread.abstraction.textures import texture_of
from soulread.cards.deck import parse_cards
from soulread.cards.ranges import parse_range
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.base import CHANCE
from soulread.games.limit_holdem import limit_holdem
from soulread.games.nolimit_holdem import nolimit_holdem
from soulread.games.spot import Rake
from soulread.hands.record import seen_by_dealer
from soulread.hands.store import Store
from soulread.model.catalogue import parse_model
from soulread.respond.confidence import s_curve
from soulread.solvers.real_cards.spot_files import describe_spot, read_spot
from soulread.study.spots.boards import BoardsStudy, board_values, read_boards, row_of, sample_flops
from soulread.study.spots.from_hands import last_street, spot_of_hand
from soulread.study.spots.player_counts import (
    SituationCounts,
    decisions_of,
    pool_of,
    read_of,
    reads_of_player,
    situation_at,
    size_class,
    stored_decisions,
)

FOLD, CALL = 0, 1
BOARD = "Td9d6hQc2s"


def play(actions, board=BOARD, hole="AhKh 8s8c", game=None, names=("Ann", "Bob"), id="h1"):
    """A finished hand; raises are to so many chips, over the whole hand."""
    game = nolimit_holdem(2, 1000, (5, 10)) if game is None else game
    cards = iter(parse_cards(hole.replace(" ", "") + board))
    state = game.start()
    for action in actions:
        while state.player == CHANCE:
            state = state.apply(next(cards))
        state = state.apply(action)
    while state.player == CHANCE:
        state = state.apply(next(cards))
    return seen_by_dealer(state, names, id=id)


# Bob, on the button, opens to 30 and Ann calls; the flop is checked; Ann bets 36 (60%) on the turn.
TO_TURN = [30, CALL, CALL, CALL, 66]


@lru_cache
def turn_hand():
    return play([*TO_TURN, 156, CALL, CALL, 300, FOLD], id="big")


def test_a_spot_is_taken_from_a_hand():
    given = parse_range("77+,AKs"), parse_range("88,QJs")
    taken = spot_of_hand(turn_hand(), "turn", ranges=given, bets="100%", raises="2.5x")
    spot = taken.spot
    assert (spot.board, spot.betting.pot, spot.betting.stack) == (parse_cards("Td9d6hQc"), 60, 970)
    assert taken.players == ("Ann", "Bob")
    assert spot.ranges == given
    names = [str(action) for action in spot.node(spot.find("")).actions]
    assert names == ["check", "bet 36", "bet 60"]  # her own 60% beside the 100%
    assert [str(a) for a in spot.node(spot.find("bet36")).actions] == [
        "fold",
        "call",
        "raise 90",
        "raise 126",
    ]
    assert taken.line == "bet36 raise126 call 2s check bet144"
    assert taken.initiative(0) == taken.initiative(1) == "nobody"
    flop = spot_of_hand(turn_hand(), "flop", ranges=given)
    assert (flop.initiative(0), flop.initiative(1)) == ("other", "own")
    assert (taken.player_of("Bob"), last_street(turn_hand())) == (1, "river")
    assert plain_data(taken)["line"] == taken.line
    blinds = spot_of_hand(turn_hand(), "turn", ranges=given, in_blinds=True, rake="5%", cap="3bb")
    assert blinds.line == "bet3.6bb raise12.6bb call 2s check bet14.4bb"
    assert blinds.spot.betting.rake == Rake(0.05, 30)
    assert {name: plain_data(blinds)[name] for name in ("unit", "pot", "stack")} == {
        "unit": "bb",
        "pot": 6,
        "stack": 97,
    }
    assert spot_of_hand(turn_hand(), "turn", ranges=given, rake="5%", cap="3bb").spot.betting.rake.cap == 30
    # Chips are understood, too, and the spot is the same when it is read again.
    assert blinds.spot.find("bet36") == blinds.spot.find("bet3.6bb")
    assert read_spot(**describe_spot(blinds.spot)).checksum == blinds.spot.checksum


def test_the_shorter_stack_counts():
    hand = play([*TO_TURN, FOLD], game=nolimit_holdem(2, (1000, 400), (5, 10)))
    given = parse_range("77+,AKs"), parse_range("88,QJs")
    assert spot_of_hand(hand, "turn", ranges=given).spot.betting.stack == 370


@pytest.mark.compiled
def test_ranges_are_read_by_a_model():
    spec = parse_model("gom")
    taken = spot_of_hand(
        turn_hand(), "turn", ranges=(None, parse_range("88")), make_model=spec.make_from_rules
    )
    read = taken.spot.ranges[0]
    assert taken.sources == ("read by the model", "given")
    assert 50 < read.num_hands < 1326
    assert read.weights.max() == 1
    with pytest.raises(SoulreadError, match="needs a game that is solved as a whole"):
        parse_model("deviation").make_from_rules(nolimit_holdem())
    with pytest.raises(SoulreadError, match="the range of oop and ip is missing"):
        spot_of_hand(turn_hand(), "turn")


def test_limit_betting_comes_from_the_rules():
    hand = play([2, CALL, CALL, CALL, 2, CALL, CALL, CALL], game=limit_holdem())
    taken = spot_of_hand(hand, "turn", ranges=(parse_range("77+"), parse_range("22+")))
    names = [str(action) for action in taken.spot.node(taken.spot.find("bet4")).actions]
    assert names == ["fold", "call", "raise 8"]
    given = parse_range("77+"), parse_range("22+")
    assert spot_of_hand(hand, "turn", ranges=given, in_blinds=True).line == "bet2bb call 2s check"
    assert taken.line == "bet4 call 2s check"


@pytest.mark.parametrize(
    ("hand", "street", "message"),
    [
        (lambda: play([30, FOLD]), "flop", "nobody decides on the flop"),
        (lambda: turn_hand(), "preflop", "street 'preflop'"),
        (
            lambda: play(
                [CALL, CALL, CALL, CALL, CALL, CALL, 20, FOLD, FOLD],
                hole="AhKh 8s8c 3s3c",
                game=nolimit_holdem(3, 1000, (5, 10)),
                names=("Ann", "Bob", "Cid"),
            ),
            "flop",
            "3 players are left",
        ),
    ],
)
def test_hands_without_a_spot_are_refused(hand, street, message):
    with pytest.raises(SoulreadError, match=message):
        spot_of_hand(hand(), street, ranges=(parse_range("77"), parse_range("88")))


# Like situations.


@pytest.mark.parametrize(
    ("board", "texture"),
    [
        ("Td9d6h", "two-tone, unpaired, connected"),
        ("AhKh2h", "monotone, unpaired, unconnected"),
        ("Ah3c4d", "rainbow, unpaired, connected"),
        ("KsKd2c", "rainbow, paired, unconnected"),
        ("Td9d6hQc2s", "two-tone, unpaired, connected"),
    ],
)
def test_textures_in_words(board, texture):
    assert texture_of(parse_cards(board)) == texture


def test_decisions_are_put_into_situations():
    seen = list(decisions_of(turn_hand(), "Bob"))
    assert [(one.situation.street, one.action) for one in seen] == [(1, "check"), (2, "raise"), (3, "bet")]
    flop, turn, river = (one.situation for one in seen)
    assert (flop.size, flop.raises, flop.in_position, flop.initiative) == (None, 0, True, "own")
    assert (turn.size, turn.raises, turn.initiative) == ("medium", 1, "nobody")
    assert (river.initiative, river.texture) == ("own", texture_of(parse_cards(BOARD)))
    ann = list(decisions_of(turn_hand(), "Ann"))
    assert [one.action for one in ann] == ["check", "bet", "call", "check", "fold"]
    assert (ann[2].situation.raises, ann[2].situation.size) == (2, "medium")
    assert ann[4].situation.size == size_class(144 / 312) == "medium"


def test_a_decision_of_a_spot_is_the_same_situation():
    given = parse_range("77+,AKs"), parse_range("88,QJs")
    taken = spot_of_hand(turn_hand(), "turn", ranges=given)
    spot = taken.spot
    turn = next(one for one in decisions_of(turn_hand(), "Bob") if one.situation.street == 2)
    assert situation_at(spot, spot.find("bet36"), taken.initiative(1)) == turn.situation
    later = situation_at(spot, spot.find("bet36 raise126 call 2s check"))
    river = next(one for one in decisions_of(turn_hand(), "Bob") if one.situation.street == 3)
    assert later == river.situation


@lru_cache
def leaky_hands():
    """Bob folds 45 of 60 turns to Ann's bet, calls 12, raises 3; on boards of two textures."""
    hands = []
    for i in range(60):
        board = BOARD if i % 2 else "AhKs2c7d3s"
        hole = "AdKc 8s8c" if i % 2 else "AdKc 8s8h"
        reply = [FOLD] if i % 4 != 3 else [156, FOLD] if i % 20 == 19 else [CALL, CALL, CALL]
        hands.append(play([*TO_TURN, *reply], board=board, hole=hole, id=f"leak{i}"))
    return tuple(hands)


def test_pools_widen_until_they_have_enough():
    seen = [one for hand in leaky_hands() for one in decisions_of(hand, "Bob")]
    wanted = next(one for one in decisions_of(turn_hand(), "Bob") if one.situation.street == 2).situation
    narrow = pool_of(seen, wanted, least=20)
    assert (narrow.n, narrow.situation.texture) == (30, wanted.texture)
    wide = pool_of(seen, wanted, least=40)
    assert (wide.n, wide.situation.texture) == (60, None)
    assert wide.situation.initiative == "nobody"
    assert wide.counts == {"fold": 45, "call": 12, "raise": 3}
    widest = pool_of(seen, wanted, least=1000)
    assert widest.situation.in_position is None
    read = read_of("bet36", wide, s_curve(50), "Bob")
    assert dict(read.frequencies) == pytest.approx({"fold": 0.75, "call": 0.2, "raise": 0.05})
    assert read.n == 60
    assert read.confidence == pytest.approx(60 / 110)
    low, high = read.intervals()["fold"]
    assert 0.6 < low < 0.75 < high < 0.87
    with pytest.raises(SoulreadError, match="was never seen"):
        read_of("bet36", SituationCounts(wanted, {}), s_curve(50), "Bob")


def test_stored_hands_give_the_same_decisions(tmp_path):
    spot = spot_of_hand(turn_hand(), "turn", ranges=(parse_range("77+,AKs"), parse_range("88,QJs"))).spot
    wanted = [situation_at(spot, spot.find("bet36"))]
    with Store.open(tmp_path / "hands.db") as store:
        store.add([*leaky_hands(), play([30, FOLD], id="short")])
        seen = list(stored_decisions(store, "Bob", wanted))
    expected = [one for hand in leaky_hands() for one in decisions_of(hand, "Bob")]
    assert sorted(map(str, seen)) == sorted(map(str, expected))
    (read,) = reads_of_player(spot, 1, "Bob", seen, s_curve(50), paths=["bet36"], initiative="nobody")
    assert read.n == 30
    with pytest.raises(SoulreadError, match="but 'Bob' is ip"):
        reads_of_player(spot, 1, "Bob", seen, s_curve(50), paths=[""])
    with pytest.raises(SoulreadError, match="never seen heads-up"):
        reads_of_player(spot, 1, "Cid", [], s_curve(50))


# Many boards.

SETTINGS = {"oop": "77+,AKs", "ip": "88,QJs,A9s", "pot": 20, "stack": 30, "bets": "a", "raises": "none"}


@pytest.mark.compiled
def test_samples_of_flops():
    some = sample_flops(20, seed=1)
    assert len({board for board, _ in some}) == 20
    assert some == sample_flops(20, seed=1) != sample_flops(20, seed=2)
    assert sum(count for _, count in sample_flops(1755)) == 22100
    with pytest.raises(SoulreadError, match="1800 flops"):
        sample_flops(1800)


def test_boards_are_read_from_a_file(tmp_path):
    file = tmp_path / "boards"
    file.write_text("Td9d6h  # wet\n\nAhKs2c\n")
    assert [board for board, _ in read_boards(file)] == ["Td9d6h", "AhKs2c"]
    file.write_text("Td9d6h\nTdXx6h\n")
    with pytest.raises(SoulreadError, match="line 2"):
        read_boards(file)
    with pytest.raises(SoulreadError, match="cannot be read"):
        read_boards(tmp_path / "none")


def test_means_over_boards():
    same = {"weight": 2.0, "equity": np.array([0.5, 0.5]), "gap": 0.1, "cost": 1.0, "trust": 1.0}
    one = {"frequencies": np.array([0.5, 0.5]), "ev": np.array([1.0, 2.0]), "gain": 4.0}
    other = {"frequencies": np.array([0.1, 0.9]), "ev": np.array([5.0, -2.0]), "gain": 0.0}
    rows = [row_of(BOARD, 1, {**same, **one}), row_of("AhAs2c7dKs", 3, {**same, **other})]
    study = BoardsStudy("", "oop", ("check", "bet"), 20, "chips", ("bet: fold 1",), tuple(rows))
    everything, common, rare = study.means()
    assert everything.frequencies == pytest.approx((0.2, 0.8))
    assert everything.ev == pytest.approx((4.0, -1.0))
    assert everything.gain == pytest.approx(1.0)
    assert (common.share, rare.share) == pytest.approx((0.75, 0.25))
    assert [row.board for row in study.best(1)] == ["Td9d6hQc2s"]
    assert [line["board"] for line in csv.DictReader(study.to_csv().splitlines())] == [
        row.board for row in rows
    ]


@pytest.mark.compiled
def test_one_board_as_a_task():
    settings: dict[str, Any] = {**SETTINGS, "bets": "50%", "stack": 60}
    values = board_values(BOARD, settings, gap=0.02, locks=["bet10: fold 90%"])
    spot = read_spot(BOARD, **settings)
    assert values["weight"] == spot.total_chance
    assert np.sum(values["frequencies"]) == pytest.approx(1)
    assert np.sum(values["ev"]) == pytest.approx(20, abs=1e-3)
    assert float(values["gain"]) > 0
    assert float(values["trust"]) == 1


# Commands.


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    where = tmp_path_factory.mktemp("spots") / "hands.db"
    with Store.open(where) as store:
        store.add([turn_hand(), *leaky_hands()])
    return where


RIVER = [
    BOARD,
    "--oop",
    "99,AKs,JTs,77",
    "--ip",
    "KK,QJs,87s,A9s",
    "--pot",
    20,
    "--stack",
    60,
    "--gap",
    "2%",
]
LOCK = "bet60: fold 90%"


@pytest.mark.compiled
def test_the_command_locks(tmp_path):
    figure = tmp_path / "curve.svg"
    shown = run("lock", *RIVER, LOCK, "--figure", figure)
    assert shown.exit_code == 0, shown.output
    assert "Advice: trust" in shown.output
    assert figure.stat().st_size > 1000
    record = json.loads(run("lock", *RIVER, LOCK, "--trust", 0.5, "--trust-kind", "p", "--json").stdout)
    assert (record["chosen"]["trust"], record["kind"]) == (0.5, "p")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["lock", *RIVER, "bet90: fold 90%"], "a node that is not there"),
        (["lock", *RIVER, "bet60: fold 60%, call 60%"], "sum to 120%"),
        (["lock", *RIVER, "--trust", 0.5], "nothing is locked"),
        (["lock", *RIVER, LOCK, "--confidence", "0-10"], "--confidence needs --player"),
        (["spot", *RIVER, "--street", "turn"], "--street needs --hand"),
        (["lock", *RIVER, LOCK, "--trust", 3], "a trust of 3.0"),
        (["spot", *RIVER, "--hand", "big"], "leave out a board"),
        (["spot", *RIVER, "--gap", "2x"], "--gap '2x'; expected a number such as 2 or 0.5%"),
        (["spot", *RIVER, "--tree", "most_bets=0.5"], "expected a number"),
        (["spot", *RIVER, "--tree", "merge=-1"], "merge=-1.0; expected at least 0"),
        (["boards", 3, "--oop", "AA"], "a spot needs --ip, --pot, --stack"),
        (
            ["lock", *RIVER, "--player", "Bob", "--confidence", "much", "--db", "none.db"],
            "confidence function",
        ),
    ],
)
def test_wrong_options_get_one_sentence(arguments, message):
    result = run(*arguments)
    assert result.exit_code == 2
    assert message in result.output
    assert len(result.output.strip().splitlines()) <= 2


@pytest.mark.compiled
def test_a_gap_in_chips_is_one_in_percent_and_rules_of_the_tree_are_read():
    chips = [*RIVER[:-1], "0.4"]
    first, second = (json.loads(run("spot", *words, "--json").stdout) for words in (RIVER, chips))
    assert first["iterations"] == second["iterations"]
    assert (
        run("spot", *RIVER, "--size", "--tree", "most_bets=1").output != run("spot", *RIVER, "--size").output
    )


@pytest.mark.compiled
def test_the_command_takes_a_hand_and_a_player_from_a_store(stored):
    command = ["spot", "--db", stored, "--hand", "big", "--street", "river", "--oop", "99,AKs,JTs,AJs"]
    shown = run(*command, "--ip", "KK,QJs,87s,A9s", "--gap", "2%")
    assert shown.exit_code == 0, shown.output
    assert "Ann is out of position" in shown.output
    turn = [
        "lock",
        "--db",
        stored,
        "--hand",
        "big",
        "--street",
        "turn",
        "--oop",
        "99,AKs",
        "--ip",
        "KK,QJs,87s",
    ]
    record = json.loads(run(*turn, "--gap", "2%", "--player", "Bob", "--where", "bet36", "--json").stdout)
    assert record["locks"][0]["n"] == 31  # the thirty turns of this texture, and the hand itself
    assert record["locks"][0]["locked"]["fold"] > 0.4
    assert "decisions of Bob on the turn; facing a medium bet" in record["locks"][0]["source"]
    assert record["hand"]["players"] == {"oop": "Ann", "ip": "Bob"}
    wrong = run(*turn, "--player", "Cid")
    assert "Cid" in wrong.output
    assert wrong.exit_code == 2


@pytest.mark.compiled
def test_the_command_solves_many_boards_and_goes_on(tmp_path, monkeypatch):
    monkeypatch.setenv("SOULREAD_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "boards"
    file.write_text("Td9d6hQc2s\nAhKs2c7d3s\n")
    command = ["boards", file, LOCK, "--oop", "99,AKs,JTs", "--ip", "KK,QJs,87s"]
    command += ["--pot", 20, "--stack", 60, "--gap", "2%"]
    table = tmp_path / "boards.csv"
    shown = run(*command, "-o", table, "--figure", tmp_path / "b.svg")
    assert shown.exit_code == 0, shown.output
    assert "where the lock pays most" in shown.output
    assert len(table.read_text().splitlines()) == 3
    results = sorted((tmp_path / "cache" / "experiments").iterdir())
    times = [path.stat().st_mtime_ns for path in results]
    record = json.loads(run(*command, "--json").stdout)
    assert len(record["boards"]) == 2
    assert [path.stat().st_mtime_ns for path in results] == times
