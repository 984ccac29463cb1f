"""`solve`: stops, checks, progress and checkpoints."""

import os
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from pairs import pair

from soulread.errors import ShapeError, SoulreadError
from soulread.games.kuhn import kuhn
from soulread.games.leduc import leduc
from soulread.seqform.compile import compile_factored, compile_game
from soulread.seqform.strategy import uniform_plan
from soulread.solvers.cfr.regret import CFR, DCFR, CFRPlus, PredictiveCFRPlus
from soulread.solvers.cfr.run import Check, solve
from soulread.solvers.cfr.stops import Stops
from soulread.solvers.exploitability import exploitability
from soulread.solvers.restricted import Gap
from soulread.storage import tensors


@pytest.fixture(scope="module")
def game():
    return compile_game(leduc(suit_isomorphic=True))


def test_stops_at_the_first_of_the_stops(game):
    assert solve(game, iterations=25).iterations == 25
    solution = solve(game, gap=0.05, iterations=10_000)
    assert solution.gap <= 0.05 < solution.history[-2].exploitability
    assert solution.iterations == solution.history[-1].iteration < 10_000
    assert solve(game, seconds=0.0).iterations == 0
    assert solve(game, iterations=0).gap == exploitability(game, pair(map(uniform_plan, game.trees)))


def test_the_solution_remembers_how_it_was_made(game):
    solution = solve(game, CFRPlus(), iterations=30)
    assert solution.game is game
    assert solution.method == "cfr+"
    assert solution.settings["gamma"] == 1
    assert solution.settings["alternating"] is True
    assert solution.gap == exploitability(game, solution.plans)
    assert [check.iteration for check in solution.history] == [10, 20, 30]
    assert solution.seconds >= solution.history[-1].seconds > 0
    assert solution.history[-1].rate > 0
    with pytest.raises(AttributeError):
        solution.gap = 0  # type: ignore[misc]


def test_checks(game):
    seen: list[Check] = []
    solution = solve(game, iterations=143, progress=seen.append)
    assert tuple(seen) == solution.history
    assert [check.iteration for check in seen] == [*range(10, 101, 10), 110, 121, 133, 143]
    chosen = solve(game, stops=Stops(iterations=143, check_every=50))
    assert [check.iteration for check in chosen.history] == [50, 100, 143]
    assert_array_equal(chosen.plans[0], solution.plans[0])


@pytest.mark.parametrize("method", [CFR(False), DCFR(), PredictiveCFRPlus()], ids=lambda method: method.name)
@pytest.mark.parametrize("compiler", [compile_game, compile_factored])
def test_a_resumed_solve_ends_where_an_unbroken_one_does(compiler, method, tmp_path):
    game = compiler(kuhn())
    path = tmp_path / "run.safetensors"

    def interrupt(check):
        if check.iteration >= 60:
            raise KeyboardInterrupt

    whole = solve(game, method, iterations=105)
    with pytest.raises(KeyboardInterrupt):
        solve(game, method, iterations=105, checkpoint=path, checkpoint_every=0, progress=interrupt)
    resumed = solve(game, method, iterations=105, checkpoint=path, resume=True)
    for a, b in zip(whole.plans, resumed.plans, strict=True):
        assert_array_equal(a, b)
    assert [check.iteration for check in resumed.history] == [check.iteration for check in whole.history]
    assert [check.exploitability for check in resumed.history] == [
        check.exploitability for check in whole.history
    ]
    further = solve(game, method, iterations=130, checkpoint=path, resume=True)
    assert_array_equal(further.plans[0], solve(game, method, iterations=130).plans[0])


def test_a_killed_solve_resumes(tmp_path):
    path = tmp_path / "run.safetensors"
    script = f"""
import os, signal
from soulread.games.kuhn import kuhn
from soulread.seqform.compile import compile_game
from soulread.solvers.cfr.run import solve

def kill(check):
    if check.iteration >= 40:
        os.kill(os.getpid(), signal.SIGKILL)

solve(compile_game(kuhn()), iterations=90, checkpoint={str(path)!r}, checkpoint_every=0, progress=kill)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == -9
    game = compile_game(kuhn())
    seen: list[Check] = []
    resumed = solve(game, iterations=90, checkpoint=path, resume=True, progress=seen.append)
    assert seen[0].iteration == 40
    for a, b in zip(resumed.plans, solve(game, iterations=90).plans, strict=True):
        assert_array_equal(a, b)


def test_a_full_disk_leaves_the_old_checkpoint_and_loses_no_work(game, tmp_path, monkeypatch, caplog):
    path = tmp_path / "run.safetensors"
    assert solve(game, iterations=10, checkpoint=path).checkpoint == path
    before = path.read_bytes()

    def fail(*_):
        raise OSError(28, "disk full")

    monkeypatch.setattr(os, "fsync", fail)
    solution = solve(game, iterations=20, checkpoint=path, checkpoint_every=0, resume=True)
    assert (solution.iterations, solution.checkpoint) == (20, None)
    (record,) = caplog.records  # told once, although it was tried again at the end
    assert record.getMessage() == (
        f"{str(path)!r} cannot be written: disk full; the solve goes on without a new checkpoint"
    )
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed(tmp_path):
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    path = tmp_path / "checkpoint"
    abandoned, alive = (tmp_path / f".checkpoint.{number}.part" for number in (process.pid, os.getppid()))
    for part in (abandoned, alive):
        part.touch()
    tensors.write_tensors(path, "result", {"a": np.zeros(1)}, {})
    assert sorted(tmp_path.iterdir()) == sorted([path, alive])


@pytest.mark.parametrize(
    ("stops", "finished"),
    [
        (Stops(iterations=30), True),
        (Stops(iterations=31), False),
        (Stops(seconds=2.0), True),
        (Stops(seconds=2.1), False),
        (Stops(gap=0.2), True),
        (Stops(gap=0.19), False),
        (Stops(precision=0.5), True),  # times a freedom of 0.4
        (Stops(precision=0.49), False),
        (Stops(gap=0.1, stop=lambda: True), True),
        (Stops(gap=0.1, stop=lambda: False), False),
        (Stops(), False),
    ],
)
def test_a_run_is_finished_at_the_first_of_its_stops(stops, finished):
    assert stops.is_finished(30, 2.0, Gap(0.2, freedom=0.4)) == finished


def test_a_precision_is_at_least_a_hundredth_of_itself_as_a_gap():
    assert Stops(precision=1.0).is_finished(1, 0.0, Gap(0.01, freedom=1e-6))
    assert not Stops(precision=1.0).is_finished(1, 0.0, Gap(0.011, freedom=1e-6))


def test_messages(game, tmp_path):
    with pytest.raises(SoulreadError, match="nothing says when to stop; give iterations, gap or seconds"):
        solve(game)
    with pytest.raises(SoulreadError, match="gap=-1; expected at least 0"):
        solve(game, gap=-1)
    with pytest.raises(SoulreadError, match="check_every=0; expected at least 1"):
        solve(game, stops=Stops(iterations=1, check_every=0))
    with pytest.raises(SoulreadError, match="give stops, or iterations, gap and seconds; not both"):
        solve(game, stops=Stops(iterations=1), gap=0.1)
    with pytest.raises(SoulreadError, match="resume=True needs the checkpoint"):
        solve(game, iterations=1, resume=True)
    path = tmp_path / "run.safetensors"
    solve(game, iterations=1, checkpoint=path)
    with pytest.raises(ShapeError, match=r"belongs to another game \('leduc:iso', \w{12}\) than 'kuhn'"):
        solve(compile_game(kuhn()), iterations=1, checkpoint=path, resume=True)
    with pytest.raises(
        SoulreadError, match=r"was made by Schedule\(name='dcfr', .* not by Schedule\(name='cfr'"
    ):
        solve(game, CFR(), iterations=1, checkpoint=path, resume=True)
    path.write_bytes(b"nonsense")
    with pytest.raises(SoulreadError, match=r"run.safetensors' is not a checkpoint, or only a part of one"):
        solve(game, iterations=1, checkpoint=path, resume=True)
    tensors.write_tensors(path, "result", {"a": np.zeros(1)}, {})
    with pytest.raises(SoulreadError, match=r"run.safetensors' is the result of a task, not a checkpoint"):
        solve(game, iterations=1, checkpoint=path, resume=True)
