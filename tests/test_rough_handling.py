"""What users do to a program: huge numbers, Ctrl-C, poor terminals, no place to write, half a cache.

Every mistake ends in one sentence and exit code 2, every Ctrl-C in one line and exit code 130.
"""

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

import soulread.cli
from soulread import machine
from soulread.cards.equity import equity_sampled
from soulread.cards.ranges import parse_range
from soulread.cli import cli
from soulread.errors import SoulreadError
from soulread.notices import COMPILING
from soulread.processes import PER_CORE, num_processes, run_in_processes
from soulread.report.grid import PIPE_WIDTH, Grid, PlainConsole
from soulread.report.plain import plain
from soulread.words import plural

PACKAGE = Path(soulread.cli.__file__).parent.parent
HUGE = "99999999999999"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def refused(result: Result) -> str:
    """The one sentence of a refusal."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("soulread: ")
    assert result.stderr.count("\n") == 1
    return result.stderr


# Size ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["duel", "kuhn", "random", "probe", "-n", HUGE], "1 match of 99,999,999,999,999 hands"),
        (["duel", "kuhn", "random", "probe", "-m", HUGE, "-j", "2"], "99,999,999,999,999 matches of 1,000"),
        (["duel", "kuhn", "random", "probe", "-n", "9" * 400], "more bytes than have a name"),
        (["lbr", "kuhn", "random", "--deals", HUGE], "99,999,999,999,999 deals"),
        (["curve", "kuhn", "--opponent", "random", "-n", HUGE], "99,999,999,999,999 observed hands"),
        (["leaks", "kuhn", "random", "-n", HUGE], "99,999,999,999,999 hands"),
        (["duel", "kuhn", f"explicit:particles={HUGE}", "random"], "strategies of 'kuhn'"),
        (["duel", "kuhn", f"learner:particles={HUGE}", "random"], "strategies of 'kuhn'"),
        (["duel", "kuhn", f"learner:particles={HUGE},change=0.1", "random"], "strategies of 'kuhn'"),
        (["duel", "kuhn", f"implicit:portfolio=simple:{HUGE}", "random"], "strategies of 'kuhn'"),
        (["duel", "kuhn", f"dbr:model=tilts:particles={HUGE}", "random"], "strategies of 'kuhn'"),
        (["reproduce", "dbbr-table", "--matches", HUGE], "99,999,999,999,999 matches of 1 hand"),
    ],
)
def test_what_no_memory_holds_is_refused_with_the_figures(words: list[str], message: str) -> None:
    sentence = refused(run(*words))
    assert message in sentence
    assert re.search(r"would take .* of memory, .* (are free|no machine has); ask for fewer", sentence)


def test_memory_is_compared_with_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "available_memory", lambda: 10**9)
    machine.verify_room("this", 10**9)
    with pytest.raises(SoulreadError, match=r"^this would take 1.5 GB of memory, 1.0 GB are free"):
        machine.verify_room("this", 1_500_000_000)
    monkeypatch.setattr(machine, "available_memory", lambda: None)
    machine.verify_room("this", 10**12)
    with pytest.raises(SoulreadError, match="no machine has"):
        machine.verify_room("this", 10**17)


def test_memory_that_runs_out_all_the_same_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def run_out(*_: object, **__: object) -> None:
        raise MemoryError

    monkeypatch.setattr("soulread.play.match.matches.play_matches", run_out)
    assert "memory ran out; ask for less" in refused(run("duel", "kuhn", "random", "probe"))


def test_samples_need_no_memory_and_can_be_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many samples as anybody likes: they are summed as they come."""
    seen: list[int] = []

    def enough(size: int) -> None:
        seen.append(size)
        if len(seen) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        equity_sampled(
            parse_range("AA"), parse_range("KK"), (), 10**30, np.random.default_rng(0), progress=enough
        )
    assert seen == [2**16, 2**16]
    seen.clear()
    equity_sampled(
        parse_range("AA"), parse_range("KK"), (), 2**16 + 5, np.random.default_rng(0), progress=seen.append
    )
    assert seen == [2**16, 5]

    def pressed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("soulread.cards.equity.equity_sampled", pressed)
    result = run("equity", "AA", "--samples", HUGE)
    assert (result.exit_code, result.stderr) == (130, "soulread: interrupted\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["equity", "AA", "--samples", "100", "--seed", "-1"], "a seed is a number from 0 up, not -1"),
        (
            ["curve", "kuhn", "--opponent", "random", "-n", "5", "--seed", "-1"],
            "a seed is a number from 0 up",
        ),
        (["lbr", "kuhn", "random", "--seed", "-1"], "a seed is a number from 0 up"),
        (["leaks", "kuhn", "random", "--seed", "-1"], "a seed is a number from 0 up"),
        (["duel", "kuhn", "dbr:model=explicit:seed=-1", "random"], "seed=-1; expected at least 0"),
        (["duel", "kuhn", "learner:particles=1,change=0.1", "random"], "at least two strategies are needed"),
        (["strength", "AdQc", "-b", "3h4cJh", "--opponents", "0"], "0 is not in the range 1<=x<=22"),
        (["duel", "kuhn", "random"], "but 1 agent came: random"),
        (
            ["curve", "kuhn", "--opponent", "random", "--against", "nosuch"],
            "say for how many --hands",
        ),
        (
            ["curve", "kuhn", "--opponent", "random", "-n", "9", "--against", "nosuch"],
            "'nosuch' is not an",
        ),
        (
            ["curve", "kuhn", "--opponent", "random", "--confidence", "0-10"],
            "--confidence is for",
        ),
    ],
)
def test_numbers_and_names_are_verified(words: list[str], message: str) -> None:
    assert message in refused(run(*words))


# Processes ----------------------------------------------------------------------------------------


def test_as_many_processes_as_make_sense(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr("soulread.processes.tell_once", told.append)
    monkeypatch.setattr("soulread.processes.num_cores", lambda: 2)
    assert num_processes(3, 100) == 3
    assert num_processes(100_000, 3) == 3
    assert not told
    assert num_processes(100_000, 1000) == 2 * PER_CORE
    assert told == ["100,000 processes were asked for; 4 are used, 2 for each of 2 cores"]
    with pytest.raises(SoulreadError, match="at least one process, not 0"):
        num_processes(0, 5)


def test_work_in_processes() -> None:
    found = dict(run_in_processes(os.getpid, [()] * 3, 2))
    assert sorted(found) == [0, 1, 2]
    assert os.getpid() not in found.values()
    assert len(set(found.values())) <= 2
    assert not any(_alive(pid) for pid in found.values())
    with pytest.raises(SoulreadError, match=r"^this would take"):
        list(run_in_processes(machine.verify_room, [("this", 10**30)], 1))
    with pytest.raises(SoulreadError, match="one of 1 process ended before its work was done"):
        list(run_in_processes(os._exit, [(3,)], 1))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


SLEEPERS = """
import os, time
from soulread.processes import run_in_processes
def work():
    os.write(1, b"working\\n")
    time.sleep(1000)
list(run_in_processes(work, [()] * 2, 2))
"""
INDENTED = SLEEPERS.replace("\n", "\n    ") + "\n"


@contextmanager
def begin(*arguments: str, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process in a group of its own, as a foreground shell starts it; it ends with the block."""
    with subprocess.Popen(
        [sys.executable, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent), **environment},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as started:
        try:
            yield started
        finally:
            with suppress(ProcessLookupError):
                os.killpg(started.pid, signal.SIGKILL)


def group(leader: int) -> list[int]:
    """The processes of a group that are alive."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, number = stat.read_text().rpartition(")")[2].split()[:3]
        except OSError:
            continue
        if int(number) == leader and state != "Z":
            found.append(int(stat.parent.name))
    return found


def _gone(leader: int) -> bool:
    """Whether all processes of a group end within ten seconds."""
    for _ in range(100):
        if not group(leader):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_its_parent(how: signal.Signals) -> None:
    with begin("-c", SLEEPERS) as parent:
        assert parent.stdout is not None
        for _ in range(2):
            assert parent.stdout.readline() == "working\n"
        assert len(group(parent.pid)) >= 3
        parent.send_signal(how)
        parent.wait()
        assert _gone(parent.pid)


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_control_c_with_several_processes() -> None:
    """In a terminal it reaches all processes of a command."""
    program = f"from soulread.cli import cli\n@cli.command()\ndef sleep():{INDENTED}cli(['sleep'])"
    with begin("-c", program) as parent:
        assert parent.stdout is not None
        for _ in range(2):
            assert parent.stdout.readline() == "working\n"
        os.killpg(parent.pid, signal.SIGINT)
        out, told = parent.communicate(timeout=60)
        assert (parent.returncode, out, told) == (130, "", "soulread: interrupted\n")
        assert _gone(parent.pid)


# Surroundings -------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-8"])
def test_no_encoding_makes_output_fail(encoding: str) -> None:
    for words in (["duel", "kuhn", "random", "probe", "-n", "10"], ["strength", "AdQc", "-b", "3h4cJhTs2d"]):
        runner = CliRunner(charset=encoding)
        result = runner.invoke(cli, words, prog_name="soulread")
        assert result.exit_code == 0, result.exception
        shown = result.stdout_bytes.decode(encoding)
        assert "?" not in shown
        there = {"ascii": "+/-"} if words[0] == "duel" else {"utf-8": "A♦ Q♣"}
        assert there.get(encoding, "±" if words[0] == "duel" else "Ad Qc") in shown
    grid = CliRunner(charset=encoding).invoke(cli, ["range", "AA"], prog_name="soulread")
    assert grid.exit_code == 0, grid.exception
    wrong = CliRunner(charset=encoding).invoke(cli, ["duel", "kuhn", "日本", "probe"], prog_name="soulread")
    assert wrong.exit_code == 2
    assert wrong.stderr_bytes.count(b"\n") == 1


def test_characters_an_encoding_lacks() -> None:
    assert plain("A♥ 1 ± 2 日", "ascii") == "Ah 1 +/- 2 ?"
    assert plain("A♥ 1 ± 2", "cp1252") == "Ah 1 ± 2"
    assert plain("A♥ 1 ± 2 日", "utf-8") == "A♥ 1 ± 2 日"


def test_a_reader_that_stops_reading() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "soulread", "agents"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
    )
    os.close(writer)
    assert done.stderr == ""


@pytest.mark.compiled
def test_no_folder_for_compiled_code(tmp_path: Path) -> None:
    """An installation that cannot be written, and no home: it compiles all the same, with a word."""
    copy = tmp_path / "here" / "soulread"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copy, *(path for path in copy.iterdir() if path.is_dir())]:
        (folder / "__pycache__").write_text("a file, so that nobody can make a folder of this name")
    code = "from soulread.cards.arrays import hand_of; hand_of.compiled"
    kept = tmp_path / "kept"
    for cache, told in (("/dev/null/none", True), (str(kept), False)):
        environment = {"PYTHONPATH": str(copy.parent), "HOME": "/dev/null", "SOULREAD_CACHE": cache}
        environment["XDG_CACHE_HOME"] = "/dev/null"
        done = subprocess.run(
            [sys.executable, "-B", "-c", code],
            env={**os.environ, **environment, "NUMBA_CACHE_DIR": ""},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert ("compiled code cannot be kept" in done.stderr) == told
        assert done.stderr.count("\n") == told
    assert (kept / "compiled").is_dir()


@pytest.mark.compiled
def test_the_first_duel_says_at_once_that_it_compiles(tmp_path: Path) -> None:
    """Before anything heavy is imported, so within a second; no clock is read here."""
    words = "duel", "leduc", "dbbr:T=200", "loose", "--hands", "1000"
    with begin("-X", "importtime", "-m", "soulread", *words, NUMBA_CACHE_DIR=str(tmp_path)) as started:
        assert started.stderr is not None
        before = []
        for line in started.stderr:
            if line == f"soulread: {COMPILING}\n":
                break
            before.append(line)
    assert line == f"soulread: {COMPILING}\n"
    assert not [line for line in before if re.search(r"\| +(numpy|numba|scipy|rich)\n", line)]


def test_a_command_that_does_not_compile_says_nothing(tmp_path: Path) -> None:
    with begin("-m", "soulread", "range", "AA", NUMBA_CACHE_DIR=str(tmp_path)) as started:
        assert started.communicate()[1] == ""


# Reading ------------------------------------------------------------------------------------------


def grid_lines(width: int, cells: Sequence[str], encoding: str = "utf-8") -> list[str]:
    """A table of one row, printed."""
    grid = Grid("agent", *(f"column number {i}" for i in range(len(cells) - 1)))
    grid.add_row(*cells)
    buffer = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    PlainConsole(file=buffer, width=width).print(grid)
    buffer.seek(0)
    return [line.rstrip() for line in buffer.read().splitlines()]


@pytest.mark.parametrize("width", [30, 40, 60, 80, 120])
def test_numbers_never_break(width: int) -> None:
    cells = ["dbbr:5-5-5-5:quick,T=200,k=200,pool=1", *(f"-{i}750.0 ± 0.{i}" for i in range(1, 7))]
    lines = grid_lines(width, cells)
    assert max(map(len, lines)) <= width
    for cell in cells[1:]:
        assert sum(cell in line for line in lines) == 1
    assert sum("column" in line for line in lines) >= (1 if width > 100 else 2)


def test_a_table_in_ascii_stays_in_line() -> None:
    lines = [line for line in grid_lines(80, ["a", "1.0 ± 0.5"], "ascii") if line]
    assert "1.0 +/- 0.5" in "\n".join(lines)
    assert len({len(line) for line in lines}) <= 3
    buffer = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    PlainConsole(file=buffer, width=80).print("± is half the interval of A♥")
    buffer.seek(0)
    assert buffer.read() == "+/- is half the interval of Ah\n"


def test_pipes_have_wide_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    for columns, width in (("", PIPE_WIDTH), ("90", 90)):
        monkeypatch.setenv("COLUMNS", columns)
        assert PlainConsole(file=io.StringIO()).width == width


@pytest.mark.parametrize("name", ["x", "x.txt", "x.png.gif"])
def test_a_figure_is_written_where_the_user_said(tmp_path: Path, name: str) -> None:
    other = tmp_path / f"{name}.png"
    other.write_text("mine")
    words = "curve", "kuhn", "--opponent", "random", "--trust", "0,1"
    assert "the ending says the format" in refused(run(*words, "--figure", tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [other.name]
    assert other.read_text() == "mine"
    assert "there is no folder" in refused(run(*words, "--figure", tmp_path / "no" / "x.png"))


def test_texts_of_a_figure_do_not_collide(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from soulread.report.figures import Curve, Figure, Panel, draw

    texts = tuple(f"0.{i:03}" for i in range(100))
    x = tuple(float(i) for i in range(100))
    curve = Curve("a", x, x, texts=texts)
    panel = Panel("title", "x", "y", (curve,), texts_label="numbers: p")
    path = tmp_path / "a.svg"
    draw(Figure("a", "caption", (panel,)), [path])
    drawn = path.read_text()
    written = [text for text in texts if f">{text}</text>" in drawn]
    assert {texts[0], texts[-1]} < set(written)
    assert 5 < len(written) < 60
    assert ">numbers: p</text>" in drawn


def keys(record: object) -> object:
    """The keys of JSON, nested; of a list those of its first entry."""
    if isinstance(record, dict):
        return {key: keys(value) if not isinstance(value, str) else "" for key, value in record.items()}
    if isinstance(record, list):
        return [keys(record[0])] if record and isinstance(record[0], dict) else []
    return ""


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            ["equity", "AhAd", "KhKd", "-b", "2c3c4c"],
            ["equity", "AhAd", "KhKd", "-b", "2c3c4c", "--samples", "10"],
        ),
        (["strength", "AdQc", "-b", "3h4cJh", "--opponents", "3"], ["strength", "AdQc", "-b", "3h4cJhTs2d"]),
        (["replay", "leduc", "JhQs", "cr"], ["replay", "leduc", "JhQsKh", "crc/cc"]),
        (
            ["duel", "kuhn", "dbbr:T=5,k=5", "random", "-n", "9"],
            ["duel", "kuhn", "random", "probe", "-n", "9", "-d"],
        ),
        (["solve", "kuhn", "--gap", "1"], ["solve", "kuhn", "--method", "lp"]),
        (
            ["curve", "kuhn", "--opponent", "random", "--trust", "1"],
            ["curve", "kuhn", "--opponent", "random", "--trust", "1", "-n", "9"],
        ),
    ],
)
def test_json_always_has_the_same_keys(first: list[str], second: list[str]) -> None:
    one, two = (json.loads(run(*words, "--json").stdout) for words in (first, second))
    assert set(one) == set(two)
    if first[0] == "equity":
        assert [(record["samples"], record["seed"]) for record in (one, two)] == [(None, None), (10, 0)]
    for key in ("results", "points"):
        if key in one:
            rows = [*one[key], *two[key]]
            assert all(set(row) == set(rows[0]) for row in rows)


def test_json_of_a_log_has_the_same_keys(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    assert run("duel", "kuhn", "random", "probe", "-n", "30", "-o", log).exit_code == 0
    for words in (["leaks", "kuhn", "--min-chances", "1"], ["curve", "kuhn", "--trust", "1"]):
        who = [] if words[0] == "curve" else ["random", "-n", "30"]
        who = ["--opponent", "random"] if words[0] == "curve" else who
        watched = json.loads(run(*words, *who, "--json").stdout)
        read = json.loads(run(*words, "--data", log, "--player", "random", "--json").stdout)
        assert set(watched) == set(read)
        assert watched["left_out"] == []


def test_sentences_about_one_thing() -> None:
    assert [plural(n, "hand") for n in (0, 1, 2, 1000)] == ["0 hands", "1 hand", "2 hands", "1,000 hands"]
    assert plural(1, "match", "matches") + plural(2, "match", "matches") == "1 match2 matches"
    shown = run("duel", "kuhn", "random", "probe", "-n", "1").output
    assert "1 match of 1 hand, seed 0" in shown
    assert "1 hands" not in shown


def test_a_log_and_its_players(tmp_path: Path) -> None:
    empty = tmp_path / "empty.log"
    empty.write_text("")
    assert "has no hands" in refused(run("leaks", "kuhn", "--data", empty, "--player", "Bob"))
