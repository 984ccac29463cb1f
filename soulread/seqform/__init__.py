"""Two-player games as two treeplexes and a payoff operator, and strategies over them."""
