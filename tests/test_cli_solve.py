"""`soulread solve` and `soulread exploitability`: what they print and write, and what stops them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from numpy.testing import assert_array_equal
from safetensors import safe_open

from soulread.cli import cli
from soulread.games.kuhn import kuhn
from soulread.names import compile_named
from soulread.seqform.compile import compile_game
from soulread.seqform.payoff import FactoredPayoff
from soulread.solvers.cfr import methods as named
from soulread.solvers.cfr import run as run_module
from soulread.solvers.cfr.methods import parse_method
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.strategy_files import load_strategy
from soulread.storage.tensors import read_metadata, write_tensors
from soulread.study.strategies.solving_terminal import solve_text

LEDUC_VALUE = -0.085606424078


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="soulread")


def start(*arguments: object) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "soulread", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path: Path, process: "subprocess.Popen[str]") -> None:
    """Wait until a running process has written ``path``."""
    while not path.exists():
        assert process.poll() is None, process.communicate()
        time.sleep(0.01)


def test_solve_prints_values_and_exploitability() -> None:
    result = run("solve", "leduc:iso")
    assert result.exit_code == 0, result.output
    assert "leduc:iso: dcfr, " in result.stdout
    for word in ("seat", "value, mb/g", "worst case, chips/h", "exploitability: ", " mb/g", "iterations"):
        assert word in result.stdout
    assert result.stderr == ""


def test_solve_json_stops_at_one_millibet() -> None:
    record = json.loads(run("solve", "leduc:iso", "--json").stdout)
    assert record["exploitability"]["mb/g"] == pytest.approx(500 * record["exploitability"]["chips/h"])
    assert 0 < record["exploitability"]["mb/g"] <= 1
    assert record["value"][0] == -record["value"][1] == pytest.approx(LEDUC_VALUE, abs=2e-3)
    assert record["worst_case"][0] <= LEDUC_VALUE <= -record["worst_case"][1]
    assert (record["method"], record["settings"]["alpha"], record["seed"]) == ("dcfr", 1.5, None)


@pytest.mark.parametrize("method", ["cfr", "CFR+", "lcfr", "dcfr:1.5,-0.5,2", "pcfr+", "external", "outcome"])
def test_every_method_has_a_name(method: str) -> None:
    record = json.loads(
        run("solve", "kuhn", "--method", method, "--iterations", "30", "--seed", "4", "--json").stdout
    )
    assert record["method"] == method.lower()
    assert record["iterations"] == 30
    assert record["seed"] == (4 if method in ("external", "outcome") else None)


def test_lp_is_exact() -> None:
    record = json.loads(run("solve", "leduc:iso", "--method", "lp", "--json").stdout)
    assert record["value"][0] == pytest.approx(LEDUC_VALUE, abs=1e-9)
    assert record["exploitability"]["chips/h"] < 1e-9


def test_the_first_stop_counts() -> None:
    record = json.loads(
        run("solve", "kuhn", "--iterations", "17", "--gap", "1e-9", "--seconds", "60", "--json").stdout
    )
    assert record["iterations"] == 17
    assert json.loads(run("solve", "kuhn", "--seconds", "0", "--json").stdout)["iterations"] == 0


def test_a_strategy_file_is_judged_as_when_it_was_solved(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    solved = json.loads(run("solve", "kuhn", "--iterations", "50", "-o", path, "--json").stdout)
    judged = json.loads(run("exploitability", path, "--json").stdout)
    assert solved["output"] == judged["file"] == str(path)
    for key in ("game", "method", "settings", "iterations", "seconds", "seed"):
        assert judged[key] == solved[key]
    for key in ("value", "worst_case", "exploitability"):
        assert judged[key] == pytest.approx(solved[key], abs=1e-12)
    text = run("exploitability", path).stdout
    assert "kuhn: dcfr, 50 iterations" in text
    assert "exploitability: " in text
    assert load_strategy(path, compile_game(kuhn())).seed is None


def test_a_game_of_openspiel() -> None:
    pytest.importorskip("pyspiel")
    result = run("solve", "openspiel:kuhn_poker", "--iterations", "20")
    assert "openspiel:kuhn_poker(): dcfr, 20 iterations" in result.stdout
    assert "mb/g" not in result.stdout
    record = json.loads(run("solve", "openspiel:kuhn_poker", "--iterations", "2000", "--json").stdout)
    assert record["exploitability"]["mb/g"] is None
    assert record["value"][0] == pytest.approx(-1 / 18, abs=1e-3)


def test_the_live_line() -> None:
    check = Check(1200, 0.0034, 0.5)
    assert solve_text("kuhn", check, 1) == (
        "kuhn: iteration 1,200, exploitability 0.0034 chips/h = 3.4 mb/g, 2,400 iterations/s"
    )
    assert "mb/g" not in solve_text("openspiel:liars_dice()", check, None)


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        (["solve", "limit"], "'limit' is too large to be solved card by card; it needs an abstraction"),
        (["solve", "nolimit"], "'nolimit' is too large"),
        (["solve", "nolimit:players=3"], "has 3 players"),
        (["solve", "ring-limit:6"], "'ring-limit:6' has 6 players"),
        (["solve", "omaha"], "'omaha' is not a game"),
        (["solve", "openspiel:lairs_dice"], "near it are liars_dice"),
        (["solve", "openspiel:kuhn_poker(players=3)"], "has 3 players"),
        (["solve", "kuhn", "--method", "magic"], "'magic' is not a method; write one of dcfr"),
        (["solve", "kuhn", "--method", "dcfr:1,2"], "'dcfr:1,2' is not a method"),
        (["solve", "kuhn", "--method", "lp", "--iterations", "3"], "'lp' is exact"),
        (["solve", "kuhn", "--gap", "tiny"], "--gap 'tiny'; expected a number such as 0.02 or 1mb"),
        (["solve", "kuhn", "--gap", "-1"], "gap=-1.0"),
        (["solve", "kuhn", "--gap", "nan"], "gap=nan"),
        (["solve", "kuhn", "--gap", "0"], "a gap of 0 is never reached"),
        (["solve", "kuhn", "--iterations", "1.5"], "'1.5' is not a valid int"),
        (["solve", "kuhn", "--seconds", "-3"], "seconds=-3.0"),
        (["solve", "kuhn", "--seed", "-3"], "a seed is a number from 0 up, not -3"),
        (["solve", "kuhn", "-o", "/no/such/folder/x"], "there is no folder '/no/such/folder'"),
        (["solve", "kuhn", "--checkpoint", "/"], "'/' cannot be written: it is a folder"),
        (["solve"], "Missing argument 'GAME'"),
        (["exploitability", "/no/such/file"], "'/no/such/file' does not exist"),
        (["exploitability", __file__], "is not a strategy file"),
        (["no-such-command"], "No such command 'no-such-command'"),
    ],
)
def test_mistakes_get_one_line_and_exit_code_2(arguments: list[str], quoted: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert result.stderr.startswith("soulread: ")
    assert result.stderr.count("\n") == 1
    assert quoted in result.stderr


def test_a_checkpoint_of_another_game_or_method_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    assert run("solve", "kuhn", "--iterations", "5", "--checkpoint", path).exit_code == 0
    assert (
        "belongs to another game"
        in run("solve", "leduc:iso", "--iterations", "5", "--checkpoint", path).stderr
    )
    assert (
        "was made by"
        in run("solve", "kuhn", "--method", "cfr", "--iterations", "5", "--checkpoint", path).stderr
    )
    path.write_bytes(path.read_bytes()[:-1])
    assert "is not a checkpoint" in run("solve", "kuhn", "--iterations", "5", "--checkpoint", path).stderr


def test_a_file_of_an_unknown_game_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.strategy"
    run("solve", "kuhn", "--iterations", "5", "-o", path)
    tensors = dict(zip(("behaviour0", "behaviour1"), load_strategy(path).behaviours, strict=True))
    write_tensors(path, "strategy", tensors, {**read_metadata(path, "strategy"), "game": "leda"})
    result = run("exploitability", path)
    assert (result.exit_code, result.stderr.startswith("soulread: 'leda' is not a game")) == (2, True)


@pytest.mark.compiled
def test_a_killed_solve_goes_on_and_ends_as_an_unbroken_one(tmp_path: Path) -> None:
    checkpoint, broken, unbroken = (tmp_path / name for name in ("checkpoint", "broken", "unbroken"))
    process = start(
        "solve", "leduc", "--iterations", 10**9, "--checkpoint", checkpoint, "--checkpoint-every", 0
    )  # fmt: skip
    wait_for(checkpoint, process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    with safe_open(checkpoint, framework="numpy") as file:
        reached = int(file.metadata()["iteration"])
    total = str(reached + 1000)
    assert (
        run("solve", "leduc", "--iterations", total, "--checkpoint", checkpoint, "-o", broken).exit_code == 0
    )
    assert run("solve", "leduc", "--iterations", total, "-o", unbroken).exit_code == 0
    first, second = load_strategy(broken), load_strategy(unbroken)
    assert (first.iterations, first.gap) == (second.iterations, second.gap) == (int(total), first.gap)
    for one, other in zip(first.behaviours, second.behaviours, strict=True):
        assert_array_equal(one, other)
    assert sorted(os.listdir(tmp_path)) == ["broken", "checkpoint", "unbroken"]


@pytest.mark.compiled
def test_ctrl_c_keeps_the_checkpoint_and_writes_the_output(tmp_path: Path) -> None:
    checkpoint, output = tmp_path / "checkpoint", tmp_path / "output"
    process = start(
        *("solve", "leduc", "--iterations", 10**9, "-o", output),
        *("--checkpoint", checkpoint, "--checkpoint-every", 0),
    )
    wait_for(checkpoint, process)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (130, "")
    assert stderr.startswith("soulread: interrupted; iteration ")
    assert stderr.endswith(f" is kept in {checkpoint} and {output}\n")
    assert load_strategy(output).iterations > 0


def test_ctrl_c_ends_early_and_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def pressed(*arguments: Any, **settings: Any) -> object:
        def press_at_20(check: run_module.Check) -> None:
            if check.iteration == 20:
                os.kill(os.getpid(), signal.SIGINT)

        return run_module.solve(*arguments, **{**settings, "progress": press_at_20})

    monkeypatch.setattr(named, "solve", pressed)
    before = signal.getsignal(signal.SIGINT)  # ignored where the tests run in the background
    result = run("solve", "kuhn", "--iterations", "40", "-o", tmp_path / "output")
    assert (result.exit_code, result.stdout) == (130, "")
    assert result.stderr == f"soulread: interrupted; iteration 20 is kept in {tmp_path / 'output'}\n"
    assert load_strategy(tmp_path / "output").iterations == 20
    assert os.listdir(tmp_path) == ["output"]
    result = run("solve", "kuhn", "--iterations", "40")
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "soulread: interrupted\n")
    assert signal.getsignal(signal.SIGINT) is before


def test_methods_without_the_command_line() -> None:
    assert parse_method("lp") is None
    method = parse_method(" External ")
    assert method is not None
    assert method.name == "external"
    assert compile_named("leduc").small_bet == 2
    factored = compile_named("kuhn", "factored")
    assert isinstance(factored.payoff, FactoredPayoff)
    assert named.solve_named(factored, "cfr+", Stops(iterations=10)).iterations == 10
    assert named.solve_named(factored, "dcfr").gap <= 1e-3
