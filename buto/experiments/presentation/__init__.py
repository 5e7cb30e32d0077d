"""Results as tables for the page and the terminal, and as files."""
