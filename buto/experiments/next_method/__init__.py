"""What ``docs/methods/next-method.md`` promised to measure to decide about ``calibrated-next``."""
