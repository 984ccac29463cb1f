"""Hand strength, potential and ranges."""

from collections.abc import Sequence

import numpy as np
from rich.text import Text

from soulread.cards.named_ranges import NamedRange
from soulread.cards.ranges import Range, class_name, format_range
from soulread.cards.strength import HandStrength, Potential
from soulread.report.grid import Grid, console, titled
from soulread.words import plural

STATUS = "ahead", "tied", "behind"


def print_strength(title: str, now: HandStrength, ahead: Potential | None, opponents: int) -> None:
    """Hand strength, and where the hand stands once the board is complete."""
    if ahead is not None:
        table = Grid("now \\ then", *STATUS, "sum")
        for status, row in zip(STATUS, ahead.table, strict=True):
            table.add_row(status, *(f"{count:,.6g}" for count in row), f"{row.sum():,.6g}")
        console.print(titled(title, table))
    else:
        console.print(title, style="bold")
    parts = [f"HS {now.value:.3f}"]
    if opponents != 1:
        parts.append(f"HS_{opponents} {now.against(opponents):.3f}")
    if ahead is not None:
        parts += [f"PPot {ahead.ppot:.3f}", f"NPot {ahead.npot:.3f}", f"EHS {ahead.ehs(opponents):.3f}"]
    console.print("   ".join(parts))


def print_range(shown: Range) -> None:
    """The 13 x 13 grid, suited hands above the diagonal; a dot is no weight, ``~`` less than full weight."""
    grid = shown.grid().ravel()
    space = " " if console.width >= 13 * 5 else ""
    for cells in np.arange(169).reshape(13, 13):
        line = Text()
        for cell in cells:
            weight = float(grid[cell])
            name = class_name(int(cell)) + ("~" if weight < 1.0 else "") if weight else "·"
            line.append(f"{space}{name:<4}", style=_shade(min(weight, 1.0)) if weight else "dim")
        console.print(line)
    share = shown.total / 1326
    console.print(f"{format_range(shown)}: {plural(shown.num_hands, 'hand')}, {share:.1%} of all by weight")


def _shade(weight: float) -> str:
    level = int(np.interp(weight, (0.0, 1.0), (90, 200)))
    return f"black on rgb({level // 3},{level},{level // 2})"


def print_named_ranges(ranges: Sequence[NamedRange], shares: Sequence[float]) -> None:
    """Print ranges that have a name, with the part of all hands that each is."""
    for one, share in zip(ranges, shares, strict=True):
        console.print(f"{one.name}: {one.about}, {100 * share:.1f}% of all hands", style="bold")
        console.print(f"  {one.text}")
    console.print(
        "Approximations of our own for six-handed no-limit hold'em with 100 big blinds, written by hand; no "
        "solver's output.",
        style="dim",
    )
