"""Questions of our own, and tables over all papers."""
