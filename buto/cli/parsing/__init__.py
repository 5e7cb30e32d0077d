"""Parsing: from command-line arguments to requests."""
