"""What is drawn of a run with more samples than a page has points."""

from __future__ import annotations

from dataclasses import replace

from buto.run.model import Run

MANY_VALUES = 1 << 24
"""A run of so many values is drawn by some samples: 50 hours of fifty properties twice a second."""

MOST_SAMPLES = 120
"""Largest number of samples that are drawn of such a run."""


def thin(run: Run) -> Run:
    """Return the run for drawing; only some samples of a run of at least MANY_VALUES values."""
    stride = stride_of_draw(run)
    if stride == 1:
        return run
    return replace(run, times_s=run.times_s[::stride].copy(), values=run.values[::stride].copy())


def stride_of_draw(run: Run) -> int:
    """Return the stride: every how many samples of a run one is drawn."""
    return stride_for(run.n_samples) if run.values.size >= MANY_VALUES else 1


def stride_for(n_samples: int) -> int:
    """Return the smallest power of two that leaves at most MOST_SAMPLES of ``n_samples``."""
    stride = 1
    while n_samples > stride * MOST_SAMPLES:
        stride *= 2
    return stride
