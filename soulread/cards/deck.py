"""Cards as integers 0..51: ``card = 4 * rank + suit``, ranks 2..A are 0..12, suits c d h s are 0..3.

Small games use a part of the same deck (Leduc the jacks, queens and kings of two suits), so one
card has one name everywhere.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.errors import ParseError
from soulread.kernel import kernel

RANKS = "23456789TJQKA"
SUITS = "cdhs"
SUIT_SYMBOLS = "♣♦♥♠"
NUM_CARDS = 52

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
    """``"3h 4c Jh"`` or ``"3h4cJh"`` -> three cards, in order. A card may not come twice."""
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
    """Raise `ParseError` if a card stands twice anywhere in the groups."""
    seen: set[int] = set()
    for group in groups:
        for card in group:
            if card in seen:
                raise ParseError(f"{card_name(card)!r} comes twice; every card exists once")
            seen.add(card)


def verify_card_rows(cards: NDArray[np.integer]) -> None:
    """Raise `ParseError` if an array ``[n, k]`` holds a number that is not a card. Cards may come twice."""
    if cards.size and not (cards.min() >= 0 and cards.max() < NUM_CARDS):
        row, column = np.argwhere((cards < 0) | (cards >= NUM_CARDS))[0]
        raise ParseError(
            f"row {row}: {int(cards[row, column])!r} is not a card; cards are numbered 0 to {NUM_CARDS - 1}"
        )


def deal(rng: np.random.Generator, deck: Sequence[int], count: int) -> tuple[int, ...]:
    """Return ``count`` different cards of ``deck``, in the order dealt.

    Uses exactly ``count`` doubles of ``rng``, in a way that kernels repeat (`deal_into`): the same
    stream gives the same cards in a match played by objects and in one played by a kernel.
    """
    if not 0 <= count <= len(deck):
        raise ParseError(f"cannot deal {count} cards from a deck of {len(deck)}")
    cards = np.array(deck, dtype=np.int64)
    deal_into(rng.random(count), cards)
    return tuple(int(card) for card in cards[:count])


@kernel
def deal_into(uniforms: np.ndarray, cards: np.ndarray) -> None:
    """Bring ``len(uniforms)`` dealt cards to the front of ``cards`` (a partial Fisher-Yates shuffle)."""
    size = cards.size
    for i in range(uniforms.size):
        j = i + int(uniforms[i] * (size - i))
        cards[i], cards[j] = cards[j], cards[i]
