"""What was seen of an opponent: hands as one observer saw them."""

from soulread.observe.hand import Hand, seen_by
from soulread.observe.shown import ShownCards

__all__ = ["Hand", "ShownCards", "seen_by"]
