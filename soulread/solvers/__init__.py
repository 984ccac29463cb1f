"""Equilibria, best responses and how far a strategy is from either."""
