"""Experiments that put our numbers beside published ones, one folder per paper."""
