"""Restricted Nash and data biased responses to Orange (Johanson & Bowling, AISTATS 2009): Figures 1 and 2."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np

from soulread.estimate import Estimate, Unit
from soulread.report.figures import Figure, Level, Panel
from soulread.reproduce.johanson_2009.claims import (
    MARGIN,
    Judge,
    does_no_harm,
    gains_from_self_play,
    judge,
    needs_many,
    needs_probe,
    overfits,
    trusts_wisely,
)
from soulread.reproduce.johanson_2009.curves import (
    CONFIDENCES,
    LINEAR,
    ONE_STEP,
    RNR,
    SELF_PLAY,
    DataSet,
    ResponseCurve,
    RobustSetup,
    Watched,
    run_curves,
)
from soulread.reproduce.kit.experiment import RunOptions, published
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.report import Measure, Report, ResultTable

_NEAR = 8.0  # a second drawing shows the part of the curves up to this many times what Orange can lose

Drawn: TypeAlias = Sequence[tuple[str, Watched, str]]  # label, curve, and which of its values is drawn
Samples: TypeAlias = Mapping[Watched, Sequence[ResponseCurve]]  # each curve in the data sets that have it


def rnr_limits(options: RunOptions) -> Report:
    """Figure 1: how good a model restricted Nash responses need."""
    setup = RobustSetup.of(options)
    red, selfish = setup.rnr(), setup.rnr(SELF_PLAY)
    by_size = [setup.rnr(games=games) for games in reversed(setup.sizes)]
    overfitting = [
        (f"{RNR}, against Orange", red, "against_orange"),
        (f"{RNR}, against the model", red, "against_model"),
    ]
    return _report(
        options,
        "rnr-limits",
        "where restricted Nash responses fail",
        "Figures 1a to 1c",
        [*by_size, selfish],
        (overfits, needs_many, needs_probe),
        {
            "1a: the model and Orange itself": overfitting,
            "1b: fewer games": _against_orange(by_size, "{0.games:,} games"),
            "1c: other games": _against_orange((red, selfish), "{0.source}"),
        },
    )


def dbr_curves(options: RunOptions) -> Report:
    """Figure 2: the same questions for data biased responses."""
    setup = RobustSetup.of(options)
    red, selfish = setup.dbr(), setup.dbr(source=SELF_PLAY)
    methods = [setup.rnr(), *(setup.dbr(method) for method in CONFIDENCES)]
    by_size = [setup.dbr(games=games) for games in reversed(setup.sizes)]
    compared = [setup.rnr(games=games) for games in setup.few]
    scarce = [setup.dbr(ONE_STEP, games=games) for games in setup.fewer]
    return _report(
        options,
        "dbr-curves",
        "data biased responses where restricted Nash responses fail",
        "Figures 2a to 2c",
        list(dict.fromkeys([*methods, *by_size, selfish, *compared, *scarce])),
        (trusts_wisely, does_no_harm, gains_from_self_play),
        {
            "2a: confidence functions": _against_orange(methods, "{0.method}"),
            f"2b: {LINEAR}, fewer games": _against_orange(by_size, "{0.games:,} games"),
            f"2c: {LINEAR}, other games": _against_orange((red, selfish), "{0.source}"),
        },
    )


def _against_orange(wanted: Iterable[Watched], label: str) -> Drawn:
    """Curves of what is won from Orange, labelled by what they differ in."""
    return [(label.format(watched), watched, "against_orange") for watched in wanted]


def _report(
    options: RunOptions,
    name: str,
    title: str,
    figures: str,
    wanted: Sequence[Watched],
    claims: Sequence[Judge],
    drawn: Mapping[str, Drawn],
) -> Report:
    setup, paper, mbg = RobustSetup.of(options), published("johanson2009"), Unit.MILLIBETS.value
    data_sets, ceiling, seconds = run_curves(options, setup, wanted)
    samples = samples_of(wanted, data_sets)

    def table(heading: str, unit: str, values: str, digits: int, note: str = "") -> ResultTable:
        measures = [
            Measure(f"{watched.method}, {watched.source} {watched.games:,}", f"{p:g}", estimate)
            for watched, curves in samples.items()
            for p, estimate in zip(setup.ps, estimates_of(curves, values), strict=True)
        ]
        return ResultTable.counted(heading, unit, measures, "data sets", note, digits)

    return Report(
        name=name,
        title=title,
        source=f"{paper['source']}, {figures}",
        settings={
            "game": setup.game,
            "observed games": list(setup.sizes),
            "p and P_max": list(setup.ps),
            "precision, mb/g": setup.precision,
            "iterations at most": setup.iterations,
            "seed": setup.seed,
            "data sets": setup.matches,
        },
        tables=(
            table("exploitation of Orange, by p or P_max", mbg, "against_orange", 1, _SEATS),
            table("exploitation of the model", mbg, "against_model", 1),
            table("exploitability", mbg, "exploitability", 1),
            table("gap of the restricted game", mbg, "gap", 3, _GAP.format(setup.precision)),
            table("iterations, both seats", "iterations", "iterations", 0),
            ResultTable(
                "Orange",
                mbg,
                (Measure("Orange", "exploitability", ceiling, float(paper["mbg"]["orange"])),),
                note="The mean over both seats, in the abstract game; the sum is twice that. The paper does "
                "not say which of the two it prints, nor what the winner's 7% are taken of.",
                digits=1,
            ),
        ),
        claims=tuple(judge(setup, claim, data_sets) for claim in claims),
        figures=figures_of(drawn, samples, ceiling),
        seconds=seconds,
        notes=(
            "The paper gives its curves as drawings only; we compare with what its text says about them.",
            f"Differences up to {MARGIN:g} mb/g count as none.",
            "An observed game shows all cards and the actions of one Orange, in self-play too.",
        ),
    )


def samples_of(wanted: Iterable[Watched], data_sets: Sequence[DataSet]) -> dict[Watched, list[ResponseCurve]]:
    """Each curve in the data sets that have it; curves that none has are left out."""
    every = {watched: [found[watched] for found in data_sets if watched in found] for watched in wanted}
    return {watched: curves for watched, curves in every.items() if curves}


def estimates_of(curves: Sequence[ResponseCurve], values: str) -> list[Estimate]:
    """The mean of a value over the data sets, at each p."""
    return [Estimate.of(found) for found in np.array([getattr(curve, values) for curve in curves]).T]


def figures_of(drawn: Mapping[str, Drawn], samples: Samples, ceiling: float | None) -> tuple[Figure, ...]:
    """Drawings of the whole curves, and of the parts of them that are near the equilibrium."""

    def panels(limit: float) -> tuple[Panel, ...]:
        return tuple(_panel(title, each, samples, ceiling, limit) for title, each in drawn.items())

    whole = Figure("curves", _CAPTION, panels(np.inf), columns=3)
    if ceiling is None:
        return (whole,)
    caption = f"{_CAPTION} Only points up to {_NEAR:g} times what Orange can lose, on either axis."
    return whole, Figure("near", caption, panels(_NEAR * ceiling), columns=3)


def _panel(title: str, drawn: Drawn, samples: Samples, ceiling: float | None, limit: float) -> Panel:
    """Exploitation over exploitability, both up to a limit, with p or P_max at every point."""
    made = []
    for label, watched, values in drawn:
        curves = samples.get(watched)
        if curves:
            every = zip(
                curves[0].ps,
                estimates_of(curves, "exploitability"),
                estimates_of(curves, values),
                strict=True,
            )
            points = [(p, risk.mean, won) for p, risk, won in every if max(risk.mean, abs(won.mean)) <= limit]
            if points:
                curve = curve_of(label, ((x, won) for _, x, won in points))
                made.append(replace(curve, texts=tuple(f"{p:g}" for p, _, _ in points)))
    levels = () if ceiling is None else (Level("best response to Orange", ceiling),)
    return Panel(title, "exploitability, mb/g", "exploitation, mb/g", tuple(made), levels, logarithmic=True)


_GAP = "The gap asked for is {:g} times the freedom that the model leaves Orange; for RNR that is 1 - p."
_SEATS = "Exact values in the abstract game, the mean over both seats."
_CAPTION = (
    "What responses to a model of Orange win, over what they lose in the worst case, at growing p or P_max; "
    "exact values in the abstract game, the mean over both seats. Points are means over data sets, bands 95% "
    "intervals of what is won."
)
