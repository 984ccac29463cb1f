"""What people look at: tables in the terminal, figures, and our numbers beside the published ones."""
