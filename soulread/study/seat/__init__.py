"""What a person at a table is shown of the own play: the range, the frequencies, the results, the costs."""
