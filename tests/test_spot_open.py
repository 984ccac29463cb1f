"""A solved spot in the terminal: walked with keys and by lines, hands one by one, a solve that ends early."""

import json
import math
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Group
from rich.text import Text
from tmux_terminal import PATIENCE, Terminal, gone

from soulread.cards.ranges import HAND_CELLS, class_name, hand_name, parse_range
from soulread.cli import cli
from soulread.report.grid import console
from soulread.report.keys import split_keys
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.real_cards.spot_files import read_spot
from soulread.study.spots.spots import open_study, study_spot
from soulread.study.spots.spots_terminal import cell_lines
from soulread.study.spots.walk import SpotWalk, hands_within
from soulread.study.spots.walk_terminal import SpotScreen, walk_by_lines

SPOT = "Td9d6hQh", "99,AKs,JTs,77", "KK,QJs,87s,A9s", "20bb", "30bb"
SOULREAD = [sys.executable, "-m", "soulread"]


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")


@lru_cache
def solved():
    return study_spot(read_spot(*SPOT), Stops(iterations=100))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "turn.spot"
    solved().save(path)
    return path


def shown(screen: SpotScreen) -> list[str]:
    """The lines of a screen without its tables."""
    group = screen.render()
    assert isinstance(group, Group)
    return [part.plain for part in group.renderables if isinstance(part, Text)]


def press(screen: SpotScreen, *keys: str) -> list[str]:
    for key in keys:
        assert screen.press(key)
    return shown(screen)


def test_keys_walk_through_the_tree():
    screen = SpotScreen(SpotWalk(solved()))
    lines = shown(screen)
    assert lines[0] == "spot T♦ 9♦ 6♥ Q♥, pot 20bb, stacks 30bb"
    assert lines[1].startswith("at the start: ")
    assert lines[1].endswith("pot 20bb, oop to act")
    assert (
        len(lines) == 2 + 13 + 1 + 2 + 2 + 1
    )  # 13 rows, a line on the numbers, 2 actions, 2 players, the keys
    assert max(map(len, lines)) < 80
    assert lines[16].startswith(">")
    assert press(screen, "down")[17].startswith(">")
    assert "bet 12bb" in press(screen)[17]
    assert "after 'bet12bb'" in press(screen, "right")[1]
    assert "after 'bet12bb raise30bb'" in press(screen, "3")[1]
    assert "after 'bet12bb'" in press(screen, "left")[1]
    assert "after 'bet12bb call': the river comes" in press(screen, "2")[1]
    dealt = press(screen)
    assert "Td" not in "".join(dealt)
    assert "2c" in dealt[5]
    assert "card, such as 2c: T_" in "".join(press(screen, "t"))
    assert "comes twice" in press(screen, "d")[-1]
    assert "after 'bet12bb call 2c'" in press(screen, "x", "2", "c")[1]
    assert "after 'bet12bb call': the river comes" in press(screen, "left")[1]
    assert "after 'bet12bb'" in press(screen, "2", "left", "left")[1]
    assert "after 'bet12bb fold': the hand is over; nobody decides here" in press(screen, "1")[1]
    assert "at the start" in press(screen, "back", "back", "back", "back")[1]
    assert press(screen, "9", "x") == shown(screen)
    assert not screen.press("q")
    assert not screen.press("end")


def test_numbers_in_the_cells_are_those_of_the_action_chosen():
    """Without colours the grid still says what hands do: the number is that of the action chosen."""
    screen = SpotScreen(SpotWalk(solved()), ["bet12bb"])
    view = screen.view
    played, weight = view.grid()
    for chosen in range(3):
        grid = "\n".join(press(screen)[2:15])
        for cell in np.flatnonzero(weight).tolist():
            number = re.search(rf"{class_name(cell)} *(\d+)", grid)
            assert number is not None
            assert int(number[1]) == pytest.approx(min(99, 100 * played[chosen, cell]), abs=0.51)
        press(screen, "down")
    means = {}
    for cell in np.flatnonzero(weight).tolist():
        own = np.where((cell == HAND_CELLS) & (view.acting.weight > 0), view.acting.share, 0.0)
        reach = view.acting.weight[cell == HAND_CELLS].sum() / np.count_nonzero(cell == HAND_CELLS)
        values = [
            np.nansum(own * values) / own.sum() for values in (view.acting.ev / view.pot, view.acting.equity)
        ]
        means[class_name(cell)] = [*values, reach]
    for i, about in enumerate(("EV as a part of the pot", "equity", "has come here")):
        lines = press(screen, "v")
        assert about in lines[15]
        for name, numbers in means.items():
            number = re.search(rf"{name} *(-?\d+|<0)", "\n".join(lines[2:15]))
            assert number is not None
            if number[1] == "<0":
                assert numbers[i] < -0.09
            else:
                assert int(number[1]) == pytest.approx(min(99, 100 * numbers[i]), abs=0.51)
    assert "action chosen" in press(screen, "v")[15]


def test_cells_hold_any_number(monkeypatch):
    numbers = np.full(169, 0.5)
    numbers[:5] = [-0.004, -0.2, np.nan, 4.0, 0.994]
    there = np.arange(169) != 5
    monkeypatch.setattr(console, "_height", 24)
    for columns, expected in ((80, "0 <0 - 99 99 "), (120, "0 -20 - 400 99 ")):
        monkeypatch.setattr(console, "_width", columns)
        lines = [line.plain for line in cell_lines(np.ones((1, 169)), numbers, there, [(0, 0, 0)])]
        assert len({len(line) for line in lines}) == 1
        wide = len(lines[0]) // 13
        cells = [lines[0][i * wide : (i + 1) * wide] for i in range(6)]
        assert " ".join(cell[3:].strip() for cell in cells) == expected


def test_hands_are_asked_for_and_shown():
    screen = SpotScreen(SpotWalk(solved()))
    assert press(screen, "h", *"AKx", "back")[-1].endswith("(Enter): AK_")
    press(screen, "s", "enter")
    assert screen.hands == "AKs"
    lines = press(screen)
    assert any("ip has none of AKs here" in line for line in lines)
    press(screen, "q")
    assert not screen.hands
    assert "is not a range item" in press(screen, "h", "?", "enter")[-1]
    assert press(screen, "h", "enter")[-1] == press(screen, "h", "left")[-1]


def test_keys_of_a_terminal():
    assert split_keys("\x1b[A\x1bOBq\r\x7f\x1b[5~x\x1b") == [
        "up",
        "down",
        "q",
        "enter",
        "back",
        "\x1b[5~",
        "x",
        "escape",
    ]


def test_lines_walk_through_the_tree(file, capsys):
    walk_by_lines(
        SpotScreen(SpotWalk(solved())),
        [
            "2\n",
            "\n",
            "call 2c check\n",
            "hands QJs\n",
            "foo\n",
            "back\n",
            "start\n",
            "help\n",
            "bet60% fold\n",
        ],
    )
    said = capsys.readouterr().out
    for text in (
        "after 'bet12bb': ",
        "after 'bet12bb call 2c check': ",
        "hands of ip: QJs",
        "'foo' is not possible after 'bet12bb call 2c check'; ip may check",
        "Type an action",
        "after 'bet60% fold': the hand is over",
    ):
        assert text in said
    # The command, where standard input is no terminal: it ends with its lines.
    done = CliRunner().invoke(cli, ["spot", "open", str(file), "--at", "check"], input="1\nq\ncheck\n")
    assert done.exit_code == 0, done.output
    assert "after 'check': T♦ 9♦ 6♥ Q♥, pot 20bb, ip to act" in done.stdout
    assert done.stdout.rstrip().endswith("after 'check check': the river comes; type a card such as 2c")
    for line, message in (
        (["spot", "open"], "open takes one file"),
        (["spot", "open", str(file), "--at", "foo"], "'foo' is not possible"),
        (["spot", "open", "none.spot"], "none.spot"),
    ):
        wrong = CliRunner().invoke(cli, line)
        assert wrong.exit_code == 2
        assert message in wrong.stderr


def test_hands_one_by_one(file):
    view = solved().at("check")
    held = hands_within(view, 1, parse_range("QJs,KK,22"))
    names = {
        hand_name(h)
        for h in np.flatnonzero(view.players[1].weight > 0).tolist()
        if class_name(int(HAND_CELLS[h])) in ("QJs", "KK")
    }
    assert {one.name for one in held} == names
    assert [one.name[::2] for one in held] == ["KK"] * 6 + ["QJ"] * (len(held) - 6)  # as in the grid
    done = CliRunner().invoke(cli, ["spot", str(file), "--at", "check", "--holdings", "QJs,KK", "--json"])
    rows = json.loads(done.stdout)["holdings"]
    assert rows["oop"] == []
    assert [row["hand"] for row in rows["ip"]] == [one.name for one in held]
    assert rows["ip"][0]["check"] + rows["ip"][0]["bet 12bb"] == pytest.approx(1)
    table = CliRunner().invoke(cli, ["spot", str(file), "--at", "check", "--holdings", "QJs,KK"]).stdout
    assert "oop has none of KK, QJs here" in table
    one = held[0]
    cells = [f"{100 * share:.1f}%" for share in one.often]
    worth = [f"{one.ev:.2f}", f"{100 * one.ev / view.pot:.1f}%", f"{100 * one.equity:.1f}%"]
    assert not math.isnan(one.ev)
    line = next(line for line in table.split("\n") if line.strip().startswith("K♠ K♥"))
    assert line.split()[2:] == [f"{100 * one.reach:.1f}%", *cells, *worth]
    wrong = CliRunner().invoke(cli, ["spot", str(file), "--holdings", "QJx"])
    assert wrong.exit_code == 2


def test_villain_with_written_locks():
    river = [
        "Td9d6hQh2c",
        "--oop",
        "99,AKs",
        "--ip",
        "KK,QJs",
        "--pot",
        "20",
        "--stack",
        "30",
        "--iterations",
        "10",
    ]
    right = CliRunner().invoke(
        cli, ["lock", river[0], "bet60%: fold 60%", *river[1:], "--villain", "ip", "--json"]
    )
    assert json.loads(right.stdout)["villain"] == "ip"
    wrong = CliRunner().invoke(cli, ["lock", river[0], "bet60%: fold 60%", *river[1:], "--villain", "oop"])
    assert wrong.exit_code == 2
    assert "--villain is oop, but the lock at 'bet60%' is of ip" in wrong.stderr


# Ctrl-C.


def interrupted(*words: str, folder: Path) -> tuple[int, str, str]:
    """Run a command, send SIGINT once it solves; its exit code and what it said."""
    process = subprocess.Popen(
        [*SOULREAD, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "SOULREAD_CACHE": os.environ.get("SOULREAD_CACHE", str(folder / "cache"))},
    )
    assert process.stderr is not None
    told = ""
    while "of memory" not in told:  # the size is told right before the solve
        line = process.stderr.readline()
        assert line, told
        told += line
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, told + err


@pytest.mark.compiled
def test_ctrl_c_keeps_what_was_solved(tmp_path):
    line = [
        "Td9d6hQc",
        "--oop",
        "66+,A8s+",
        "--ip",
        "QQ-22,AQs-A2s",
        "--pot",
        "20bb",
        "--stack",
        "90bb",
        "--gap",
        "0",
    ]
    code, out, err = interrupted("spot", *line, "-o", "kept.spot", folder=tmp_path)
    assert code == 130, err
    assert re.search(r"interrupted; iteration [\d,]+ is kept in kept\.spot", err)
    assert "Traceback" not in err
    assert "EV of the whole spot: oop" in out
    study = open_study(tmp_path / "kept.spot")
    assert study.solution.iterations >= 1
    assert f"{study.solution.iterations:,} iterations" in out


@pytest.mark.compiled
def test_ctrl_c_shows_the_answers_to_locks_so_far(tmp_path):
    line = ["Td9d6hQc2s", "bet60%: fold 60%", "--oop", "66+,A8s+", "--ip", "QQ-22", "--pot", "20bb"]
    more = ["--stack", "90bb", "--gap", "0", "--iterations", "100000000"]
    code, out, err = interrupted("lock", *line, *more, folder=tmp_path)
    assert code == 130, err
    assert "Advice: trust" in out
    assert "interrupted; the gap of each answer says how close it is" in err
    assert "Traceback" not in err


# A terminal.


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    made = Terminal(tmp_path, height=24)
    yield made
    made.end()


@pytest.mark.compiled
@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_a_person_walks_with_arrow_keys(terminal, file):
    process = terminal.start("spot", "open", str(file))
    first = terminal.wait_for("oop to act")
    assert first.split("\n")[0] == "spot T♦ 9♦ 6♥ Q♥, pot 20bb, stacks 30bb"
    assert "q leave" in first  # all of it fits into 24 lines
    assert all(len(line) <= terminal.WIDTH for line in first.split("\n"))
    assert re.search(r"\x1b\[[0-9;]*48;", terminal.screen("-e"))  # backgrounds have colours
    terminal.run("send-keys", "Down")
    terminal.wait(
        lambda shown: re.search(r"^> +2 bet 12bb", shown, re.MULTILINE) is not None, "the second action"
    )
    terminal.run("send-keys", "Right")
    terminal.wait_for("after 'bet12bb': ")
    terminal.run("send-keys", "h", "KK", "Enter")
    assert terminal.wait_for("hands of ip: KK").count("K♠ K") == 3
    terminal.run("send-keys", "x", "2")
    terminal.wait_for("the river comes")
    terminal.run("send-keys", "A", "c")
    terminal.wait_for("after 'bet12bb call Ac'")
    terminal.run("send-keys", "Left", "Left", "Left")
    terminal.wait_for("at the start")
    terminal.run("send-keys", "q")
    terminal.wait(lambda _: gone(process), "the end of the process")
    assert terminal.run("display-message", "-p", "#{pane_dead_status}").strip() in ("", "0")
    shown = terminal.screen()
    assert "oop to act" not in shown  # the screen is as it was before
    assert "Traceback" not in shown
