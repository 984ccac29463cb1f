"""Commands that play at a table: the dealer, and a player of the ACPC protocol."""
