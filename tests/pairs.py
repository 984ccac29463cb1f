"""One thing for each of two seats."""

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")


def pair(items: Iterable[Item]) -> tuple[Item, Item]:
    """What there is for seats 0 and 1, of which there are no more; ``tuple`` would forget how many."""
    first, second = items
    return first, second
