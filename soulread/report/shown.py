"""Results that show themselves: a line at the prompt, a table in a notebook, a frame of pandas.

A result says in `Shown.summary` what it is, in one line. A result that is a table also has ``rows``, one
mapping from columns to values for each line, and becomes a `ShownTable`.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from soulread.errors import SoulreadError


class Shown:
    """A result with a short ``repr``. A dataclass that inherits this sets ``repr=False``."""

    __slots__ = ()

    @abstractmethod
    def summary(self) -> str:
        """Return the result in one line, without its name."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary()}>"

    def _repr_html_(self) -> str:
        from soulread.report.page import element

        return element("p", f"{type(self).__name__}: {self.summary()}")


class ShownTable(Shown):
    """A result that is a table."""

    __slots__ = ()

    @abstractmethod
    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the lines of the table, each as values by the names of columns."""

    def to_frame(self) -> Any:
        """Return the table as a ``pandas.DataFrame``; pandas must be installed."""
        try:
            import pandas
        except ImportError:
            raise SoulreadError("a frame needs pandas; install it with: pip install pandas") from None
        return pandas.DataFrame(list(self.rows()))

    def _repr_html_(self) -> str:
        from soulread.report.page import element

        rows = list(self.rows())
        title = super()._repr_html_()
        if not rows:
            return title
        head = element("tr", *(element("th", column) for column in rows[0]))
        body = [element("tr", *(element("td", _text(value)) for value in row.values())) for row in rows]
        return title + element("table", head, *body)


def _text(value: object) -> str:
    """A value as a cell of a table: numbers with six digits, nothing for None."""
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)
