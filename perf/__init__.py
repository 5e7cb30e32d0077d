"""Benchmarks of what measuring costs: they compare in one run and print ratios with their spread."""
