"""soulread: learn how an opponent really plays, and how to beat him without becoming beatable."""

__version__ = "0.1.0"
