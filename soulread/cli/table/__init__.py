"""Commands that play at a table: the dealer, a player of the ACPC protocol, and tournaments."""
