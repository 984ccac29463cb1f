"""What benchmarks read from others."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_a_peer_prints_iterations_seconds_and_exploitability() -> None:
    spots = load("bench_spots")
    found = spots.read_peer("90 1.3 0.48\n")
    assert (found.iterations, found.seconds, found.share) == (90, 1.3, 0.48)
    for text in ("", "90 1.3", "x 1 1", "0 1 1", "90 0 0.5", "90 1 nan"):
        with pytest.raises(SystemExit, match="expected iterations, CPU seconds and exploitability"):
            spots.read_peer(text)
