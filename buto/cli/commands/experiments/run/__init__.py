"""The experiments of ``buto experiments run``, one file each."""
