"""The leaks of a player in the terminal, in words and with their worth."""

from collections.abc import Sequence
from typing import Any

from soulread.estimate import Unit
from soulread.model.deviation.leak_tests import Leak
from soulread.report.grid import Grid, console, titled
from soulread.seqform.source import Source
from soulread.study.strategies.leaks import LeakStudy, action_word, situation
from soulread.words import plural


def print_leaks(study: LeakStudy) -> None:
    """Print the shown leaks as a table, and the conclusion from all leaks in words."""
    console.print(leaks_table(study.source, study.shown, f"{study.player}, {plural(study.hands, 'hand')}"))
    console.print(
        "n: times done / chances. should: what the equilibrium does in the same hands. /100: chances in 100 "
        "hands in this seat. mb/g: worth per hand in it. surely: what is left of the worth at the near end "
        "of the frequency's interval, or no if the leak may be chance, in a list as long as this one.",
        style="dim",
    )
    console.print(study.conclusion)
    if study.caution:
        console.print(study.caution, style="dim")


def leaks_table(source: Source, found: Sequence[Leak], title: str) -> Any:
    """A table of leaks in words, under a title."""
    rules = source.poker
    table = Grid("leak", "n", "plays (95%)", "should", "/100", Unit.MILLIBETS.value, "surely", words=(0,))
    for leak in found:
        betting = leak.history.rpartition("|")[2]
        much = "too often" if leak.deviation > 0 else "too rarely"
        words = f"{action_word(rules, leak)}s {much}: {situation(rules, leak.history)}"
        table.add_row(
            f"seat {leak.player} {words}" + (f" ({betting})" if betting else ""),
            f"{leak.count:.0f}/{leak.opportunities:.0f}",
            f"{leak.frequency:.0%} ({100 * leak.low:.0f}-{100 * leak.high:.0f})",
            _should(leak),
            f"{100 * leak.reach:.3g}",
            f"{leak.worth:+.0f}",
            f"{leak.sure_worth:+.0f}" if leak.certain else "no",
        )
    return titled(f"{source}: {title}", table)


def _should(leak: Leak) -> str:
    """The equilibrium's frequency, and its range where that depends on cards that are not known."""
    low, high = f"{100 * leak.least:.0f}", f"{100 * leak.greatest:.0f}"
    return f"{leak.equilibrium:.0%}" + ("" if low == high else f" ({low}-{high})")
