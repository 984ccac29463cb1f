"""What hands say of an opponent: counts over the public histories and information sets of a compiled game."""

from soulread.observe.counts import PublicCounts
from soulread.observe.private import PrivateCounts
from soulread.observe.shown import ShownCards

__all__ = ["PrivateCounts", "PublicCounts", "ShownCards"]
