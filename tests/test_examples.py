"""Every example runs to its end; its own asserts say what must hold."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from test_evidence_page import load_script

from soulread.notices import COMPILING

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))
GALLERY = sorted((Path(__file__).parent.parent / "examples" / "gallery").glob("*.py"))
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


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    """The script that makes the gallery; it imports the one that makes the reference."""
    load_script("make_reference")
    return load_script("make_gallery")


@pytest.mark.compiled
@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_a_script_of_the_gallery_prints_what_the_page_shows(
    path: Path, gallery: ModuleType, tmp_path: Path
) -> None:
    printed, figure = gallery.run(path)
    assert gallery.section(path, printed) in gallery.PAGE.read_text(encoding="utf-8")
    figure.save(tmp_path / "figure.svg")
    assert "<text" in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_there_are_examples() -> None:
    assert {path.name for path in EXAMPLES} >= NEEDS_OPENSPIEL | {"solve_leduc.py"}
