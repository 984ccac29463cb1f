"""Strategies for a user: games solved, leaks found, curves of reward and risk."""
