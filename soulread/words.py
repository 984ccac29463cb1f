"""Numbers in sentences, and foreign text that is safe to show.

Names, tables, ids, file names and the like come from other people. `printable` is the one function that makes
such text safe; all printers, pages, figures and sheets of soulread call it where text leaves the program.
"""

import re

_HIDDEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""Characters that Python calls printable although nothing is seen of them."""


def printable(text: str, keep: str = "") -> str:
    """``text`` as one line that shows all its characters and moves no cursor.

    Control characters, line breaks, marks that turn the direction of writing, characters without width, lone
    surrogates and blanks other than the usual one are written as Python writes them: ``\\x1b``, ``\\u202e``.
    Those in ``keep`` stay, such as a line break of our own. Marks that sit on a letter stay too.
    """
    if text.isprintable() and not _HIDDEN.search(text):
        return text
    return "".join(
        one if one in keep or (one.isprintable() and not _HIDDEN.match(one)) else _escaped(one)
        for one in text
    )


def _escaped(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")


def plural(count: int, one: str, many: str = "") -> str:
    """``plural(1, "hand")`` is "1 hand", ``plural(2000, "hand")`` is "2,000 hands".

    ``many`` is the plural where it is not ``one`` with an s.
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def duration(seconds: float) -> str:
    """A time in the unit that suits it: "8 s", "12 min", "3.4 h"."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def milliseconds(seconds: float) -> str:
    """A time in milliseconds, without the unit: "0.0512", "8.4", "1,020"."""
    return f"{1000 * seconds:,.0f}" if seconds >= 0.1 else f"{1000 * seconds:.3g}"


def percent(rate: float, digits: int | None = None) -> str:
    """A rate in percent; below ten percent with one digit after the point."""
    if digits is None:
        digits = 1 if abs(rate) < 0.0995 else 0
    return f"{100 * rate:.{digits}f}%"


def percentile_text(percentile: float | None) -> str:
    """A percentile in whole numbers, or a dash; nobody is called the first or the last of a hundred."""
    if percentile is None:
        return "-"
    return "<1" if percentile < 0.5 else ">99" if percentile > 99.5 else f"{percentile:.0f}"
