"""The tables of a store: the databases, the rows and their seals, checks, and older versions."""
