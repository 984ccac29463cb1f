"""A plan against a player in the terminal."""

from soulread.cards.deck import pretty_cards
from soulread.games.spot import PLAYER_NAMES
from soulread.report.grid import Grid, console, titled
from soulread.study.spots.plan import PlannedSpot, PlanStudy
from soulread.words import plural

_MOST_HABITS = 5
_LEAST_SEEN = 10  # decisions for a habit to be shown, if there is one with so many


def print_plan(study: PlanStudy) -> None:
    """Print the spots of a plan, each with what the player does and what to do about it."""
    console.print(study.player, style="bold")
    console.print(
        f"{plural(study.hands, 'hand')} of no-limit hold'em. Amounts are big blinds a hand, beyond the "
        "equilibrium's, on the board and with the ranges of the example.",
        style="dim",
    )
    for number, planned in enumerate(study.spots, 1):
        _print_spot(number, planned)
    if not study.spots:
        console.print("No kind of spot came up often enough.")
    for text in study.left_out:
        console.print(f"left out: {text}", style="dim")


def _print_spot(number: int, planned: PlannedSpot) -> None:
    spot, hand = planned.taken.spot, planned.taken.hand
    big = hand.stakes.big_blind
    console.print()
    console.print(f"{number}. {str(planned.kind).capitalize()}", style="bold")
    console.print(
        f"{plural(planned.hands, 'hand')}; the example is #{planned.taken.number}: "
        f"{pretty_cards(spot.board)}, pot {spot.betting.pot / big:.3g} bb, "
        f"stacks {spot.betting.stack / big:.3g} bb, "
        f"you are {PLAYER_NAMES[planned.study.curve.hero]}",
        style="dim",
    )
    table = Grid("the player", "action", "does", "95% interval", "n", "equilibrium", words=(0,))
    often = [habit for habit in planned.habits if habit.n >= _LEAST_SEEN]
    for habit in (often or planned.habits)[:_MOST_HABITS]:
        low, high = habit.interval
        table.add_row(
            habit.at,
            habit.action,
            f"{habit.rate:.0%}",
            f"{low:.0%} to {high:.0%}",
            f"{habit.n:,}",
            f"{habit.equilibrium:.0%}",
        )
    console.print(titled("what was counted in situations like this", table))
    if not planned.sure:
        console.print("Nothing to gain here beyond what the solver leaves open: play the equilibrium.")
        return
    console.print(f"{planned.change[:1].upper()}{planned.change[1:]}.", style="green")
    console.print(
        f"It wins {planned.gain:.2f} bb if the player does what was counted, and costs at most "
        f"{planned.cost:.2f} bb if not."
    )
