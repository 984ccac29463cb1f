"""Sizing tells in the terminal."""

from soulread.report.grid import Grid, console, titled
from soulread.study.hands.sizing import SizingStudy
from soulread.study.hands.statistics_terminal import TOO_FEW


def print_sizing(study: SizingStudy) -> None:
    """Print the strength that was seen behind each size of bet, and what the sizes tell."""
    table = Grid("street", "size", "bets", "seen", "strength", "95% interval", "weak", "95% interval")
    for line in study.lines:
        cells = [line.street, line.size, f"{line.bets:,}", f"{line.seen:,}"]
        share = line.weak_share
        if line.strength is None or share is None or line.too_few:
            table.add_row(*cells, "-", TOO_FEW, "-", "-")
            continue
        low, high = line.strength.interval
        table.add_row(
            *cells,
            f"{line.strength.mean:.2f}",
            f"{max(0.0, low):.2f} to {min(1.0, high):.2f}",
            f"{share[0]:.0%}",
            f"{share[1]:.0%} to {share[2]:.0%}",
        )
    console.print(titled(f"{study.player}: strength by size of bet, {study.hands:,} hands", table))
    console.print(
        "Sizes are parts of the pot. Strength is the part of all other holdings that the hand beats on that "
        "board; weak is below a half. Only hands that were seen count, and bluffs that worked are not seen.",
        style="dim",
    )
    for text in study.tells:
        console.print(text)
