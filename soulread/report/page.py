"""Pages in HTML: elements that escape their content, small drawings, one style sheet.

Text stays text: `element` escapes its children and attributes unless they are `Safe`,
and only `element` and constants of this package make `Safe`. A page is one file without any request to
elsewhere: no script, no font, no image. It follows the reader's choice of light or dark, and prints on white.
"""

import html
import math
from collections.abc import Iterable, Sequence
from importlib import resources

from soulread.report.figures import COLOURS, Panel
from soulread.words import printable

Child = str | Iterable[str]


class Safe(str):
    """Text that is HTML already."""

    __slots__ = ()


def escape(text: object) -> Safe:
    """Text as HTML, made `printable`; line breaks and tabs stay."""
    return Safe(html.escape(printable(str(text), keep="\n\t"), quote=True))


def element(tag: str, /, *children: Child, **attributes: object) -> Safe:
    """An element. ``class_`` is class, other underscores are dashes; None leaves an attribute out."""
    made = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(_inner(child) for child in children)
    if tag in _VOID:
        return Safe(f"<{tag}{made}>")
    return Safe(f"<{tag}{made}>{inside}</{tag}>")


_VOID = ("meta", "br", "hr")


def _inner(child: Child) -> str:
    if isinstance(child, Safe):
        return child
    if isinstance(child, str):
        return escape(child)
    return "".join(_inner(one) for one in child)


def page(title: str, *body: Safe) -> str:
    """A whole page."""
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", title),
        Safe(f"<style>{_style()}</style>"),
    )
    return (
        "<!DOCTYPE html>\n" + element("html", head, element("body", element("main", *body)), lang="en") + "\n"
    )


def _style() -> str:
    return (resources.files("soulread.report") / "page.css").read_text(encoding="utf-8")


def section(title: str, *body: Safe, lead: str = "") -> Safe:
    """A part of a page with a heading, and a sentence under it."""
    intro = [element("p", lead, class_="lead")] if lead else []
    return element("section", element("h2", title), *intro, *body)


def table(
    columns: Sequence[str],
    rows: Iterable[Sequence[object]],
    drawn: Sequence[Safe] = (),
    *,
    wide: Sequence[int] = (),
    few: Sequence[bool] = (),
) -> Safe:
    """A table with a heading for each column, and a drawing at the end of each row if any are given.

    Columns whose numbers are in ``wide`` are left out on narrow screens. Rows that are ``few`` are pale.
    """
    classes = dict.fromkeys(wide, "wide")
    if drawn:
        classes[len(columns) - 1] = "draw"

    def line(tag: str, cells: Iterable[object], kind: str | None = None) -> Safe:
        shown = (cell if isinstance(cell, str) else str(cell) for cell in cells)
        return element(
            "tr", *(element(tag, cell, class_=classes.get(i)) for i, cell in enumerate(shown)), class_=kind
        )

    body = [
        line("td", (*row, *drawn[i : i + 1]), "few" if few and few[i] else None) for i, row in enumerate(rows)
    ]
    return element("table", element("thead", line("th", columns)), element("tbody", *body))


def tile(name: str, value: str, *under: str) -> Safe:
    """A large number with its name above, and lines of small print under it."""
    first, *others = under
    lines = (part for text in others for part in (element("br"), text))
    return element(
        "div",
        element("span", name, class_="name"),
        element("b", value),
        element("span", first, *lines, class_="sub"),
        class_="tile",
    )


def percent(rate: float, digits: int | None = None) -> str:
    """A rate in percent; below ten percent with one digit after the point."""
    if digits is None:
        digits = 1 if abs(rate) < 0.0995 else 0
    return f"{100 * rate:.{digits}f}%"


# Drawings -----------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{value:.1f}".rstrip("0").rstrip(".")


def spread_drawing(
    curve: tuple[Sequence[float], Sequence[float]] | None,
    middle: tuple[float, float],
    label: str,
    *,
    player: tuple[float, float, float] | None = None,
    marks: Sequence[float] = (),
    sure: bool = False,
    width: int = 240,
    height: int = 34,
    numbers: bool = False,
) -> Safe:
    """The spread of a pool as a hill, its middle half darker, over a line.

    Under it come a ``player`` (rate, low and high end of the interval) as a bar with a dot, and a mark for
    each rate of ``marks``.
    """
    rates: list[float] = [*marks, *(player or ()), *(curve[0] if curve is not None else ())]
    first, last = min(rates), max(rates)
    room = max(last - first, 1e-6)
    first, last = max(0.0, first - 0.03 * room), min(1.0, last + 0.03 * room)
    base = height - (23 if numbers else 9)

    def x(rate: float) -> float:
        return 4 + (width - 8) * (rate - first) / max(last - first, 1e-9)

    drawn: list[Safe] = []
    if curve is not None:
        points = [(x(rate), base - (base - 3) * tall) for rate, tall in zip(*curve, strict=True)]
        drawn.append(_hill(points, base, "hill"))
        inner = [p for p, rate in zip(points, curve[0], strict=True) if middle[0] <= rate <= middle[1]]
        if len(inner) > 1:
            drawn.append(_hill(inner, base, "hill-middle"))
    drawn.append(element("line", x1=4, x2=width - 4, y1=base, y2=base, class_="axis"))
    drawn += [_line(x(mark), x(mark), base + 3, height - 2, "rug") for mark in marks]
    if player is not None:
        rate, low, high = player
        kind = "sure" if sure else "plain"
        y = base + 4.5
        drawn.append(_line(x(low), x(high), y, y, f"interval {kind}"))
        drawn.append(element("circle", cx=_number(x(rate)), cy=y, r=3.4, class_=f"dot {kind}"))
        if numbers:
            ends = [(x(end), percent(end), "") for end in middle]
            drawn += _ticks([(x(rate), percent(rate), kind), *ends], height)
    return _drawing(label, drawn, width, height, "strip")


def _drawing(label: str, drawn: Iterable[Safe], width: float, height: float, kind: str) -> Safe:
    box = f"0 0 {width} {height}"
    return element("svg", element("title", label), *drawn, viewBox=box, class_=kind, role="img")


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> Safe:
    return element("line", x1=_number(x1), x2=_number(x2), y1=y1, y2=y2, class_=kind)


def _ticks(wanted: Sequence[tuple[float, str, str]], height: int) -> list[Safe]:
    """Numbers below a drawing, the first ones first; those that would touch an earlier one are left out."""
    made, taken = [], list[tuple[float, float]]()
    for x, text, kind in wanted:
        half = 3.6 * len(text)
        if all(abs(x - other) > half + width for other, width in taken):
            taken.append((x, half))
            made.append(element("text", text, x=_number(x), y=height - 3, class_=f"tick {kind}".strip()))
    return made


def _hill(points: Sequence[tuple[float, float]], base: float, name: str) -> Safe:
    ring = [(points[0][0], base), *points, (points[-1][0], base)]
    return element("polygon", points=_points(ring), class_=name)


def interval_drawings(
    rows: Sequence[tuple[float, float, float] | None], labels: Sequence[str], *, width: int = 260
) -> list[Safe]:
    """Means with intervals on one common scale with a line at zero; None leaves a gap."""
    known = [abs(end) for row in rows if row is not None for end in row[1:] if math.isfinite(end)]
    reach = max(known, default=1.0) * 1.05 or 1.0

    def x(value: float) -> float:
        return width / 2 * (1 + max(-1.0, min(1.0, value / reach)) * 0.97)

    made = []
    for row, label in zip(rows, labels, strict=True):
        drawn = [element("line", x1=width / 2, x2=width / 2, y1=0, y2=18, class_="zero")]
        if row is not None:
            mean, low, high = row
            kind = "good" if low > 0 else "bad" if high < 0 else "plain"
            drawn.append(_line(x(low), x(high), 9, 9, f"interval {kind}"))
            drawn.append(element("circle", cx=_number(x(mean)), cy=9, r=3.6, class_=f"dot {kind}"))
        made.append(_drawing(label, drawn, width, 18, "strip"))
    return made


_DASHES = None, "7 3", "8 3 2 3", "2 3"  # of the curves of a chart


def line_chart(panel: Panel, *, width: int = 920, height: int = 380) -> Safe:
    """Curves with their bands over one pair of axes, in the reader's choice of light or dark."""
    xs = [x for curve in panel.curves for x in curve.x]
    ys = [y for curve in panel.curves for y in (*curve.y, *curve.low, *curve.high)]
    left, low, high = 64, min(ys, default=0.0), max(ys, default=1.0)
    first, last = min(xs, default=0.0), max(xs, default=1.0)
    top, bottom = 24 + 17 * len(panel.curves), height - 38

    def at(x: float, y: float) -> tuple[float, float]:
        across = left + (width - left - 14) * (x - first) / (last - first or 1.0)
        return across, bottom - (bottom - top) * (y - low) / (high - low or 1.0)

    drawn: list[Safe] = []
    for tick in _round_numbers(low, high):
        y = at(first, tick)[1]
        drawn.append(_line(left, width - 14, y, y, "axis" if tick else "zero"))
        drawn.append(element("text", f"{tick:,.10g}", x=left - 8, y=_number(y + 4), text_anchor="end"))
    for tick in _round_numbers(first, last):
        place = _number(at(tick, low)[0])
        drawn.append(element("text", f"{tick:,.10g}", x=place, y=bottom + 17, text_anchor="middle"))
    drawn.append(element("text", panel.x_label, x=width - 14, y=height - 5, text_anchor="end"))
    drawn.append(element("text", panel.y_label, x=left, y=top - 8, text_anchor="end"))
    for i, curve in enumerate(panel.curves):
        stroke = {"stroke": curve.colour or COLOURS[i % len(COLOURS)], "stroke_width": 2, "fill": "none"}
        dash = _DASHES[i % len(_DASHES)]
        if curve.low:
            ring = [
                *zip(curve.x, curve.low, strict=True),
                *reversed([*zip(curve.x, curve.high, strict=True)]),
            ]
            fill = {"fill": stroke["stroke"], "fill_opacity": 0.16}
            drawn.append(element("polygon", points=_points(at(x, y) for x, y in ring), **fill))
        line = _points(at(x, y) for x, y in zip(curve.x, curve.y, strict=True))
        drawn.append(element("polyline", points=line, stroke_dasharray=dash, **stroke))
        y = 16 + 17 * i
        drawn.append(element("line", x1=left, x2=left + 30, y1=y, y2=y, stroke_dasharray=dash, **stroke))
        drawn.append(element("text", curve.label, x=left + 38, y=y + 4))
    return _drawing(panel.title, drawn, width, height, "chart")


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in points)


def _round_numbers(low: float, high: float) -> list[float]:
    """Some round numbers from low to high, and 0 if it is among them."""
    room = (high - low) / 6
    if not 0 < room < math.inf:
        return [low]
    unit = 10.0 ** math.floor(math.log10(room))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= room)
    return [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


_CELL = 20


def range_grid(shades: Sequence[float], cells: Sequence[str], names: Sequence[str], label: str) -> Safe:
    """A 13 x 13 grid of hands: ``shades`` from 0 to 1, a text for each of the ``cells``, and their names."""
    drawn = []
    for i, (share, text, name) in enumerate(zip(shades, cells, names, strict=True)):
        row, column = divmod(i, 13)
        x, y, side = column * _CELL, row * _CELL, _CELL - 1
        square = {"x": x, "y": y, "width": side, "height": side, "rx": 2}
        kind = "cell pair" if row == column else "cell"
        drawn.append(element("rect", element("title", f"{name}: {text}"), **square, class_=kind))
        if share > 0:
            drawn.append(element("rect", **square, class_="heat", fill_opacity=f"{0.18 + 0.82 * share:.2f}"))
        strong = "cell-name on" if share > 0.45 else "cell-name"
        drawn.append(element("text", name, x=x + side / 2, y=y + _CELL / 2 + 1.8, class_=strong))
    return _drawing(label, drawn, 13 * _CELL, 13 * _CELL, "grid")
