"""Curves of reward and risk: printed and drawn."""

from soulread.report.grid import Grid, console, titled
from soulread.study.strategies.curves import CurveStudy
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


_HIDDEN = (
    "The model learns only from hands in which the opponent's cards are known. Folded hands are missing, so "
    "the opponent seems to fold less, and to hold better cards, than in truth; in held-out hands as well."
)
