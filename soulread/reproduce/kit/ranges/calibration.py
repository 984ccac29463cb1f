"""For experiments on ranges: means over tasks, and figures that show whether predicted chances are true.

A task of such an experiment judges many hands of one match or of one player. A `Pick` takes one number for
each thing that is counted out of a task's result. `TaskMeans.mean` is the mean of these numbers over all
tasks; its interval treats tasks as independent, not hands.

    coverage      the likeliest holdings with mass x should hold the cards in a share x of the hands
    reliability   what is predicted with a chance of x should come in a share x of the cases
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import ParamSpec, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.estimate import Estimate, Sampling
from soulread.report.figures import Curve, Panel
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.report import Claim, Measure, ResultTable
from soulread.reproduce.kit.task_grid import TaskGrid
from soulread.reproduce.kit.verdict import all_of, within
from soulread.tasks import TaskResult

COVERED = 0.5, 0.8, 0.9  # masses of the likeliest holdings, in which as large a share of hands should lie
CALIBRATED = 0.05  # a share that is off by more is not called calibrated
BINS = 10  # of predicted chances

Array: TypeAlias = NDArray[np.float64]
Pick: TypeAlias = Callable[[TaskResult], Array]  # one number for each thing that is counted; NaN: not counted

_DIAGONAL = Curve("calibrated", (0.0, 1.0), (0.0, 1.0))
_MASSES = tuple(np.linspace(0, 1, 21).tolist())


Made = ParamSpec("Made")


def named_pick(make: Callable[Made, Pick]) -> Callable[Made, Pick]:
    """Give every pick that a function makes a name: what is kept of it is found again by the name."""

    @wraps(make)
    def named(*args: Made.args, **settings: Made.kwargs) -> Pick:
        pick = make(*args, **settings)
        words = [*map(repr, args), *(f"{name}={value!r}" for name, value in settings.items())]
        pick.kept_as = f"{make.__name__}({', '.join(words)})"  # type: ignore[attr-defined]
        return pick

    return named


def _sum_and_count(result: TaskResult, pick: Pick) -> Array:
    values = pick(result)
    known = values[~np.isnan(values)]
    return np.array([known.sum(), known.size], dtype=np.float64)


class TaskMeans:
    """The finished tasks of one source; each is a sample."""

    def __init__(self, results: Sequence[TaskResult]) -> None:
        self.results = list(results)

    def sums(self, pick: Pick) -> Array:
        """``[tasks, 2]``: the sum of all things counted in each task, and how many these are."""
        name: str | None = getattr(pick, "kept_as", None)
        return np.array(
            [
                _sum_and_count(result, pick)
                if name is None
                else result.summary(name, lambda one: _sum_and_count(one, pick))
                for result in self.results
            ]
        ).reshape(-1, 2)

    def mean(self, pick: Pick) -> Estimate | None:
        """The mean over all things counted, with the interval of independent tasks."""
        found = self.sums(pick)
        some = found[:, 1] > 0
        if not some.any():
            return None
        return Sampling(int(some.sum()), 1, learning=True).ratio(found[some, :1], found[some, 1:])

    def measures(self, row: str, picks: Mapping[str, Pick], scale: float = 1.0) -> list[Measure]:
        """The means of several picks, by column; with a scale of 100 in per cent."""
        means = {column: self.mean(pick) for column, pick in picks.items()}
        return [Measure(row, column, mean and mean.scaled(scale)) for column, mean in means.items()]

    def count(self, fate: int) -> int:
        """Hands with known cards that ended so."""
        return int(
            sum(
                result.summary(f"hands of fate {fate}", lambda one: float((one["fate"] == fate).sum()))
                for result in self.results
            )
        )


Row: TypeAlias = tuple[TaskMeans, str, Mapping[str, Pick]]  # a source, the row's name, and picks by column


def means_table(
    title: str,
    unit: str,
    rows: Iterable[Row],
    kind: str,
    note: str = "",
    digits: int = 2,
    counted: bool = False,
) -> ResultTable:
    """A table of means; in per cent if the unit begins with "%". ``kind`` says what a sample is.

    With ``counted`` rows are left out in which nothing was counted for the first column.
    """
    measures = []
    for source, row, picks in rows:
        found = source.measures(row, picks, 100.0 if unit.startswith("%") else 1.0)
        if not counted or found[0].ours is not None:
            measures += found
    return ResultTable.counted(title, unit, measures, kind, note, digits)


def sources_of(grid: TaskGrid[str]) -> dict[str, TaskMeans]:
    """The finished tasks of each source; sources without any are left out."""
    return {name: TaskMeans(grid.at(name)) for name in grid.finished}


def calibrated(text: str, shares: Mapping[float, Estimate | None], digits: int, why_not: str = "") -> Claim:
    """A claim that the likeliest holdings of each mass hold as large a share of the cards."""
    words = {
        mass: "nothing shown" if share is None else f"{share.scaled(100).text(digits)} %"
        for mass, share in shares.items()
    }
    return Claim.judged(
        f"{text} at {', '.join(f'{mass:.0%}' for mass in shares)}",
        all_of(within(share, mass - CALIBRATED, mass + CALIBRATED) for mass, share in shares.items()),
        "; ".join(f"the likeliest {mass:.0%} hold {word}" for mass, word in words.items()),
        why_not,
    )


def share_covered(likelier: Array, mass: float) -> Array:
    """``[hands]`` whether the cards lie among the likeliest holdings that have this mass, 0 to 1.

    ``likelier [hands, 2]`` has the mass of the holdings that are likelier than the cards, and of those as
    likely as they are. Where the border runs through the latter, the hand counts in part.
    """
    above, alike = likelier.T
    share: Array = np.clip((mass - above) / np.maximum(alike, 1e-12), 0.0, 1.0)
    return share


def in_tenth(chance: Array, low: int) -> NDArray[np.bool_]:
    """Which chances lie in a tenth, from ``low`` / 10 on; 1 belongs to the last one."""
    found: NDArray[np.bool_] = np.minimum(chance * BINS, BINS - 1).astype(int) == low
    return found


def coverage_panel(
    name: str, source: TaskMeans, models: Mapping[str, Callable[[float], Pick]], y_label: str
) -> Panel:
    """A curve for each model, whose pick is made for a mass; calibrated ones lie on the diagonal."""
    curves = []
    for model, covered in models.items():
        means = [mean for mass in _MASSES if (mean := source.mean(covered(mass))) is not None]
        if len(means) == len(_MASSES):
            curves.append(Curve(model, _MASSES, tuple(mean.mean for mean in means)))
    return Panel(name, "mass of the likeliest holdings", y_label, (*curves, _DIAGONAL))


def reliability_panel(
    name: str, source: TaskMeans, models: Mapping[str, Callable[[int, bool], Pick]], x_label: str
) -> Panel:
    """Points for each model, whose pick is made for a tenth: the chances predicted, or what came instead.

    Tenths that only one task has are left out: they have no interval.
    """
    curves = []
    for model, pick in models.items():
        points = [
            (predicted.mean, observed)
            for low in range(BINS)
            if (predicted := source.mean(pick(low, True))) is not None
            and (observed := source.mean(pick(low, False))) is not None
            and observed.n > 1
        ]
        if points:
            curves.append(curve_of(model, points, alone=True, low=0.0, high=1.0))
    return Panel(name, x_label, "observed", (*curves, _DIAGONAL))
