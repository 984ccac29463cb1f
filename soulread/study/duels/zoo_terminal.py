"""The zoo as tables: its families, its opponents, and what was won from them."""

from collections.abc import Sequence

from soulread.estimate import Unit
from soulread.play.opponents.zoo import FAMILIES, ROLES
from soulread.report.grid import Grid, console, titled
from soulread.study.duels.zoo import Meeting, ZooStudy


def print_families(study: ZooStudy) -> None:
    """Print every family in a line, with the number of its opponents by role."""
    table = Grid("family", "what they are", *ROLES, words=(1,))
    for family in FAMILIES:
        why = study.absent.get(family.name)
        counts = study.counts(family.name)
        table.add_row(family.name, family.about if why is None else why, *(str(counts[r]) for r in ROLES))
    console.print(titled(f"the zoo of {study.game}: {len(study.opponents)} opponents", table))
    console.print(
        "Settings are chosen on the opponents for choosing, and results are reported on the others. "
        f"soulread zoo {study.game} --family NAME lists the opponents of a family.",
        style="dim",
    )


def print_opponents(study: ZooStudy) -> None:
    """Print every opponent in a line."""
    table = Grid("family", "opponent", "role", "agent", words=(3,), left=(1, 2))
    for opponent in study.opponents:
        table.add_row(opponent.family, opponent.label, opponent.role, opponent.agent)
    console.print(titled(f"the zoo of {study.game}: {len(study.opponents)} opponents", table))
    for family, why in study.absent.items():
        console.print(f"{family}: {why}.")


def print_meetings(player: str, meetings: Sequence[Meeting]) -> None:
    """Print a player's result against each opponent, with 95% intervals."""
    unit = Unit.MILLIBETS
    luckless = meetings[0].result.less_luck is not None
    table = Grid(
        "family", "opponent", "role", f"won, {unit.value}", *(["luck taken off"] * luckless), left=(1, 2)
    )
    for meeting in meetings:
        found = meeting.result.estimate(0, unit), meeting.result.estimate_less_luck(unit)
        cells = [estimate.text(1) for estimate in found if estimate is not None]
        table.add_row(meeting.opponent.family, meeting.opponent.label, meeting.opponent.role, *cells)
    first = meetings[0].result
    title = f"{first.game}: {player} in duplicate matches of {first.hands:,} hands, seed {first.seed}"
    console.print(titled(title, table))
    samples = dict.fromkeys(meeting.result.sample for meeting in meetings)
    console.print(f"± is half the 95% interval, over n = {', or '.join(samples)}.", style="dim")
