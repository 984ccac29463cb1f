"""Studies compute what a user asks for. Beside each stand its forms: ``X_terminal`` prints, ``X_page`` writes HTML."""
