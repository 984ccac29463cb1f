"""The profile of a player as one page of HTML."""

import shlex
from collections.abc import Sequence

from soulread.cards.ranges import class_name
from soulread.errors import SoulreadError
from soulread.hands.claims import ClaimQuery
from soulread.hands.money import shown_amount
from soulread.report.page import (
    Safe,
    element,
    interval_drawings,
    page,
    percent,
    range_grid,
    section,
    spread_drawing,
    table,
    tile,
)
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
from soulread.words import percentile_text, plural

_TILES = "VPIP", "PFR", "3-bet", "aggression frequency", "WTSD"
_CLASSES = tuple(class_name(cell) for cell in range(169))


def profile_page(study: ProfileStudy) -> str:
    """The whole page."""
    return page(
        f"{study.player}: profile",
        _head(study),
        _findings(study),
        _statistics(study),
        _ranges(study),
        _results(study),
        charts_section(study.charts),
        _counter(study),
        _method(study),
    )


def _head(study: ProfileStudy) -> Safe:
    style = [element("p", study.style.sentence, class_="style")]
    if study.style.kind:
        style.append(element("p", study.style.kind[:1].upper() + study.style.kind[1:], class_="kind"))
    by_name = {TESTED[found.scope.statistic].name: found for found in study.standings}
    tiles = [_tile(name, by_name[name]) for name in _TILES]
    tiles.append(_result_tile(study))
    return element(
        "header",
        element("h1", study.player),
        element("p", span_text(study), class_="meta"),
        element("p", compared_text(study), class_="meta"),
        *style,
        element("div", *tiles, class_="tiles"),
    )


def _tile(name: str, found: PoolStanding) -> Safe:
    if found.rate is None or found.too_few:
        return tile(name, "–", TOO_FEW, f"n {found.n:,.0f}")
    place = "no pool" if found.percentile is None else f"percentile {percentile_text(found.percentile)}"
    return tile(name, percent(found.rate), place, f"n {found.n:,.0f}")


def _result_tile(study: ProfileStudy) -> Safe:
    result = study.results[0]
    won = result.adjusted if study.luck.complete else result.won
    name = "bb/100, luck out" if study.luck.complete else "bb/100"
    if result.too_few:
        return tile(name, "–", TOO_FEW, f"n {result.hands:,}")
    low, high = won.interval
    return tile(name, f"{won.mean:+.1f}", f"{low:+.0f} to {high:+.0f}", f"n {result.hands:,}")


# Deviations ---------------------------------------------------------------------------------------


def _findings(study: ProfileStudy) -> Safe:
    items = [_finding(finding, study) for finding in study.findings]
    body = [_legend(), element("ol", *items, class_="findings")] if items else []
    if study.remarks:
        body.append(element("h3", "Also unusual"))
        for remark in study.remarks:
            body += [element("p", remark.sentence), _command(remark.query)]
    return section("What is sure", *body, lead=sure_lead(study))


def _command(query: ClaimQuery | None, *more: ClaimQuery) -> Safe:
    """The commands that list the hands behind a claim, to be copied."""
    if query is None:
        return Safe("")
    first = element("code", query.command)
    others = [part for one in more for part in (element("br"), element("code", one.command))]
    return element("p", "Its hands: ", first, *others, class_="small query")


def _legend() -> Safe:
    keys = (
        ("h", "all regulars"),
        ("m", "their middle half"),
        ("p", "this player, 95% interval"),
        ("s", "surely outside"),
    )
    return element(
        "p",
        *(element("span", element("span", "", class_=f"key {kind}"), words) for kind, words in keys),
        class_="legend",
    )


def _finding(finding: Finding, study: ProfileStudy) -> Safe:
    found = finding.deviation.standing
    cost = finding.deviation.cost
    tone = None
    if cost is not None and cost.n > 1:
        low, high = cost.interval
        tone = "bad" if high < 0 else "good" if low > 0 else None
    chances = f"{found.n:,.0f} chances, {finding.deviation.per_100:.1f} in 100 hands"
    examples = [_example(example, study) for example in finding.examples]
    opened = []
    if examples:
        title = f"{plural(len(examples), 'hand')} to look at"
        opened = [element("details", element("summary", title), *examples)]
    assert found.rate is not None
    return element(
        "li",
        element(
            "div",
            element("h3", f"{finding.title}: ", element("span", percent(found.rate), class_="big")),
            element("p", _numbers(finding), class_="small"),
            element(
                "dl",
                element("dt", "How to use it"),
                element("dd", finding.use),
                element("dt", "What it costs"),
                element("dd", finding.cost, class_=tone),
                element("dt", "Seen in"),
                element("dd", chances),
                class_="facts",
            ),
            _command(finding.query, *finding.also),
            *opened,
        ),
        _drawing(found, sure=True, width=270, height=78, numbers=True),
    )


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
) -> Safe:
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


def _example(example: Example, study: ProfileStudy) -> Safe:
    try:
        text = hand_text(study_replay(example.hand, example.number))
    except SoulreadError:
        text = str(example.hand)
    command = shlex.join(["soulread", "replay", "--db", study.store, "--hand", f"#{example.number}"])
    won = shown_amount(example.won, example.hand.stakes, "+")
    name = f"hand {example.hand.id or '#' + str(example.number)}, {won}"
    return element(
        "details",
        element("summary", name),
        element("pre", text),
        element("p", "Step by step: ", element("code", command), class_="small"),
    )


# Statistics ---------------------------------------------------------------------------------------


def _statistics(study: ProfileStudy) -> Safe:
    sure = {finding.deviation.standing.scope for finding in study.findings}
    drawn = [
        Safe("") if found.rate is None else _drawing(found, sure=found.scope in sure)
        for found in study.standings
    ]
    grid = statistics_grid(study)
    about = element(
        "details",
        element("summary", "What each statistic counts"),
        element(
            "dl",
            *(part for stat in TESTED for part in (element("dt", stat.name), element("dd", stat.about))),
            class_="facts",
        ),
    )
    return section(
        "Statistics",
        table(
            (*grid.columns, "among regulars"),
            grid.rows,
            drawn,
            wide=(2, 3, 4),
            few=[found.rate is None or found.too_few for found in study.standings],
        ),
        about,
        _hands_of(
            "statistic",
            [(TESTED[found.scope.statistic].name, study.claim(found)) for found in study.standings],
        ),
        lead="Regulars are compared in the same positions and at tables of the same size as the player's.",
    )


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


def _ranges(study: ProfileStudy) -> Safe:
    shown = [line for line in study.ranges if not line.too_few]
    few = [line for line in study.ranges if line.too_few]
    grids = [
        element(
            "figure",
            element("figcaption", element("b", line.title), element("span", _behind(line), class_="small")),
            range_grid(line.shades, _cells(line), _CLASSES, f"{line.title}, n = {line.n}"),
        )
        for line in shown
    ]
    body = [element("div", *grids, class_="grids")] if grids else []
    if few:
        names = "; ".join(f"{line.title} ({line.n})" for line in few)
        body.append(element("p", f"Too few hands seen: {names}.", class_="note"))
    if not study.ranges:
        body.append(element("p", "No line of play was looked at.", class_="note"))
    asked = []
    for line in study.ranges:
        asked += [(line.title, line.query), (f"{line.title}, cards seen", line.seen_query)]
    body.append(_hands_of("line of play", asked))
    return section("Ranges by line of play", *body, lead=ranges_lead(study.ranges))


def _behind(line: LineRange) -> str:
    seen = f"cards seen in {line.known:,} of {line.taken:,} hands"
    if line.source == MODEL:
        return f"{seen}; a model fills in the others, from {line.n - line.known:,} of them"
    return f"{seen}: counted" if line.source == COUNTED else seen


# Results ------------------------------------------------------------------------------------------


def _results(study: ProfileStudy) -> Safe:
    chosen = [result.adjusted if study.luck.complete else result.won for result in study.results]
    few = [result.too_few for result in study.results]
    drawn = interval_drawings(
        [None if hidden else (won.mean, *won.interval) for won, hidden in zip(chosen, few, strict=True)],
        [result.name for result in study.results],
    )
    grid = results_grid(study)
    made = table(
        (*grid.columns, "bb/100 around zero"), grid.rows, drawn, wide=(len(grid.columns) - 1,), few=few
    )
    asked = [(result.name, result.query) for result in study.results]
    asked += zip(("all-ins before the river", "all cards known"), study.luck_queries, strict=True)
    return section("Results", made, _hands_of("result", asked), lead=luck_text(study))


def _hands_of(what: str, asked: Sequence[tuple[str, ClaimQuery | None]]) -> Safe:
    """A table of commands that is opened: one for each line of a table of figures."""
    rows = [
        (name, f"{query.n:,}", element("code", query.command)) for name, query in asked if query is not None
    ]
    found = element("div", table((what, "n", "command"), rows), class_="queries")
    return element("details", element("summary", f"The hands behind each {what}"), found)


def _counter(study: ProfileStudy) -> Safe:
    if study.counter is None:
        return section("Counter-strategy", lead=study.counter_note or NO_COUNTER)
    told = [element("p", text) for text in study.counter.sentences]
    return section("Counter-strategy", *told, *map(_command, study.counter_queries))


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


def _method(study: ProfileStudy) -> Safe:
    return section("How this was made", *(element("p", text, class_="small") for text in method_texts(study)))
