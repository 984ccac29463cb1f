"""Everybody of a store as one page of HTML."""

from typing import Any

from soulread.report.drawings import Shape, Sketch, interval_drawings, line, shape, spread_drawing
from soulread.report.html import LAYOUT, render
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


def pool_page(study: PoolStudy, layout: str = LAYOUT, **around: Any) -> str:
    """The whole page; ``layout`` is the template around it, with what that needs besides."""
    styles = styles_grid(study)
    return render(
        "study/profile/pool_page.html",
        layout=layout,
        title="the pool",
        size=size_text(study),
        conclusion=study.conclusion,
        contrasts=_contrasts(study),
        level=LEVEL,
        map=_map(study),
        styled_by=STYLED_BY,
        styles={"columns": styles.columns, "rows": styles.rows},
        spreads=_spreads(study),
        regulars=_regulars(study),
        **around,
    )


def _contrasts(study: PoolStudy) -> dict[str, Any]:
    grid = contrasts_grid(study)
    return {
        "columns": (*grid.columns, "bb/100 around zero"),
        "rows": grid.rows,
        "drawn": interval_drawings(
            [None if one.slope is None else (one.slope.mean, *one.slope.interval) for one in study.contrasts],
            [one.name for one in study.contrasts],
        ),
        "few": [not one.sure for one in study.contrasts],
    }


def _map(study: PoolStudy) -> Sketch:
    """A dot for each regular: how tight, and how aggressive after the flop."""
    across, up = STYLED_BY.index("VPIP"), STYLED_BY.index("aggression frequency")
    most = max(player.hands for player in study.regulars)
    drawn: list[Shape] = []
    for share in (25, 50, 75):
        x, y = 40 + (_WIDTH - 60) * share / 100, 20 + (_HEIGHT - 60) * share / 100
        drawn.append(line((x, 20), (x, _HEIGHT - 40), "axis"))
        drawn.append(line((40, y), (_WIDTH - 20, y), "axis"))
    for player in study.regulars:
        tightness, boldness = player.percentiles[across], player.percentiles[up]
        if tightness is None or boldness is None:
            continue
        label = (
            f"{player.name}: {plural(player.hands, 'hand')}, VPIP percentile {percentile_text(tightness)}, "
            f"aggression {percentile_text(boldness)}, {player.won.mean:+.1f} bb/100"
        )
        drawn.append(
            shape(
                "circle",
                "",
                label,
                cx=40 + (_WIDTH - 60) * tightness / 100,
                cy=_HEIGHT - 40 - (_HEIGHT - 60) * boldness / 100,
                r=3 + 5 * (player.hands / most) ** 0.5,
                class_=f"spot c{player.style % 6 + 1}",
            )
        )
    corners = (
        ("tight, aggressive", 44, 34, "start"),
        ("loose, aggressive", _WIDTH - 24, 34, "end"),
        ("tight, passive", 44, _HEIGHT - 46, "start"),
        ("loose, passive", _WIDTH - 24, _HEIGHT - 46, "end"),
    )
    drawn += [shape("text", words, x=x, y=y, text_anchor=anchor) for words, x, y, anchor in corners]
    below = "VPIP: more of the regulars are tighter →"
    drawn.append(shape("text", below, x=_WIDTH / 2, y=_HEIGHT - 14, text_anchor="middle"))
    side, turn = "aggression after the flop →", f"rotate(-90 22 {_HEIGHT / 2})"
    drawn.append(shape("text", side, x=22, y=_HEIGHT / 2, transform=turn, text_anchor="middle"))
    return Sketch("Who is where", _WIDTH, _HEIGHT, "map", drawn)


def _spreads(study: PoolStudy) -> dict[str, Any]:
    grid = distributions_grid(study)
    return {
        "columns": (*grid.columns, "spread"),
        "rows": grid.rows,
        "drawn": [_spread(one) if one.quantiles else "" for one in study.distributions],
        "few": [not one.quantiles for one in study.distributions],
    }


def _spread(one: Distribution) -> Sketch:
    curve, marks = one.spread.density(one.chances), one.values.tolist()
    return spread_drawing(curve, (one.quantiles[1], one.quantiles[3]), one.name, marks=marks, height=44)


def _regulars(study: PoolStudy) -> dict[str, Any]:
    shown = study.regulars[:MOST_ROWS]
    grid = regulars_grid(shown)
    return {
        "columns": grid.columns,
        "rows": grid.rows,
        "wide": range(2, 2 + len(STYLED_BY)),
        "styles": [one.style for one in shown],
        "lead": (
            f"{len(shown)} of {len(study.regulars):,}, those with the most hands first. Numbers are "
            "percentiles among the regulars. soulread profile NAME has more of each."
        ),
    }
