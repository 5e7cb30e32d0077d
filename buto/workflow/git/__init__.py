"""git: its calls, temporary working trees, bisection, and what changed since a revision."""
