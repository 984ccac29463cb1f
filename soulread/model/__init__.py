"""Models of opponents: how they play, learnt from what was seen of them."""
