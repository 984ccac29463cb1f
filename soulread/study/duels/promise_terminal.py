"""Promises beside results: printed and drawn."""

from collections.abc import Sequence
from pathlib import Path

from soulread.estimate import Estimate, Unit
from soulread.report.figures import Curve, Figure, Panel, draw
from soulread.report.grid import Grid, console, titled
from soulread.study.duels.promise import Foresight, MatchPart, PromiseStudy

_UNIT = Unit.MILLIBETS.value


def print_promise(study: PromiseStudy) -> None:
    """Print the promise and the result of each part, and the log-loss of the model."""
    luckless = study.whole.less_luck is not None
    table = Grid("hands", "promised", "won", *(["luck taken off"] * luckless))
    for part in (*study.parts, study.whole):
        name = "all" if part is study.whole else f"{part.first:,}-{part.last:,}"
        found = [part.won] if part.less_luck is None else [part.won, part.less_luck]
        table.add_row(name, f"{part.promised:+.1f}", *(estimate.text(1) for estimate in found))
    console.print(
        titled(
            f"{study.agent} against {study.opponent}: promised and won beyond the game's value, {_UNIT}",
            table,
        )
    )
    console.print(
        f"{study.agent} promised something in {study.promising:.0%} of the hands. {_verdict(study)}"
    )
    table = Grid("asked before it happened", "n", "model", "equilibrium", "difference, nats")
    for name, foresight in (("the opponent's action", study.actions), ("the cards shown", study.cards)):
        if foresight is not None:
            table.add_row(name, *_cells(foresight))
    console.print(table)
    console.print(
        "Log-loss in nats per question: less is better, and a difference below zero means that the model "
        "foresees more than the equilibrium does. ± is half the 95% interval. In the rows of a single match "
        "every hand counts as a sample.",
        style="dim",
    )
    if study.real_cards:
        _print_real_cards(study)


def _print_real_cards(study: PromiseStudy) -> None:
    """Print the certificate of the last answer beside the winnings of a local best response."""
    table = Grid("answer of hands", "certified: at most", "LBR won", "beyond the equilibrium", "deals")
    for figure in study.real_cards:
        last = " on" if figure.last is None else f" to {figure.last:,}"
        table.add_row(
            f"{figure.first:,}{last}",
            f"{figure.certified:.1f}",
            figure.won.text(1),
            figure.beyond.text(1),
            f"{figure.won.n:,}" + ("" if figure.finished else f" of {figure.planned:,}"),
        )
    console.print(titled(f"{study.agent}: its loss in the worst case, {_UNIT}", table))
    console.print(
        "The certificate counts every opponent who sees no more than the agent's card abstraction, if it has "
        "one. A local best response (LBR) is one opponent who sees real cards. The best of all may win more "
        "than either.",
        style="dim",
    )


def _cells(foresight: Foresight) -> list[str]:
    numbers = foresight.model.mean, foresight.equilibrium.mean
    return [f"{foresight.questions:,}", *(f"{x:.4f}" for x in numbers), foresight.difference.text(4)]


def _verdict(study: PromiseStudy) -> str:
    """A sentence on whether the promise was kept, in the hands with a promise."""
    kept = study.kept_when_promised
    if kept is None:
        return "There was no promise to keep."
    word = "more" if kept.mean >= 0 else "less"
    spread = f" ± {kept.half_width:.1f}" if kept.n > 1 else ""
    much = f"{abs(kept.mean):.1f}{spread} {_UNIT} {word}"
    return f"In these it won {much} than promised: the promise {_state(kept)}."


def _state(kept: Estimate) -> str:
    low, high = kept.interval
    if low <= 0 <= high:
        return "and the result agree within the 95% interval"
    word = "was more than kept" if low > 0 else "was not kept"
    return f"{word} in this match; another may differ" if kept.one_match else word


def draw_promises(studies: Sequence[PromiseStudy], path: Path) -> None:
    """Draw results over promises, a point for each part, to a file of any format."""
    panels = [_panel(study) for study in studies]
    caption = "Promised and won beyond the value of the game, part by part of a match, with 95% intervals."
    draw(Figure("promise", caption, tuple(panels), columns=min(2, len(panels))), [path])


def _panel(study: PromiseStudy) -> Panel:
    parts = study.parts
    low, high = (pick([part.promised for part in parts]) for pick in (min, max))
    ends = (low, high) if high > low else (low - 1, low + 1)
    less = ", luck taken off" if study.whole.less_luck is not None else ""
    return Panel(
        f"{study.game}: {study.agent} against {study.opponent}",
        f"promised ({_UNIT})",
        f"won{less} ({_UNIT})",
        (
            Curve(
                "parts of a match",
                tuple(part.promised for part in parts),
                tuple(part.best.mean for part in parts),
                *_bounds(parts),
                points=True,
            ),
            Curve("as promised", ends, ends),
        ),
    )


def _bounds(parts: Sequence[MatchPart]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Both ends of the intervals; none if a part has one sample only."""
    if any(part.best.n < 2 for part in parts):
        return (), ()
    return tuple(part.best.interval[0] for part in parts), tuple(part.best.interval[1] for part in parts)
