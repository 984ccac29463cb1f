"""Sockets and files around tables; no poker here."""
