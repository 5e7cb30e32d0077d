"""Rules of prior tests: found, held against a new test, and counted as votes."""
