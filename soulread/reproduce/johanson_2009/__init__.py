"""Restricted Nash and data biased responses (Johanson & Bowling, AISTATS 2009)."""
