"""A check, or runs that nothing judges, as one HTML page that needs nothing beside it."""

from buto.report.html.page import render, render_runs

__all__ = ["render", "render_runs"]
