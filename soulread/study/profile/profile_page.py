"""The profile of a player as one page of HTML."""

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from soulread.cards.ranges import class_name
from soulread.errors import SoulreadError
from soulread.hands.claims import ClaimQuery
from soulread.hands.money import shown_amount
from soulread.report.drawings import Sketch, interval_drawings, range_grid, spread_drawing
from soulread.report.html import LAYOUT, render
from soulread.study.baseline.charts_page import charts_section
from soulread.study.hands.replaying import study_replay
from soulread.study.hands.replaying_terminal import hand_text
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.profile.deviations import LEAST_CHANCES
from soulread.study.profile.population import MIDDLE, TESTED, PoolStanding
from soulread.study.profile.profile import Example, Finding, ProfileStudy
from soulread.study.profile.profile_tables import (
    NO_COUNTER,
    compared_text,
    luck_text,
    ranges_lead,
    results_grid,
    share_text,
    span_text,
    statistics_grid,
    sure_lead,
)
from soulread.study.profile.ranges_by_line import COUNTED, MODEL, SHOWN, LineRange
from soulread.words import percent, percentile_text

_TILES = "VPIP", "PFR", "3-bet", "aggression frequency", "WTSD"
_CLASSES = tuple(class_name(cell) for cell in range(169))

Tile = tuple[str, str, tuple[str, ...]]  # name, value, lines under it


@dataclass(frozen=True)
class ClaimLinks:
    """Where a page leads from a claim, in place of the command that a reader would type."""

    hands: Callable[[ClaimQuery], str]  # the address of the hands behind a claim
    replay: Callable[[int], str]  # the address of a hand, by its number in the store


def profile_page(
    study: ProfileStudy, layout: str = LAYOUT, *, links: ClaimLinks | None = None, **around: Any
) -> str:
    """The whole page; ``layout`` is the template around it, with what that needs besides.

    Without ``links`` each claim has the command that lists its hands.
    """
    return render(
        "study/profile/profile_page.html",
        layout=layout,
        links=links,
        title=f"{study.player}: profile",
        player=study.player,
        span=span_text(study),
        compared=compared_text(study),
        written=study.written.words,
        style=study.style,
        tiles=_tiles(study),
        sure=sure_lead(study),
        findings=[_finding(finding, study) for finding in study.findings],
        remarks=study.remarks,
        statistics=_statistics(study),
        ranges=_ranges(study),
        results=_results(study),
        baseline=charts_section(study.charts),
        counter=_counter(study),
        methods=method_texts(study),
        **around,
    )


def _tiles(study: ProfileStudy) -> list[Tile]:
    by_name = {TESTED[found.scope.statistic].name: found for found in study.standings}
    return [*(_tile(name, by_name[name]) for name in _TILES), _result_tile(study)]


def _tile(name: str, found: PoolStanding) -> Tile:
    if found.rate is None or found.too_few:
        return name, "–", (TOO_FEW, f"n {found.n:,.0f}")
    place = "no pool" if found.percentile is None else f"percentile {percentile_text(found.percentile)}"
    return name, percent(found.rate), (place, f"n {found.n:,.0f}")


def _result_tile(study: ProfileStudy) -> Tile:
    result = study.results[0]
    won = result.adjusted if study.luck.complete else result.won
    name = "bb/100, luck out" if study.luck.complete else "bb/100"
    if result.too_few:
        return name, "–", (TOO_FEW, f"n {result.hands:,}")
    low, high = won.interval
    return name, f"{won.mean:+.1f}", (f"{low:+.0f} to {high:+.0f}", f"n {result.hands:,}")


# Deviations ---------------------------------------------------------------------------------------


def _finding(finding: Finding, study: ProfileStudy) -> dict[str, Any]:
    found = finding.deviation.standing
    assert found.rate is not None
    return {
        "title": finding.title,
        "rate": percent(found.rate),
        "numbers": _numbers(finding),
        "use": finding.use,
        "cost": finding.cost,
        "tone": _tone(finding),
        "chances": f"{found.n:,.0f} chances, {finding.deviation.per_100:.1f} in 100 hands",
        "queries": [] if finding.query is None else [finding.query, *finding.also],
        "examples": [_example(example, study) for example in finding.examples],
        "drawing": _drawing(found, sure=True, width=270, height=78, numbers=True),
    }


def _tone(finding: Finding) -> str:
    """Whether what a deviation costs is surely bad or good for the player."""
    cost = finding.deviation.cost
    if cost is None or cost.n < 2:
        return ""
    low, high = cost.interval
    return "bad" if high < 0 else "good" if low > 0 else ""


def _numbers(finding: Finding) -> str:
    """Name, interval and pool in one line."""
    found = finding.deviation.standing
    low, high = found.interval
    side = "more" if finding.deviation.direction > 0 else "less"
    text = (
        f"{finding.deviation.name}: {percent(low)} to {percent(high)}, {side} often than three of four "
        f"regulars; their middle half: {percent(found.zone[0])} to {percent(found.zone[1])}."
    )
    places = [str(other.scope.place) for other in finding.deviation.also]
    return text + (f" Sure by itself in {', '.join(places)}." if places else "")


def _drawing(
    found: PoolStanding, *, sure: bool, width: int = 240, height: int = 34, numbers: bool = False
) -> Sketch:
    low, high = found.interval
    label = f"{found.scope.name}: {percent(low)} to {percent(high)}"
    if found.spread is not None:
        label += f"; middle half of regulars {percent(found.zone[0])} to {percent(found.zone[1])}"
    return spread_drawing(
        None if found.spread is None else found.spread.density(found.chances),
        found.zone,
        label,
        player=(found.rate or 0.0, low, high),
        sure=sure,
        width=width,
        height=height,
        numbers=numbers,
    )


def _example(example: Example, study: ProfileStudy) -> dict[str, Any]:
    try:
        text = hand_text(study_replay(example.hand, example.number))
    except SoulreadError:
        text = str(example.hand)
    won = shown_amount(example.won, example.hand.stakes, "+")
    return {
        "name": f"hand {example.hand.id or '#' + str(example.number)}, {won}",
        "text": text,
        "number": example.number,
        "command": shlex.join(["soulread", "replay", "--db", study.store, "--hand", f"#{example.number}"]),
    }


# Statistics ---------------------------------------------------------------------------------------


def _statistics(study: ProfileStudy) -> dict[str, Any]:
    sure = {finding.deviation.standing.scope for finding in study.findings}
    grid = statistics_grid(study)
    return {
        "columns": (*grid.columns, "among regulars"),
        "rows": grid.rows,
        "drawn": [
            "" if found.rate is None else _drawing(found, sure=found.scope in sure)
            for found in study.standings
        ],
        "few": [found.rate is None or found.too_few for found in study.standings],
        "about": [(stat.name, stat.about) for stat in TESTED],
        "queries": _queries(
            (TESTED[found.scope.statistic].name, study.claim(found)) for found in study.standings
        ),
    }


def _queries(asked: Iterable[tuple[str, ClaimQuery | None]]) -> list[tuple[str, str, ClaimQuery]]:
    """Name, hands and query of each claim that has one."""
    return [(name, f"{query.n:,}", query) for name, query in asked if query is not None]


# Ranges ---------------------------------------------------------------------------------------


def _cells(line: LineRange) -> list[str]:
    """The text of each cell of a grid: a number of hands seen, or a share of the range."""
    if line.source == SHOWN:
        return [f"{count:g}" for count in line.cells]
    told = [f"{share_text(share)} of the range" if share else "0% of the range" for share in line.shares]
    if line.intervals is None:
        return told
    return [
        f"{count:g} of {line.known:,}: {text} ({low:.1%} to {high:.1%})"
        for count, text, (low, high) in zip(line.cells, told, line.intervals, strict=True)
    ]


def _ranges(study: ProfileStudy) -> dict[str, Any]:
    asked = []
    for line in study.ranges:
        asked += [(line.title, line.query), (f"{line.title}, cards seen", line.seen_query)]
    return {
        "lead": ranges_lead(study.ranges),
        "grids": [
            {
                "title": line.title,
                "behind": _behind(line),
                "grid": range_grid(line.shades, _cells(line), _CLASSES, f"{line.title}, n = {line.n}"),
            }
            for line in study.ranges
            if not line.too_few
        ],
        "few": [f"{line.title} ({line.n})" for line in study.ranges if line.too_few],
        "none": not study.ranges,
        "queries": _queries(asked),
    }


def _behind(line: LineRange) -> str:
    seen = f"cards seen in {line.known:,} of {line.taken:,} hands"
    if line.source == MODEL:
        return f"{seen}; a model fills in the others, from {line.n - line.known:,} of them"
    return f"{seen}: counted" if line.source == COUNTED else seen


# Results ------------------------------------------------------------------------------------------


def _results(study: ProfileStudy) -> dict[str, Any]:
    chosen = [result.adjusted if study.luck.complete else result.won for result in study.results]
    few = [result.too_few for result in study.results]
    grid = results_grid(study)
    asked: list[tuple[str, ClaimQuery | None]] = [(result.name, result.query) for result in study.results]
    asked += zip(("all-ins before the river", "all cards known"), study.luck_queries, strict=True)
    return {
        "lead": luck_text(study),
        "columns": (*grid.columns, "bb/100 around zero"),
        "rows": grid.rows,
        "drawn": interval_drawings(
            [None if hidden else (won.mean, *won.interval) for won, hidden in zip(chosen, few, strict=True)],
            [result.name for result in study.results],
        ),
        "few": few,
        "queries": _queries(asked),
    }


def _counter(study: ProfileStudy) -> dict[str, Any]:
    if study.counter is None:
        return {"lead": study.counter_note or NO_COUNTER, "sentences": (), "queries": ()}
    return {"lead": "", "sentences": study.counter.sentences, "queries": study.counter_queries}


def method_texts(study: ProfileStudy) -> tuple[str, ...]:
    """The methods behind the page, in sentences."""
    return (
        f"Regulars are the players with at least {study.regular_hands:,} hands; this player is not among "
        "them. How they spread in a statistic is estimated with the chance in their counts taken out, "
        "position by position and by size of the table. The grey hill is that spread, in the player's own "
        "mix of seats.",
        f"A deviation is sure if the player is outside of the middle {MIDDLE:.0%} of the regulars, and "
        f"chance does not explain it. All {study.tested} statistics and positions with at least "
        f"{LEAST_CHANCES} chances are tested together; the procedure of Benjamini and Hochberg keeps the "
        f"expected share of false claims at {study.level:.0%} or below. Hands of one evening resemble each "
        "other; intervals and tests are widened by as much as the regulars' own hands show.",
        "What a deviation costs is read off the regulars: those who do it more often, do they win more or "
        "less in hands with this chance? A straight line is fitted over players, and the player's distance "
        "from the middle is put on it. This is rough. It is an association, not an experiment, and players "
        "who differ in one thing differ in others. The interval is only that of the line.",
        "How to use a deviation is what coaches usually say about it; it was not computed.",
        "Intervals are 95%. n counts chances, or hands where a statistic counts hands. The commands list "
        "exactly the hands that were counted, as long as the store stays the same.",
    )
