"""Many machines: the runner that runs work on a Ray cluster, and what travels to its workers."""
