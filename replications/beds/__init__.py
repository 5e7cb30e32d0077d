"""Real systems on which the detectors are measured: fetched on demand, never part of buto."""
