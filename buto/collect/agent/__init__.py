"""Collect by an agent inside the JVM, which sends samples over a private channel."""
