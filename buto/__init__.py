"""Snapshot tests for what a JVM program uses."""

__version__ = "0.1.0"
