"""Experiments on labelled histories: the paper's tables, a synthetic history, and replayed recorded runs."""
