"""The profile of a player and the pool of all players, with their pages."""
