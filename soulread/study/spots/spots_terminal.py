"""Solved spots in the terminal and as figures: the grid of starting hands, coloured by what is done with
them.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.console import Group
from rich.text import Text

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.cards.ranges import Range, class_name, format_range
from soulread.games.spot import PLAYER_NAMES, STREETS
from soulread.machine import size_text
from soulread.report.grid import Grid, console, titled
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.streamed import memory_needed
from soulread.study.spots.spots import SpotStudy, SpotView, action_colours, weighted_mean
from soulread.study.spots.walk import hands_within

_NOBODY = (55, 55, 55)
_WIDE, _NARROW = 8, 5  # characters of a cell; the narrow ones fit a terminal of 80


def size_line(spot: Spot, threads: int | None = None, half: bool = False) -> str:
    """The size of a spot, in one line."""
    needed = memory_needed(spot, threads, half)
    boards = ", ".join(
        f"{count:,} {STREETS[spot.betting.street + i]}{'s' if count > 1 else ''}"
        for i, count in enumerate(spot.num_boards)
    )
    return (
        f"{boards}; {spot.betting.tree.num_nodes:,} decisions in the betting, {sum(spot.num_sets):,} "
        f"information sets, {sum(spot.num_sequences):,} sequences; {size_text(needed)} of memory"
    )


def spot_title(spot: Spot) -> str:
    """Board, pot and stacks of a spot."""
    pot, stack = (spot.unit.grand(amount) for amount in (spot.betting.pot, spot.betting.stack))
    return f"spot {pretty_cards(spot.board)}, pot {pot}, stacks {stack}{spot.rake_text}"


def progress_line(spot: Spot, check: Check) -> str:
    """The progress of a solve, in one line."""
    share = 100 * check.exploitability / spot.betting.pot
    return f"{spot.name}: iteration {check.iteration:,}, exploitable for {share:.2f}% of the pot"


def print_spot(study: SpotStudy, view: SpotView) -> None:
    """Print the spot that was solved, and one decision of it."""
    made, unit = study.solution, study.spot.unit
    oop, ip = study.evs
    pot = unit.of(study.spot.betting.pot)
    console.print(spot_title(study.spot), style="bold")
    console.print(size_line(study.spot))
    console.print(
        f"{made.method}, {made.iterations:,} iterations in {made.seconds:.1f} s: exploitable for "
        f"{unit.of(made.gap):.3f} {unit.name}, {100 * study.gap_share:.3f}% of the pot"
    )
    console.print(
        f"EV of the whole spot: oop {oop:.2f} {unit.name} ({oop / pot:.1%} of the pot), ip {ip:.2f} "
        f"({ip / pot:.1%}); {_rake_words(study)}"
    )
    print_view(view)


def _rake_words(study: SpotStudy) -> str:
    """The rule of the rake and what it comes to; "no rake" if there is none."""
    if not study.spot.raked:
        return "no rake"
    return f"rake {study.rake:.2f} ({study.spot.betting.rake.text(study.spot.unit)})"


def print_view(view: SpotView) -> None:
    """Print the grid, frequencies, EV and equity at a decision."""
    where = f"after {view.path!r}" if view.path else "at the start"
    console.print()
    console.print(
        f"{where}: {pretty_cards(view.board)}, pot {view.pot_text}, {PLAYER_NAMES[view.player]} to act",
        style="bold",
    )
    colours = action_colours(view.actions)
    played, weight = view.grid()
    aggressive = [i for i, action in enumerate(view.actions) if action.chips]
    print_cells(played, played[aggressive].sum(axis=0), weight > 0, colours)
    console.print(
        "the number is how often the hand bets or raises, %; colours are the actions below", style="dim"
    )
    table = Grid("action", "how often", f"EV, {view.unit.name}", "of the pot")
    for i, (action, often) in enumerate(zip(view.actions, view.frequencies, strict=True)):
        name = Text("  ", style=_style(colours[i]))
        name.append(f" {action}", style="default on default")
        value = weighted_mean(view.acting.share * np.nan_to_num(view.strategy[i]), view.action_ev[i])
        played_here = often > 1e-9
        table.add_row(
            name,
            f"{100 * often:.1f}%",
            f"{value:z.2f}" if played_here else "-",
            f"{100 * value / view.pot:z.1f}%" if played_here else "-",
        )
    console.print(table)
    table = Grid("player", f"EV, {view.unit.name}", "of the pot", "equity")
    for player, hands in enumerate(view.players):
        share = f"{100 * hands.mean_ev / view.pot:.1f}%"
        table.add_row(PLAYER_NAMES[player], f"{hands.mean_ev:.2f}", share, f"{100 * hands.mean_equity:.2f}%")
    console.print(titled("both ranges", table))


def print_holdings(view: SpotView, meant: Range) -> None:
    """Print every hand of a range that is there: what it does if its player acts, its EV and its equity."""
    for group in holding_tables(view, meant):
        console.print(group)


def holding_tables(view: SpotView, meant: Range) -> list[Group | str]:
    """Tables of the hands of a range that are there, first those of the player who acts."""
    found: list[Group | str] = []
    for player in (view.player, 1 - view.player):
        actions = [str(action) for action in view.actions] if player == view.player else []
        held = hands_within(view, player, meant)
        if not held:
            found.append(f"{PLAYER_NAMES[player]} has none of {format_range(meant)} here")
            continue
        table = Grid(PLAYER_NAMES[player], "reach", *actions, f"EV, {view.unit.name}", "of the pot", "equity")
        for one in held:
            often = [_percent(share) for share in one.often]
            worth = "-" if math.isnan(one.ev) else f"{one.ev:z.2f}"
            of_pot = _percent(one.ev / view.pot)
            name = pretty_cards(parse_cards(one.name))
            table.add_row(name, _percent(one.reach), *often, worth, of_pot, _percent(one.equity))
        found.append(titled(f"hands of {PLAYER_NAMES[player]}: {format_range(meant)}", table))
    return found


def _percent(share: float) -> str:
    """A share in percent; a dash where it is not known."""
    return "-" if math.isnan(share) else f"{100 * share:z.1f}%"


def print_cells(
    played: NDArray[np.float64],
    numbers: NDArray[np.float64],
    there: NDArray[np.bool_],
    colours: Sequence[tuple[int, int, int]],
) -> None:
    """Print the 13 x 13 grid of hands; see `cell_lines`."""
    for line in cell_lines(played, numbers, there, colours):
        console.print(line, no_wrap=True, crop=False)


def cell_lines(
    played: NDArray[np.float64],
    numbers: NDArray[np.float64],
    there: NDArray[np.bool_],
    colours: Sequence[tuple[int, int, int]],
) -> list[Text]:
    """The 13 x 13 grid of hands: ``played [actions, 169]`` as colours, ``numbers [169]`` in percent.

    Cells that are not ``there`` are grey and have no number; those whose number is not known have a dash.
    """
    width = _WIDE if console.width >= 13 * (_WIDE + 1) else _NARROW
    lines = []
    for row in np.arange(169).reshape(13, 13):
        line = Text()
        for cell in row.tolist():
            most = 99 if width == _NARROW else 999
            number = ""
            if there[cell]:
                value = 100 * numbers[cell]
                number = "-" if math.isnan(value) else f"{min(value, most):z.0f}"
                number = number if len(number) <= width - 3 else "<0"
            words = f"{class_name(cell):<3}{number:>{width - 3}}"
            line.append_text(_cell(words, played[:, cell], bool(there[cell]), colours))
            line.append(" ")
        lines.append(line)
    return lines


def _cell(
    words: str, played: NDArray[np.float64], there: bool, colours: Sequence[tuple[int, int, int]]
) -> Text:
    """Words whose background shows the shares of the actions from left to right."""
    ends = np.cumsum(played)
    text = Text()
    for position, character in enumerate(words):
        colour = _NOBODY
        if there:
            colour = colours[min(int(np.searchsorted(ends, (position + 0.5) / len(words))), len(colours) - 1)]
        text.append(character, style=_style(colour))
    return text


def _style(colour: tuple[int, int, int]) -> str:
    red, green, blue = colour
    ink = "black" if 2 * red + 5 * green + blue > 900 else "white"
    return f"{ink} on rgb({red},{green},{blue})"
