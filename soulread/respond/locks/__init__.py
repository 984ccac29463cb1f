"""Locks: reads of an opponent at single decisions, and answers for every degree of trust in them."""
