"""Search of the rest of a hand, and the forecasts it needs."""
