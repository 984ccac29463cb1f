"""The results of a player as one page of HTML."""

from typing import Any

from soulread.report.drawings import line_chart
from soulread.report.html import LAYOUT, render
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.players.players_terminal import luck_words, results_grid, span_words
from soulread.study.players.results import ResultsStudy
from soulread.words import plural


def results_page(study: ResultsStudy, layout: str = LAYOUT, **around: Any) -> str:
    """The whole page; ``layout`` is the template around it, with what that needs besides."""
    whole = study.whole
    meta = f"{plural(whole.hands, 'hand')}{span_words(study.first, study.last)}, {study.kind.name}"
    grid = results_grid(study)
    return render(
        "study/players/results_page.html",
        layout=layout,
        title=f"{study.player}: results",
        player=study.player,
        meta=[text for text in (meta, study.kind.among(study.other_kinds)) if text],
        tiles=_tiles(study),
        band=study.band_text,
        drawings=[line_chart(panel) for panel in study.panels],
        numbers=f"By {study.by}" if study.by else "In numbers",
        luck=luck_words(study.luck),
        columns=grid.columns,
        rows=grid.rows,
        **around,
    )


def _tiles(study: ResultsStudy) -> list[tuple[str, str, tuple[str, ...]]]:
    """Large numbers: name, value, and lines under it."""
    whole = study.whole
    low, high = whole.rate.interval
    money = ", ".join(map(str, whole.money)) or "chips without a price"
    tiles = [("won", f"{whole.won:+,.0f} bb", (money,))]
    if whole.adjusted is not None:
        luck = f"luck {study.luck.big_blinds:+,.0f} bb"
        tiles.append(("luck taken out", f"{whole.adjusted:+,.0f} bb", (luck,)))
    tiles.append(("at showdown", f"{whole.showdown:+,.0f} bb", (f"without {whole.no_showdown:+,.0f} bb",)))
    n = f"n {whole.hands:,}"
    if whole.too_few:
        return [*tiles, ("bb/100", "–", (TOO_FEW, n))]
    return [*tiles, ("bb/100", f"{whole.rate.mean:+.1f}", (f"{low:+.0f} to {high:+.0f}", n))]
