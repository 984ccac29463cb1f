"""Everybody of a store as one page of HTML."""

import numpy as np

from soulread.report.page import Safe, element, interval_strip, page, percent, section
from soulread.study.profile.deviations import LEVEL
from soulread.study.profile.pool import STYLED_BY, Contrast, Distribution, PoolPlayer, PoolStudy, StyleGroup
from soulread.study.profile.population import SHARES
from soulread.words import percentile_text, plural

MOST_ROWS = 60
_WIDTH, _HEIGHT = 760, 460


def pool_page(study: PoolStudy) -> str:
    """The whole page."""
    return page(
        "the pool",
        element(
            "header",
            element("h1", "The pool"),
            element(
                "p",
                f"{plural(study.hands, 'hand')} · {plural(study.players, 'player')} · "
                f"{plural(len(study.regulars), 'regular')} with at least {study.regular_hands:,} hands",
                class_="meta",
            ),
            element("p", study.conclusion, class_="style"),
        ),
        _contrasts(study),
        _map(study),
        _distributions(study),
        _regulars(study),
    )


def _contrasts(study: PoolStudy) -> Safe:
    if not study.contrasts:
        return section("What pays", lead=study.conclusion)
    lead = (
        "What regulars who do a thing one standard deviation more often win more, or less, in hands with "
        "such a "
        "chance. It is no experiment: players who differ in one thing differ in others."
    )
    strips = interval_strip(
        [None if one.slope is None else (one.slope.mean, *one.slope.interval) for one in study.contrasts],
        [one.name for one in study.contrasts],
    )
    head = element(
        "tr",
        element("th", "statistic"),
        element("th", f"winners ({study.winners})"),
        element("th", f"losers ({study.losers})"),
        element("th", "one deviation more, bb/100", class_="wide"),
        element("th", "", class_="wide"),
        element("th", "bb/100 around zero", class_="draw"),
    )
    rows = [_contrast(one, strip) for one, strip in zip(study.contrasts, strips, strict=True)]
    note = (
        f"Of the slopes called sure at most {LEVEL:.0%} are expected to be chance (Benjamini and Hochberg); "
        "players are the samples. What was won in one half of a player's hands is set against how the player "
        "played in the other half, so good cards do not make a habit look good. Winners and losers are told "
        "apart by their results, which are largely luck."
    )
    table = element("table", element("thead", head), element("tbody", *rows))
    return section("What pays", table, element("p", note, class_="note"), lead=lead)


def _contrast(one: Contrast, strip: Safe) -> Safe:
    slope = "–"
    if one.slope is not None:
        slope = f"{one.slope.mean:+.1f} ({one.slope.interval[0]:+.1f} to {one.slope.interval[1]:+.1f})"
    return element(
        "tr",
        element("td", one.name),
        element("td", percent(one.winners, 1)),
        element("td", percent(one.losers, 1)),
        element("td", slope, class_="wide"),
        element("td", "sure" if one.sure else "", class_="wide big"),
        element("td", strip, class_="draw"),
        class_=None if one.sure else "few",
    )


# Who is where -------------------------------------------------------------------------------------


def _map(study: PoolStudy) -> Safe:
    across, up = STYLED_BY.index("VPIP"), STYLED_BY.index("aggression frequency")
    most = max(player.hands for player in study.regulars)
    drawn: list[Safe] = []
    for share in (25, 50, 75):
        x, y = 40 + (_WIDTH - 60) * share / 100, 20 + (_HEIGHT - 60) * share / 100
        drawn.append(element("line", x1=x, x2=x, y1=20, y2=_HEIGHT - 40, class_="axis"))
        drawn.append(element("line", x1=40, x2=_WIDTH - 20, y1=y, y2=y, class_="axis"))
    for player in study.regulars:
        x = 40 + (_WIDTH - 60) * player.percentiles[across] / 100
        y = _HEIGHT - 40 - (_HEIGHT - 60) * player.percentiles[up] / 100
        label = (
            f"{player.name}: {plural(player.hands, 'hand')}, VPIP percentile "
            f"{percentile_text(player.percentiles[across])}, "
            f"aggression {percentile_text(player.percentiles[up])}, {player.won.mean:+.1f} bb/100"
        )
        drawn.append(
            element(
                "circle",
                element("title", label),
                cx=f"{x:.1f}",
                cy=f"{y:.1f}",
                r=f"{3 + 5 * (player.hands / most) ** 0.5:.1f}",
                class_=f"spot c{player.style % 6 + 1}",
            )
        )
    corners = (
        ("tight, aggressive", 44, 34, "start"),
        ("loose, aggressive", _WIDTH - 24, 34, "end"),
        ("tight, passive", 44, _HEIGHT - 46, "start"),
        ("loose, passive", _WIDTH - 24, _HEIGHT - 46, "end"),
    )
    drawn += [element("text", words, x=x, y=y, text_anchor=anchor) for words, x, y, anchor in corners]
    drawn.append(
        element(
            "text",
            "VPIP: more of the regulars are tighter →",
            x=_WIDTH / 2,
            y=_HEIGHT - 14,
            text_anchor="middle",
        )
    )
    turn = f"rotate(-90 22 {_HEIGHT / 2})"
    drawn.append(
        element(
            "text", "aggression after the flop →", x=22, y=_HEIGHT / 2, transform=turn, text_anchor="middle"
        )
    )
    chart = element("svg", *drawn, viewBox=f"0 0 {_WIDTH} {_HEIGHT}", class_="map", role="img")
    head = element(
        "tr",
        element("th", "style"),
        element("th", "players"),
        element("th", "hands", class_="wide"),
        element("th", "bb/100"),
        element("th", "95% interval", class_="wide"),
    )
    rows = [_style(number, group) for number, group in enumerate(study.styles)]
    return section(
        "Who is where",
        chart,
        element("table", element("thead", head), element("tbody", *rows)),
        lead="Each dot is a regular, larger with more hands. Colours are styles: players who are alike in "
        + ", ".join(STYLED_BY)
        + ".",
    )


def _style(number: int, group: StyleGroup) -> Safe:
    won, interval = "–", "too few players"
    if group.won is not None:
        won = f"{group.won.mean:+.1f}"
        interval = f"{group.won.interval[0]:+.1f} to {group.won.interval[1]:+.1f}"
    swatch = element("span", "", class_=f"swatch k{number % 6 + 1}")
    return element(
        "tr",
        element("td", swatch, group.words),
        element("td", f"{group.players:,}"),
        element("td", f"{group.hands:,}", class_="wide"),
        element("td", won),
        element("td", interval, class_="wide"),
    )


# Distributions ------------------------------------------------------------------------------------


def _distributions(study: PoolStudy) -> Safe:
    head = element(
        "tr",
        element("th", "statistic"),
        element("th", "median"),
        element("th", "middle half"),
        element("th", "middle 90%", class_="wide"),
        element("th", "regulars", class_="wide"),
        element("th", "spread", class_="draw"),
    )
    rows = [_distribution(one) for one in study.distributions]
    return section(
        "How statistics are spread",
        element("table", element("thead", head), element("tbody", *rows)),
        lead="Over the regulars, with the chance in their counts taken out and all in the same seats. Each "
        "mark below a hill is a player.",
    )


def _distribution(one: Distribution) -> Safe:
    name, count = element("td", one.name), element("td", f"{one.spread.regulars:,}", class_="wide")
    if not one.quantiles:
        few = element("td", "too few hands", class_="wide")
        blank = element("td", "–")
        return element("tr", name, blank, blank, few, count, element("td", "", class_="draw"), class_="few")
    value = dict(zip(SHARES, one.quantiles, strict=True))
    return element(
        "tr",
        name,
        element("td", percent(value[0.5], 1)),
        element("td", f"{percent(value[0.25])} – {percent(value[0.75])}"),
        element("td", f"{percent(value[0.05])} – {percent(value[0.95])}", class_="wide"),
        count,
        element("td", _hill_of(one), class_="draw"),
    )


def _hill_of(one: Distribution, width: int = 240, height: int = 44) -> Safe:
    z = np.linspace(-2.6, 2.6, 81)
    rates = np.asarray(one.spread.rate(one.spread.mean + one.spread.deviation * z, one.chances))
    heights = np.exp(-z * z / 2) / np.maximum(np.gradient(rates), 1e-12)
    heights /= heights.max()
    low, high = float(min(rates[0], one.values.min())), float(max(rates[-1], one.values.max()))
    base = height - 12

    def x(rate: float) -> float:
        return 4 + (width - 8) * (rate - low) / max(high - low, 1e-9)

    def hill(chosen: np.ndarray[tuple[int], np.dtype[np.bool_]], name: str) -> Safe:
        pairs = zip(rates[chosen].tolist(), heights[chosen].tolist(), strict=True)
        points = [(x(r), base - (base - 3) * t) for r, t in pairs]
        ring = [(points[0][0], base), *points, (points[-1][0], base)]
        return element("polygon", points=" ".join(f"{a:.1f},{b:.1f}" for a, b in ring), class_=name)

    marks = [
        element(
            "line", x1=f"{x(float(v)):.1f}", x2=f"{x(float(v)):.1f}", y1=base + 3, y2=height - 2, class_="rug"
        )
        for v in one.values
    ]
    return element(
        "svg",
        element("title", one.name),
        hill(np.ones(z.size, np.bool_), "hill"),
        hill(np.abs(z) <= 0.6745, "hill-middle"),
        *marks,
        viewBox=f"0 0 {width} {height}",
        class_="strip",
        role="img",
    )


def _regulars(study: PoolStudy) -> Safe:
    head = element(
        "tr",
        element("th", "player"),
        element("th", "hands"),
        *(element("th", name, class_="wide") for name in STYLED_BY),
        element("th", "bb/100"),
        element("th", "95% interval", class_="wide"),
    )
    rows = [_regular(player, study) for player in study.regulars[:MOST_ROWS]]
    shown = min(MOST_ROWS, len(study.regulars))
    return section(
        "The regulars",
        element("table", element("thead", head), element("tbody", *rows)),
        lead=f"{shown} of {len(study.regulars):,}, those with the most hands first. Numbers are percentiles "
        "among the regulars. soulread profile NAME has more of each.",
    )


def _regular(player: PoolPlayer, study: PoolStudy) -> Safe:
    low, high = player.won.interval
    swatch = element("span", "", class_=f"swatch k{player.style % 6 + 1}")
    return element(
        "tr",
        element("td", swatch, player.name),
        element("td", f"{player.hands:,}"),
        *(element("td", percentile_text(percentile), class_="wide") for percentile in player.percentiles),
        element("td", f"{player.won.mean:+.1f}"),
        element("td", f"{low:+.0f} to {high:+.0f}", class_="wide"),
    )
