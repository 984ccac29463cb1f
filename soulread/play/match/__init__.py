"""Hands in play and matches: loops, the compiled simulator, and judges without luck."""
