"""What a user sees of a solved spot: strategy, EV and equity by hand, files, the command, figures."""

import json
import math
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from naive_spots import payoff_matrix

import soulread as sr
from soulread.cards.equity import equity
from soulread.cards.ranges import HAND_CARDS, HAND_MASKS, Range, parse_range
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import DamagedFile, SoulreadError
from soulread.seqform.strategy import plan_from_behaviour
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import describe_spot, load_spot, read_spot
from soulread.study.spots.spots import action_colours, open_study, study_spot

SETTINGS: dict[str, Any] = {
    "board": "Td9d6hQd",
    "oop": "AhAs,KJs:0.5,87s",
    "ip": "AA,KdJd,55:0.25",
    "pot": 20,
    "stack": 8,
}
COMMAND = ["spot", "Td9d6hQc2s", "--oop", "99,AKs,JTs", "--ip", "KK,QJs,87s", "--pot", "20", "--stack", "30"]


@pytest.fixture(scope="module")
def study():
    return study_spot(read_spot(**SETTINGS), Stops(iterations=4))


def values_by_hand(study, path, player):
    """Value of each sequence at a place, from the matrix of the slow twin."""
    spot = study.spot
    place = spot.find(path)
    plans = [plan_from_behaviour(t, b) for t, b in zip(spot.trees, study.solution.behaviours, strict=True)]
    matrix = payoff_matrix(spot)
    q = matrix @ plans[1] if player == 0 else -matrix.T @ plans[0]
    tree = spot.trees[player]
    for j in range(tree.num_sets - 1, -1, -1):
        rows = tree.sequences(j)
        q[tree.parent_sequence[j]] += study.solution.behaviours[player][rows] @ q[rows]
    return q[spot.rows(place)]


def test_ev_is_what_brute_force_finds(study):
    spot, path = study.spot, "check check 3c"
    view = study.at(path)
    assert view.player == 0
    place = spot.find(path)
    orbit = spot.hands(place, 0)
    q = values_by_hand(study, path, 0).reshape(len(view.actions), -1)
    theirs = view.players[1].weight
    members = np.bincount(orbit[orbit >= 0], minlength=q.shape[1])
    boards = spot.boards.count[place.board]
    for hand in np.flatnonzero(view.acting.weight > 0):
        disjoint = HAND_MASKS & HAND_MASKS[hand] == 0
        mass = theirs[disjoint].sum()
        scale = spot.live[0][hand] * members[orbit[hand]] * boards / spot.total_chance / 44
        expected = q[:, orbit[hand]] / scale / mass + spot.betting.pot / 2
        assert view.action_ev[:, hand] == pytest.approx(expected, abs=1e-4)
        assert view.acting.ev[hand] == pytest.approx(view.strategy[:, hand] @ expected, abs=1e-4)


def test_both_players_share_the_pot(study):
    for path in ("", "check", "check check 3c", "check check 3c check", "bet8"):
        view = study.at(path)
        first, second = (player.mean_ev for player in view.players)
        assert first + second == pytest.approx(view.pot, abs=1e-3)
        assert sum(player.mean_equity for player in view.players) == pytest.approx(1)
        assert view.frequencies.sum() == pytest.approx(1)
    start = study.at("")
    assert start.players[0].mean_ev == pytest.approx(10 + study.solution.value, abs=1e-3)


def test_equity_and_shares_of_hands(study):
    view = study.at("")
    hand = int(np.flatnonzero(parse_range("AhAs").weights)[0])
    expected = equity(HAND_CARDS[hand].tolist(), Range(view.players[1].weight), view.board).value
    assert view.acting.equity[hand] == pytest.approx(expected)
    # AhAs meets only those aces that it does not block.
    met = [
        parse_range(SETTINGS["ip"]).without(view.board).without(HAND_CARDS[h].tolist()).total
        for h in range(1326)
    ]
    weights = view.acting.weight * met
    assert view.acting.share == pytest.approx(weights / weights.sum())


def test_a_hand_that_blocks_the_whole_range_has_no_ev():
    study = study_spot(read_spot("Td9d6hQc2s", "AhAs,AhKh,QQ", "AhAd,AsAc", 20, 30), Stops(iterations=5))
    view = study.at("")
    blocked, free = (int(np.flatnonzero(parse_range(hand).weights)[0]) for hand in ("AhAs", "QsQd"))
    assert math.isnan(view.acting.ev[blocked])
    assert not math.isnan(view.acting.ev[free])


@pytest.mark.compiled
def test_isomorphic_boards_show_the_same_with_renamed_hands():
    study = study_spot(read_spot("Td9d6h", "88,AKs", "QQ,A9s", 20, 10, "a", "none"), Stops(iterations=3))
    clubs, spades = study.at("check check 2c"), study.at("check check 2s")
    ac, as_ = (int(np.flatnonzero(parse_range(hand).weights)[0]) for hand in ("AcKc", "AsKs"))
    assert clubs.strategy[:, ac] == pytest.approx(spades.strategy[:, as_])
    assert clubs.acting.ev[ac] == pytest.approx(spades.acting.ev[as_])
    assert clubs.frequencies == pytest.approx(spades.frequencies)


def test_files_keep_a_solved_spot(study, tmp_path):
    file = tmp_path / "my.spot"
    study.save(file)
    again = open_study(file)
    assert describe_spot(again.spot) == describe_spot(study.spot)
    assert plain_data(again) == plain_data(study)
    assert plain_data(again.at("check")) == plain_data(study.at("check"))
    content = bytearray(file.read_bytes())
    content[-5] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(DamagedFile):
        load_spot(file)
    other = tmp_path / "other"
    other.write_text("no spot")
    with pytest.raises(SoulreadError, match="solved spot"):
        load_spot(other)


def test_grid_and_colours(study):
    view = study.at("")
    played, weight = view.grid()
    assert played[:, weight > 0].sum(axis=0) == pytest.approx(1)
    assert weight.sum() == pytest.approx(view.acting.weight.sum())
    assert {name for name, _, _ in view.cells()} == {"AA", "KJs", "87s"}
    assert len(set(action_colours(view.actions))) == len(view.actions)


def run(*arguments):
    return CliRunner().invoke(cli, [*arguments], catch_exceptions=False)


def test_the_command_prints_json_saves_and_draws(tmp_path):
    file, figure = tmp_path / "a.spot", tmp_path / "a.svg"
    found = run(
        *COMMAND, "--json", "--at", "check", "-o", str(file), "--figure", str(figure), "--iterations", "5"
    )
    assert found.exit_code == 0, found.output
    record = json.loads(found.stdout)
    assert record["iterations"] == 5
    assert record["spot"]["board"] == "Td9d6hQc2s"
    assert record["at"]["player"] == "ip"
    assert sum(record["at"]["actions"].values()) == pytest.approx(1)
    assert record["ev"]["oop"] + record["ev"]["ip"] == pytest.approx(20)
    assert "KsKh" in record["at"]["hands"]
    assert figure.read_text().startswith("<?xml")
    opened = run("spot", str(file), "--json", "--at", "check")
    assert json.loads(opened.stdout)["at"] == record["at"]


def test_the_command_prints_a_grid():
    found = run(*COMMAND, "--gap", "10%", "--at", "bet60")
    assert found.exit_code == 0, found.output
    assert "87s" in found.stdout
    assert "equity" in found.stdout
    assert "ip to act" in found.stdout
    size = run(*COMMAND, "--size", "--json")
    assert json.loads(size.stdout)["boards"] == [1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"--oop": "TdTh"}, "has no hand that is possible"),
        ({"--ip": "AKx"}, "not a range item"),
        ({"--bets": "60"}, "beyond the stack"),
        ({"--at": "check bet1000%"}, "ip may"),
        ({"--pot": "0"}, "a pot of 0"),
        ({"--stack": None}, "a spot needs --stack"),
        ({"--figure": "grid.bmp"}, "no name for a figure"),
    ],
)
def test_mistakes_get_one_sentence(change, message):
    settings = dict(zip(COMMAND[2::2], COMMAND[3::2], strict=True)) | change
    arguments = [word for name, value in settings.items() if value is not None for word in (name, value)]
    found = run("spot", COMMAND[1], *arguments)
    assert found.exit_code == 2
    assert message in found.stderr
    assert found.stderr.strip().count("\n") == 0


def test_a_spot_larger_than_memory_is_refused_with_figures(monkeypatch):
    monkeypatch.setattr("soulread.machine.available_memory", lambda: 1_000)
    found = run(*COMMAND)
    assert found.exit_code == 2
    assert "sequences would take" in found.stderr


def test_at_the_prompt(tmp_path):
    study = sr.spot("Td9d6hQc2s", "99,AKs,JTs", "KK,QJs,87s", 20, 30, iterations=10)
    assert study.at("check").actions[0].kind == "check"
    study.at("").plot().save(tmp_path / "grid.png")
    assert (tmp_path / "grid.png").stat().st_size > 10_000


def test_of_seconds_and_the_gap_the_first_counts():
    """With an hour to spend a solve ends at half a percent of the pot, as without; with --gap at that."""
    plain, hour, closer = (
        json.loads(run(*COMMAND, "--json", *words).stdout)
        for words in ([], ["--seconds", "3600"], ["--seconds", "3600", "--gap", "0.01%"])
    )
    assert plain["iterations"] == hour["iterations"] < closer["iterations"]
    assert 0.0001 < hour["exploitability_share"] <= 0.005
    assert closer["exploitability_share"] <= 0.0001


def test_rake_is_shown_saved_and_read_again(tmp_path):
    spot = read_spot(**SETTINGS, rake="5%", cap=1)
    assert describe_spot(spot)["rake"] == "5%"
    raked = study_spot(spot, Stops(iterations=20))
    # Both EVs and the rake are the pot, and the rake lies between that of the smallest pot and the cap.
    assert sum(raked.evs) + raked.rake == pytest.approx(20, abs=1e-4)
    assert raked.rake == pytest.approx(1, abs=1e-4)
    record = plain_data(raked)
    assert record["value"]["oop"] + record["value"]["ip"] == pytest.approx(-raked.rake)
    raked.save(tmp_path / "raked.spot")
    again = open_study(tmp_path / "raked.spot")
    assert (again.evs, again.rake) == (raked.evs, raked.rake)
    assert again.spot.betting.rake == spot.betting.rake
    # A file of a spot without rake says nothing of it.
    assert "rake" not in describe_spot(read_spot(**SETTINGS))
    assert study_spot(read_spot(**SETTINGS), Stops(iterations=1)).rake == 0
    half = read_spot(**{**SETTINGS, "pot": "10bb", "stack": "4bb"}, rake=0.05, cap="0.5bb")
    assert (half.betting.rake.cap, half.betting.rake.text(half.unit)) == (50, "5%, at most 0.5bb")
    assert read_spot(**describe_spot(half)).checksum == half.checksum


def test_the_command_knows_rake():
    shown = CliRunner().invoke(cli, [*COMMAND, "--rake", "5%", "--cap", "0.5", "--gap", "1%"])
    assert shown.exit_code == 0, shown.output
    words = " ".join(shown.output.split())  # lines may be wrapped anywhere
    assert "stacks 30, rake 5%, at most 0.5" in words
    assert "rake 0.50 (5%, at most 0.5)" in words
    assert "no rake" in " ".join(CliRunner().invoke(cli, [*COMMAND, "--gap", "2%"]).output.split())
    for options, message in (
        (["--cap", "3"], "a cap of 3 without a rake"),
        (["--rake", "5"], "a rake of '5'; write a part of the pot below all of it"),
        (["--rake", "5%", "--cap", "3bb"], "in chips, but other amounts are in big blinds"),
        (["--rake", "5%", "--cap", "0"], "leave the rake out"),
    ):
        wrong = CliRunner().invoke(cli, [*COMMAND, *options])
        assert wrong.exit_code == 2
        assert message in " ".join(wrong.stderr.split())


def test_ev_is_told_in_chips_and_as_a_part_of_the_pot():
    record = json.loads(run(*COMMAND, "--json").stdout)
    lines = run(*COMMAND).stdout.splitlines()
    oop, pot = record["ev"]["oop"], record["spot"]["pot"]
    told = " ".join(lines)
    assert f"oop {oop:.2f} chips ({oop / pot:.1%} of the pot)" in told
    row = next(line.split() for line in lines if line.split()[:1] == ["oop"])
    assert row[2] == f"{100 * float(row[1]) / pot:.1f}%"
