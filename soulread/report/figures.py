"""Figures: curves with bands, bars with intervals and crosstables, in one style, as SVG and PNG.

A `Figure` is plain data, so it can be written to JSON and drawn elsewhere. Drawing needs matplotlib, from the
extra ``plot``; it is imported when the first figure is drawn. The same data gives the same SVG, byte for
byte, with the same version of matplotlib.
"""

import io
import textwrap
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from soulread.errors import SoulreadError
from soulread.storage.files import verify_writable, write_file
from soulread.words import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Numbers: TypeAlias = tuple[float, ...]
FORMATS = "svg", "png", "pdf"

# Okabe & Ito's colours, which colour-blind readers can tell apart, black last. Each curve also has a line and
# a mark. There is one line and one mark more than colours, so pairs repeat only after 56 curves.
COLOURS = BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7"),
    *("#E69F00", "#56B4E9", "#000000"),
)
_LINES = "-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1, 1, 1)), "-", (0, (1, 1))
_MARKS = "o", "s", "^", "D", "v", "P", "X", "*"

_MANY = 4  # curves; where there are more, each is named at its end, and bands are thin
_NAME = 8  # points, the size of such a name
_LABEL = 10.0  # characters of the names of groups that stand side by side in an inch
_TITLE = 8.5  # characters of a title that fit into an inch

_STYLE: Any = {
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "legend.edgecolor": "none",
    "legend.framealpha": 0.85,
    "lines.linewidth": 1.6,
    "svg.hashsalt": "soulread",
    "svg.fonttype": "none",  # texts stay texts: they can be searched, read aloud and set in another font
    "text.parse_math": False,  # a name with two dollar signs is no formula
}


@dataclass(frozen=True)
class Curve:
    """A line with an optional band; with ``points``, single points with intervals.

    With ``texts`` every point has a mark, and its text beside it where there is room.
    """

    label: str
    x: Numbers
    y: Numbers
    low: Numbers = ()  # of the 95% interval; may be empty
    high: Numbers = ()
    points: bool = False
    texts: tuple[str, ...] = ()  # one for each point; may be empty
    colour: str = ""  # one of `COLOURS`; empty for that of its place


@dataclass(frozen=True)
class Level:
    """A horizontal line: a ceiling, a published number."""

    label: str
    y: float


@dataclass(frozen=True)
class Panel:
    """Curves over one pair of axes; labels carry units. On a logarithmic axis every x must be positive."""

    title: str
    x_label: str
    y_label: str
    curves: tuple[Curve, ...]
    levels: tuple[Level, ...] = ()
    logarithmic: bool = False  # the x axis
    texts_label: str = ""  # what the texts beside the points say
    names: tuple[str, ...] = ()  # of x = 0, 1, ..., written there in place of numbers


@dataclass(frozen=True)
class Bars:
    """One bar of a `BarPanel` for each of its groups; NaN leaves a gap."""

    label: str
    heights: Numbers
    errors: Numbers = ()  # half of the 95% intervals; may be empty


@dataclass(frozen=True)
class BarPanel:
    """Bars in groups, and marks where published numbers are; the label carries the unit."""

    title: str
    y_label: str
    groups: tuple[str, ...]
    bars: tuple[Bars, ...]
    marks: tuple[Bars, ...] = ()  # the i-th belongs to the i-th bars
    marks_label: str = "published"


@dataclass(frozen=True)
class HeatPanel:
    """A crosstable: a cell for each row and column, whose colour says how far above or below zero it is.

    A cell has its text; where ``values`` has NaN it stays empty. The label carries the unit.
    """

    title: str
    label: str  # of the colours
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[Numbers, ...]  # by row
    texts: tuple[tuple[str, ...], ...]  # by row


AnyPanel: TypeAlias = Panel | BarPanel | HeatPanel


class Drawing(ABC):
    """Something that can be drawn: to files, and in a notebook."""

    name: str
    caption: str

    @abstractmethod
    def compose(self, pyplot: Any) -> Any:
        """Return a page of matplotlib, which the caller closes."""

    def save(self, *paths: str | Path) -> None:
        """Draw to files, each whole or not at all; the ending of each says its format: .svg, .png or .pdf."""
        draw(self, [Path(path) for path in paths])

    def __repr__(self) -> str:
        return printable(f"<{type(self).__name__} {self.name!r}: {self.caption.partition(chr(10))[0]}>")

    def _repr_svg_(self) -> str:
        with _page(self) as page:
            return _image(page, "svg").decode()


@dataclass(frozen=True, repr=False)
class Figure(Drawing):
    """Panels in rows of ``columns``; ``name`` becomes a part of the file's name."""

    name: str
    caption: str
    panels: tuple[AnyPanel, ...]
    columns: int = 2

    def compose(self, pyplot: Any) -> Any:
        """Return the panels on one page."""
        columns = min(self.columns, len(self.panels))
        rows = -(-len(self.panels) // columns)
        wide = max(_width(panel) for panel in self.panels)
        high = max(_height(panel) for panel in self.panels)
        page, axes = pyplot.subplots(rows, columns, figsize=(wide * columns, high * rows), squeeze=False)
        shared = _same_curves(self.panels)
        for i, panel in enumerate(self.panels):
            place = axes[i // columns][i % columns]
            if isinstance(panel, Panel):
                _draw_curves(place, panel, legend=not shared)
            elif isinstance(panel, BarPanel):
                _draw_bars(place, panel)
            else:
                _draw_cells(page, place, panel)
        for place in axes.flat[len(self.panels) :]:
            place.set_axis_off()
        page.draw_without_rendering()  # now it is known where every point is
        for place, panel in zip(axes.flat, self.panels, strict=False):
            if isinstance(panel, Panel):
                _write_texts(place, panel)
                _part_names(place, panel)
        if shared:
            lines, labels = max((place.get_legend_handles_labels() for place in axes.flat), key=_count_labels)
            page.legend(lines, labels, loc="outside lower center", ncols=len(labels), fontsize=9)
        return page


@dataclass(frozen=True, eq=False, repr=False)
class GridFigure(Drawing):
    """The 13 x 13 grid of starting hands: each cell a bar of its actions, as high as its weight."""

    name: str
    caption: str
    cells: tuple[str, ...]  # [169] names
    shares: NDArray[np.float64]  # [actions, 169] of each action
    heights: NDArray[np.float64]  # [169] from 0, which is not drawn, to 1
    colours: tuple[tuple[float, float, float], ...]  # of the actions
    labels: tuple[str, ...]  # of the actions

    def compose(self, pyplot: Any) -> Any:
        """Return the grid with its caption above and the actions below."""
        from matplotlib.patches import Rectangle

        page, axes = pyplot.subplots(figsize=(7.6, 8.9))
        for cell, text in enumerate(self.cells):
            row, column = divmod(cell, 13)
            axes.add_patch(Rectangle((column, 12 - row), 1, 1, color=(0.93, 0.93, 0.93)))
            left, height = float(column), float(self.heights[cell])
            for share, colour in zip(self.shares[:, cell], self.colours, strict=True):
                if height > 0 and share > 0:
                    axes.add_patch(Rectangle((left, 12 - row), float(share), height, color=colour))
                    left += float(share)
            axes.text(column + 0.06, 12 - row + 0.94, text, fontsize=7, va="top", ha="left")
        for line in range(14):
            axes.plot([line, line], [0, 13], color="white", linewidth=1)
            axes.plot([0, 13], [line, line], color="white", linewidth=1)
        axes.set_xlim(0, 13)
        axes.set_ylim(0, 13)
        axes.set_aspect("equal")
        axes.set_axis_off()
        axes.set_title(self.caption, fontsize=10)
        shown = [
            Rectangle((0, 0), 1, 1, color=colour, label=label)
            for label, colour in zip(self.labels, self.colours, strict=True)
        ]
        page.legend(handles=shown, loc="outside lower center", ncols=min(len(shown), 4), fontsize=9)
        return page


def draw(figure: Drawing, paths: Sequence[Path]) -> None:
    """Draw to files, each whole or not at all; their suffixes (.svg, .png, .pdf) say the format."""
    for path in paths:
        verify_writable(path, verify_figure(path))
    with _page(figure) as page:
        for path in paths:
            write_file(path, _image(page, verify_figure(path)))


@contextmanager
def _page(figure: Drawing) -> Iterator[Any]:
    """A drawing as a page of matplotlib, its texts made `printable`; it is closed in the end."""
    with styled_pyplot() as pyplot:
        page = _shown(figure).compose(pyplot)
        try:
            yield page
        finally:
            pyplot.close(page)


def _shown(data: Any) -> Any:
    """A drawing, or a part of it, whose texts are `printable`; line breaks stay."""
    if isinstance(data, str):
        return printable(data, keep="\n")
    if isinstance(data, tuple):
        return tuple(map(_shown, data))
    if is_dataclass(data) and not isinstance(data, type):
        return replace(data, **{field.name: _shown(getattr(data, field.name)) for field in fields(data)})
    return data


def _image(page: Any, kind: str) -> bytes:
    """A page of matplotlib as the content of a file that says nothing about when it was made."""
    times: dict[str, Any] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    drawn = io.BytesIO()
    page.savefig(drawn, format=kind, metadata=times.get(kind, {}))
    return drawn.getvalue()


def verify_figure(path: Path) -> str:
    """The format that the ending of a figure's file names, such as "svg"; raises if it names none."""
    kind = path.suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        expected = ", ".join(f".{name}" for name in FORMATS)
        raise SoulreadError(
            f"{str(path)!r} is no name for a figure: the ending says the format; expected one of {expected}"
        )
    return kind


@contextmanager
def styled_pyplot() -> Iterator[Any]:
    """pyplot in the house style, without a screen."""
    try:
        import matplotlib
    except ImportError:
        raise SoulreadError(
            "figures need matplotlib; install the extra 'plot', as in: pip install 'soulread[plot]'"
        ) from None
    matplotlib.use("agg", force=False)
    from matplotlib import pyplot

    with matplotlib.rc_context(_STYLE), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing")  # a name in letters that the font lacks
        yield pyplot


def _width(panel: AnyPanel) -> float:
    if isinstance(panel, HeatPanel):
        return max(5.2, 2.2 + 0.75 * len(panel.columns))
    return 5.2 if isinstance(panel, Panel) else max(5.2, 0.28 * len(panel.groups) * (len(panel.bars) + 1.5))


def _height(panel: AnyPanel) -> float:
    return max(3.6, 1.6 + 0.45 * len(panel.rows)) if isinstance(panel, HeatPanel) else 3.6


def _folded(panel: AnyPanel) -> str:
    """The title in lines that are as wide as the panel."""
    return textwrap.fill(panel.title, int(_TITLE * _width(panel)), break_on_hyphens=False)


def _count_labels(legend: tuple[list[Any], list[Any]]) -> int:
    return len(legend[1])


def _same_curves(panels: Sequence[AnyPanel]) -> bool:
    """Whether one legend below the figure serves all panels.

    That is so if there are several panels, the longest has four curves, and all others have the same curves
    or the first few of them. Colours then mean the same everywhere.
    """
    labels = [[curve.label for curve in panel.curves] if isinstance(panel, Panel) else [] for panel in panels]
    longest = max(labels, key=len)
    alike = all(found and found == longest[: len(found)] for found in labels)
    return len(panels) > 1 and len(longest) == _MANY and alike


def _named_at_ends(panel: Panel) -> bool:
    """Whether curves are named where they end, since a legend of so many would be read line by line."""
    return len(panel.curves) > _MANY and all(curve.x and not curve.points for curve in panel.curves)


def _draw_curves(axes: "Axes", panel: Panel, legend: bool) -> None:
    at_ends = _named_at_ends(panel)
    for i, curve in enumerate(panel.curves):
        colour, line = curve.colour or COLOURS[i % len(COLOURS)], _LINES[i % len(_LINES)]
        if curve.points:
            axes.plot(
                curve.x, curve.y, _MARKS[i % len(_MARKS)], color=colour, label=curve.label, markersize=5
            )
            if curve.low:
                axes.vlines(curve.x, curve.low, curve.high, color=colour, linewidth=1.2)
        else:
            axes.plot(curve.x, curve.y, linestyle=line, color=colour, label=curve.label)
            if curve.low:
                axes.fill_between(
                    curve.x, curve.low, curve.high, color=colour, alpha=0.06 if at_ends else 0.18, linewidth=0
                )
        if curve.texts:
            axes.plot(curve.x, curve.y, _MARKS[i % len(_MARKS)], color=colour, markersize=3.5)
    if panel.logarithmic:
        _make_logarithmic(axes)
    for level in panel.levels:
        axes.axhline(level.y, color="#555555", linewidth=1, linestyle=(0, (1, 1.5)))
        axes.annotate(
            level.label,
            (1, level.y),
            xycoords=("axes fraction", "data"),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            fontsize=8,
            color="#555555",
        )
    axes.set(title=_folded(panel), xlabel=panel.x_label, ylabel=panel.y_label)
    if panel.names:
        few = len(panel.names) <= 8
        turn: Any = {"rotation": 25, "ha": "right"} if few else {"rotation": 90, "ha": "center"}
        axes.set_xticks(range(len(panel.names)), panel.names, fontsize=7, **turn)
        axes.set_xlim(-0.6, len(panel.names) - 0.4)
        axes.grid(axis="x", visible=False)
    if panel.texts_label:
        axes.plot([], [], " ", label=panel.texts_label)  # a line of the legend without a mark
    if at_ends:
        _name_ends(axes, panel)
    elif legend and (len(panel.curves) > 1 or panel.texts_label):
        axes.legend(loc="best", fontsize=8)  # named, or a slow machine is warned of it


def _name_ends(axes: "Axes", panel: Panel) -> None:
    """Write the name of every curve right of the axes, with a thin line to the end of the curve."""
    for i, curve in enumerate(panel.curves):
        colour = curve.colour or COLOURS[i % len(COLOURS)]
        axes.annotate(
            curve.label,
            (curve.x[-1], curve.y[-1]),
            xytext=(1.04, 0.5),
            textcoords="axes fraction",
            va="center",
            fontsize=_NAME,
            color="#222222",
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 1, "shrinkB": 0},
        )


def _part_names(axes: "Axes", panel: Panel) -> None:
    """Move the names at the ends of curves up and down until none covers another, in the order of ends."""
    if not _named_at_ends(panel):
        return
    names = axes.texts[-len(panel.curves) :]
    frame = axes.get_window_extent()
    dpi = axes.figure.dpi
    step = 1.25 * _NAME * dpi / 72 / frame.height
    ends = axes.transData.transform([(curve.x[-1], curve.y[-1]) for curve in panel.curves])[:, 1]
    heights = spread((ends - frame.y0) / frame.height, step)
    for name, height in zip(names, heights, strict=True):
        name.set_position((1.04, height))


def spread(places: NDArray[np.float64], step: float) -> NDArray[np.float64]:
    """Places at least ``step`` apart, in the same order and as near to where they were as possible.

    Places that are too close become a block around their mean. The block grows while it touches another.
    """
    order = np.argsort(places, kind="stable")
    blocks: list[list[float]] = []  # of each: the mean of its places, and how many
    for place in places[order]:
        blocks.append([float(place), 1])
        while len(blocks) > 1 and _begin(blocks[-2], step) + step * blocks[-2][1] > _begin(blocks[-1], step):
            mean, number = blocks.pop()
            first, before = blocks[-1]
            blocks[-1] = [(first * before + mean * number) / (before + number), before + number]
    found = np.empty(len(places))
    parted = [_begin(block, step) + step * i for block in blocks for i in range(int(block[1]))]
    found[order] = parted
    return found


def _begin(block: list[float], step: float) -> float:
    """The lowest place of a block around its mean."""
    mean, number = block
    return mean - step * (number - 1) / 2


def _make_logarithmic(axes: "Axes") -> None:
    """A logarithmic x axis with plain numbers at 1, 2 and 5 times the powers of ten."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(10, subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}" if x >= 1 else f"{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


_PLACES = (3, 3), (3, -9), (-3, 3), (-3, -9), (6, -3), (-6, -3), (0, 7), (0, -13)  # points beside a mark


def _write_texts(axes: "Axes", panel: Panel) -> None:
    """The texts beside the points, each where it hides no mark and no other text, and no line if possible.

    The ends of every curve come first and are written in any case. A text between them that finds no free
    place is left out.
    """
    from matplotlib.path import Path as Line
    from matplotlib.transforms import Bbox

    curves = [curve for curve in panel.curves if curve.texts]
    if not curves:
        return
    drawn = [axes.transData.transform(list(zip(c.x, c.y, strict=True))) for c in panel.curves if c.x]
    taken = [Bbox.from_bounds(x - 4, y - 4, 8, 8) for points in drawn for x, y in points]
    lines = [Line(points) for points in drawn]
    legend = axes.get_legend()
    if legend is not None:
        taken.append(legend.get_window_extent())
    wanted = [
        (0 < k < len(curve.texts) - 1, i, k)
        for i, curve in enumerate(curves)
        for k in range(len(curve.texts))
    ]
    for between, i, k in sorted(wanted):
        curve = curves[i]
        text = axes.annotate(
            curve.texts[k],
            (curve.x[k], curve.y[k]),
            xytext=_PLACES[0],
            textcoords="offset points",
            fontsize=6.5,
            color=curve.colour or COLOURS[panel.curves.index(curve) % len(COLOURS)],
        )
        free = []
        for number, (x, y) in enumerate(_PLACES):
            text.set(position=(x, y), ha="left" if x > 0 else "right" if x < 0 else "center")
            box = text.get_window_extent()
            if not any(box.overlaps(other) for other in taken):
                free.append((any(line.intersects_bbox(box, filled=False) for line in lines), number))
        if between and not free:
            text.remove()
            continue
        x, y = _PLACES[min(free)[1] if free else 0]
        text.set(position=(x, y), ha="left" if x > 0 else "right" if x < 0 else "center")
        taken.append(text.get_window_extent())


def _draw_bars(axes: "Axes", panel: BarPanel) -> None:
    width = 0.8 / len(panel.bars)
    for i, bars in enumerate(panel.bars):
        places = [group - 0.4 + width * (i + 0.5) for group in range(len(panel.groups))]
        axes.bar(
            places,
            bars.heights,
            width * 0.92,
            yerr=bars.errors or None,
            color=COLOURS[i % len(COLOURS)],
            label=bars.label,
            error_kw={"elinewidth": 1, "ecolor": "#333333"},
        )
        if i < len(panel.marks):
            axes.plot(
                places,
                panel.marks[i].heights,
                linestyle="none",
                marker="_",
                markersize=9,
                markeredgewidth=2,
                color="black",
                label=panel.marks_label if i == 0 else None,
            )
    axes.axhline(0, color="#333333", linewidth=0.8)
    longest = max(len(line) for group in panel.groups for line in group.split("\n"))
    fits = longest * len(panel.groups) <= _LABEL * _width(panel)
    turn: Any = {} if fits else {"rotation": 25, "ha": "right", "fontsize": 8}
    axes.set_xticks(range(len(panel.groups)), panel.groups, **turn)
    axes.grid(axis="x", visible=False)
    axes.margins(y=0.16)  # room for the legend
    axes.set(title=_folded(panel), ylabel=panel.y_label)
    axes.legend(fontsize=8, ncols=2)


def _draw_cells(page: Any, axes: "Axes", panel: HeatPanel) -> None:
    from matplotlib.colors import LinearSegmentedColormap

    values = np.array(panel.values, dtype=np.float64)
    known = np.abs(values[np.isfinite(values)])
    limit = float(known.max()) if known.size and known.max() > 0 else 1.0
    colours = LinearSegmentedColormap.from_list("below and above", [RED, "#ffffff", BLUE])
    drawn = axes.imshow(values, cmap=colours, vmin=-limit, vmax=limit, aspect="auto")
    for row, column in np.argwhere(np.isfinite(values)).tolist():
        dark = abs(values[row, column]) > 0.6 * limit
        text = panel.texts[row][column]
        axes.text(column, row, text, ha="center", va="center", fontsize=7, color="white" if dark else "black")
    axes.set_xticks(range(len(panel.columns)), panel.columns, fontsize=7, rotation=25, ha="right")
    axes.set_yticks(range(len(panel.rows)), panel.rows, fontsize=7)
    axes.grid(visible=False)
    axes.set_title(_folded(panel))
    page.colorbar(drawn, ax=axes, label=panel.label)
