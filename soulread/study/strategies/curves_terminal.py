"""Curves of reward and risk: printed and drawn."""

from pathlib import Path

from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.report.grid import Grid, console, titled
from soulread.study.strategies.curves import METHODS, CurveStudy
from soulread.words import plural


def print_curve(study: CurveStudy) -> None:
    """Print one row for each parameter."""
    real = () if study.subject.real is None else ("from the opponent",)
    unseen = ("from held-out hands",) if study.held_out else ()
    parameter = "P_max" if study.method == "dbr" else "p"
    table = Grid(parameter, "wins from the model", *unseen, *real, "loses at worst", "gap", "seconds")
    for i, point in enumerate(study.frontier.points):
        cells = [f"{point.against_model * study.scale:z,.2f}"]
        if study.held_out:
            cells.append(study.held_out[i].scaled(study.scale).text(0))
        amounts = point.against_opponent, point.exploitability, point.gap
        cells += [f"{amount * study.scale:z,.2f}" for amount in amounts if amount is not None]
        table.add_row(f"{point.p:g}", *cells, f"{point.seconds:.1f}")
    console.print(titled(study.title, table))
    console.print(
        f"All amounts in {study.unit.value}, beyond the value of the game, the mean of both seats. Those "
        "without an interval are exact but for the gap to which each restricted game was solved.",
        style="dim",
    )
    if study.held_out:
        parts, hands = len(study.subject.parts), study.held_out[0].n
        console.print(
            "The model was made from these hands, so what is won from it is too good. Held-out: the hands "
            f"are cut into {parts} parts, and answers to a model of the others are valued in each; n = "
            f"{plural(hands, 'hand')}, and ± is half the 95% interval. Where a part shows nothing, the "
            "opponent is taken to play the equilibrium, which makes this worth rather too low.",
            style="dim",
        )
    if study.subject.hidden_games:
        console.print(_HIDDEN, style="dim")


_TRUST = {
    "rnr": "numbers: p, trust in the model\n(0: equilibrium, 1: best response)",
    "dbr": "numbers: P_max, greatest trust in the model",
    "mix": "numbers: p, share of hands played\nby the best response",
}

_HIDDEN = (
    "The model learns only from hands in which the opponent's cards are known. Folded hands are missing, so "
    "the opponent seems to fold less, and to hold better cards, than in truth; in held-out hands as well."
)


def draw_curve(study: CurveStudy, path: Path) -> None:
    """Draw exploitation over exploitability to a file; its suffix says the format."""
    points = study.frontier.points
    curves = [("against the model", [point.against_model for point in points])]
    if study.subject.observations is not None and study.subject.real is not None:
        real = [point.against_opponent or 0.0 for point in points]
        curves.append((f"against {study.subject.name}", real))
    if study.held_out:
        curves.append(("in held-out hands", [worth.mean for worth in study.held_out]))
    panel = Panel(
        f"{study.game}: {METHODS[study.method]} to {study.subject.name}",
        f"exploitability ({study.unit.value})",
        f"exploitation ({study.unit.value})",
        tuple(
            Curve(
                label,
                tuple(point.exploitability * study.scale for point in points),
                tuple(amount * study.scale for amount in won),
                texts=tuple(f"{point.p:g}" for point in points),
            )
            for label, won in curves
        ),
        texts_label=_TRUST[study.method],
    )
    draw(Figure("curve", study.title, (panel,)), [path])
