"""A whole player in a spot, printed: every kind of decision, the curve of trust and the hands that change."""

from soulread.report.grid import Grid, console, titled
from soulread.study.reads.whole import KindRow, WholeStudy
from soulread.study.spots.locks_terminal import print_changes

PRIOR_WORDS = {
    "pool": "The prior is what the pool does in the same situation.",
    "equilibrium": "The prior is the equilibrium of this spot, with the spread of the pool around it.",
}
TRUST_WORDS = {
    "p": "Trust: with this probability the player is as believed, and otherwise plays what hurts most.",
    "c": "Trust: this part of the trust that each decision's own number allows.",
}
REST_WORDS = {
    "read": "Decisions seen less often than 30 times are read like the others.",
    "pool": "Decisions seen less often than 30 times are as the pool's (pool).",
    "perfect": "Decisions seen less often than 30 times are what hurts most (perfect).",
}


def print_whole(study: WholeStudy) -> None:
    """Print the decisions, the curve, the advice and the hands that change."""
    unit = study.spot.unit.name
    table = Grid("decision", "actions", "n", "prior n", "use", "trust", "gain", left=(1, 4), words=(1,))
    for row in study.decisions:
        more = f" (+{row.decisions - 1})" if row.decisions > 1 else ""
        table.add_row(
            (row.path or "start") + more,
            describe_kind(row),
            f"{row.n:,}",
            f"{row.strength:.0f}",
            row.use,
            f"{row.confidence:.2f}",
            f"{row.gain:z.2f}",
        )
    console.print(titled(f"{study.player}, {study.villain}: equilibrium -> believed (95%)", table))
    console.print(
        f"{PRIOR_WORDS[study.prior]} {REST_WORDS[study.rest]} (+k): so many other decisions are of the same "
        f"kind. Gain: the {unit} of the advice's gain that come from there; {study.entry:z.2f} more are what "
        "the advice wins from a player without leaks.",
        style="dim",
    )
    curve = Grid("trust", "gain", "95% of the draws", "loses in", "at least", "cost", "behind at most", "gap")
    for point in study.points:
        promise = point.promise
        curve.add_row(
            f"{point.answer.trust:g}",
            f"{promise.mean:z.2f}",
            f"{promise.low:z.2f} to {promise.high:z.2f}",
            f"{100 * promise.losing:.0f}%",
            f"{point.least:z.2f}",
            f"{point.cost:z.2f}",
            f"{point.behind:z.2f}",
            f"{point.gap:z.2f}",
        )
    console.print(titled(study.title, curve))
    console.print(
        f"{TRUST_WORDS[study.curve.kind]} In {unit} of a hand, beyond the equilibrium (trust 0). Gain: from "
        "the player as believed. Loses in: part of the draws in which it wins less than the equilibrium. At "
        "least: the player is as believed where something is, and what hurts most elsewhere. Cost: by so "
        "much its worst case is below the equilibrium's. Behind at most: against nobody at all it wins less "
        "than the equilibrium by more.",
        style="dim",
    )
    chosen = study.chosen
    console.print(
        f"Advice: trust {chosen.answer.trust:.3g} ({study.why}). It gains {chosen.promise.mean:z.2f} {unit}, "
        f"between {chosen.promise.low:z.2f} and {chosen.promise.high:z.2f} in 95% of what the player may be, "
        f"and costs at most {chosen.cost:z.2f}."
    )
    print_changes(study.changes)


def describe_kind(row: KindRow) -> str:
    """Each action's frequency in the equilibrium and as believed, with the interval."""
    return ", ".join(
        f"{word} {100 * row.equilibrium[i]:.0f}% -> {100 * row.believed[i]:.0f}% "
        f"({100 * row.low[i]:.0f}-{100 * row.high[i]:.0f}%)"
        for i, word in enumerate(row.words)
    )
