"""Hands as evidence about an opponent: counts of actions at public histories and at information sets."""
