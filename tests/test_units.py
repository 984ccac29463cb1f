"""Amounts of spots in chips and big blinds: exact inside, shown as they were told, refused in words."""

import json
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import soulread as sr
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.games.unit import ChipUnit, SpotAmount, number_text, parse_amount, read_unit
from soulread.respond.locks.reads import parse_read
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import describe_spot, read_spot
from soulread.study.spots.boards import board_values
from soulread.study.spots.locks import dial, study_locks
from soulread.study.spots.spots import open_study, study_spot

BOARD, OOP, IP = "Td9d6hQc2s", "99,AKs,JTs", "KK,QJs,87s"
STOPS = Stops(iterations=30)


def made(pot: Any, stack: Any, **more: Any) -> Any:
    return read_spot(BOARD, OOP, IP, pot, stack, **more)


@pytest.mark.parametrize(
    ("pot", "stack", "more", "inside", "unit", "name"),
    [
        (200, 900, {}, (200, 900), ChipUnit("chips", 1, 1), "200/900"),
        ("1,200", "900", {}, (1200, 900), ChipUnit("chips", 1, 1), "1200/900"),
        (27.5, 97, {}, (55, 194), ChipUnit("chips", 2, 2), "27.5/97"),
        ("27.25", 97, {}, (2725, 9700), ChipUnit("chips", 100, 100), "27.25/97"),
        ("27.5bb", "97 BB", {}, (2750, 9700), ChipUnit("bb", 100, 0), "27.5bb/97bb"),
        ("5.5bb", "97.125bb", {}, (5500, 97125), ChipUnit("bb", 1000, 0), "5.5bb/97.125bb"),
        ("27.5bb", "97bb", {"blind": 2}, (55, 194), ChipUnit("bb", 2, 1), "27.5bb/97bb"),
        (55, "97bb", {"blind": "2"}, (55, 194), ChipUnit("bb", 2, 1), "27.5bb/97bb"),
        ("27.5bb", 291, {"blind": 3}, (165, 582), ChipUnit("bb", 6, 2), "27.5bb/97bb"),
        (10, 100, {"blind": 3}, (10, 100), ChipUnit("bb", 3, 1), "3.3333bb/33.3333bb"),
        (1, 9, {"blind": 0.5}, (2, 18), ChipUnit("bb", 1, 2), "2bb/18bb"),
        (20, 90, {"bets": "7.5"}, (40, 180), ChipUnit("chips", 2, 2), "20/90"),
    ],
)
def test_amounts_become_whole_numbers(pot, stack, more, inside, unit, name):
    spot = made(pot, stack, **more)
    assert (spot.betting.pot, spot.betting.stack) == inside
    assert spot.unit == unit
    assert spot.name == f"spot {BOARD} {name}"
    told = json.loads(json.dumps(describe_spot(spot)))
    again = read_spot(**told)
    assert again.betting == spot.betting
    assert again.checksum == spot.checksum


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("27.5bb", 97), r"stacks of 97 is in chips, but .* write 97bb"),
        ((20, 90, "9bb"), r"a pot of 20 is in chips, but"),
        (("20bb", "90bb", "9"), r"a bet of 9 is in chips, but .* write 9bb"),
        (("27.12345bb", "97bb"), r"a pot of 27\.12345bb cannot be counted exactly: .* four decimals"),
        (
            ("27.333bb", "97bb", "60%", 1.005),
            r"27\.333bb cannot be counted exactly where a big blind has 1\.005",
        ),
        (
            ("much", 97),
            r"a pot of 'much' is no amount; write chips such as 200, or big blinds such as 27\.5bb",
        ),
        ((20, -5), r"stacks of -5 is no amount"),
        ((20, True), r"stacks of True is no amount"),
        ((20, 90, "60%", "2bb"), r"a big blind of '2bb'; it is some chips"),
        ((20, 90, "60%", 0), r"a big blind of 0"),
        (("20bb", "90bb", "95bb"), r"a bet of 95bb is beyond the stack of 90bb"),
    ],
)
def test_amounts_that_cannot_be_told_exactly_are_refused(arguments, message):
    more = dict(zip(("bets", "blind"), arguments[2:], strict=False))
    with pytest.raises(SoulreadError, match=message):
        made(*arguments[:2], **more)


def test_a_unit_by_hand():
    assert read_unit(None, [("a", SpotAmount(parse_amount("0.0001", "a").number))]) == ChipUnit(
        "chips", 10_000, 10_000
    )
    blinds = ChipUnit("bb", 100, 0)
    assert (blinds.of(2750), blinds.text(2750), blinds.grand(275000)) == (27.5, "27.5bb", "2,750bb")
    assert (ChipUnit().of(7), ChipUnit().text(1200), ChipUnit().grand(1200)) == (7, "1200", "1,200")
    assert [number_text(x) for x in (0.1 + 0.2, -1e-9, 1234567.0, 3.33333)] == [
        "0.3",
        "0",
        "1234567",
        "3.3333",
    ]
    with pytest.raises(
        SoulreadError, match=r"a bet of 7\.5 is no whole number where the smallest amount is 1 chips"
    ):
        ChipUnit().inside(parse_amount(7.5, "a bet of"), "a bet of")


def test_words_of_a_spot_in_big_blinds_lead_to_its_actions():
    spot = made("27.5bb", "97bb", bets="35%,75%,20bb", raises="2.5x", blind=3)
    actions = [str(action) for action in spot.node(spot.start).actions]
    assert actions == ["check", "bet 9.6667bb", "bet 20bb", "bet 20.6667bb"]
    for word in ("bet9.6667bb", "bet9.6667", "BET9.6667BB", "bet35%"):
        assert spot.path(spot.find(word)) == "bet9.6667bb"
    assert spot.path(spot.find("check bet20bb")) == "check bet20bb"
    assert spot.path(spot.find("bet75%")) == "bet20.6667bb"
    with pytest.raises(SoulreadError, match=r"oop may check, bet 9\.6667bb"):
        spot.find("bet9bb")


def test_big_blinds_are_chips_of_a_hundredth(tmp_path):
    """The same spot in both units: the same play, and values that differ by a factor of 100."""
    told = made("27.5bb", "97bb", bets="33%,75%", raises="2.5x")
    chips = made(2750, 9700, bets="33%,75%", raises="2.5x")
    assert told.checksum == chips.checksum
    one, two = (study_spot(spot, STOPS) for spot in (told, chips))
    assert one.solution.value == two.solution.value
    first, second = plain_data(one), plain_data(two)
    assert (first["unit"], second["unit"]) == ("bb", "chips")
    for name in ("value", "ev"):
        assert first[name]["oop"] * 100 == pytest.approx(second[name]["oop"])
    assert first["exploitability"] * 100 == pytest.approx(second["exploitability"])
    assert first["exploitability_share"] == second["exploitability_share"]
    here, there = one.at("bet33%"), two.at("bet33%")
    assert np.array_equal(here.strategy, there.strategy, equal_nan=True)
    assert np.allclose(here.action_ev * 100, there.action_ev, equal_nan=True)
    assert here.pot * 100 == there.pot == 2750 + 908
    record = plain_data(here)
    assert record["unit"] == "bb"
    assert record["ev_share"] == pytest.approx(plain_data(there)["ev_share"])
    assert record["ev_share"]["oop"] == pytest.approx(record["ev"]["oop"] / 36.58)
    file = tmp_path / "my.spot"
    one.save(file)
    assert plain_data(open_study(file)) == first


def test_locks_and_boards_are_in_the_unit_of_their_spot():
    settings: dict[str, Any] = {"oop": OOP, "ip": IP, "bets": "75%", "raises": "none"}
    stops = Stops(iterations=60)
    found = []
    for pot, stack, risk in (("20bb", "60bb", 0.5), (2000, 6000, 50.0)):
        spot = read_spot(BOARD, pot=pot, stack=stack, **settings)
        study = study_locks(spot, [parse_read("bet75%: fold 90%")], trusts=(0.5, 1), stops=stops, risk=risk)
        points = [study.point(answer) for answer in (*study.curve.answers, study.chosen)]
        assert f"at most {risk:g} {spot.unit.name}" in study.why
        stop = dial(study, 1)[-1]
        values = board_values(
            BOARD, {**settings, "pot": pot, "stack": stack}, iterations=60, locks=["bet75%: fold 90%"]
        )
        numbers = [
            point[name]
            for point in points
            for name in ("if_right", "at_least", "worst", "gain", "cost", "gap")
        ]
        numbers += [stop.gain, stop.cost, stop.at_least]
        numbers += [float(values[name]) for name in ("gain", "cost", "gap")]
        found.append((spot.unit.name, numbers, plain_data(study)))
    assert np.allclose(100 * np.array(found[0][1]), found[1][1], atol=1e-6)
    assert (found[0][2]["unit"], found[0][2]["pot"], found[0][2]["stack"]) == ("bb", 20, 60)
    assert (found[1][2]["unit"], found[1][2]["pot"]) == ("chips", 2000)


def test_the_command_speaks_big_blinds():
    line = [
        "spot",
        BOARD,
        "--oop",
        OOP,
        "--ip",
        IP,
        "--pot",
        "27.5bb",
        "--stack",
        "97bb",
        "--iterations",
        "20",
    ]
    shown = CliRunner().invoke(cli, [*line, "--at", "bet60%"])
    assert shown.exit_code == 0, shown.output
    for text in ("pot 27.5bb, stacks 97bb", "after 'bet16.5bb'", "EV, bb", "of the pot", "raise"):
        assert text in shown.stdout
    assert "chips" not in shown.stdout
    told = CliRunner().invoke(cli, [*line, "--gap", "1bb", "--json"])
    assert json.loads(told.stdout)["spot"]["pot"] == "27.5bb"
    wrong = CliRunner().invoke(cli, [*line[:9], "97", "--json"])
    assert wrong.exit_code == 2
    assert "write 97bb, or say with the blind" in wrong.stderr


def test_at_the_prompt_the_first_stop_counts():
    spot: dict[str, Any] = {"board": BOARD, "oop": OOP, "ip": IP, "pot": "20bb", "stack": "60bb"}
    by_gap = sr.spot(**spot, seconds=3600, gap=0.5)
    assert by_gap.spot.unit.of(by_gap.solution.gap) <= 0.5
    assert sr.spot(**spot, seconds=3600).gap_share <= 0.005
    assert sr.spot(**spot, gap=0.0, iterations=20).solution.iterations == 20
