"""Everybody of a store in the terminal."""

from soulread.report.grid import console, titled
from soulread.study.profile.pool import PoolStudy
from soulread.study.profile.pool_tables import (
    contrasts_grid,
    distributions_grid,
    regulars_grid,
    size_text,
    styles_grid,
)


def print_pool(study: PoolStudy, top: int = 20) -> None:
    """Print spreads, winners and losers, styles, and the players with the most hands."""
    console.print(size_text(study), style="dim")
    console.print(study.conclusion)
    if study.contrasts:
        console.print(titled("what pays", contrasts_grid(study)))
        console.print(
            "One deviation more: what regulars who do it one standard deviation more often win more, in "
            "hands with such a chance. Players who differ in one thing differ in others.",
            style="dim",
        )
    spread = "how statistics are spread over the regulars, chance taken out"
    console.print(titled(spread, distributions_grid(study)))
    console.print(titled("styles", styles_grid(study)))
    players = regulars_grid(study.regulars[:top])
    console.print(titled("who is where: percentiles among the regulars", players))
