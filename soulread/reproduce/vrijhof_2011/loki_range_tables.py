"""The tables and figures on the ranges that Loki's models predict."""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from soulread.report.figures import Figure, Panel
from soulread.reproduce.kit.figures import curve_of
from soulread.reproduce.kit.ranges.calibration import (
    BINS,
    COVERED,
    Pick,
    TaskMeans,
    coverage_panel,
    means_table,
    reliability_panel,
)
from soulread.reproduce.kit.ranges.scores import BASE_RATE, CLASSES, EXPONENTS, FOLDED, KINDS, ROUNDS, SHOWN
from soulread.reproduce.kit.report import Measure, ResultTable
from soulread.reproduce.vrijhof_2011.loki_range_scores import (
    DAVIDSON,
    GOM,
    NAMES,
    SOM,
    THRESHOLDS,
    covered,
    expected_class,
    fated_gain,
    gain_after,
    gain_at_round,
    gain_by_action,
    in_class,
    loss,
    model_number,
    placed,
    raising,
    shown_gain,
    softened_gain,
)

KNOWN = 0, 50, 200, 1000  # hands known before, at least
_LEARNERS = GOM, SOM, DAVIDSON
_DRAWN = *_LEARNERS, THRESHOLDS
_FATES = "folded", "not folded, not shown", "shown"
_ROUND_NAMES = "before the flop", "flop", "turn", "river"
_STRENGTHS = {"weaker half": (0.0, 0.5), "next quarter": (0.5, 0.75), "best quarter": (0.75, 1.01)}

Sources: TypeAlias = Mapping[str, TaskMeans]


def tables_of(sources: Sources) -> Iterator[ResultTable]:
    """All tables, those without a measure included."""
    every, kind = sources.items(), "matches or players"
    table = partial(means_table, kind=kind)
    shown = "% of hands shown"
    yield table(
        "gain on cards shown",
        "nats per hand",
        (
            (source, f"{name} ({source.count(SHOWN):,} shown)", {model: shown_gain(model) for model in NAMES})
            for name, source in every
        ),
        note="log P(cards) after the player's last action, beyond even chances.",
    )
    yield table(
        "gain by how the hand ended",
        "nats per hand",
        (
            (source, f"{name}: {words} ({source.count(fate):,})", {m: fated_gain(m, fate) for m in _LEARNERS})
            for name, source in every
            for fate, words in enumerate(_FATES)
            if source.count(fate)
        ),
        note="In simulations the judge knows all cards. After a fold the fold counts as well.",
    )
    yield table(
        "gain on cards shown, by the round so far",
        "nats per hand",
        (
            (source, f"{name}: {words}", {model: gain_at_round(model, round) for model in NAMES})
            for name, source in every
            for round, words in enumerate(_ROUND_NAMES)
        ),
    )
    yield table(
        "gain on cards shown, by hands of the player known before",
        "nats per hand",
        (
            (
                source,
                f"{name}: {_span(low, high)}",
                {model: gain_after(model, low, high) for model in _LEARNERS},
            )
            for name, source in every
            for low, high in pairwise((*KNOWN, np.inf))
        ),
        counted=True,
    )
    yield table(
        "gain on cards shown, of tables to a power",
        "nats per hand",
        (
            (
                source,
                f"{name}: {model}",
                {f"{x:g}": softened_gain(model, at) for at, x in enumerate(EXPONENTS)},
            )
            for name, source in every
            for model in NAMES
        ),
        note="Every chance of a table to this power: 1 is the model itself, less is more careful, 0 gains 0.",
    )
    yield table(
        "calibration of ranges",
        shown,
        (
            (source, f"{name}: {model}", {f"likeliest {x:.0%}": covered(model, x) for x in COVERED})
            for name, source in every
            for model in NAMES
        ),
        note="How often the cards shown lie in the smallest set of holdings that has this mass.",
        digits=1,
    )
    yield table(
        "strength of cards shown, and as predicted",
        shown,
        (
            (source, f"{name}: {low:.0%} to {high:.0%}", _classes(kind))
            for name, source in every
            for kind, (low, high) in enumerate(pairwise(CLASSES))
        ),
        note="Classes of the holding among all that the board leaves, the weakest first, at the last action.",
        digits=1,
    )
    yield table(
        "hands shown and all hands: mean strength",
        "% of holdings",
        (
            (source, f"{name}: {_ROUND_NAMES[round]}, {words}", _places(round, later))
            for name, source in every
            if source.count(FOLDED)
            for round in range(ROUNDS)
            for words, later in (("all", None), ("shown later", True), ("never shown", False))
        ),
        note="Share of holdings that are weaker, after the round's last action; of hands not folded in the "
        "round.",
        digits=1,
    )
    yield table(
        "gain by one action",
        "nats per action",
        (
            (source, f"{name}: {verb}, {words}", {m: gain_by_action(m, act, *bounds) for m in NAMES})
            for name, source in every
            for act, verb in enumerate(KINDS)
            for words, bounds in _STRENGTHS.items()
        ),
        note="By the strength of the cards really held, in all hands whose cards the judge knows.",
        counted=True,
    )
    losses = {column: loss(column) for column in (BASE_RATE, *NAMES)}
    yield table(
        "log-loss of actions",
        "nats per action",
        ((source, name, losses) for name, source in every),
        note="-log of the chance of the action taken, where there was a choice. The base rate is the "
        "player's own so far, among the same legal actions, whatever the round and the bets to call.",
        digits=3,
    )
    title = "chance of a bet or raise, predicted and observed"
    yield ResultTable.counted(title, "%", _raises(sources), kind, digits=1)


def _span(low: float, high: float) -> str:
    return f"{low:,} or more" if high == np.inf else f"{low:,} to {high - 1:,}"


def _classes(kind: int) -> dict[str, Pick]:
    return {"shown": in_class(kind), **{model: expected_class(model, kind) for model in NAMES}}


def _places(round: int, shown: bool | None) -> dict[str, Pick]:
    models = {model: placed(1 + model_number(model), round, shown) for model in _LEARNERS}
    return {"truth": placed(0, round, shown), **models}


def _raises(sources: Sources) -> list[Measure]:
    measures = []
    for name, source in sources.items():
        for low in range(BINS):
            row = f"{name}: {10 * low} to {10 * low + 10}%"
            for model in _LEARNERS:
                predicted = source.mean(raising(model, low, True))
                if predicted is not None:
                    measures.append(Measure(row, f"{model}, predicted", 100 * predicted.mean))
                    measures += source.measures(row, {f"{model}, observed": raising(model, low, False)}, 100)
    return measures


def figures_of(sources: Sources) -> tuple[Figure, ...]:
    """Calibration of ranges and of chances to raise, and gains of tables to a power."""
    every, columns = sources.items(), len(sources)
    if not sources:
        return ()
    models = {model: partial(covered, model) for model in _DRAWN}
    raises = {model: partial(raising, model) for model in _LEARNERS}
    return (
        Figure(
            "calibration",
            "Share of cards shown among the likeliest holdings of a given mass; calibrated ranges lie on the "
            "diagonal, too sure ones below it.",
            tuple(coverage_panel(name, source, models, "share of cards shown") for name, source in every),
            columns,
        ),
        Figure(
            "raises",
            "Observed share of bets and raises where they were predicted with a chance, in tenths; 95% "
            "intervals.",
            tuple(
                reliability_panel(name, source, raises, "predicted chance to raise") for name, source in every
            ),
            columns,
        ),
        Figure(
            "powers",
            "Gain on cards shown if every chance is taken to a power; 1 is the model itself. 95% intervals.",
            tuple(_power_panel(name, source) for name, source in every),
            columns,
        ),
    )


def _power_panel(name: str, source: TaskMeans) -> Panel:
    curves = []
    for model in _DRAWN:
        gains = [(power, source.mean(softened_gain(model, at))) for at, power in enumerate(EXPONENTS)]
        if all(gain is not None and gain.n > 1 for _, gain in gains):
            curves.append(curve_of(model, gains))
    return Panel(name, "power", "nats per hand shown", tuple(curves))
