"""A table that is played by lines of text: the dealer, a player, clocks. No sockets."""
