"""Small programs with known regressions and harmless changes, to measure how well buto tells them apart."""
