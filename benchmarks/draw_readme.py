"""Draw the picture of README.md: what an answer to a read wins, and what it risks.

    python benchmarks/draw_readme.py [--output docs/pictures/trust.svg]

The stranger and the read are those of `soulread demo`. All numbers are exact for the read, whose hands have a
fixed seed.
"""

import argparse
from pathlib import Path

from matplotlib.ticker import FuncFormatter, NullLocator

import soulread as sr
from soulread.api.given import behaviours_of
from soulread.demo import STRANGER, WATCHED
from soulread.report.figures import BLUE, RED, styled_pyplot

TRUSTS = (0, 0.2, 0.35, 0.5, 0.65, 0.75, 0.85, 0.9, 0.95, 0.98, 1)
LABELS = {
    0: ("trust 0: an equilibrium", (-4, -16), "left"),
    0.5: ("trust 0.5", (-6, 8), "right"),
    0.9: ("trust 0.9", (-6, 8), "right"),
    1: ("trust 1: a best response\nto the read", (-2, -34), "right"),
}


def main() -> None:
    """Compute the answers and draw them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--output", type=Path, default=Path("docs/pictures/trust.svg"))
    wanted = parser.parse_args()
    hands = sr.watch("leduc", STRANGER, hands=WATCHED, seed=1)
    read = sr.fit("tilts", "leduc", hands, player=STRANGER)
    truth = behaviours_of(STRANGER, sr.compiled("leduc"))
    points = {trust: sr.best_response("leduc", read, trust) for trust in TRUSTS}
    risks = [max(pair.exploitability, 0.002) for pair in points.values()]
    gains = [pair.exploitation(truth) for pair in points.values()]
    most = sr.exploitability("leduc", STRANGER)
    with styled_pyplot() as pyplot:
        pyplot.rcParams.update({"svg.fonttype": "none", "font.family": "sans-serif"})
        page, axes = pyplot.subplots(figsize=(7.2, 3.7))
        page.patch.set_facecolor("white")
        axes.plot(risks, gains, "-", color=BLUE, linewidth=2, zorder=2)
        axes.plot(risks, gains, "o", color=BLUE, markersize=4, zorder=3)
        axes.axhline(most, color="#555555", linewidth=1, linestyle=(0, (1, 1.5)))
        axes.annotate(
            f"all that can be won from this stranger: {most:.2f}", (0.002, most), xytext=(0, 4),
            textcoords="offset points", fontsize=9, color="#555555",
        )  # fmt: skip
        for trust, (text, shift, side) in LABELS.items():
            place = list(points).index(trust)
            axes.plot(risks[place], gains[place], "o", color=RED, markersize=8, zorder=4)
            axes.annotate(
                text,
                (risks[place], gains[place]),
                xytext=shift,
                textcoords="offset points",
                ha=side,
                fontsize=10,
            )
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set(xlim=(0.0018, 3.2), ylim=(0, 0.74))
        axes.set_xlabel("what it may lose if the read is wrong, chips a hand (at least 0.002)")
        axes.set_ylabel("what it wins, chips a hand")
        axes.set_title(f"Leduc hold'em: a stranger read in {WATCHED} hands, and answered", loc="left")
        wanted.output.parent.mkdir(parents=True, exist_ok=True)
        kind = wanted.output.suffix[1:]
        page.savefig(wanted.output, format=kind, metadata={"Date": None} if kind == "svg" else {})
    for trust, risk, gain in zip(points, risks, gains, strict=True):
        print(f"trust {trust:4}: wins {gain:.3f}, risks {risk:.3f}")
    print(f"written: {wanted.output}")


if __name__ == "__main__":
    main()
