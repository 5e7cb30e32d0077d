"""The judge on recorded runs: what it finds, what it fails wrongly, and what it costs."""
