"""The list of planted mistakes fits the sources, and the script that plants them says what it does."""

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


def test_every_mistake_fits_the_sources() -> None:
    plant_mistakes.verify(MISTAKES)


def test_names_are_unique_and_there_are_twenty_of_our_own() -> None:
    names = [mistake.name for mistake in MISTAKES]
    assert len(set(names)) == len(names)
    own = plant_mistakes.GROUPS["own"]
    assert len(own) == 20
    known = plant_mistakes.places(ROOT)
    folders = {plant_mistakes.find(mistake, known)[0].relative_to(ROOT).parts[1] for mistake in own}
    assert folders == {"model", "respond", "observe", "reproduce"}


def write(tmp_path: Path, text: str) -> None:
    """A package of one source."""
    (tmp_path / "soulread").mkdir(exist_ok=True)
    (tmp_path / "soulread" / "x.py").write_text(text)


def test_a_mistake_is_found_wherever_its_function_stands_and_lines_break(tmp_path) -> None:
    mistake = plant_mistakes.Mistake("wrong sign", "A.f", "a - b", "a\n+ b", ())
    method = "class A:\n    def f(self):\n        return (\n            a\n            - b)\n"
    other = "def f():\n    a - b\n"
    write(tmp_path, method + other)
    plant_mistakes.plant(mistake, tmp_path)
    assert (tmp_path / "soulread" / "x.py").read_text() == method.replace("- b", "+ b") + other


def test_code_that_is_not_there_once_is_refused(tmp_path) -> None:
    mistake = plant_mistakes.Mistake("wrong sign", "f", "a - b", "a + b", ())
    for body, count in (("b - a", 0), ("a - b, a-b", 2), ("aa - b", 1)):
        write(tmp_path, f"def f():\n    return {body}\n")
        if count != 1:
            with pytest.raises(
                SoulreadError, match=f"'wrong sign': the code 'a - b' stands {count} times in f"
            ):
                plant_mistakes.find(mistake, plant_mistakes.places(tmp_path))


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
    mistake = plant_mistakes.Mistake("two", "x", "1", "2", ())
    plant_mistakes.plant(mistake, tmp_path)
    assert (folder / "low.py").read_text() == "x = 2\n"
    assert [path.name for path in cached.iterdir()] == ["other.f-1.py311.nbi"]


def test_what_is_asked_for_is_chosen() -> None:
    assert len(plant_mistakes.choose([])) == len(MISTAKES)
    assert [mistake for _, mistake in plant_mistakes.choose(["own"])] == list(plant_mistakes.GROUPS["own"])
    assert all("tilts" in mistake.name for _, mistake in plant_mistakes.choose(["tilts"]))
    with pytest.raises(SoulreadError, match="no mistake is called 'nosuch'; known are"):
        plant_mistakes.choose(["nosuch"])
