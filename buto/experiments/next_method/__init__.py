"""What ``docs/next-method.md`` promised to measure to decide about ``calibrated-next`` as the default."""
