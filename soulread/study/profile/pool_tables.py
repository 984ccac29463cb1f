"""The tables of a pool that the terminal and the page share."""

from soulread.report.grid import Grid
from soulread.study.profile.pool import STYLED_BY, PoolPlayer, PoolStudy
from soulread.study.profile.population import SHARES
from soulread.words import percentile_text, plural


def size_text(study: PoolStudy) -> str:
    """The numbers of hands, players and regulars."""
    regulars = f"{plural(len(study.regulars), 'regular')} with at least {study.regular_hands:,} hands"
    text = f"{plural(study.hands, 'hand')} · {plural(study.players, 'player')} · {regulars}"
    other = study.kind.among(study.other_kinds)
    return f"{text}. {other}" if other else text


def contrasts_grid(study: PoolStudy) -> Grid:
    """Winners beside losers in each statistic, and its slope."""
    names = f"winners ({study.winners})", f"losers ({study.losers})"
    grid = Grid("statistic", *names, "one deviation more, bb/100", "")
    for one in study.contrasts:
        slope = "-" if one.slope is None else one.slope.text(1)
        sure = "sure" if one.sure else ""
        grid.add_row(one.name, f"{one.winners:.1%}", f"{one.losers:.1%}", slope, sure)
    return grid


def distributions_grid(study: PoolStudy) -> Grid:
    """The rates of the regulars at `SHARES`, for each statistic."""
    grid = Grid("statistic", *(f"{share:.0%}" for share in SHARES), "regulars")
    for one in study.distributions:
        cells = [f"{value:.1%}" for value in one.quantiles] or ["-"] * len(SHARES)
        grid.add_row(one.name, *cells, f"{one.spread.regulars:,}")
    return grid


def styles_grid(study: PoolStudy) -> Grid:
    """The clusters of players."""
    grid = Grid("style", "players", "hands", "bb/100", words=(0,))
    for group in study.styles:
        won = "too few players" if group.won is None else group.won.text(1)
        grid.add_row(group.words, f"{group.players:,}", f"{group.hands:,}", won)
    return grid


def regulars_grid(players: tuple[PoolPlayer, ...]) -> Grid:
    """Percentiles and results of some regulars."""
    grid = Grid("player", "hands", *STYLED_BY, "bb/100")
    for player in players:
        places = map(percentile_text, player.percentiles)
        grid.add_row(player.name, f"{player.hands:,}", *places, player.won.text(1))
    return grid
