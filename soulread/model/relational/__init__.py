"""Bayes-relational models of no-limit players: trees over tests with variables."""
