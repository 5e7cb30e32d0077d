"""Two programs compared by runs of both, without a stored oracle."""
