"""Cards in arrays: dealing and numbering hands as kernels do, and a check of rows of cards."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from soulread.cards.deck import NUM_CARDS
from soulread.errors import ParseError
from soulread.kernel import kernel


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
    return tuple(cards[:count].tolist())


def deal_many(rng: np.random.Generator, deck: Sequence[int], count: int, times: int) -> list[list[int]]:
    """The cards of so many calls of `deal`, the first one first; many times quicker."""
    if not 0 <= count <= len(deck):
        raise ParseError(f"cannot deal {count} cards from a deck of {len(deck)}")
    cards = np.tile(np.array(deck, dtype=np.int64), (times, 1))
    uniforms = rng.random((times, count))
    rows = np.arange(times)
    for i in range(count):
        j = i + (uniforms[:, i] * (len(deck) - i)).astype(np.int64)
        cards[rows, i], cards[rows, j] = cards[rows, j], cards[rows, i]
    found: list[list[int]] = cards[:, :count].tolist()
    return found


@kernel
def deal_into(uniforms: np.ndarray, cards: np.ndarray) -> None:
    """Bring ``len(uniforms)`` dealt cards to the front of ``cards`` (a partial Fisher-Yates shuffle)."""
    size = cards.size
    for i in range(uniforms.size):
        j = i + int(uniforms[i] * (size - i))
        cards[i], cards[j] = cards[j], cards[i]


@kernel
def hand_of(a: int, b: int) -> int:
    """Index 0..1325 of the hand of two different cards, in either order; `ranges.hand_index` for kernels."""
    low, high = min(a, b), max(a, b)
    return int(np.int64(high) * (np.int64(high) - 1) // 2 + np.int64(low))
