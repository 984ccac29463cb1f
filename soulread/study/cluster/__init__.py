"""What a cluster is and can do."""
