"""The page: what a browser is served, and the processes that compute it."""
