"""Everybody of a store as one page of HTML."""

from soulread.report.page import (
    Safe,
    element,
    escape,
    interval_drawings,
    page,
    section,
    spread_drawing,
    table,
)
from soulread.study.profile.deviations import LEVEL
from soulread.study.profile.pool import STYLED_BY, Distribution, PoolStudy
from soulread.study.profile.pool_tables import (
    contrasts_grid,
    distributions_grid,
    regulars_grid,
    size_text,
    styles_grid,
)
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
            element("p", size_text(study), class_="meta"),
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
        "such a chance. It is no experiment: players who differ in one thing differ in others."
    )
    drawn = interval_drawings(
        [None if one.slope is None else (one.slope.mean, *one.slope.interval) for one in study.contrasts],
        [one.name for one in study.contrasts],
    )
    note = (
        f"Of the slopes called sure at most {LEVEL:.0%} are expected to be chance (Benjamini and Hochberg); "
        "players are the samples. What was won in one half of a player's hands is set against how the player "
        "played in the other half, so good cards do not make a habit look good. Winners and losers are told "
        "apart by their results, which are largely luck."
    )
    grid = contrasts_grid(study)
    unsure = [not one.sure for one in study.contrasts]
    made = table((*grid.columns, "bb/100 around zero"), grid.rows, drawn, wide=(3, 4), few=unsure)
    return section("What pays", made, element("p", note, class_="note"), lead=lead)


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
        tightness, boldness = player.percentiles[across], player.percentiles[up]
        if tightness is None or boldness is None:
            continue
        x = 40 + (_WIDTH - 60) * tightness / 100
        y = _HEIGHT - 40 - (_HEIGHT - 60) * boldness / 100
        label = (
            f"{player.name}: {plural(player.hands, 'hand')}, VPIP percentile {percentile_text(tightness)}, "
            f"aggression {percentile_text(boldness)}, {player.won.mean:+.1f} bb/100"
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
    grid = styles_grid(study)
    rows = [(_swatch(number, row[0]), *row[1:]) for number, row in enumerate(grid.rows)]
    return section(
        "Who is where",
        chart,
        table(grid.columns, rows, wide=(2,)),
        lead="Each dot is a regular, larger with more hands. Colours are styles: players who are alike in "
        + ", ".join(STYLED_BY)
        + ".",
    )


def _swatch(number: int, words: object) -> Safe:
    """Words behind the colour of a style."""
    return Safe(element("span", "", class_=f"swatch k{number % 6 + 1}") + escape(words))


# Distributions ------------------------------------------------------------------------------------


def _distributions(study: PoolStudy) -> Safe:
    grid = distributions_grid(study)
    drawn = [_spread(one) if one.quantiles else Safe("") for one in study.distributions]
    few = [not one.quantiles for one in study.distributions]
    return section(
        "How statistics are spread",
        table((*grid.columns, "spread"), grid.rows, drawn, wide=(1, 5, 6), few=few),
        lead="Over the regulars, with the chance in their counts taken out and all in the same seats: rates "
        "that so many of a hundred stay below. Each mark below a hill is a player.",
    )


def _spread(one: Distribution) -> Safe:
    curve, marks = one.spread.density(one.chances), one.values.tolist()
    return spread_drawing(curve, (one.quantiles[1], one.quantiles[3]), one.name, marks=marks, height=44)


def _regulars(study: PoolStudy) -> Safe:
    shown = study.regulars[:MOST_ROWS]
    grid = regulars_grid(shown)
    rows = [(_swatch(one.style, row[0]), *row[1:]) for one, row in zip(shown, grid.rows, strict=True)]
    return section(
        "The regulars",
        table(grid.columns, rows, wide=range(2, 2 + len(STYLED_BY))),
        lead=f"{len(shown)} of {len(study.regulars):,}, those with the most hands first. Numbers are "
        "percentiles among the regulars. soulread profile NAME has more of each.",
    )
