"""Learns from the labelled past: which changes of a program were accepted, and which were regressions."""
