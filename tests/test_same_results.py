"""A few results of `benchmarks/same_results.py` are those of the table that is kept in the repository.

The table has the matches of every agent of the catalogue. Here a part of them is played again, and every hand
must be the same. If results are meant to change, write the table anew and say in the commit which changed:

    rm tests/golden/same_results.json
    python benchmarks/same_results.py --only match --write tests/golden/same_results.json
"""

import importlib.util
import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType

import pytest

from soulread.play.catalogue.known import AGENTS

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = json.loads((ROOT / "tests" / "golden" / "same_results.json").read_text())


def _script() -> ModuleType:
    """The module benchmarks/same_results.py."""
    path = ROOT / "benchmarks" / "same_results.py"
    spec = importlib.util.spec_from_file_location("same_results", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["same_results"] = module  # dataclasses look their module up there
    spec.loader.exec_module(module)
    return module


script = _script()
PLAYED = [
    *(f"match/kuhn/{label}" for label in script.SMALL if label not in ("soul", "soul-gifts", "dbbr-safety")),
    *(
        f"match/leduc/{label}"
        for label in ("always-raise", "loose", "dbbr-pool", "dbr", "rwywe", "learner", "vexbot", "rule")
    ),
    *(f"match/limit/{label}" for label in ("plain", "loki-gom")),
    "match/ring/loki",
    "match/nolimit/plain",
    "match/nolimit-three/plain-tight",
]


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Plays in this process and the cache of the tests."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", sys.argv)

    def apart(function: Callable[[], object], cache: str) -> str:
        with redirect_stdout(io.StringIO()) as printed:
            try:
                function()
            except SystemExit as ended:
                if ended.code:
                    raise
        return printed.getvalue()

    return script.Bench(tmp_path, apart)


@pytest.mark.compiled
@pytest.mark.parametrize("name", PLAYED)
def test_every_hand_is_the_same(name: str, bench) -> None:
    hands = bench.match(name)[f"{name}/hands"]
    assert script.checksum(hands) == GOLDEN[f"{name}/hands"]


def test_every_agent_plays_and_every_match_is_kept(bench) -> None:
    agents = [text for row in script.TABLES for text in row[2].values()]
    # A clone plays as a player of somebody's store; tests/test_clone.py makes one.
    assert {text.split(":")[0] for text in agents} == set(AGENTS) - {"clone"}
    names = [name for names, _ in script.checks(bench) for name in names]
    assert len(names) == len(set(names))
    assert {name for name in names if name.startswith("match/")} == set(GOLDEN)


def test_times_do_not_count_and_numbers_do() -> None:
    told = {"seconds": 1.5, "won": [{"mean": 0.1 + 0.2, "cpu_seconds": 3}]}
    assert script.without_times(told) == {"won": [{"mean": 0.30000000000000004}]}
    assert script.checksum("a") != script.checksum("b")
