"""The means to show results: the grid of the terminal, figures, HTML. They know nothing of what they show."""
