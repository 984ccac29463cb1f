"""A plan against a player as one page of HTML."""

from typing import Any

from soulread.report.html import LAYOUT, render
from soulread.study.baseline.habits import HABIT_COLUMNS
from soulread.study.spots.plan import PlannedSpot, PlanStudy
from soulread.study.spots.plan_terminal import example_text, head_text, plan_lead, shown_habits, worth_text


def plan_page(study: PlanStudy, layout: str = LAYOUT, **around: Any) -> str:
    """The whole page; ``layout`` is the template around it, with what that needs besides."""
    return render(
        "study/spots/plan_page.html",
        layout=layout,
        title=f"{study.player}: plan",
        lead=plan_lead(study),
        summary=[_summary(number, planned) for number, planned in enumerate(study.spots, 1)],
        columns=HABIT_COLUMNS,
        spots=[_spot(number, planned, study) for number, planned in enumerate(study.spots, 1)],
        left_out=study.left_out,
        **around,
    )


def _summary(number: int, planned: PlannedSpot) -> tuple[str, ...]:
    """What the answer to a spot wins and costs."""
    return (
        head_text(number, planned),
        f"{planned.hands:,}",
        f"{planned.gain:.2f} bb" if planned.sure else "nothing sure",
        f"{planned.cost:.2f} bb" if planned.sure else "",
    )


def _spot(number: int, planned: PlannedSpot, study: PlanStudy) -> dict[str, Any]:
    habits = shown_habits(planned)
    return {
        "title": head_text(number, planned),
        "lead": example_text(planned, study.hands),
        "rows": [habit.cells for habit in habits],
        "sure": [habit.sure for habit in habits],
        "advice": planned.advice,
        "worth": worth_text(planned),
        "hands": planned.hands,
        "query": study.query(planned),
    }
