"""Agents, models and experiments that other people wrote: found by name, run in processes of their own."""
