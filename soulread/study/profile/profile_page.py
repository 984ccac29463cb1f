"""The profile of a player as one page of HTML."""

from collections.abc import Sequence

from soulread.cards.ranges import class_name
from soulread.errors import SoulreadError
from soulread.hands.facts import POSITIONS
from soulread.report.page import (
    Safe,
    element,
    interval_strip,
    page,
    percent,
    range_grid,
    section,
    spread_strip,
)
from soulread.study.hands.replaying import study_replay
from soulread.study.hands.replaying_terminal import hand_text
from soulread.study.profile.deviations import LEAST_CHANCES
from soulread.study.profile.population import LEAST_REGULARS, MIDDLE, TESTED, Standing
from soulread.study.profile.profile import Example, Finding, ProfileStudy, Result
from soulread.study.profile.ranges_by_line import MODEL, LineRange
from soulread.words import percentile_text, plural

TOO_FEW = "too few hands"
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
        _rules(study),
        _results(study),
        _counter(study),
        _method(study),
    )


def span_text(study: ProfileStudy) -> str:
    """Hands, dates and games in one line."""
    parts = [plural(study.hands, "hand")]
    if study.first is not None and study.last is not None:
        parts.append(f"{study.first:%Y-%m-%d} to {study.last:%Y-%m-%d}")
    parts += study.games[:3]
    if len(study.games) > 3:
        parts.append(f"and {len(study.games) - 3} more games")
    return " · ".join(parts)


def _head(study: ProfileStudy) -> Safe:
    compared = (
        f"Compared with {plural(study.regulars, 'regular player')}: everybody else with at least "
        f"{study.regular_hands:,} hands."
    )
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
        element("p", compared, class_="meta"),
        *style,
        element("div", *tiles, class_="tiles"),
    )


def _tile(name: str, found: Standing) -> Safe:
    if found.rate is None or found.too_few:
        value, sub = "–", TOO_FEW
    else:
        value = percent(found.rate)
        sub = "no pool" if found.percentile is None else f"percentile {percentile_text(found.percentile)}"
    return element(
        "div",
        element("span", name, class_="name"),
        element("b", value),
        element("span", sub, element("br"), f"n {found.n:,.0f}", class_="sub"),
        class_="tile",
    )


def _result_tile(study: ProfileStudy) -> Safe:
    result = study.results[0]
    won = result.adjusted if study.luck.complete else result.won
    words = "bb/100, luck out" if study.luck.complete else "bb/100"
    value = "–" if result.too_few else f"{won.mean:+.1f}"
    sub = TOO_FEW if result.too_few else f"{won.interval[0]:+.0f} to {won.interval[1]:+.0f}"
    return element(
        "div",
        element("span", words, class_="name"),
        element("b", value),
        element("span", sub, element("br"), f"n {result.hands:,}", class_="sub"),
        class_="tile",
    )


# Deviations ---------------------------------------------------------------------------------------


def sure_lead(study: ProfileStudy) -> str:
    """What is called sure, in a sentence or two."""
    if not study.comparable:
        return (
            f"Nothing: there are only {plural(study.regulars, 'regular player')} to compare with, and "
            f"{LEAST_REGULARS} are needed."
        )
    share = f"{study.level:.0%}"
    if not study.findings:
        return (
            f"Nothing yet. Of {study.tested} tests none is beyond chance: in each, the player may well be "
            "within "
            "the middle half of the regulars."
        )
    count = study.more_findings
    more = f" {count} more {'is' if count == 1 else 'are'} sure and not shown." if count else ""
    return (
        "Outside of what the middle half of the regulars do, and not by chance: of such claims at most "
        f"{share} "
        f"are expected to be false, with {study.tested} tests accounted for. The most unusual first.{more}"
    )


def _findings(study: ProfileStudy) -> Safe:
    items = [_finding(finding, study) for finding in study.findings]
    body = [_legend(), element("ol", *items, class_="findings")] if items else []
    return section("What is sure", *body, lead=sure_lead(study))


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
            *opened,
        ),
        _strip(found, sure=True, width=270, height=78, numbers=True),
    )


def _numbers(finding: Finding) -> str:
    """Name, interval and pool in one line."""
    found = finding.deviation.standing
    low, high = found.interval
    side = "more" if finding.deviation.direction > 0 else "less"
    text = (
        f"{finding.deviation.name}: {percent(low)} to {percent(high)}, {side} often than three of four "
        "regulars; their "
        f"middle half: {percent(found.zone[0])} to {percent(found.zone[1])}."
    )
    places = [POSITIONS[other.scope.position or 0] for other in finding.deviation.also]
    return text + (f" Sure by itself in {', '.join(places)}." if places else "")


def _strip(found: Standing, *, sure: bool, width: int = 240, height: int = 34, numbers: bool = False) -> Safe:
    curve = None
    if found.spread is not None:
        rates, heights = found.density()
        curve = rates.tolist(), heights.tolist()
    low, high = found.interval
    label = f"{found.scope.name}: {percent(low)} to {percent(high)}"
    if found.spread is not None:
        label += f"; middle half of regulars {percent(found.zone[0])} to {percent(found.zone[1])}"
    return spread_strip(
        curve,
        found.zone,
        found.interval,
        found.rate or 0.0,
        sure,
        label,
        width=width,
        height=height,
        numbers=numbers,
    )


def _example(example: Example, study: ProfileStudy) -> Safe:
    try:
        text = hand_text(study_replay(example.hand, example.number))
    except SoulreadError:
        text = str(example.hand)
    command = f"soulread replay --db {study.store} --hand '#{example.number}'"
    name = f"hand {example.hand.id or '#' + str(example.number)}, {example.amount:+.1f} bb"
    return element(
        "details",
        element("summary", name),
        element("pre", text),
        element("p", "Step by step: ", element("code", command), class_="small"),
    )


# Statistics ---------------------------------------------------------------------------------------


def _statistics(study: ProfileStudy) -> Safe:
    sure = {finding.deviation.standing.scope for finding in study.findings}
    head = element(
        "tr",
        element("th", "statistic"),
        element("th", "value"),
        element("th", "95% interval", class_="wide"),
        element("th", "n", class_="wide"),
        element("th", "middle half of regulars", class_="wide"),
        element("th", "percentile"),
        element("th", "among regulars", class_="draw"),
    )
    rows = [_statistic(found, found.scope in sure) for found in study.standings]
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
        element("table", element("thead", head), element("tbody", *rows)),
        about,
        lead="Regulars are compared in the same positions and at tables of the same size as the player's.",
    )


def _statistic(found: Standing, sure: bool) -> Safe:
    name = element("td", TESTED[found.scope.statistic].name)
    count = element("td", f"{found.n:,.0f}", class_="wide")
    if found.rate is None:
        return element(
            "tr",
            name,
            element("td", "–"),
            element("td", TOO_FEW, class_="wide"),
            count,
            element("td", "–", class_="wide"),
            element("td", "–"),
            element("td", "", class_="draw"),
            class_="few",
        )
    low, high = found.interval
    zone = "–" if found.spread is None else f"{percent(found.zone[0])} – {percent(found.zone[1])}"
    standing = "–" if found.percentile is None or found.too_few else percentile_text(found.percentile)
    interval = TOO_FEW if found.too_few else f"{percent(low, 1)} – {percent(high, 1)}"
    return element(
        "tr",
        name,
        element("td", percent(found.rate, 1)),
        element("td", interval, class_="wide"),
        count,
        element("td", zone, class_="wide"),
        element("td", standing),
        element("td", _strip(found, sure=sure), class_="draw"),
        class_="few" if found.too_few else None,
    )


# Ranges and rules ---------------------------------------------------------------------------------


def ranges_lead(ranges: Sequence[LineRange]) -> str:
    """What the grids are made of."""
    if any(line.source == MODEL for line in ranges):
        return (
            "What the player may have held, by what the player did, as a model sees it: the mean over hands "
            "of the line, shown or not. Darker means likelier, holding for holding."
        )
    return (
        "Hands that were seen, by what the player did; darker means more often. A biased sample: hands "
        "that were folded, and bets that nobody called, are missing."
    )


def _cells(line: LineRange) -> list[str]:
    """What each cell of a grid stands for: a share of the range, or a number of hands seen."""
    if line.source != MODEL:
        return [f"{count:g}" for count in line.cells]
    total = max(sum(line.cells), 1e-12)
    return [f"{share / total:.1%} of the range" for share in line.cells]


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
    return section("Ranges by line of play", *body, lead=ranges_lead(study.ranges))


def _behind(line: LineRange) -> str:
    if line.taken is None:
        return f"n = {line.n:,}"
    if line.source == MODEL:
        return f"mean over {line.n:,} of {line.taken:,} hands of this line"
    return f"seen in {line.n:,} of {line.taken:,} hands of this line"


def _rules(study: ProfileStudy) -> Safe:
    if not study.rules:
        return section(
            "Rules of play",
            lead="No rules were learned: too few hands of no-limit hold'em, or none that differ enough.",
        )
    head = element("tr", *(element("th", name) for name in ("rule", "times", "most players would")))
    rows = [
        element(
            "tr",
            element("td", rule.text),
            element("td", f"{rule.n:,.0f}"),
            element("td", f"{rule.expected:,.0f}"),
        )
        for rule in study.rules
    ]
    return section(
        "Rules of play",
        element("table", element("thead", head), element("tbody", *rows)),
        lead="Where a tree of this player's decisions differs most from those of most players: how often the "
        "player did it, and how often most would have in the same situations. Cards that were not shown are "
        "filled in by the model.",
    )


# Results ------------------------------------------------------------------------------------------


def luck_text(study: ProfileStudy) -> str:
    """What became of the luck of all-ins, in words."""
    luck = study.luck
    if not luck.all_ins:
        return "There was no all-in before the river."
    seen = f"{luck.known:,} of {plural(luck.all_ins, 'all-in')} before the river"
    if luck.complete:
        won = f"{abs(luck.big_blinds):,.1f} big blinds {'more' if luck.big_blinds > 0 else 'less'}"
        return (
            f"In {seen} all cards are known. There the player won {won} than the cards were worth on "
            "average over all "
            "boards to come. That luck is taken out."
        )
    return (
        f"The luck of all-ins is not taken out: only in {seen} all cards are known. A loser need not show, "
        "so which "
        "of these hands could be valued depends on who won them, and that would distort the result."
    )


def _results(study: ProfileStudy) -> Safe:
    complete = study.luck.complete
    chosen = [result.adjusted if complete else result.won for result in study.results]
    strips = interval_strip(
        [
            None if result.too_few else (won.mean, *won.interval)
            for won, result in zip(chosen, study.results, strict=True)
        ],
        [result.name for result in study.results],
    )
    columns = ["hands", "as won", "luck taken out"] if complete else ["hands", "as won, bb/100"]
    head = element(
        "tr",
        element("th", "position"),
        *(element("th", name) for name in columns),
        element("th", "95% interval", class_="wide"),
        element("th", "bb/100 around zero", class_="draw"),
    )
    rows = [_result(result, complete, strip) for result, strip in zip(study.results, strips, strict=True)]
    return section(
        "Results", element("table", element("thead", head), element("tbody", *rows)), lead=luck_text(study)
    )


def _result(result: Result, complete: bool, strip: Safe) -> Safe:
    won = result.adjusted if complete else result.won
    cells = [element("td", f"{result.hands:,}")]
    if complete:
        cells.append(element("td", f"{result.won.mean:+.1f}"))
    cells.append(element("td", f"{won.mean:+.1f}"))
    low, high = won.interval
    interval = TOO_FEW if result.too_few else f"{low:+.1f} – {high:+.1f}"
    return element(
        "tr",
        element("td", result.name),
        *cells,
        element("td", interval, class_="wide"),
        element("td", strip, class_="draw"),
        class_="few" if result.too_few else None,
    )


def _counter(study: ProfileStudy) -> Safe:
    if study.counter is None:
        return section("Counter-strategy", lead=study.counter_note or NO_COUNTER)
    return section("Counter-strategy", *(element("p", text) for text in study.counter.sentences))


NO_COUNTER = (
    "Counter-strategies are computed for heads-up limit hold'em, of which this player has no hands here."
)


def method_texts(study: ProfileStudy) -> tuple[str, ...]:
    """How the page was made, for those who want to know."""
    return (
        f"Regulars are the players with at least {study.regular_hands:,} hands; this player is not among "
        "them. How "
        "they spread in a statistic is estimated with the chance in their counts taken out, position by "
        "position and "
        "by size of the table. The grey hill is that spread, in the player's own mix of seats.",
        f"A deviation is sure if the player is outside of the middle {MIDDLE:.0%} of the regulars, and "
        "chance does "
        f"not explain it. All {study.tested} statistics and positions with at least {LEAST_CHANCES} "
        "chances are "
        "tested together; the procedure of Benjamini and Hochberg keeps the expected share of false "
        "claims at "
        f"{study.level:.0%} or below. Hands of one evening resemble each other; intervals and tests are "
        "widened by "
        "as much as the regulars' own hands show.",
        "What a deviation costs is read off the regulars: those who do it more often, do they win more or "
        "less in "
        "hands with this chance? A straight line is fitted over players, and the player's distance from "
        "the middle is "
        "put on it. This is rough. It is an association, not an experiment, and players who differ in one "
        "thing "
        "differ in others. The interval is only that of the line.",
        "How to use a deviation is what coaches usually say about it; it was not computed.",
        "Intervals are 95%. n counts chances, or hands where a statistic counts hands.",
    )


def _method(study: ProfileStudy) -> Safe:
    return section("How this was made", *(element("p", text, class_="small") for text in method_texts(study)))
