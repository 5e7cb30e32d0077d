"""The ensemble detector: rules of prior tests, one set for each, vote on a new test."""
