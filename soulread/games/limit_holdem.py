"""Heads-up limit Texas hold'em with the betting of the Annual Computer Poker Competition, in units of 1 chip.

The dealer (seat 1) posts 1 and acts first before the flop, last afterwards; seat 0 posts 2. A bet is 2
chips before and on the flop, and 4 chips later. A round has at most four bets. Before the flop the big
blind counts as the first of them.
"""

from soulread.cards.deck import FULL_DECK
from soulread.errors import SoulreadError
from soulread.games.poker import PokerGame, Rules


def limit_holdem() -> PokerGame:
    """Heads-up limit hold'em; nobody runs out of chips."""
    return PokerGame(limit_rules("limit", 2))


def limit_rules(name: str, num_players: int) -> Rules:
    """Rules of limit hold'em for any number of players."""
    return Rules(
        name=name,
        deck=FULL_DECK,
        num_players=num_players,
        hole_cards=2,
        board_cards=(0, 3, 1, 1),
        first=first_seats(num_players),
        blinds=seat_blinds(num_players, (1, 2)),
        raise_sizes=(2, 2, 4, 4),
        max_raises=(3, 4, 4, 4),
        stacks=None,
        small_bet=2,
        big_blind=2,
        showdown=best_hand,
    )


def verify_holdem(game: PokerGame) -> None:
    """Raise unless a game is hold'em with a full deck and four rounds, for any number of seats."""
    rules = game.rules
    shape = len(rules.deck), rules.hole_cards, rules.board_cards
    if shape != (52, 2, (0, 3, 1, 1)):
        raise SoulreadError(f"{game.name!r} is not hold'em, which this model is for: two cards of 52")


def first_seats(num_players: int) -> tuple[int, ...]:
    """First to act in each round: the seat after the big blind, later the first after the button."""
    return (1 if num_players == 2 else 2, 0, 0, 0)


def seat_blinds(num_players: int, blinds: tuple[int, int]) -> tuple[int, ...]:
    """Blinds per seat; heads-up the dealer, who is seat 1, posts the small one."""
    small, big = blinds
    return (big, small) if num_players == 2 else (small, big) + (0,) * (num_players - 2)


def best_hand(hole: tuple[int, ...], board: tuple[int, ...]) -> int:
    """Strength of the best five of seven cards."""
    from soulread.cards.evaluate import evaluate  # here: reading rules must not wait for a compiler

    return evaluate(hole + board)
