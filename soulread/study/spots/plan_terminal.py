"""A plan against a player in the terminal."""

from soulread.cards.deck import pretty_cards
from soulread.report.grid import Grid, console, titled
from soulread.study.baseline.habits import HABIT_COLUMNS, LEAST_SEEN, LEVEL, Habit
from soulread.study.spots.plan import MOST_NEAR, SLACK, PlannedSpot, PlanStudy
from soulread.words import plural

_MOST_HABITS = 6


def print_plan(study: PlanStudy) -> None:
    """Print the spots of a plan, each with what the player does and what to do about it."""
    console.print(study.player, style="bold")
    console.print(plan_lead(study), style="dim")
    for number, planned in enumerate(study.spots, 1):
        _print_spot(number, planned, study)
    if not study.spots:
        console.print("No kind of spot came up often enough.")
    for text in study.left_out:
        console.print(f"left out: {text}", style="dim")


def plan_lead(study: PlanStudy) -> str:
    """What the numbers of a plan mean, in a few sentences."""
    return (
        f"{plural(study.hands, 'hand')} of no-limit hold'em. Counts are of all the player's hands in like "
        "situations, with 95% intervals; the equilibrium is that of the example, solved with real cards in "
        f"the tree named. Too often or too seldom: off by more than {SLACK:.0%}, not by chance; of these "
        f"claims at most {LEVEL:.0%} are expected to be false. Gain and cost are beyond the equilibrium's, "
        f"in the example{f', after a rake of {study.rake}' if study.rake else ''}."
    )


def head_text(number: int, planned: PlannedSpot) -> str:
    """The kind of spot, numbered."""
    return f"{number}. {str(planned.kind).capitalize()}"


def example_text(planned: PlannedSpot, hands: int) -> str:
    """How often the kind comes, the example, and its tree."""
    stack = planned.spot.betting.stack / planned.big_blind
    place = "first" if planned.hero == 0 else "last"
    return (
        f"{plural(planned.hands, 'hand')}, {100 * planned.hands / hands:.1f} in 100. The example is "
        f"#{planned.taken.number}: {pretty_cards(planned.spot.board)}, pot {planned.pot:.3g} bb, "
        f"stacks {stack:.3g} bb; you act {place}. Tree: {planned.small.words} "
        f"Solved to {planned.gap:.1%} of the pot."
    )


def shown_habits(planned: PlannedSpot) -> list[Habit]:
    """The habits to show: those seen often enough, if there are any."""
    often = [habit for habit in planned.habits if habit.n >= LEAST_SEEN]
    return (often or list(planned.habits))[:_MOST_HABITS]


def worth_text(planned: PlannedSpot) -> str:
    """The gain and the cost of the answer, in a sentence."""
    if not planned.sure:
        return "Nothing to gain here beyond what the solver leaves open: play the equilibrium."
    return (
        f"It wins {planned.gain:.2f} bb a hand ({planned.gain_of_pot:.1%} of the pot) if the player does "
        f"what was counted, and costs at most {planned.cost:.2f} bb ({planned.cost_of_pot:.1%}) if not."
    )


def _print_spot(number: int, planned: PlannedSpot, study: PlanStudy) -> None:
    console.print()
    console.print(head_text(number, planned), style="bold")
    console.print(example_text(planned, study.hands), style="dim")
    table = Grid(*HABIT_COLUMNS, words=(0,))
    for habit in shown_habits(planned):
        table.add_row(*habit.cells)
    console.print(titled("what was counted in situations like this", table))
    for text in planned.advice:
        console.print(text, style="green")
    console.print(worth_text(planned))
    console.print(f"hands like it: {study.query(planned, MOST_NEAR)}", style="dim", soft_wrap=True)
