"""Bayes-relational models of no-limit players (Ponsen et al., 2008)."""
