"""`soulread demo`: a look at what is there, in under a minute."""

from itertools import product

from rich.console import Group
from rich.live import Live

from soulread.cards.deck import parse_cards, pretty_cards
from soulread.cards.equity import equity
from soulread.cards.ranges import parse_range
from soulread.cards.strength import hand_strength, potential
from soulread.estimate import Estimate, Unit
from soulread.play import AGENTS, play_matches
from soulread.report.tables import console, new_table, print_strength, titled

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
    table = new_table("hand", "against", "equity")
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
    console.print(titled("2. Exact all-in equity", table))


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
        f"\n± is half the 95% interval. In this company {best} wins most; each can be taken apart.\n"
        "Next: soulread duel limit always-fold always-raise --hands 10000 --duplicate"
    )


def _results(names: list[str], cells: dict[tuple[str, str], Estimate]) -> Group:
    title = f"3. Heads-up limit hold'em: sb/h won by the row, {HANDS} duplicate hands, seed {SEED}"
    table = new_table("", *(name.removeprefix("always-") for name in names))
    for row in names:
        table.add_row(row, *(_cell(cells.get((row, other))) for other in names))
    return titled(title, table)


def _cell(estimate: Estimate | None) -> str:
    return estimate.text(2).replace(" ", "") if estimate else ""
