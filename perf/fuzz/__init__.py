"""Fuzz the readers of files and messages that others may have written."""
