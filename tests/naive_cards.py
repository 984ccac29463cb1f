"""Slow, obvious twins of the card kernels."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, permutations


def strength_of_five(cards: Sequence[int]) -> tuple[int, ...]:
    """A tuple that orders five-card hands: category, then ranks by how many there are and how high."""
    count = Counter(card // 4 for card in cards)
    ranks = sorted(count, key=lambda rank: (count[rank], rank), reverse=True)
    shape = tuple(count[rank] for rank in ranks)
    flush = len({card % 4 for card in cards}) == 1
    straight = len(ranks) == 5 and ranks[0] - ranks[4] == 4
    if ranks == [12, 3, 2, 1, 0]:
        straight, ranks = True, [3]
    if straight and flush:
        category = 8
    elif flush:
        category = 5
    elif straight:
        category = 4
    else:
        category = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1}.get(shape, 0)
    return (category, *ranks)


def strength(cards: Sequence[int]) -> tuple[int, ...]:
    """The best `strength_of_five` among all choices of five cards."""
    return max(strength_of_five(five) for five in combinations(cards, 5))


def relabellings(groups: Sequence[Sequence[int]]) -> list[tuple[tuple[int, ...], ...]]:
    """What the deal looks like under each of the 24 permutations of the suits, each group sorted."""
    return [
        tuple(tuple(sorted(card // 4 * 4 + suits[card % 4] for card in group)) for group in groups)
        for suits in permutations(range(4))
    ]


def canonical(groups: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return min(relabellings(groups))


def orbit_size(groups: Sequence[Sequence[int]]) -> int:
    return len(set(relabellings(groups)))
