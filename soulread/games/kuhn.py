"""Kuhn poker: three cards, an ante of 1, one bet of 1 (Kuhn, Contributions to the Theory of Games, 1950)."""

from soulread.cards.deck import parse_cards
from soulread.games.poker import PokerGame, Rules


def kuhn() -> PokerGame:
    """Two-player Kuhn poker with the jack, queen and king of spades."""
    return PokerGame(
        Rules(
            name="kuhn",
            deck=parse_cards("Js Qs Ks"),
            num_players=2,
            hole_cards=1,
            board_cards=(0,),
            first=(0,),
            blinds=(0, 0),
            ante=1,
            raise_sizes=(1,),
            max_raises=(1,),
            stacks=None,
            small_bet=1,
            big_blind=1,
            showdown=high_card,
        )
    )


def high_card(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    """The higher card wins."""
    return hole[0]
