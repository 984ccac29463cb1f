"""The results of `soulread predict` in tables and figures."""

import numpy as np
from numpy.typing import NDArray
from rich.text import Text

from soulread.report.figures import BarPanel, Bars, Curve, Figure, Panel
from soulread.report.grid import Grid, console
from soulread.study.predict.predicting import ABOUT, PredictStudy
from soulread.study.predict.scores import ACTIONS, Calibration
from soulread.words import plural, printable

MOST_FEATURES = 12  # shown
MOST_POINTS = 60  # of the weights over time


def print_prediction(study: PredictStudy) -> None:
    """Print scores beside base rates, the confusion matrix, and which features mattered."""
    generic = (
        f"What is generic was trained on {study.generic:,} decisions of others."
        if study.generic
        else "Too few decisions of others to train anything generic: what comes with soulread was taken."
    )
    console.print(
        f"{study.player}: {study.learner}, {ABOUT[study.learner]}. Learnt from "
        f"{plural(study.trained, 'hand')}; {plural(study.decisions, 'decision')} of "
        f"{plural(study.judged, 'later hand')} predicted, each hand before it was learnt. {generic}"
    )
    if study.too_few:
        console.print("These are too few hands to tell much; look at the intervals.", style="yellow")
    grid = Grid("predictor", "accuracy", "log-loss, nats")
    for score in study.scores:
        style = "bold" if score.name == study.learner else ""
        grid.add_row(
            Text(printable(score.name), style=style),
            Text(f"{score.accuracy.scaled(100).text(1)} %", style=style),
            Text(score.log_loss.text(3), style=style),
        )
    console.print(grid)
    console.print(
        f"± is half the 95% interval, over {study.scores[0].accuracy.n} blocks of hands.", style="dim"
    )
    console.print("Actions taken (rows) and predicted (columns), in % of decisions:")
    matrix = Grid("", *ACTIONS, "all")
    for name, row in zip(ACTIONS, study.confusion, strict=True):
        matrix.add_row(name, *(f"{100 * share:.1f}" for share in row), f"{100 * row.sum():.1f}")
    columns = study.confusion.sum(axis=0)
    right = study.confusion.trace()
    matrix.add_row("all", *(f"{100 * share:.1f}" for share in columns), f"{100 * right:.1f} right")
    console.print(matrix)
    if study.importance:
        table = Grid("feature", "nats lost when it is shuffled")
        for name, rise in study.importance[:MOST_FEATURES]:
            table.add_row(name, f"{rise:.4f}")
        console.print(table)
    if study.members:
        table = Grid("member", "mean weight", "weight now")
        for i, name in enumerate(study.members):
            table.add_row(name, f"{study.weights[:, i].mean():.2f}", f"{study.weights[-1, i]:.2f}")
        console.print(table)


def figures_of(study: PredictStudy) -> tuple[Figure, ...]:
    """Calibration and confusion; features that mattered; weights over time."""
    shares = study.confusion / study.confusion.sum(axis=1, keepdims=True).clip(1e-12)
    bars = BarPanel(
        f"{study.player}: predicted, by the action taken",
        "share of decisions",
        tuple(f"{name} was done" for name in ACTIONS),
        tuple(Bars(f"{name} predicted", tuple(shares[:, i].tolist())) for i, name in enumerate(ACTIONS)),
    )
    found = [
        Figure(
            "calibration",
            "Chances given and how often the action came; and the actions predicted.",
            (calibration_panel(study.calibration, f"{study.player}: calibration of {study.learner}"), bars),
        )
    ]
    if study.importance:
        found.append(importance_figure(study.importance, study.player))
    if study.members:
        found.append(weights_figure(study.members, study.weights, study.player))
    return tuple(found)


def calibration_panel(curves: tuple[Calibration, ...], title: str) -> Panel:
    """The frequency of each action over its predicted chance; on the diagonal a predictor is right."""
    return Panel(
        title,
        "chance given",
        "share of decisions at which it came",
        (
            *(Curve(curve.action, curve.given, curve.came) for curve in curves),
            Curve("as it should be", (0.0, 1.0), (0.0, 1.0)),
        ),
    )


def importance_figure(features: tuple[tuple[str, float], ...], title: str) -> Figure:
    """The features that mattered most."""
    top = features[:MOST_FEATURES]
    curve = Curve("log-loss", tuple(map(float, range(len(top)))), tuple(rise for _, rise in top), points=True)
    panel = Panel(
        f"{title}: features that matter",
        "",
        "nats lost when it is shuffled",
        (curve,),
        names=tuple(name for name, _ in top),
    )
    return Figure("features", "How much worse the predictions get without a feature.", (panel,))


def weights_figure(members: tuple[str, ...], weights: NDArray[np.float64], title: str) -> Figure:
    """The weights ``[hands, members]`` of competing predictors over time; a point is a mean of some hands."""
    parts = np.array_split(np.arange(len(weights)), min(MOST_POINTS, len(weights)))
    x = tuple(float(part.mean() + 1) for part in parts)
    curves = tuple(
        Curve(name, x, tuple(float(weights[part, i].mean()) for part in parts))
        for i, name in enumerate(members)
    )
    panel = Panel(f"{title}: who foretells best lately", "hands of the player", "weight", curves)
    return Figure("weights", "The weights of competing predictors over time.", (panel,))
