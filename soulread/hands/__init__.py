"""The record of what was played: hands as one observer saw them, and the files they come from."""
