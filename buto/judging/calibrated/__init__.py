"""The default: one p-value for a check, and what an oracle that gives it can detect."""
