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
    first, second = spots.read_solves("90 1.3 1.4 0.48\n200 2.5 2.6 0.09 1000 -3.5 abc\n")
    assert (first.iterations, first.cpu, first.clock, first.share, first.grown) == (90, 1.3, 1.4, 0.48, 0)
    assert (second.iterations, second.grown, second.value) == (200, 1000, -3.5)
    faster = spots.fastest([first, spots.Solve(90, 1.5, 1.1, 0.48, 5)])
    assert (faster.cpu, faster.clock, faster.grown) == (1.3, 1.1, 0)
    for text in ("90 1.3 1.4", "x 1 1 1", "0 1 1 1", "90 0 1 0.5", "90 1 0 0.5", "90 1 1 nan", " "):
        with pytest.raises(SystemExit, match="expected iterations, CPU seconds, seconds by the clock"):
            spots.read_solves(text)
