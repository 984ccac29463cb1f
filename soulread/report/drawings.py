"""Small drawings of pages, in SVG: where things are is computed here, `report/drawing.html` writes them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from soulread.report.figures import COLOURS, Panel
from soulread.report.html import render
from soulread.words import percent

Point = tuple[float, float]


@dataclass(frozen=True)
class Shape:
    """An element of a drawing: its attributes by their names in SVG, a text, and a title for the pointer."""

    tag: str
    attributes: dict[str, object]
    text: str = ""
    title: str = ""


@dataclass(frozen=True)
class Sketch:
    """A drawing with its name for those who do not see it; pages write it by naming it."""

    label: str
    width: float
    height: float
    kind: str  # class of the element
    shapes: Sequence[Shape] = field(repr=False)

    def __html__(self) -> Markup:
        return render("report/drawing.html", drawing=self)


def shape(tag: str, text: str = "", title: str = "", /, **attributes: object) -> Shape:
    """A shape. ``class_`` is class, other underscores are dashes; None leaves an attribute out.

    Numbers are written with one digit after the point at most.
    """
    made = {
        name.rstrip("_").replace("_", "-"): _number(value) if isinstance(value, float) else value
        for name, value in attributes.items()
        if value is not None
    }
    return Shape(tag, made, text, title)


def line(start: Point, end: Point, kind: str) -> Shape:
    """A line between two points."""
    return shape("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], class_=kind)


def points(given: Iterable[Point]) -> str:
    """The points of a polygon or polyline."""
    return " ".join(f"{_number(x)},{_number(y)}" for x, y in given)


def _number(value: float) -> str:
    text = f"{value:.1f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


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
) -> Sketch:
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

    drawn: list[Shape] = []
    if curve is not None:
        outline = [(x(rate), base - (base - 3) * tall) for rate, tall in zip(*curve, strict=True)]
        drawn.append(_hill(outline, base, "hill"))
        inner = [p for p, rate in zip(outline, curve[0], strict=True) if middle[0] <= rate <= middle[1]]
        if len(inner) > 1:
            drawn.append(_hill(inner, base, "hill-middle"))
    drawn.append(line((4, base), (width - 4, base), "axis"))
    drawn += [line((x(mark), base + 3), (x(mark), height - 2), "rug") for mark in marks]
    if player is not None:
        rate, low, high = player
        kind = "sure" if sure else "plain"
        y = base + 4.5
        drawn.append(line((x(low), y), (x(high), y), f"interval {kind}"))
        drawn.append(shape("circle", cx=x(rate), cy=y, r=3.4, class_=f"dot {kind}"))
        if numbers:
            ends = [(x(end), percent(end), "") for end in middle]
            drawn += _ticks([(x(rate), percent(rate), kind), *ends], height)
    return Sketch(label, width, height, "strip", drawn)


def _ticks(wanted: Sequence[tuple[float, str, str]], height: int) -> list[Shape]:
    """Numbers below a drawing, the first ones first; those that would touch an earlier one are left out."""
    made, taken = [], list[tuple[float, float]]()
    for x, text, kind in wanted:
        half = 3.6 * len(text)
        if all(abs(x - other) > half + width for other, width in taken):
            taken.append((x, half))
            made.append(shape("text", text, x=x, y=height - 3, class_=f"tick {kind}".strip()))
    return made


def _hill(outline: Sequence[Point], base: float, name: str) -> Shape:
    ring = [(outline[0][0], base), *outline, (outline[-1][0], base)]
    return shape("polygon", points=points(ring), class_=name)


def interval_drawings(
    rows: Sequence[tuple[float, float, float] | None], labels: Sequence[str], *, width: int = 260
) -> list[Sketch]:
    """Means with intervals on one common scale with a line at zero; None leaves a gap."""
    known = [abs(end) for row in rows if row is not None for end in row[1:] if math.isfinite(end)]
    reach = max(known, default=1.0) * 1.05 or 1.0

    def x(value: float) -> float:
        return width / 2 * (1 + max(-1.0, min(1.0, value / reach)) * 0.97)

    made = []
    for row, label in zip(rows, labels, strict=True):
        drawn = [line((width / 2, 0), (width / 2, 18), "zero")]
        if row is not None:
            mean, low, high = row
            kind = "good" if low > 0 else "bad" if high < 0 else "plain"
            drawn.append(line((x(low), 9), (x(high), 9), f"interval {kind}"))
            drawn.append(shape("circle", cx=x(mean), cy=9, r=3.6, class_=f"dot {kind}"))
        made.append(Sketch(label, width, 18, "strip", drawn))
    return made


_DASHES = None, "7 3", "8 3 2 3", "2 3"  # of the curves of a chart


def line_chart(panel: Panel, *, width: int = 920, height: int = 380) -> Sketch:
    """Curves with their bands over one pair of axes, in the reader's choice of light or dark."""
    xs = [x for curve in panel.curves for x in curve.x]
    ys = [y for curve in panel.curves for y in (*curve.y, *curve.low, *curve.high)]
    left, low, high = 64, min(ys, default=0.0), max(ys, default=1.0)
    first, last = min(xs, default=0.0), max(xs, default=1.0)
    top, bottom = 24 + 17 * len(panel.curves), height - 38

    def at(x: float, y: float) -> Point:
        across = left + (width - left - 14) * (x - first) / (last - first or 1.0)
        return across, bottom - (bottom - top) * (y - low) / (high - low or 1.0)

    drawn: list[Shape] = []
    for tick in round_numbers(low, high):
        y = at(first, tick)[1]
        drawn.append(line((left, y), (width - 14, y), "axis" if tick else "zero"))
        drawn.append(shape("text", f"{tick:,.10g}", x=left - 8, y=y + 4, text_anchor="end"))
    for tick in round_numbers(first, last):
        place = at(tick, low)[0]
        drawn.append(shape("text", f"{tick:,.10g}", x=place, y=bottom + 17, text_anchor="middle"))
    drawn.append(shape("text", panel.x_label, x=width - 14, y=height - 5, text_anchor="end"))
    drawn.append(shape("text", panel.y_label, x=left, y=top - 8, text_anchor="end"))
    for i, curve in enumerate(panel.curves):
        colour = curve.colour or COLOURS[i % len(COLOURS)]
        dash = _DASHES[i % len(_DASHES)]
        if curve.low:
            ring = [
                *zip(curve.x, curve.low, strict=True),
                *reversed([*zip(curve.x, curve.high, strict=True)]),
            ]
            band = points(at(x, y) for x, y in ring)
            drawn.append(shape("polygon", points=band, fill=colour, fill_opacity="0.16"))
        stroke = {"stroke": colour, "stroke_width": 2, "fill": "none", "stroke_dasharray": dash}
        along = points(at(x, y) for x, y in zip(curve.x, curve.y, strict=True))
        drawn.append(shape("polyline", points=along, **stroke))
        y = 16 + 17 * i
        drawn.append(shape("line", x1=left, x2=left + 30, y1=y, y2=y, **stroke))
        drawn.append(shape("text", curve.label, x=left + 38, y=y + 4))
    return Sketch(panel.title, width, height, "chart", drawn)


def round_numbers(low: float, high: float) -> list[float]:
    """Some round numbers from low to high, and 0 if it is among them."""
    room = (high - low) / 6
    if not 0 < room < math.inf:
        return [low]
    unit = 10.0 ** math.floor(math.log10(room))
    step = next(unit * times for times in (1, 2, 5, 10) if unit * times >= room)
    return [step * k for k in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


_CELL = 20


def range_grid(shades: Sequence[float], cells: Sequence[str], names: Sequence[str], label: str) -> Sketch:
    """A 13 x 13 grid of hands: ``shades`` from 0 to 1, a text for each of the ``cells``, and their names."""
    drawn = []
    for i, (share, text, name) in enumerate(zip(shades, cells, names, strict=True)):
        row, column = divmod(i, 13)
        x, y, side = column * _CELL, row * _CELL, _CELL - 1
        square = {"x": x, "y": y, "width": side, "height": side, "rx": 2}
        kind = "cell pair" if row == column else "cell"
        drawn.append(shape("rect", "", f"{name}: {text}", **square, class_=kind))
        if share > 0:
            drawn.append(shape("rect", **square, class_="heat", fill_opacity=f"{0.18 + 0.82 * share:.2f}"))
        strong = "cell-name on" if share > 0.45 else "cell-name"
        drawn.append(shape("text", name, x=x + side / 2, y=y + _CELL / 2 + 1.8, class_=strong))
    return Sketch(label, 13 * _CELL, 13 * _CELL, "grid", drawn)
