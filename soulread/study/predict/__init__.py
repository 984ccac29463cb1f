"""Predictors of a player, trained and judged."""
