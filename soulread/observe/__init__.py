"""What hands tell about an opponent: counts of actions at public histories and at information sets."""

from soulread.observe.counts import PublicCounts
from soulread.observe.encounters import Encounters
from soulread.observe.private import PrivateCounts
from soulread.observe.shown import ShownCards

__all__ = ["Encounters", "PrivateCounts", "PublicCounts", "ShownCards"]
