"""Clones of real players: chances of actions as seen, holdings that fit them, sizes of bets."""
