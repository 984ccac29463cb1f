"""Tables as CSV for spreadsheets."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence

from soulread.words import printable

_FORMULA = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> str:
    """A head and the rows as CSV. Numbers stay numbers, None is empty, and a spreadsheet computes nothing.

    A text that begins like a formula, with one of ``= + - @``, gets a ' before it, as spreadsheets write text
    themselves, unless it is a number such as "-3.5". All texts are `printable`, so no field begins with a tab
    or a line break.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([_field(column) for column in columns])
    writer.writerows([_field(row[column]) for column in columns] for row in rows)
    return written.getvalue()


def rows_text(rows: Sequence[Mapping[str, object]]) -> str:
    """Rows as CSV under the names of the first one's columns, which all have; empty without rows."""
    return csv_text(list(rows[0]), rows) if rows else ""


def _field(value: object) -> object:
    if not isinstance(value, str):
        return value
    shown = printable(value)
    return f"'{shown}" if shown.startswith(_FORMULA) and not _NUMBER.fullmatch(shown) else shown
