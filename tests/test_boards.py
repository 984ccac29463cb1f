"""One spot on many flops: which flops, their weights, means by texture and highest card, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from tmux_terminal import PATIENCE

import soulread as sr
from soulread.abstraction.textures import texture_of
from soulread.cards.deck import cards_name, parse_cards
from soulread.cards.isomorphism import all_boards
from soulread.cli import cli
from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.study.spots.boards import (
    BoardsStudy,
    flop_subsets,
    named_boards,
    read_boards,
    row_of,
    sample_flops,
    study_boards,
)

SUBSETS = flop_subsets()
RIVER = {"oop": "99,AKs,JTs", "ip": "KK,QJs,87s", "bets": "60%", "raises": "none"}


def shares(boards, kind):
    """The part of the weight that boards of each kind have."""
    found: Counter[str] = Counter()
    for board, weight in boards:
        found[kind(parse_cards(board))] += weight
    total = sum(found.values())
    return {name: count / total for name, count in found.items()}


def suits(cards):
    return str(len({card & 3 for card in cards}))


def ranks(cards):
    return str(len({card >> 2 for card in cards}))


def highest(cards):
    return str(max(card >> 2 for card in cards))


@pytest.mark.parametrize("size", SUBSETS)
def test_subsets_of_flops_are_flops_with_weights(size):
    rows = SUBSETS[size]
    assert len(rows) == len({board for board, _ in rows}) == size
    every = {cards_name(tuple(flop)) for flop in all_boards().flops.tolist()}
    assert {board for board, _ in rows} <= every
    assert sum(weight for _, weight in rows) == 22100
    assert min(weight for _, weight in rows) > 0


@pytest.mark.parametrize(
    ("size", "most"), [(25, 0.08), (50, 0.03), (75, 0.03), (100, 0.02), (140, 0.01), (184, 0.01)]
)
def test_subsets_have_the_textures_of_all_flops(size, most):
    every = sample_flops(1755)
    for kind in (suits, ranks, highest, texture_of):
        here, there = shares(SUBSETS[size], kind), shares(every, kind)
        assert max(abs(here.get(name, 0) - share) for name, share in there.items()) < most


def test_boards_are_named_in_four_ways(tmp_path):
    assert list(SUBSETS) == [25, 50, 75, 100, 140, 184]
    assert named_boards("50") == SUBSETS[50]
    assert named_boards("50", seed=0) == sample_flops(50, 0) != SUBSETS[50]
    assert named_boards("7") == sample_flops(7, 0)
    assert named_boards("All") == sample_flops(1755)
    assert named_boards("Ks8h4c, Td9d6h Qc") == [("Ks8h4c", 1), ("Td9d6hQc", 1)]
    file = tmp_path / "boards"
    file.write_text("Td9d6h: 12 # often\n\nAh Ks 2c\n")
    assert named_boards(str(file)) == read_boards(file) == [("Td9d6h", 12), ("AhKs2c", 1)]
    for wrong in ("Td9d6h: x\n", "Td9d6h: 0\n", "Td9d6h:\n", ": 3\n"):
        file.write_text(wrong)
        with pytest.raises(SoulreadError, match="line 1: "):
            read_boards(file)
    with pytest.raises(
        SoulreadError, match=r"'Kx8h' names no boards .* 25, 50, 75, 100, 140, 184\), all, boards such"
    ):
        named_boards("Kx8h")


def test_means_by_highest_card():
    def row(board, weight, bet, ev):
        values = {"weight": 1.0, "equity": np.array([0.5, 0.5]), "gap": 0.1}
        return row_of(
            board, weight, {**values, "frequencies": np.array([1 - bet, bet]), "ev": np.array([ev, 20 - ev])}
        )

    rows = (
        row("As8h4c", 3, 1.0, 8.0),
        row("Ad2h2c", 1, 0.0, 4.0),
        row("Th9d2c", 1, 0.5, 5.0),
        row("Js2d3c", 1, 0.0, 5.0),
        row("9s2d3c", 2, 0.3, 6.0),
    )
    study = BoardsStudy("", "oop", ("check", "bet"), 20, "chips", (), rows)
    means = study.by_highest_card()
    assert [(mean.name, mean.boards) for mean in means] == [("A", 2), ("J, T", 2), ("9 or lower", 1)]
    assert [mean.frequencies[1] for mean in means] == pytest.approx([0.75, 0.25, 0.3])
    assert [mean.ev[0] for mean in means] == pytest.approx([7, 5, 6])
    assert [mean.share for mean in means] == pytest.approx([0.5, 0.25, 0.25])
    record = plain_data(study)
    assert record["by_highest_card"][0]["ev_share"]["oop"] == pytest.approx(7 / 20)
    assert record["means"][0]["ev_share"]["ip"] == pytest.approx(1 - record["means"][0]["ev"]["oop"] / 20)


def test_amounts_written_otherwise_find_the_same_results():
    boards = [("Td9d6hQc2s", 2)]
    seen = []
    for pot, blind in ((20, None), ("20", None), ("10bb", 2), (20.0, 2)):
        study = study_boards(boards, {**RIVER, "pot": pot, "stack": 30, "blind": blind}, iterations=10)
        seen.append((study.unit, study.pot, study.rows[0].ev[0] * (2 if blind else 1)))
    assert [unit for unit, _, _ in seen] == ["chips", "chips", "bb", "bb"]
    assert [pot for _, pot, _ in seen] == [20, 20, 10, 10]
    assert [ev for _, _, ev in seen] == pytest.approx([seen[0][2]] * 4)


def test_rake_is_part_of_what_is_asked_and_none_is_as_before(monkeypatch):
    asked = []

    def run(tasks, *_, **__):
        asked.append(tasks)
        return []

    monkeypatch.setattr("soulread.study.spots.boards.run_tasks", run)
    board, ranges = [("Td9d6hQc2s", 1)], {"oop": "99,AKs", "ip": "KK,QJs"}
    for more in ({}, {"rake": None, "cap": None}, {"rake": 0.05, "cap": 1}, {"rake": "5%", "cap": "1.0"}):
        study_boards(board, {**ranges, "pot": 20, "stack": 30, **more}, gap=0.05)
    none, nothing, raked, same = [tasks[0].parameters["spot"] for tasks in asked]
    assert none == nothing == {**ranges, "pot": 20, "stack": 30}
    assert raked == same == {**none, "rake": "5%", "cap": 1}


def test_the_command_and_the_prompt():
    words = "boards Td9d6hQc2s,AhKs2c7d7h --oop 99,AKs,JTs --ip KK,QJs,87s --pot 10bb --stack 15bb"
    line = [*words.split(), "--raises", "none", "--iterations", "10"]
    done = CliRunner().invoke(cli, line)
    assert done.exit_code == 0, done.output
    assert "oop at the start, pot 10bb" in done.stdout
    assert "by the highest card" in done.stdout
    record = json.loads(CliRunner().invoke(cli, [*line, "--json"]).stdout)
    assert (record["unit"], record["pot"], record["missing"]) == ("bb", 10, 0)
    assert [row["name"] for row in record["by_highest_card"]] == ["A", "Q"]
    for way in ("Td9d6hQc2s,AhKs2c7d7h", ["Td9d6hQc2s", "AhKs2c7d7h"]):
        study = sr.boards(way, RIVER["oop"], RIVER["ip"], "10bb", "15bb", raises="none", gap=0.5)
        assert max(row.gap for row in study.rows) <= 0.5
    wrong = CliRunner().invoke(cli, [*line[:9], "15"])
    assert wrong.exit_code == 2
    assert "stacks of 15 is in chips" in wrong.stderr


@pytest.mark.compiled
def test_ctrl_c_shows_the_boards_that_are_solved(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    words = (
        "boards all --oop 66+,A8s+ --ip 22+,A2s+ --pot 20bb --stack 5bb --bets a --raises none --iterations 1"
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "soulread", *words.split()],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "SOULREAD_CACHE": str(cache)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # ignored in the background
    )
    until = time.monotonic() + PATIENCE
    while not list(cache.rglob("*board_values*.safetensors")) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130, err
    assert "boards are not solved yet; the same command goes on with them" in out
    assert "all boards" in out
    assert "Traceback" not in err
    assert "kept" in err
