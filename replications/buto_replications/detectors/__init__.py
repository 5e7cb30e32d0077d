"""The papers' methods as detectors: prior tests that vote, labelled history, and regression models."""
