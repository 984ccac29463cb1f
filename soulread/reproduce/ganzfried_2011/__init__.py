"""DBBR (Ganzfried & Sandholm, AAMAS 2011)."""
