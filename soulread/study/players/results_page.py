"""The results of a player as one page of HTML."""

from soulread.report.page import element, line_chart, page, section, table, tile
from soulread.study.hands.statistics_terminal import TOO_FEW
from soulread.study.players.players_terminal import luck_words, results_grid, span_words
from soulread.study.players.results import ResultsStudy
from soulread.words import plural


def results_page(study: ResultsStudy) -> str:
    """The whole page."""
    whole = study.whole
    low, high = whole.rate.interval
    tiles = [
        tile("won", f"{whole.won:+,.0f} bb", ", ".join(map(str, whole.money)) or "chips without a price"),
        tile("at showdown", f"{whole.showdown:+,.0f} bb", f"without {whole.no_showdown:+,.0f} bb"),
        tile("bb/100", "–", TOO_FEW, f"n {whole.hands:,}")
        if whole.too_few
        else tile("bb/100", f"{whole.rate.mean:+.1f}", f"{low:+.0f} to {high:+.0f}", f"n {whole.hands:,}"),
    ]
    if whole.adjusted is not None:
        luck = f"luck {study.luck.big_blinds:+,.0f} bb"
        tiles.insert(1, tile("luck taken out", f"{whole.adjusted:+,.0f} bb", luck))
    meta = f"{plural(whole.hands, 'hand')}{span_words(study.first, study.last)}, {study.kind.name}"
    others = study.kind.among(study.other_kinds)
    grid = results_grid(study)
    return page(
        f"{study.player}: results",
        element(
            "header",
            element("h1", study.player),
            element("p", meta, class_="meta"),
            *([element("p", others, class_="meta")] if others else []),
            element("div", *tiles, class_="tiles"),
        ),
        section("Results", *(line_chart(panel) for panel in study.panels), lead=study.band_text),
        section(
            f"By {study.by}" if study.by else "In numbers",
            table(grid.columns, grid.rows),
            lead=luck_words(study.luck),
        ),
    )
