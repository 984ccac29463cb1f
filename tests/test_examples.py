"""Every example runs to its end; its own asserts say what must hold."""

import subprocess
import sys
from pathlib import Path

import pytest

from soulread.notices import COMPILING

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
NEEDS_OPENSPIEL = {"liars_dice.py"}


@pytest.mark.compiled
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example_runs(path: Path) -> None:
    if path.name in NEEDS_OPENSPIEL:
        pytest.importorskip("pyspiel")
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout
    assert " object at 0x" not in done.stdout  # what is printed, people can read
    assert done.stderr.replace(f"{COMPILING}\n", "") == ""


def test_there_are_examples() -> None:
    assert {path.name for path in EXAMPLES} >= NEEDS_OPENSPIEL | {"solve_leduc.py"}
