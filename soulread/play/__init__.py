"""Agents, and tables for them to play at."""
