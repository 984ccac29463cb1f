"""Hands that stand in a log more than once, and count once.

The numbers of a match go up. A log is therefore cut into *stretches* wherever a number is smaller than the
one before it: several matches in one file, or one match several times. Two stretches are of the same match if
all hands whose numbers are in both are the same, letter by letter; what they share is then a repeat. In a
small game two matches agree on a hand or two by chance: a deal of Kuhn is one of six. So many hands must
agree that fewer than one pair of matches in a thousand would do so by chance: four of Kuhn, three of Leduc,
one of hold'em.

A line right behind the same line is a repeat too, unless the stretch gives one number to different hands:
then its numbers do not tell hands apart.
"""

from collections import Counter
from collections.abc import Sequence

_CHANCE = 1000  # one in so many pairs of matches may share hands by chance
_MOST = 20  # stretches that are compared with another; a bound on the work

Hands = dict[int, tuple[str, ...]]  # the lines of each number


def find_repeats(lines: Sequence[tuple[int, str]], deals: int) -> set[int]:
    """The positions in ``lines``, pairs of hand number and text, that repeat an earlier hand.

    ``deals`` is in how many ways the hole cards of a hand can be dealt.
    """
    repeats: set[int] = set()
    stretches: list[Hands] = []
    containing: dict[tuple[int, tuple[str, ...]], list[int]] = {}  # the first stretches that have a hand
    for positions in _stretches(lines):
        hands = _hands(lines, positions, repeats)
        near: Counter[int] = Counter()
        for item in hands.items():
            near.update(containing.get(item, ()))
        for other, _ in near.most_common(_MOST):
            shared = hands.keys() & stretches[other].keys()
            alike = all(hands[number] == stretches[other][number] for number in shared)
            if alike and deals ** len(shared) >= _CHANCE:
                repeats.update(position for position in positions if lines[position][0] in shared)
        for item in hands.items():
            found = containing.setdefault(item, [])
            if len(found) < _MOST:
                found.append(len(stretches))
        stretches.append(hands)
    return repeats


def _stretches(lines: Sequence[tuple[int, str]]) -> list[list[int]]:
    """The positions of the lines of each stretch."""
    found: list[list[int]] = []
    before = -1
    for position, (number, _) in enumerate(lines):
        if not found or number < before:
            found.append([])
        found[-1].append(position)
        before = number
    return found


def _hands(lines: Sequence[tuple[int, str]], positions: Sequence[int], repeats: set[int]) -> Hands:
    """The hands of a stretch; lines right behind the same line are added to ``repeats``."""
    texts: dict[int, list[str]] = {}
    echoes = []
    for position in positions:
        number, text = lines[position]
        if number in texts:
            echoes.append(position)
        texts.setdefault(number, []).append(text)
    if any(len(set(given)) > 1 for given in texts.values()):
        return {number: tuple(given) for number, given in texts.items()}
    repeats.update(echoes)
    return {number: (given[0],) for number, given in texts.items()}
