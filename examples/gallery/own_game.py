"""A game of your own: Kuhn poker with three to seven ranks, solved.

A rule sheet is a game; everything else works as with the named ones.
"""

import soulread as sr
from soulread.cards.deck import parse_cards
from soulread.games.kuhn import high_card
from soulread.games.poker import PokerGame
from soulread.report.figures import Curve, Figure, Panel


def kuhn(deck: str) -> PokerGame:
    """Kuhn poker with these cards."""
    return PokerGame(
        sr.Rules(
            name=f"kuhn with {deck}", deck=parse_cards(deck), num_players=2, hole_cards=1, board_cards=(0,),
            first=(0,), blinds=(0, 0), ante=1, raise_sizes=(1,), max_raises=(1,), stacks=None, small_bet=1,
            big_blind=1, showdown=high_card,
        )
    )  # fmt: skip


ranks = (3, 4, 5, 6, 7)
values = tuple(
    sr.solve(kuhn(" ".join(f"{rank}s" for rank in "6789TJQ"[:number])), gap=1e-3).value for number in ranks
)
for number, value in zip(ranks, values, strict=True):
    print(f"{number} ranks: {value:+.3f} for the first player")
assert abs(values[0] + 1 / 18) < 0.002
panel = Panel(
    "Kuhn poker with more cards",
    "ranks",
    "value, chips/h",
    (Curve("value", tuple(map(float, ranks)), values),),
)
figure = Figure("own_game", "own game", (panel,))
