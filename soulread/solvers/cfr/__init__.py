"""Counterfactual regret minimisation: one update, its schedules, and the loop around them."""
