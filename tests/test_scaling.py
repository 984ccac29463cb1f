"""The laws of docs/scaling.md: they foresee what they have not seen, and the page says what was measured."""

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent
KEPT = ROOT / "docs" / "scaling.json"


def load() -> Any:
    """The benchmark as a module."""
    spec = importlib.util.spec_from_file_location("bench_scaling", ROOT / "benchmarks" / "bench_scaling.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench_scaling"] = module
    spec.loader.exec_module(module)
    return module


bench = load()
FOUND = json.loads(KEPT.read_text())


@pytest.mark.parametrize("name", list(bench.KINDS))
@pytest.mark.parametrize("what", ["seconds", "bytes"])
def test_a_law_foresees_the_size_it_has_not_seen(name: str, what: str) -> None:
    runs = [bench.Measured(*run) for run in FOUND[name]]
    last = runs[-1]
    assert last.size > max(run.size for run in runs[:-1])
    ratio = bench.predicted(runs, last.size, what) / getattr(last, what)
    assert abs(ratio - 1) <= bench.MOST_ERROR


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "size"), [("duels", 7), ("hands", 1000)])
def test_the_bytes_of_a_size_that_nobody_measured(name: str, size: int) -> None:
    runs = [bench.Measured(*run) for run in FOUND[name]]
    (kept,) = bench.measure(bench.KINDS[name], [size])
    assert abs(bench.predicted(runs, size, "bytes") / kept.bytes - 1) <= bench.MOST_ERROR


def test_the_page_has_the_table_of_what_was_measured() -> None:
    page = (ROOT / "docs" / "scaling.md").read_text()
    assert f"<!-- scaling -->\n{bench.table(FOUND)}\n<!-- /scaling -->" in page


def test_a_line_is_found_again() -> None:
    runs = [bench.Measured(size, 3.0 + 0.5 * size, 100 * size) for size in (10, 20, 40, 80)]
    assert bench.fitted([10, 20, 40], [8.0, 13.0, 23.0]) == pytest.approx((3.0, 0.5))
    assert bench.predicted(runs, 1000, "seconds") == pytest.approx(503.0)
    assert bench.predicted(runs, 1000, "bytes") == pytest.approx(100_000)
