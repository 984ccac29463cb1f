"""Opponents that agents remember, as a table."""

from collections.abc import Sequence

from soulread.play.memory import KnownOpponent
from soulread.report.grid import Grid, console, titled
from soulread.words import plural


def print_known(where: str, known: Sequence[KnownOpponent]) -> None:
    """Print every opponent of a memory in a line."""
    if not known:
        console.print(f"nobody is remembered in {where!r}")
        return
    table = Grid("opponent", "games", "hands", "last met", words=(1,), left=(1,))
    for one in known:
        games = ", ".join(f"{game} ({hands:,})" for game, hands in one.games)
        last = "" if one.last is None else f"{one.last:%Y-%m-%d %H:%M}"
        table.add_row(one.name, games, f"{one.hands:,}", last)
    console.print(titled(f"{plural(len(known), 'opponent')} in {where}", table))
