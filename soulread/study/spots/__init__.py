"""Spots with real cards for a user: solved, locked, from stored hands, on many boards."""
