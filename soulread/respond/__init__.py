"""Counter-strategies: how to answer a model of the opponent at a risk one chooses."""
