"""Predictors of a player's next action: tables, nets and boosted trees."""
