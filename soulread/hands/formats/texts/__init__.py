"""Hand histories of rooms that write plain text, each with a small dialect of one reader."""
