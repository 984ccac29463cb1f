"""Commands on people: the hero, aliases, results, sessions, opponents."""
