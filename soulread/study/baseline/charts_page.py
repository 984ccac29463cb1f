"""Charts before the flop as a part of a page of HTML."""

from soulread.cards.preflop import NUM_CLASSES
from soulread.cards.ranges import class_name
from soulread.report.page import Safe, element, range_grid, section, table
from soulread.study.baseline.charts import ChartStudy
from soulread.study.baseline.charts_terminal import charts_lead, habits_grid, limit_text, short_texts
from soulread.study.baseline.habits import Habit
from soulread.study.baseline.limit_charts import LimitChart

TITLE = "Beside the equilibrium"
_CLASSES = tuple(class_name(cell) for cell in range(NUM_CLASSES))


def charts_section(study: ChartStudy) -> Safe:
    """A player beside the equilibria that are known, as a section."""
    if study.note:
        return section(TITLE, lead=study.note)
    body: list[Safe] = []
    if study.short is not None:
        body += [element("h3", "Short stacks: push or fold"), _habits(study.short.habits)]
        body += [element("p", text) for text in short_texts(study.short)]
    if study.limit is not None:
        body += [element("h3", f"{study.limit.source.name}, before the flop"), _habits(study.limit.habits)]
        body.append(element("p", limit_text(study.limit)))
        body += [_chart(chart) for chart in study.limit.charts if chart.n]
    return section(TITLE, *body, lead=charts_lead())


def _habits(habits: tuple[Habit, ...]) -> Safe:
    grid = habits_grid(habits)
    return table(grid.columns, [habit.cells for habit in habits])


def _chart(chart: LimitChart) -> Safe:
    """The grid of how often each hand raises, or calls where nobody can raise, and the player's if known."""
    row = chart.actions.index("raise") if "raise" in chart.actions else len(chart.actions) - 1
    word = chart.actions[row]
    grids = [("the equilibrium", chart.equilibrium[row].tolist())]
    if chart.own is not None:
        total = chart.own.sum(axis=0)
        grids.append((f"the player, {chart.n:,} decisions", (chart.own[row] / total.clip(1)).tolist()))
    drawn = [
        element(
            "figure",
            element("figcaption", f"{chart.title}: {word}, {name}"),
            range_grid(shares, [f"{share:.0%}" for share in shares], _CLASSES, f"{chart.title}, {name}"),
        )
        for name, shares in grids
    ]
    return element("div", *drawn, class_="grids")
