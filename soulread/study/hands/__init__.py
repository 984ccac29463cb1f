"""Hands: imported, exported, stepped through, counted, and what everybody may have held."""
