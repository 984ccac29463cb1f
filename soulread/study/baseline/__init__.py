"""Players beside an equilibrium: charts before the flop, and what of a difference is sure."""
