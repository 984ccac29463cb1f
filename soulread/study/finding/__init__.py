"""Hands that fulfil conditions, and the occasions of a statistic."""
