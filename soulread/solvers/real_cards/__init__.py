"""Solvers and judges that work with real cards instead of an abstraction."""
