"""Loki's and Poki's models: weight tables, triples and the contexts of frequencies."""
