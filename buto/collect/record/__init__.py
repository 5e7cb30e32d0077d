"""A run while it is recorded, and how it becomes a finished run."""
