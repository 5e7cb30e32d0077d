"""What ``docs/next-method.md`` promises to measure before the next method becomes the default."""
