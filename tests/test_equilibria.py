"""Solve-or-load exists once: two processes that need the same equilibrium solve it once."""

import subprocess
import sys
from pathlib import Path

import pytest

CODE = """
import sys
import soulread.solve.equilibria as equilibria
from soulread.seqform import parse_source

solved = []
plain = equilibria.solve

def counted(*arguments, **options):
    solved.append(1)
    return plain(*arguments, **options)

equilibria.solve = counted
told = []
found = equilibria.find_equilibrium(parse_source("limit:2-1-1-1:quick"), told.append)
print(len(solved), any("waiting" in text for text in told), found.behaviours[0].sum())
"""


@pytest.mark.compiled
def test_two_processes_solve_once(tmp_path: Path) -> None:
    root = str(Path(__file__).parent.parent)
    environment = {"SOULREAD_CACHE": str(tmp_path), "PATH": "", "PYTHONPATH": root}
    running = [
        subprocess.Popen([sys.executable, "-c", CODE], stdout=subprocess.PIPE, text=True, env=environment)
        for _ in range(2)
    ]
    answers = [process.communicate()[0].split() for process in running]
    assert sorted(int(solved) for solved, _, _ in answers) == [0, 1]
    assert answers[0][2] == answers[1][2]
    again = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=environment, check=True
    )
    assert again.stdout.split()[0] == "0"
