"""Compare two programs by runs of both, without a stored oracle."""
