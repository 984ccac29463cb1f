"""What was seen of an opponent: hands as one observer saw them."""

from soulread.observe.hand import Hand, seen_by

__all__ = ["Hand", "seen_by"]
