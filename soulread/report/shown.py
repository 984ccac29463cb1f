"""Results that show themselves: a line at the prompt, a table in a notebook, a frame of pandas, a sheet.

A result says in ``LINE`` what it is, as a text with fields of the result ``it``. A result that is a table is
a `ShownTable` and names in ``TABLE`` the list of its JSON record (`soulread.encoding`) that has the rows.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from soulread.encoding import plain_data
from soulread.errors import SoulreadError
from soulread.words import printable


class Shown:
    """A result with a short ``repr``. A dataclass that inherits this sets ``repr=False``."""

    __slots__ = ()
    LINE: ClassVar[str] = ""

    def summary(self) -> str:
        """Return the result in one line, without its name."""
        return self.LINE.format(it=self)

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__}: {self.summary()}>")

    def _repr_html_(self) -> str:
        return self._html(())

    def _html(self, rows: Sequence[Mapping[str, object]]) -> str:
        """The result in a line, and rows of a table."""
        from soulread.report.html import render

        return render("report/shown.html", title=f"{type(self).__name__}: {self.summary()}", rows=rows)


class ShownTable(Shown):
    """A result that is a table."""

    __slots__ = ()
    TABLE: ClassVar[str] = ""

    def to_rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the rows of the table, each as values by the names of columns."""
        return table_rows(plain_data(self)[self.TABLE])

    def to_csv(self) -> str:
        """Return the table as CSV, with a head; empty without rows."""
        from soulread.report.sheet import rows_text

        return rows_text(self.to_rows())

    def to_frame(self) -> Any:
        """Return the table as a ``pandas.DataFrame``; pandas must be installed."""
        try:
            import pandas
        except ImportError:
            raise SoulreadError("a frame needs pandas; install it with: pip install pandas") from None
        return pandas.DataFrame(list(self.to_rows()))

    def _repr_html_(self) -> str:
        rows = [{name: _text(value) for name, value in row.items()} for row in self.to_rows()]
        return self._html(rows)


def table_rows(records: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Records as rows with the same columns. Of a record within a record the columns are such as "won.mean".

    A value that a record lacks is None.
    """
    rows = [dict(_flat(record)) for record in records]
    columns = dict.fromkeys(name for row in rows for name in row)
    within = {name[:i] for name in columns for i, letter in enumerate(name) if letter == "."}
    return [{name: row.get(name) for name in columns if name not in within} for row in rows]


def _flat(row: Mapping[str, Any], before: str = "") -> list[tuple[str, Any]]:
    """The entries of a record; those of records within it have names such as "won.mean"."""
    found = []
    for name, value in row.items():
        inner = _flat(value, f"{before}{name}.") if isinstance(value, dict) else [(before + name, value)]
        found += inner
    return found


def _text(value: object) -> str:
    """A value as a cell of a table: numbers with six digits, nothing for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
