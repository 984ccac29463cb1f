"""What is computed for the page, in processes of its own: each module is asked by name."""
