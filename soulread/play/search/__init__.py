"""Agents that search or play hands out: Loki, Poki, Vexbot, Ponsen."""
