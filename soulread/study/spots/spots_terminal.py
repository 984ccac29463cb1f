"""Solved spots in the terminal and as figures: the grid of starting hands, coloured by what is done with
them.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from soulread.cards.deck import pretty_cards
from soulread.cards.ranges import class_name
from soulread.games.spot import PLAYER_NAMES, STREETS
from soulread.machine import size_text
from soulread.report.grid import Grid, console, titled
from soulread.seqform.spot import Spot
from soulread.solvers.cfr.run import Check
from soulread.solvers.cfr.streamed import memory_needed
from soulread.study.spots.spots import SpotStudy, SpotView, action_colours, weighted_mean

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


def progress_line(spot: Spot, check: Check) -> str:
    """The progress of a solve, in one line."""
    share = 100 * check.exploitability / spot.betting.pot
    return f"{spot.name}: iteration {check.iteration:,}, exploitable for {share:.2f}% of the pot"


def print_spot(study: SpotStudy, view: SpotView) -> None:
    """Print the spot that was solved, and one decision of it."""
    made, pot = study.solution, study.spot.betting.pot
    oop = pot / 2 + made.value
    console.print(
        f"spot {pretty_cards(study.spot.board)}, pot {pot:,}, stacks {study.spot.betting.stack:,}",
        style="bold",
    )
    console.print(size_line(study.spot))
    console.print(
        f"{made.method}, {made.iterations:,} iterations in {made.seconds:.1f} s: exploitable for "
        f"{made.gap:.3f} chips, {100 * study.gap_share:.3f}% of the pot"
    )
    console.print(
        f"EV of the whole spot: oop {oop:.2f} chips ({oop / pot:.1%} of the pot), ip {pot - oop:.2f} "
        f"({1 - oop / pot:.1%}); no rake"
    )
    print_view(view)


def print_view(view: SpotView) -> None:
    """Print the grid, frequencies, EV and equity at a decision."""
    where = f"after {view.path!r}" if view.path else "at the start"
    console.print()
    console.print(
        f"{where}: {pretty_cards(view.board)}, pot {view.pot:,}, {PLAYER_NAMES[view.player]} to act",
        style="bold",
    )
    colours = action_colours(view.actions)
    played, weight = view.grid()
    aggressive = [i for i, action in enumerate(view.actions) if action.chips]
    print_cells(played, played[aggressive].sum(axis=0), weight > 0, colours)
    console.print(
        "the number is how often the hand bets or raises, %; colours are the actions below", style="dim"
    )
    table = Grid("action", "how often", "EV, chips", "of the pot")
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
    table = Grid("player", "EV, chips", "of the pot", "equity")
    for player, hands in enumerate(view.players):
        share = f"{100 * hands.mean_ev / view.pot:.1f}%"
        table.add_row(PLAYER_NAMES[player], f"{hands.mean_ev:.2f}", share, f"{100 * hands.mean_equity:.2f}%")
    console.print(titled("both ranges", table))


def print_cells(
    played: NDArray[np.float64],
    numbers: NDArray[np.float64],
    there: NDArray[np.bool_],
    colours: Sequence[tuple[int, int, int]],
) -> None:
    """Print the 13 x 13 grid of hands: ``played [actions, 169]`` as colours, ``numbers [169]`` in percent.

    Cells that are not ``there`` are grey and have no number.
    """
    width = _WIDE if console.width >= 13 * (_WIDE + 1) else _NARROW
    for row in np.arange(169).reshape(13, 13):
        line = Text()
        for cell in row.tolist():
            most = 99 if width == _NARROW else 100
            number = f"{min(100 * numbers[cell], most):.0f}" if there[cell] else ""
            words = f"{class_name(cell):<3}{number:>{width - 3}}"
            line.append_text(_cell(words, played[:, cell], bool(there[cell]), colours))
            line.append(" ")
        console.print(line, no_wrap=True, crop=False)


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
