"""A check as one HTML page that needs nothing beside it."""

from buto.report.html.page import render

__all__ = ["render"]
