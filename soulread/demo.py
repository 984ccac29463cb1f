"""`soulread demo`: a look at what is there, in under a minute."""

from itertools import product

from rich.live import Live
from rich.table import Table

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.cards.equity import equity
from soulread.cards.ranges import parse_range
from soulread.cards.strength import hand_strength, potential
from soulread.estimate import Estimate, Unit
from soulread.play import AGENTS, play_matches
from soulread.report.tables import console, new_table, print_strength

HANDS = 500
SEED = 2011


def run() -> None:
    """Hand strength, equities, and every simple agent against every other."""
    _strength()
    _equities()
    _round_robin()


def _strength() -> None:
    hole, board = parse_cards("AdQc"), parse_cards("3h4cJh")
    title = f"1. {pretty_cards(hole)} on {pretty_cards(board)}: all 1,070,190 ways the hand can end"
    print_strength(title, hand_strength(hole, board), potential(hole, board), opponents=1)


def _equities() -> None:
    table = new_table("2. Exact all-in equity", "hand", "against", "equity")
    matchups = (
        ("AA", "random"),
        ("AKs", "random"),
        ("JJ", "QQ+, AK"),
        ("T9s", "AA-99, AKs"),
        ("77+", "A2s+, KTs+"),
    )
    for hero, villain in matchups:
        value = equity(parse_range(hero), parse_range(villain)).value
        table.add_row(hero, villain, f"{value:.6f}")
    console.print(table)


def _round_robin() -> None:
    names = list(AGENTS)
    cells: dict[tuple[str, str], Estimate] = {}
    with Live(_results(names, cells), console=console, auto_refresh=False) as live:
        for row, column in product(names, names):
            if row < column:
                result = play_matches("limit", (row, column), HANDS, duplicate=True, seed=SEED)
                cells[row, column] = result.estimate(0, Unit.SMALL_BETS)
                cells[column, row] = result.estimate(1, Unit.SMALL_BETS)
                live.update(_results(names, cells), refresh=True)
    best = max(names, key=lambda name: sum(cells[name, other].mean for other in names if other != name))
    console.print(
        f"{best} wins most in this company, yet each of these can be taken apart once he is read.\n"
        "Next: `soulread duel limit always-fold always-raise --hands 10000 --duplicate`, `soulread --help`."
    )


def _results(names: list[str], cells: dict[tuple[str, str], Estimate]) -> Table:
    title = (
        f"3. Heads-up limit hold'em, sb/h won by the row, {HANDS} duplicate hands each, seed {SEED}, ± 95%"
    )
    table = new_table(title, "", *names)
    for row in names:
        table.add_row(
            row, *(cells[row, column].text(2) if (row, column) in cells else "" for column in names)
        )
    return table
