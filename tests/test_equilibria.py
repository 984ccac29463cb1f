"""Solve-or-load exists once: two processes that need the same equilibrium solve it once."""

import subprocess
import sys
from pathlib import Path

CODE = """
import sys, time
from pathlib import Path
from soulread.seqform import parse_source
from soulread.solve import solve
from soulread.solve.equilibria import solve_or_load

solved, told = [], []

def slowly(game, progress):
    solved.append(game.name)
    time.sleep(1)
    return solve(game, gap=1e-2, progress=progress)

found = solve_or_load(parse_source("kuhn"), Path(sys.argv[1]), slowly, told.append, "a title")
waited = any("kuhn: waiting for another process" in text for text in told)
print(len(solved), waited, any("a title, iteration" in text for text in told), found.behaviours[0].sum())
"""


def test_two_processes_solve_once(tmp_path: Path) -> None:
    environment = {"SOULREAD_CACHE": str(tmp_path), "PYTHONPATH": str(Path(__file__).parent.parent)}
    command = [sys.executable, "-c", CODE, str(tmp_path / "kuhn.strategy")]
    running = [
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)
    ]
    answers = sorted(process.communicate()[0].split() for process in running)
    assert [answer[0] for answer in answers] == ["0", "1"]
    assert [answer[2] for answer in answers] == ["False", "True"]  # only who solves has progress to tell
    assert answers[0][3] == answers[1][3]
    again = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert again.stdout.split()[:2] == ["0", "False"]
