"""A plan against a player as one page of HTML."""

from soulread.report.page import Safe, element, page, section, table
from soulread.study.baseline.habits import HABIT_COLUMNS, Habit
from soulread.study.spots.plan import PlannedSpot, PlanStudy
from soulread.study.spots.plan_terminal import example_text, head_text, plan_lead, shown_habits, worth_text


def plan_page(study: PlanStudy) -> str:
    """The whole page."""
    body = [_spot(number, planned, study) for number, planned in enumerate(study.spots, 1)]
    if not body:
        body.append(element("p", "No kind of spot came up often enough.", class_="note"))
    if study.left_out:
        items = [element("li", text) for text in study.left_out]
        body.append(section("Left out", element("ul", *items)))
    head = element(
        "header", element("h1", f"{study.player}: a plan"), element("p", plan_lead(study), class_="meta")
    )
    return page(f"{study.player}: plan", head, _summary(study), *body)


def _summary(study: PlanStudy) -> Safe:
    """All spots in a table: what the answers win and cost."""
    rows = [
        (
            head_text(number, planned),
            f"{planned.hands:,}",
            f"{planned.gain:.2f} bb" if planned.sure else "nothing sure",
            f"{planned.cost:.2f} bb" if planned.sure else "",
        )
        for number, planned in enumerate(study.spots, 1)
    ]
    columns = "spot", "hands", "wins if the counts are right", "costs at most if not"
    return section("In short", table(columns, rows)) if rows else element("div")


def _spot(number: int, planned: PlannedSpot, study: PlanStudy) -> Safe:
    advice = [element("p", text, class_="style") for text in planned.advice]
    return section(
        head_text(number, planned),
        table(HABIT_COLUMNS, [_cells(habit) for habit in shown_habits(planned)]),
        *advice,
        element("p", worth_text(planned)),
        element(
            "details",
            element("summary", f"the {planned.hands:,} hands of this kind"),
            element("pre", study.query(planned)),
        ),
        lead=example_text(planned, study.hands),
    )


def _cells(habit: Habit) -> tuple[str, ...]:
    """A row; what is sure is set in bold."""
    *cells, verdict = habit.cells
    return *cells, element("b", verdict) if habit.sure else verdict
