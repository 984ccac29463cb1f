"""Opponents with known habits: rule players, people, skewed equilibria, the zoo."""
