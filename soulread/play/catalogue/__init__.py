"""Agents by name: entries, and the guard of agents that other people wrote."""
