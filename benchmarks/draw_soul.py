"""Draw gain against hands from stores of `gain_curves.py`: Leduc, exact values, up to 3,000 hands.

    python benchmarks/gain_curves.py STORE soul learner oracle --hands 3000 [--families simple complex ...]
    python benchmarks/draw_soul.py STORE OUTPUT [--agents soul learner oracle] [--hands 3000] [--label TEXT]
                                   [--families simple complex ...]

OUTPUT is the file of the figure, .svg, .png or .pdf; several may be given, divided by commas. One panel for
each family. Curves are means over opponents and matches, with 95% intervals; the promise of `soul` is drawn
with the interval that it gave itself. Beside them stand the equilibrium (zero), the best response, and the
perfect read within the budget.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from soulread.errors import SoulreadError
from soulread.estimate import Estimate
from soulread.report.figures import Curve, Figure, Level, Panel, draw
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.ours.zoo_curves import bins

STEP = 10  # hands between two values of a store
MILLIBETS = 500  # per chip
LEAST = 1.0  # mb/g; a limit below this is the line of the equilibrium

Row = dict[str, Any]


def rows_of(store: Path, label: str, hands: int) -> dict[tuple[str, str], list[Row]]:
    """The matches of a store by agent and family."""
    found: dict[tuple[str, str], list[Row]] = {}
    for line in store.read_text().splitlines():
        row = json.loads(line)
        wanted, agent, family, _, _, count = json.loads(row["key"])
        if (wanted, count) == (label, hands):
            found.setdefault((agent, family), []).append(row)
    return found


def values_of(rows: list[Row], name: str) -> np.ndarray:
    """A series of all matches, mb/g ``[matches, steps]``; the first value is from before the first hand."""
    return MILLIBETS * np.array([row[name] for row in rows])[:, 1:]


def panel_of(found: dict[tuple[str, str], list[Row]], family: str, agents: list[str], hands: int) -> Panel:
    """The curves of one family."""
    parts = list(bins(hands))
    curves = []
    for agent in agents:
        rows = found.get((agent, family), [])
        if rows:
            gains = values_of(rows, "gains")
            points = [
                (last, Estimate.of(gains[:, first // STEP : last // STEP].mean(axis=1)))
                for first, last in parts
            ]
            curves.append(curve_of(agent, points))
        if agent.startswith("soul") and rows:
            mean, low, high = (
                [float(values[:, first // STEP : last // STEP].mean()) for first, last in parts]
                for values in (values_of(rows, name) for name in ("promises", "low", "high"))
            )
            if np.isfinite([*mean, *low, *high]).all():
                ends = tuple(float(last) for _, last in parts)
                curves.append(Curve(f"{agent}, promised", ends, tuple(mean), tuple(low), tuple(high)))
    levels = [Level("equilibrium", 0.0)]
    some = next(rows for (_, name), rows in found.items() if name == family)
    for label, name in (("best response", "best"), ("perfect read within the budget", "within")):
        most = MILLIBETS * float(np.mean([row[name] for row in some]))
        if most >= LEAST:
            levels.append(Level(label, most))
    count = len({row["name"] for row in some})
    return Panel(
        f"{family} ({count})",
        "hands",
        "gain over the equilibrium, mb/g",
        tuple(curves),
        tuple(levels),
        logarithmic=True,
    )


def figure_of(
    found: dict[tuple[str, str], list[Row]], agents: list[str], hands: int, families: list[str]
) -> Figure:
    """The figure; families in the order of the store, or those that are named."""
    known = list(dict.fromkeys(family for _, family in found))
    panels = [panel_of(found, family, agents, hands) for family in families or known if family in known]
    if not panels:
        raise SoulreadError(f"the store has no matches of {hands} hands with this label")
    caption = "Gain over the equilibrium in Leduc as a match goes on, exact values, with 95% intervals."
    return Figure("curves", caption, tuple(panels))


def main(arguments: list[str] | None = None) -> None:
    """Read, draw, and say what was written."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("store", type=Path)
    parser.add_argument("output")
    parser.add_argument("--agents", nargs="*", default=["soul", "learner", "oracle"])
    parser.add_argument("--hands", type=int, default=3000)
    parser.add_argument("--label", default="")
    parser.add_argument("--families", nargs="*", default=[])
    chosen = parser.parse_args(arguments)
    found = rows_of(chosen.store, chosen.label, chosen.hands)
    paths = [Path(text) for text in chosen.output.split(",")]
    draw(figure_of(found, chosen.agents, chosen.hands, chosen.families), paths)
    print(f"written: {', '.join(map(str, paths))}")


if __name__ == "__main__":
    main()
