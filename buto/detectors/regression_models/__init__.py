"""Models that predict counters from each other, so that a change of load cancels out."""
