"""Counts of several hands."""

from collections.abc import Iterable
from typing import TypeVar

from soulread.hands.hand import Hand
from soulread.observe.counts import PublicCounts
from soulread.observe.private import PrivateCounts

Counts = TypeVar("Counts", PublicCounts, PrivateCounts)


def counted(counts: Counts, hands: Iterable[Hand]) -> Counts:
    """The counts, after the observer's opponent was counted in each of the hands."""
    for hand in hands:
        counts.add(hand)
    return counts
