"""The default: one p-value for a check, and what can be said of an oracle that gives it."""
