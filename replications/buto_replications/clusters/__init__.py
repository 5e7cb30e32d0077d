"""Regression models on clustered counters: the example of the paper, and recorded runs under unlike load."""
