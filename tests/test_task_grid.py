"""The kit of experiments: look-ups of a grid of tasks, means, curves and bars, claims on several numbers."""

import math

import numpy as np
import pytest

from soulread.estimate import Estimate
from soulread.reproduce.kit.experiment import RunOptions
from soulread.reproduce.kit.figures import bars_of, curve_of
from soulread.reproduce.kit.means import average, mean_of, mean_won, share_of
from soulread.reproduce.kit.report import Claim, Measure, ResultTable, listed, measures_of, worded
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import Verdict, at_least
from soulread.reproduce.ours.spot_locks import locks
from soulread.tasks import ResultStore, Task, TaskResult, Values


def block(place: str, first: int) -> Values:
    """A task: two matches, which are numbered."""
    return {"values": np.arange(first, first + 2) + (100.0 if place == "b" else 0.0)}


CELLS = {place: [Task(block, {"place": place, "first": 2 * n}) for n in range(3)] for place in "ab"}


def result(task: Task, seconds: float = 1.0) -> TaskResult:
    return TaskResult(task, {name: np.asarray(value) for name, value in task.run().items()}, seconds)


def test_results_are_found_by_their_place_and_missing_ones_left_out() -> None:
    a, b = CELLS["a"], CELLS["b"]
    grid = TaskGrid(CELLS, map(result, (a[2], a[0], b[0], b[1])))
    assert [found.task for found in grid.at("a")] == [a[0], a[2]]
    assert set(grid.finished["a"]) == {0, 2}
    assert grid.at("c") == []
    assert grid.seconds == 4.0
    assert not grid.is_whole("a")
    joined = grid.joined("a", "values")
    assert joined is not None
    assert joined.tolist() == [0, 1]  # what follows the missing block would be other matches
    mine, theirs = grid.paired(["b", "a"], "values")
    assert (mine.tolist(), theirs.tolist()) == ([100, 101], [0, 1])
    assert grid.joined("c", "values") is None
    assert TaskGrid(CELLS, [result(a[0])]).paired(["a", "b"], "values") == []
    assert TaskGrid(CELLS, map(result, a)).is_whole("a")


def test_a_run_that_is_cut_has_something_of_every_place(tmp_path) -> None:
    asked: list[Task] = []

    class Cut(RunOptions):
        def run(self, tasks):
            asked.extend(tasks)
            return map(result, asked[:3])

    grid = TaskGrid(CELLS)
    grid.run(Cut(store=ResultStore(tmp_path)))
    assert asked == [CELLS[place][n] for n in range(3) for place in "ab"]
    assert {place: len(found) for place, found in grid.finished.items()} == {"a": 2, "b": 1}
    again = TaskGrid(CELLS)
    asked.clear()
    again.run(Cut(store=ResultStore(tmp_path)), CELLS["b"])
    assert asked == CELLS["b"]


def test_sizes_are_quick_or_full_unless_the_user_chose() -> None:
    choices = {"matches": (2, 20), "hands": (10, 100), "players": (3, None)}
    assert RunOptions(quick=True).sizes(**choices) == {"matches": 2, "hands": 10, "players": 3, "seed": 1}
    assert RunOptions(matches=7, seed=4).sizes(**choices) == {
        "matches": 7,
        "hands": 100,
        "players": None,
        "seed": 4,
    }


def test_means_leave_out_what_is_missing() -> None:
    assert mean_of(np.array([1.0, np.nan, 3.0])) == Estimate.of(np.array([1.0, 3.0]))
    assert mean_of(np.array([np.nan])) is None
    assert average([None, Estimate(1.0, 2.0, 3)]) == Estimate(1.0, 2.0, 3)
    assert average([None]) is None
    assert share_of(np.empty(0), np.empty(0)) is None
    share = share_of(np.array([1.0, 2.0, 6.0]), np.array([2.0, 4.0, 6.0]))
    assert share is not None
    assert share.mean == pytest.approx(9 / 12)
    won = np.array([[1.0, 3.0], [2.0, 6.0], [0.0, 0.0]])
    assert (mean_won(won, learning=True).n, mean_won(won, learning=False).n) == (3, 6)


def test_curves_have_bands_where_all_points_have_intervals() -> None:
    first, second = Estimate(0.5, 0.1, 10), Estimate(0.9, 0.1, 10)
    curve = curve_of("a", [(1, first), (2, None), (3, second)], low=0.0, high=1.0)
    assert (curve.x, curve.y) == ((1, 3), (0.5, 0.9))
    assert curve.low == pytest.approx((first.interval[0], second.interval[0]))
    assert curve.high == pytest.approx((first.interval[1], 1.0))
    alone = curve_of("a", [(1, first), (2, Estimate(0.2, math.nan, 1))], alone=True)
    assert (alone.points, alone.low, alone.high) == (True, (), ())
    bars = bars_of("a", [first, None, Estimate(0.2, math.nan, 1)])
    assert bars.heights == pytest.approx((0.5, math.nan, 0.2), nan_ok=True)
    assert bars.errors == pytest.approx((first.half_width, math.nan, math.nan), nan_ok=True)


def test_a_claim_on_several_numbers_needs_all_of_them() -> None:
    good, bad = Estimate(1.0, 0.1, 10), Estimate(-1.0, 0.1, 10)
    assert Claim.of_all("more", {"x": good, "y": good}).verdict is Verdict.HOLDS
    failed = Claim.of_all("more", {"x": good, "y": bad}, why_not="because")
    assert (failed.verdict, failed.explanation) == (Verdict.FAILS, "because")
    unknown = Claim.of_all("more", {"x": good, "y": None}, at_least)
    assert (unknown.verdict, unknown.evidence) == (Verdict.UNDECIDED, f"x {good.text()}, y not played")
    assert Claim.of_all("more", {}, evidence="nothing").evidence == "nothing"
    assert worded(None) == "not measured"
    assert worded(0.25, 1, "sb/h") == "0.2 sb/h"
    assert listed({"a": good}, 1) == f"a {good.text(1)}"


def test_a_table_counts_its_samples() -> None:
    measures = measures_of(
        ["a", "b"], ["x", "y"], lambda row, column: Estimate(0.0, 1.0, 3 if row == "a" else 5)
    )
    assert [(measure.row, measure.column) for measure in measures] == [
        ("a", "x"),
        ("a", "y"),
        ("b", "x"),
        ("b", "y"),
    ]
    assert ResultTable.counted("t", "sb/h", measures, "matches").sample == "3 to 5 matches"
    assert ResultTable.counted("t", "sb/h", [Measure("a", "x", 0.5)], "matches").sample == ""


@pytest.mark.parametrize(
    ("honest", "leaky", "verdicts"),
    [
        ((-0.1, -1.0, 1.0, 9.0), (3.6, 4.0, 2.0, 6.0), [Verdict.HOLDS] * 4),
        ((-1.0, -0.1, 5.0, 9.0), (2.0, 4.0, 8.0, 6.0), [Verdict.FAILS] * 4),
        (None, None, [Verdict.UNDECIDED] * 4),
    ],
)
def test_claims_on_trust_follow_the_numbers(tmp_path, honest, leaky, verdicts) -> None:
    """Columns: won by trust and by the hard lock, and what both cost."""

    class MadeUp(RunOptions):
        def run(self, tasks):
            for task in tasks:
                means = honest if task.parameters["truth"] == "honest" else leaky
                if means is not None:
                    noise = np.random.default_rng(task.parameters["n"]).normal(0, 0.05, (20, 4))
                    yield TaskResult(task, {"values": np.array(means) + noise}, 1.0)

    report = locks(MadeUp(store=ResultStore(tmp_path)))
    assert [claim.verdict for claim in report.claims] == verdicts
    cells = {(measure.row, measure.column): measure.mean for measure in report.tables[0].measures}
    if honest is not None:
        assert cells["leaky, n = 2,000", "cost of hard lock"] == pytest.approx(6.0, abs=0.05)
        assert len(cells) == 4 * 4
