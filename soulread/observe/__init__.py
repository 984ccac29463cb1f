"""What was seen of an opponent: hands as one observer saw them."""

from soulread.observe.hand import Hand, seen_by
from soulread.observe.private import PrivateCounts
from soulread.observe.shown import ShownCards

__all__ = ["Hand", "PrivateCounts", "ShownCards", "seen_by"]
