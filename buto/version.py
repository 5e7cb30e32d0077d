"""The version of buto."""

__version__ = "0.1.0"

READ_BY_NEWER = f"read it with a newer buto; this is {__version__}"
"""What to do about a file of a newer version."""
