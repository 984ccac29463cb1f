"""Tables for the terminal. Every mean carries its unit, its 95% interval and its n."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group
from rich.table import Table
from rich.text import Text

from soulread.abstraction.tables import Cached
from soulread.cards.deck import pretty_cards
from soulread.cards.ranges import Range, class_name, format_range
from soulread.cards.strength import HandStrength, Potential
from soulread.estimate import Unit
from soulread.games.base import TERMINAL
from soulread.games.poker import PokerState
from soulread.model.catalogue import ModelEntry
from soulread.play.entry import AgentEntry
from soulread.play.match import MatchResult
from soulread.report.plain import plain
from soulread.solve.equilibria import Kept
from soulread.solve.run import Check
from soulread.study.solving import SolveStudy
from soulread.words import plural

STATUS = "ahead", "tied", "behind"
PIPE_WIDTH = 120  # characters in a line where there is no terminal that says how many it has
_LEAST = 24  # characters to which a column of words may be narrowed
_FRAME = 2  # characters at the sides of a table


class PlainConsole(Console):
    """A console that writes what its encoding lacks in other characters, and does not guess in a pipe."""

    @property  # type: ignore[misc]  # this width is not set
    def size(self) -> ConsoleDimensions:
        """Of the terminal, or of COLUMNS; in a pipe lines are `PIPE_WIDTH` wide."""
        found = super().size
        if self.is_terminal or self._width is not None or self._environ.get("COLUMNS", "").isdigit():
            return found
        return ConsoleDimensions(PIPE_WIDTH, found.height)

    def render_str(self, text: str, **settings: Any) -> Text:
        """Text with the characters the encoding has."""
        return super().render_str(plain(text, self.encoding), **settings)


console = PlainConsole(highlight=False, markup=False, emoji=False)


class Grid:
    """A table in the house style: first column to the left, numbers to the right.

    No number is ever broken. If the lines are too short, headings are folded between words, then columns of
    ``words``, then the table is printed in parts, each with the first column.
    """

    def __init__(self, *columns: str, words: Sequence[int] = (), left: Sequence[int] = ()) -> None:
        self.columns = columns
        self.words = set(words)  # numbers of columns whose cells are sentences
        self.left = {0, *left, *words}  # numbers of columns that are not set to the right
        self.rows: list[tuple[str | Text, ...]] = []

    def add_row(self, *cells: str | Text) -> None:
        """Add a row, with a cell for each column."""
        self.rows.append(cells)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        rows = [[_text(cell, console.encoding) for cell in row] for row in self.rows]
        heads = [plain(column, console.encoding) for column in self.columns]
        full = [max([_wide(head), *(_wide(row[i].plain) for row in rows)]) for i, head in enumerate(heads)]
        least = [self._least(i, heads[i], [row[i].plain for row in rows]) for i in range(len(heads))]
        rest = options.max_width - _FRAME - 3 - max(least[1:], default=0)  # beside the widest other column
        least[0] = max(1, min(least[0], rest))
        for padding in (2, 1):
            parts = _parts(least, options.max_width - _FRAME, padding)
            if len(parts) == 1:
                break
        for part in parts:
            room = options.max_width - _FRAME - (padding + 1) * len(part) + 1
            widths = _widths([full[i] for i in part], [least[i] for i in part], room)
            table = Table(box=box.SIMPLE_HEAD, padding=(0, 1) if padding == 2 else (0, 1, 0, 0))
            for i, width in zip(part, widths, strict=True):
                table.add_column(
                    heads[i], justify="left" if i in self.left else "right", width=width, overflow="fold"
                )
            for row in rows:
                table.add_row(*(row[i] for i in part))
            yield table

    def _least(self, i: int, head: str, cells: Sequence[str]) -> int:
        """To how few characters a column may be narrowed."""
        widest = max(map(_wide, cells), default=0)
        if i == 0 or i in self.words:
            widest = min(widest, _LEAST)
        return max(widest, *(cell_len(word) for word in head.split()), 1)


def _text(cell: str | Text, encoding: str) -> Text:
    """A cell as text with the characters of an encoding."""
    if isinstance(cell, str):
        return Text(plain(cell, encoding))
    shown = plain(cell.plain, encoding)
    return cell if shown == cell.plain else Text(shown, style=cell.style)


def _wide(text: str) -> int:
    return max((cell_len(line) for line in text.split("\n")), default=0)


def _parts(least: Sequence[int], width: int, padding: int) -> list[list[int]]:
    """Split columns into as few parts as needed for each to fit, every one beginning with column 0."""
    parts = [[0]]
    used = least[0] + padding
    for i in range(1, len(least)):
        more = least[i] + padding + 1
        if len(parts[-1]) > 1 and used + more > width:
            parts.append([0])
            used = least[0] + padding
        parts[-1].append(i)
        used += more
    return parts


def _widths(full: Sequence[int], least: Sequence[int], room: int) -> list[int]:
    """Widths between ``least`` and ``full`` that fill the room; the narrowest columns are filled first."""
    widths = list(least)
    spare = room - sum(least)
    for i in sorted(range(len(full)), key=lambda i: full[i]):
        more = max(0, min(spare, full[i] - least[i]))
        widths[i] += more
        spare -= more
    return widths


def titled(title: str, table: Grid) -> Group:
    """A table under a title line."""
    return Group(Text(title, style="bold"), table)


_ONE = "One sample says nothing about its own spread; play more for an interval."


def print_match(result: MatchResult) -> None:
    """Each agent's winnings in the three units, with 95% intervals."""
    kind = "duplicate " if result.duplicate else ""
    what = plural(result.matches, f"{kind}match", f"{kind}matches") + " of " + plural(result.hands, "hand")
    units = Unit.SMALL_BETS, Unit.MILLIBETS, Unit.BIG_BLINDS_PER_100
    table = Grid("agent", *(unit.value for unit in units))
    for i, agent in enumerate(result.agents):
        cells = [result.estimate(i, unit).text(digits) for unit, digits in zip(units, (4, 1, 1), strict=True)]
        table.add_row(agent, *cells)
    if result.less_luck is not None:
        found = [result.estimate_less_luck(unit) for unit in units]
        cells = [won.text(digits) for won, digits in zip(found, (4, 1, 1), strict=True) if won is not None]
        table.add_row(f"{result.agents[0]}, luck taken off (AIVAT)", *cells)
    console.print(titled(f"{result.game}: {what}, seed {result.seed}", table))
    known = result.estimate(0, Unit.CHIPS).n > 1
    console.print(f"± is half the 95% interval, over n = {result.sample}." if known else _ONE, style="dim")
    watched = result.watched(Unit.SMALL_BETS)
    if watched is not None and result.watch is not None:
        state = "decided" if result.watch.decided else "not decided"
        console.print(
            f"{state} after {plural(result.matches, 'match', 'matches')}: {result.agents[0]} wins between "
            f"{watched[0]:+.4f} and {watched[1]:+.4f} sb/h; the interval holds although one looked after "
            "every match."
        )
    for agent, remark in zip(result.agents, result.remarks, strict=False):
        if remark:
            console.print(f"{agent} at the end: {remark}.")


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


def print_replay(state: PokerState) -> None:
    """A hand step by step: who did what, and what it came to."""
    rules = state.rules
    table = Grid("seat", "cards", "put in", "won")
    finished = state.player == TERMINAL
    payoffs = state.payoffs() if finished else None
    for seat in range(rules.num_players):
        won = "" if payoffs is None else f"{payoffs[seat]:+d}"
        folded = " (folded)" if state.folded[seat] else ""
        table.add_row(f"{seat}{folded}", pretty_cards(state.hole(seat)), str(state.spent[seat]), won)
    console.print(titled(f"{rules.name} {state.betting}", table))
    board = pretty_cards(state.board) or "none"
    console.print(f"board: {board}   pot: {state.pot}")
    if state.player >= 0:
        console.print(f"to act: seat {state.player}: {_legal_text(state)}")
    elif not finished:
        console.print("next: a card is dealt")


def _legal_text(state: PokerState) -> str:
    """What the seat to act may do; of many raises the smallest and the largest."""
    legal = state.legal_actions()
    few = legal if len(legal) < 5 else legal[:3]
    names = [state.action_name(action) for action in few]
    return ", ".join(names if few is legal else [*names, "...", state.action_name(legal[-1])])


def print_cache(folder: Path, tables: Sequence[Cached], solved: Sequence[Kept]) -> None:
    """What is kept of abstractions and their equilibria, with sizes on disk."""
    table = Grid("tables", "abstraction", "private states", "MB", "made")
    for entry in tables:
        table.add_row(
            entry.what + ("" if entry.current else " (outdated)"),
            entry.spec,
            " / ".join(f"{size:,}" for size in entry.num_states),
            f"{entry.num_bytes / 1e6:,.0f}",
            f"{entry.created:%Y-%m-%d}",
        )
    console.print(titled(f"cache: {folder}", table))
    if not solved:
        console.print("no equilibria")
        return
    table = Grid("equilibrium", "method", "iterations", Unit.MILLIBETS.value, "MB", "made")
    for path, source, strategy in solved:
        bet = source.poker.rules.small_bet
        table.add_row(
            strategy.game,
            strategy.method,
            f"{strategy.iterations:,}",
            f"{strategy.gap * Unit.MILLIBETS.per_chip(bet, bet):.3f}",
            f"{path.stat().st_size / 1e6:,.0f}",
            strategy.written[:10],
        )
    console.print(table)


def solve_text(game: str, check: Check, small_bet: int | None) -> str:
    """One line on how far a solve has come."""
    reached = _chips_text(check.exploitability, small_bet)
    return f"{game}: iteration {check.iteration:,}, exploitability {reached}, {check.rate:,.0f} iterations/s"


def print_solved(study: SolveStudy) -> None:
    """What a pair of strategies is worth, seat by seat, and how it was made."""
    judgement, small_bet = study.judgement, study.small_bet
    chips, millibets = Unit.CHIPS.value, Unit.MILLIBETS.value
    units = [chips] if small_bet is None else [chips, millibets]
    columns = [f"{what}, {unit}" for what in ("value", "worst case") for unit in units]
    table = Grid("seat", *columns)
    for seat in (0, 1):
        cells = []
        for amount in (judgement.values[seat], judgement.worst_cases[seat]):
            cells.append(f"{amount:+.6f}")
            if small_bet is not None:
                cells.append(f"{judgement.in_millibets(amount, small_bet):+.3f}")
        table.add_row(str(seat), *cells)
    how = study.strategy
    made = f"{how.method}, {plural(how.iterations, 'iteration')}, {how.seconds:.2f} s"
    console.print(titled(f"{judgement.game}: {made}", table))
    console.print(
        f"exploitability: {_chips_text(judgement.exploitability, small_bet)}, the mean over the seats"
    )


def _chips_text(amount: float, small_bet: int | None) -> str:
    text = f"{amount:.6g} {Unit.CHIPS.value}"
    if small_bet is None:
        return text
    return f"{text} = {amount * Unit.MILLIBETS.per_chip(small_bet, 1):.4g} {Unit.MILLIBETS.value}"


def print_entries(what: str, title: str, entries: Iterable[AgentEntry | ModelEntry]) -> None:
    """Every agent or model of a catalogue in a line."""
    table = Grid(what, "what it does", words=(1,))
    for entry in entries:
        table.add_row(entry.name, entry.about)
    console.print(titled(title, table))


def print_entry(
    name: str, about: str, form: str, options: Sequence[tuple[str, str, str]], seats: str
) -> None:
    """One agent or model: what it does, how it is written, where it can sit, its options."""
    console.print(f"{name}: {about}", style="bold")
    console.print(f"written: {form or name + (':OPTION=VALUE,...' if options else '')}")
    if seats:
        console.print(seats)
    if options:
        table = Grid("option", "default", "meaning", words=(2,))
        for option, default, help in options:
            table.add_row(option, default, help)
        console.print(table)
