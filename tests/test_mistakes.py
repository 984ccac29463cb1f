"""The list of planted mistakes fits the sources, and the script that plants them says what it does."""

import ast
import importlib.util
import sys
from pathlib import Path

import pytest

from soulread.errors import SoulreadError

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.slow


def load():
    """The module benchmarks/plant_mistakes.py."""
    spec = importlib.util.spec_from_file_location("plant_mistakes", ROOT / "benchmarks" / "plant_mistakes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


plant_mistakes = load()
MISTAKES = [mistake for group in plant_mistakes.GROUPS.values() for mistake in group]


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_every_mistake_fits_the_sources(mistake) -> None:
    plant_mistakes.verify([mistake])
    planted = plant_mistakes.planted(mistake, (ROOT / mistake.file).read_text(encoding="utf-8"))
    ast.parse(planted)  # wrong, but still Python


def test_names_are_unique_and_there_are_twenty_of_our_own() -> None:
    names = [mistake.name for mistake in MISTAKES]
    assert len(set(names)) == len(names)
    own = plant_mistakes.GROUPS["own"]
    assert len(own) == 20
    assert {mistake.file.split("/")[1] for mistake in own} == {"model", "respond", "observe", "reproduce"}


def test_a_text_that_is_not_there_once_is_refused() -> None:
    mistake = plant_mistakes.Mistake("wrong sign", "soulread/x.py", "a - b", "a + b", ())
    assert plant_mistakes.planted(mistake, "return a - b\n") == "return a + b\n"
    for text, count in (("return b - a\n", 0), ("a - b\na - b\n", 2)):
        with pytest.raises(SoulreadError, match=f"'wrong sign': the text 'a - b' occurs {count} times in"):
            plant_mistakes.planted(mistake, text)


def test_compiled_code_that_depends_on_a_file_is_dropped(tmp_path) -> None:
    """Numba does not notice that a kernel in another file was edited."""
    folder = tmp_path / "soulread"
    cached = folder / "__pycache__"
    cached.mkdir(parents=True)
    sources = {
        "low": "x = 1\n",
        "middle": "from soulread.low import x\n",
        "high": "from soulread import middle\n",
        "other": "import math\n",
    }
    for name, text in sources.items():
        (folder / f"{name}.py").write_text(text)
        (cached / f"{name}.f-1.py311.nbi").touch()
    mistake = plant_mistakes.Mistake("two", "soulread/low.py", "1", "2", ())
    plant_mistakes.plant(mistake, tmp_path)
    assert (folder / "low.py").read_text() == "x = 2\n"
    assert [path.name for path in cached.iterdir()] == ["other.f-1.py311.nbi"]


def test_what_is_asked_for_is_chosen() -> None:
    assert len(plant_mistakes.choose([])) == len(MISTAKES)
    assert [mistake for _, mistake in plant_mistakes.choose(["own"])] == list(plant_mistakes.GROUPS["own"])
    assert all("tilts" in mistake.name for _, mistake in plant_mistakes.choose(["tilts"]))
    with pytest.raises(SoulreadError, match="no mistake is called 'nosuch'; known are"):
        plant_mistakes.choose(["nosuch"])
