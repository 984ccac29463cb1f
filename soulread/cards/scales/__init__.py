"""Scales of hand value: how good a holding is, as a number, in several ways."""
