"""Reads of whole players and of pools in spots, and what they can be exploited for."""
