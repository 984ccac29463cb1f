"""Exploiters of Leduc opponents (Tansey, 2013)."""
