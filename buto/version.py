"""The version of buto."""

__version__ = "0.1.0"
