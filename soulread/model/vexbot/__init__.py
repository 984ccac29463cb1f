"""Vexbot's model: a tree of betting sequences."""
