"""Studies of one's own play, of sessions, and of everybody one meets."""
