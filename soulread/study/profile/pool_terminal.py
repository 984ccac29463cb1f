"""Everybody of a store in the terminal."""

from soulread.report.grid import Grid, console, titled
from soulread.study.profile.pool import STYLED_BY, PoolStudy
from soulread.study.profile.population import SHARES
from soulread.words import percentile_text, plural


def print_pool(study: PoolStudy, top: int = 20) -> None:
    """Spreads, winners and losers, styles, and the players with the most hands."""
    console.print(
        f"{plural(study.hands, 'hand')}, {plural(study.players, 'player')}, "
        f"{plural(len(study.regulars), 'regular')} with at least {study.regular_hands:,} hands",
        style="dim",
    )
    console.print(study.conclusion)
    _print_contrasts(study)
    table = Grid("statistic", *(f"{share:.0%}" for share in SHARES), "regulars")
    for one in study.distributions:
        cells = [f"{value:.1%}" for value in one.quantiles] or ["-"] * len(SHARES)
        table.add_row(one.name, *cells, f"{one.spread.regulars:,}")
    console.print(titled("how statistics are spread over the regulars, chance taken out", table))
    styles = Grid("style", "players", "hands", "bb/100", words=(0,))
    for group in study.styles:
        won = "too few players" if group.won is None else group.won.text(1)
        styles.add_row(group.words, f"{group.players:,}", f"{group.hands:,}", won)
    console.print(titled("styles", styles))
    players = Grid("player", "hands", *STYLED_BY, "bb/100")
    for player in study.regulars[:top]:
        standings = [percentile_text(percentile) for percentile in player.percentiles]
        players.add_row(player.name, f"{player.hands:,}", *standings, player.won.text(1))
    console.print(titled("who is where: percentiles among the regulars", players))


def _print_contrasts(study: PoolStudy) -> None:
    if not study.contrasts:
        return
    table = Grid("statistic", "winners", "losers", "one deviation more, bb/100", "")
    for one in study.contrasts:
        slope = "-" if one.slope is None else one.slope.text(1)
        cells = (one.name, f"{one.winners:.1%}", f"{one.losers:.1%}", slope)
        table.add_row(*cells, "sure" if one.sure else "")
    console.print(titled(f"what pays; {study.winners} winners, {study.losers} losers", table))
    console.print(
        "One deviation more: what regulars who do it one standard deviation more often win more, in hands "
        "with "
        "such a chance. Players who differ in one thing differ in others.",
        style="dim",
    )
