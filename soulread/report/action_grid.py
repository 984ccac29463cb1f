"""A range by action: for each class of holdings how much of it is there, and what it does.

A bar is as high as the part of the holding that has come here, beside the holding of which most has, and each
action is as wide as it is likely. Colours are those of all of soulread: a fold is blue, a check or a call
green, and bets go from amber to red by size.
"""

from collections.abc import Sequence

from soulread.report.drawings import Shape, Sketch, shape
from soulread.words import percent

BETS = 4  # colours of bets, from the smallest to the largest
_CELL = 20


def action_kinds(actions: Sequence[int]) -> list[str]:
    """The kind of each of some actions, as games number them: "fold", "call", "bet1" to "bet4" by size."""
    raises = sorted(action for action in actions if action > 1)
    return [
        ("fold", "call")[action] if action < 2 else f"bet{_colour(raises.index(action), len(raises))}"
        for action in actions
    ]


def _colour(place: int, count: int) -> int:
    """The colour of the raise at a ``place`` among ``count``: one alone is in the middle."""
    return 2 if count == 1 else 1 + round(place * (BETS - 1) / (count - 1))


def action_grid(
    names: Sequence[str],
    reach: Sequence[float],
    chances: Sequence[Sequence[float]],
    actions: Sequence[tuple[str, str]],
    label: str,
    *,
    columns: int = 13,
    marked: Sequence[int] = (),
) -> Sketch:
    """A grid of classes of holdings, row by row.

    ``reach`` says for each class how much of it is left, from 0 to 1; ``chances[action][class]`` what it
    does, or nothing if that is not known. ``actions`` are a kind (`action_kinds`) and a name each. Cells that
    are ``marked`` get a frame.
    """
    cells: list[Shape] = []
    texts: list[Shape] = []
    bars: dict[str, list[str]] = {}
    most = max(reach, default=0.0) or 1.0
    side = _CELL - 1
    for i, (name, left) in enumerate(zip(names, reach, strict=True)):
        row, column = divmod(i, columns)
        x, y = column * _CELL, row * _CELL
        does = [(kind, word, row[i]) for (kind, word), row in zip(actions, chances, strict=True)]
        told = ", ".join(f"{word} {percent(chance, 0)}" for _, word, chance in does if chance >= 0.005)
        title = f"{name}: {percent(left, 0)} of it left" + (f"; {told}" if told and left > 0 else "")
        cells.append(shape("rect", "", title, x=x, y=y, width=side, height=side, class_="cell"))
        if left > 0:
            tall = max(1.0, side * left / most)
            _add_bars(bars, x, y + side - tall, tall, does)
        if i in marked:
            inside = {"x": x + 0.7, "y": y + 0.7, "width": side - 1.4, "height": side - 1.4}
            texts.append(shape("rect", **inside, rx=1.5, class_="mark"))
        kind = "cell-name" if left > 0 else "cell-name gone"
        texts.append(shape("text", name, x=x + 9.5, y=y + 11.8, class_=kind))
    # One path for all bars of a kind: a page would not be quick with a thousand elements.
    drawn = [shape("path", d="".join(parts), class_=kind) for kind, parts in bars.items()]
    rows = -(-len(names) // columns)
    kind = "grid actions" if columns > 6 else f"grid actions few few{min(columns, 6)}"
    shapes = [*cells, *drawn, *texts]
    return Sketch(label, columns * _CELL, rows * _CELL, kind, shapes)


def value_grid(
    names: Sequence[str],
    reach: Sequence[float],
    shades: Sequence[float],
    texts: Sequence[str],
    label: str,
    *,
    columns: int = 13,
) -> Sketch:
    """A grid of classes of holdings with a number each.

    A cell is as high as its ``reach`` and as dark as its shade, both from 0 to 1. Classes without reach have
    no number.
    """
    drawn: list[Shape] = []
    for i, (name, left, shade, text) in enumerate(zip(names, reach, shades, texts, strict=True)):
        row, column = divmod(i, columns)
        x, y, side = column * _CELL, row * _CELL, _CELL - 1
        told = f"{name}: {text}; {percent(left, 0)} of it left" if left > 0 else f"{name}: none of it left"
        drawn.append(shape("rect", "", told, x=x, y=y, width=side, height=side, rx=2, class_="cell"))
        if left > 0:
            tall = max(1.0, side * min(1.0, left))
            place = {"x": x, "y": float(y + side - tall), "width": side, "height": float(tall)}
            opacity = f"{0.1 + 0.5 * min(1.0, max(0.0, shade)):.2f}"
            drawn.append(shape("rect", **place, class_="heat", fill_opacity=opacity))
            drawn.append(shape("text", name, x=x + side / 2, y=y + 8.4, class_="cell-name"))
            drawn.append(shape("text", text, x=x + side / 2, y=y + 15.6, class_="cell-number"))
        else:
            drawn.append(shape("text", name, x=x + side / 2, y=y + _CELL / 2 + 1.8, class_="cell-name gone"))
    return Sketch(label, columns * _CELL, -(-len(names) // columns) * _CELL, "grid actions", drawn)


def _add_bars(
    bars: dict[str, list[str]], x: float, y: float, tall: float, does: list[tuple[str, str, float]]
) -> None:
    """The actions of a class side by side; one bar where it is not known what it does."""
    total = sum(chance for _, _, chance in does)
    shares = [(f"act {kind}", chance / total) for kind, _, chance in does] if total > 0 else [("heat", 1.0)]
    for kind, share in shares:
        wide = (_CELL - 1) * share
        if wide >= 0.05:
            bars.setdefault(kind, []).append(f"M{x:.1f} {y:.1f}h{wide:.1f}v{tall:.1f}h{-wide:.1f}z")
            x += wide


def action_bars(
    rows: Sequence[tuple[str, Sequence[tuple[str, float]]]], label: str, *, width: int = 350
) -> Sketch:
    """Bars below each other, each a name and the shares of its actions by kind; together they are 1."""
    left, tall, gap = 74, 14, 4
    drawn: list[Shape] = []
    for number, (name, shares) in enumerate(rows):
        x, y = float(left), number * (tall + gap)
        drawn.append(shape("text", name, x=0, y=y + tall - 3.5, class_="bar-name"))
        for kind, share in shares:
            wide = (width - left) * share
            if wide < 0.5:
                continue
            drawn.append(shape("rect", x=x, y=y, width=wide, height=tall, class_=f"act {kind}"))
            if wide > 26:
                text = percent(share, 0)
                drawn.append(shape("text", text, x=x + wide / 2, y=y + tall - 3.5, class_="bar-share"))
            x += wide
    return Sketch(label, width, len(rows) * (tall + gap) - gap, "bars", drawn)
