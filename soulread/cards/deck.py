"""Cards as integers 0..51: ``card = 4 * rank + suit``, ranks 2..A are 0..12, suits c d h s are 0..3.

Small games use a part of the same deck (Leduc uses the jacks, queens and kings of two suits). The same card
therefore has the same number and name in every game.
"""

from collections.abc import Iterable

from soulread.errors import ParseError

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
NUM_CARDS = 52
MAX_PLAYERS = 10

FULL_DECK: tuple[int, ...] = tuple(range(NUM_CARDS))


def card_rank(card: int) -> int:
    """Rank 0 (deuce) to 12 (ace)."""
    return card >> 2


def card_name(card: int) -> str:
    """``51 -> "As"``, the opposite of `parse_card`."""
    if not 0 <= card < NUM_CARDS:
        raise ParseError(f"{card!r} is not a card; cards are numbered 0 to {NUM_CARDS - 1}")
    return RANKS[card >> 2] + SUITS[card & 3]


def pretty_card(card: int) -> str:
    """``51 -> "A♠"``, for people."""
    return card_name(card)[0] + SUIT_SYMBOLS[card & 3]


def parse_card(text: str) -> int:
    """``"As" -> 51``; rank in either case, suit as a letter or a symbol."""
    if len(text) == 2:
        rank = RANKS.find(text[0].upper())
        suit = SUITS.find(text[1].lower())
        if suit < 0:
            suit = SUIT_SYMBOLS.find(text[1])
        if rank >= 0 and suit >= 0:
            return 4 * rank + suit
    raise ParseError(f"{text!r} is not a card; write a rank ({RANKS}) and a suit ({SUITS}), such as 'Ah'")


def parse_cards(text: str) -> tuple[int, ...]:
    """``"3h 4c Jh"`` or ``"3h4cJh"`` -> three cards, in order. The same card twice is a `ParseError`."""
    joined = "".join(text.replace(",", " ").split())
    if len(joined) % 2:
        raise ParseError(
            f"{text!r} is not a list of cards; each card is a rank and a suit, such as '3h 4c Jh'"
        )
    cards = tuple(parse_card(joined[i : i + 2]) for i in range(0, len(joined), 2))
    verify_distinct(cards)
    return cards


def cards_name(cards: Iterable[int]) -> str:
    """``(51, 50) -> "AsAh"``, the opposite of `parse_cards`."""
    return "".join(card_name(card) for card in cards)


def pretty_cards(cards: Iterable[int]) -> str:
    """``(51, 50) -> "A♠ A♥"``, for people."""
    return " ".join(pretty_card(card) for card in cards)


def verify_distinct(*groups: Iterable[int]) -> None:
    """Raise `ParseError` if a card appears twice, in one group or in two of them."""
    seen: set[int] = set()
    for group in groups:
        for card in group:
            if card in seen:
                raise ParseError(f"{card_name(card)!r} comes twice; every card exists once")
            seen.add(card)
