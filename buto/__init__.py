"""Snapshot tests for what a JVM program uses."""

from importlib import import_module

from buto.display import display_with
from buto.version import __version__

__all__ = ["__version__"]

# Reports are drawn by a room that values know nothing of, and that takes a while to import.
display_with(lambda value: str(import_module("buto.report.notebook").render(value)))
