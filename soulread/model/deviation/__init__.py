"""DBBR: the equilibrium, moved as far as an opponent's public actions say, and the tests of leaks."""
