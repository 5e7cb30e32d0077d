"""Benchmarks of what measuring costs: they compare in one run and print ratios with their spread."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parent.parent
"""The repository."""
