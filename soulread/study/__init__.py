"""Studies compute what a user asks for. Beside each stand its forms: for the terminal, and as a page."""
