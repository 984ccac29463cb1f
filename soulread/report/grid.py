"""Tables for the terminal: a grid in the house style, and the console that prints it.

Foreign text cannot drive the terminal: a text that is printed or stands in a cell is one line and passes
through `printable`. Only a cell that is a `Text` of rich may have line breaks of its own.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleDimensions, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from soulread.report.plain import plain
from soulread.words import printable

PIPE_WIDTH = 120  # characters in a line where there is no terminal that says how many it has
_LEAST = 24  # characters to which a column of words may be narrowed
_FRAME = 2  # characters at the sides of a table


class PlainConsole(Console):
    """A console that shows foreign text as text, replaces characters its encoding lacks, and knows a pipe."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **settings)

    @property  # type: ignore[misc]  # this width is not set
    def size(self) -> ConsoleDimensions:
        """The size of the terminal, or COLUMNS; in a pipe lines are `PIPE_WIDTH` wide."""
        found = super().size
        if self.is_terminal or self._width is not None or self._environ.get("COLUMNS", "").isdigit():
            return found
        return ConsoleDimensions(PIPE_WIDTH, found.height)

    def print(self, *objects: Any, **settings: Any) -> None:
        """Print texts, each as one line, and tables."""
        encoding = self.encoding
        shown = (_text(one, encoding, "") if isinstance(one, Text) else one for one in objects)
        super().print(*shown, **settings)

    def render_str(self, text: str, **settings: Any) -> Text:
        """One line of text with the characters the encoding has."""
        return super().render_str(_line(text, self.encoding), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The last gate: whatever is printed, only our own styles and bars reach the terminal as escapes."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text, keep="\n"))


console = PlainConsole()


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
        rows = [[_cell(cell, console.encoding) for cell in row] for row in self.rows]
        heads = [_line(column, console.encoding) for column in self.columns]
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


def _line(text: str, encoding: str) -> str:
    """Text as one line with the characters of an encoding."""
    return plain(printable(text), encoding)


def _text(text: Text, encoding: str, keep: str) -> Text:
    """Text with the characters of an encoding; of those that are not printable it keeps some."""
    shown = plain(printable(text.plain, keep), encoding)
    return text if shown == text.plain else Text(shown, style=text.style)


def _cell(cell: str | Text, encoding: str) -> Text:
    """A cell as text; only `Text` may have several lines."""
    return Text(_line(cell, encoding)) if isinstance(cell, str) else _text(cell, encoding, "\n")


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
    return Group(Text(printable(title), style="bold"), table)
