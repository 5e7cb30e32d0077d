"""Explanations of what a program uses more of, one renderer a format."""
