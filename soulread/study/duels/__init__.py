"""Matches for a user: results, promises, the zoo and the catalogue."""
