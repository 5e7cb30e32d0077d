"""Check whether this machine can measure."""
