"""Formats that tell a hand by the numbers of the seats at the table."""
