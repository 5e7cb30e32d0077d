"""Commands that launch programs, or measure one that runs: to learn, to judge, to compare, to explain."""
