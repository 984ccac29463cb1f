"""Ranges of opponents and incomes of starting hands, as grids in the terminal."""

from collections.abc import Callable, Sequence

import numpy as np
from rich.text import Text

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.cards.ranges import CELL_SIZES, class_name
from soulread.cards.scales.incomes import Incomes
from soulread.cards.scales.values import HandValue
from soulread.hands.money import shown_amount
from soulread.report.grid import Grid, console, titled
from soulread.study.hands.holdings import Change, ReadingStudy, SeatReading

_FULL = 13 * 9  # characters of a grid with the names of its cells


def print_reading(study: ReadingStudy) -> None:
    """Print every opponent's range with its last change, and how our hand stands against them."""
    hand = study.hand
    board = f" {pretty_cards(parse_cards(study.board))}" if study.board else ""
    where = f"decision {study.at} of {study.num_decisions}" if study.at <= study.num_decisions else "the end"
    acts = "" if study.to_act is None else f", {hand.players[study.to_act]} to act"
    console.print(f"#{study.number} {hand.id} {hand.game}".strip(), style="bold")
    pot = shown_amount(study.pot, hand.stakes)
    console.print(f"{where}: {study.street}{board}, pot {pot}{acts}; read by {study.model}")
    for seat in study.seats:
        _print_seat(seat)
    if study.hero is not None and study.hole is not None:
        _print_standings(study, f"{hand.players[study.hero]} {pretty_cards(parse_cards(study.hole))}")


def _print_seat(seat: SeatReading) -> None:
    known = f", {seat.seen:,} decisions seen before" if seat.seen else ""
    console.print()
    console.print(f"{seat.player} ({seat.position}): {seat.action or 'has not acted'}{known}", style="bold")
    cells = np.array(seat.grid).ravel()
    single = cells / CELL_SIZES
    print_cells(single / max(single.max(), 1e-12), lambda cell: f"{100 * cells[cell]:.1f}")
    console.print(
        "% of the range in each cell; brighter is likelier, holding for holding. As uncertain as "
        f"{seat.holdings:,.0f} equally likely holdings"
        + (f", before the last action {seat.holdings_before:,.0f}" if seat.action else "")
    )
    for word, changes in (("likelier", seat.gained), ("less likely", seat.lost)):
        if changes:
            console.print(f"  {word}: {', '.join(map(_change, changes))}", style="dim")


def _change(change: Change) -> str:
    return f"{change.name} {change.before:.1%} -> {change.after:.1%}"


def _print_standings(study: ReadingStudy, title: str) -> None:
    if study.standing is None:
        return
    table = Grid("against", "HS", "PPot", "EHS")
    for seat in study.seats:
        if seat.standing is not None:
            table.add_row(seat.player, *_figures(seat.standing))
    if len(study.seats) > 1:
        table.add_row("all", *_figures(study.standing))
    console.print()
    console.print(titled(title, table))


def _figures(standing: HandValue) -> tuple[str, str, str]:
    return f"{standing.hs:.3f}", f"{standing.ppot:.3f}", f"{standing.ehs:.3f}"


def print_incomes(found: Incomes) -> None:
    """Print income rates as a grid."""
    how = "iterated roll-out" if found.iterated else "roll-out"
    console.print(f"income rates of {found.players} players, mb/g", style="bold")
    places = np.argsort(np.argsort(found.rates)) / (len(found.rates) - 1)
    print_cells(places, lambda cell: f"{found.rates[cell]:.0f}")
    interval = 1.96 * found.errors
    console.print(
        f"{how}, n = {found.deals:,} deals, seed {found.seed}; 95% intervals ± {interval.min():.0f} to "
        f"± {interval.max():.0f} mb/g"
    )


def print_cells(shades: Sequence[float] | np.ndarray, text: Callable[[int], str]) -> None:
    """A grid of 13 x 13 cells, each with its name where the lines are long enough; shades from 0 to 1."""
    named = console.width >= _FULL
    width = 9 if named else max(1, console.width // 13)
    for cells in np.arange(169).reshape(13, 13):
        line = Text()
        for cell in cells.tolist():
            words = f"{class_name(cell):<3}{text(cell):>5}" if named else f"{text(cell):>{width - 1}}"
            line.append(words, style=_shade(float(shades[cell])))
            line.append(" ")
        console.print(line, no_wrap=True, crop=False)


def _shade(weight: float) -> str:
    level = int(np.interp(weight, (0.0, 1.0), (50, 200)))
    ink = "white" if level < 110 else "black"
    return f"{ink} on rgb({level // 3},{level},{level // 2})"
