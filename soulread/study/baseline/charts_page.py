"""Charts before the flop as a part of a page of HTML."""

from typing import Any

from markupsafe import Markup

from soulread.cards.preflop import NUM_CLASSES
from soulread.cards.ranges import class_name
from soulread.report.drawings import Sketch, range_grid
from soulread.report.html import render
from soulread.study.baseline.charts import ChartStudy
from soulread.study.baseline.charts_terminal import charts_lead, habits_grid, limit_text, short_texts
from soulread.study.baseline.habits import Habit
from soulread.study.baseline.limit_charts import LimitChart

_CLASSES = tuple(class_name(cell) for cell in range(NUM_CLASSES))


def charts_section(study: ChartStudy) -> Markup:
    """A player beside the equilibria that are known, as a section."""
    return render("study/baseline/charts_page.html", **_parts(study))


def _parts(study: ChartStudy) -> dict[str, Any]:
    parts: dict[str, Any] = {"lead": study.note or charts_lead(), "short": None, "limit": None}
    if study.note:
        return parts
    if study.short is not None:
        parts["short"] = {**_habits(study.short.habits), "texts": short_texts(study.short)}
    if study.limit is not None:
        parts["limit"] = {
            **_habits(study.limit.habits),
            "title": f"{study.limit.source.name}, before the flop",
            "text": limit_text(study.limit),
            "charts": [_chart(chart) for chart in study.limit.charts if chart.n],
        }
    return parts


def _habits(habits: tuple[Habit, ...]) -> dict[str, Any]:
    return {"columns": habits_grid(habits).columns, "rows": [habit.cells for habit in habits]}


def _chart(chart: LimitChart) -> list[tuple[str, Sketch]]:
    """The grid of how often each hand raises, or calls where nobody can raise, and the player's if known."""
    row = chart.actions.index("raise") if "raise" in chart.actions else len(chart.actions) - 1
    word = chart.actions[row]
    grids = [("the equilibrium", chart.equilibrium[row].tolist())]
    if chart.own is not None:
        total = chart.own.sum(axis=0)
        grids.append((f"the player, {chart.n:,} decisions", (chart.own[row] / total.clip(1)).tolist()))
    return [
        (
            f"{chart.title}: {word}, {name}",
            range_grid(shares, [f"{share:.0%}" for share in shares], _CLASSES, f"{chart.title}, {name}"),
        )
        for name, shares in grids
    ]
