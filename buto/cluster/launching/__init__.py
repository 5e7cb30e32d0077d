"""Launches as the caller sees them: which host gets which, and what happens if it is lost."""
