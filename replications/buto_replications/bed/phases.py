"""Long runs of the bed cut to what shorter ones have."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from buto.run.model import FloatArray, Run
from buto.run.properties import Kind

PHASE = "phase-"
"""The marks at which the rate of the load changes begin with this."""

GRID_S = 0.5
"""Time between two samples of a cut run, as in a recorded one."""


def cut_phases(run: Run, phase_s: float) -> Run:
    """Return a run with the first seconds of each phase, one after the other.

    Counters grow as in these seconds: what they grew in between is left out. Times are on a grid, on which
    counters are interpolated and gauges have the last reading before.
    """
    starts = [mark.time_s for mark in run.marks if mark.name.startswith(PHASE)]
    grid = np.arange(0.0, phase_s, GRID_S)
    at = np.append(np.concatenate([start + grid for start in starts]), starts[-1] + phase_s)
    before = np.searchsorted(run.times_s, at, side="right").clip(1) - 1
    values = run.values[before]
    for column, prop in enumerate(run.properties):
        if prop.kind is Kind.COUNTER:
            values[:, column] = _grown(run.times_s, run.values[:, column], starts, grid, phase_s)
    times_s = np.arange(len(at), dtype=np.float64) * GRID_S
    return replace(run, times_s=times_s, values=values, marks=(), histograms=())


def _grown(
    times_s: FloatArray, counter: FloatArray, starts: list[float], grid: FloatArray, phase_s: float
) -> FloatArray:
    read = ~np.isnan(counter)
    if not read.any():
        return np.full(len(starts) * len(grid) + 1, np.nan)
    parts, level = [], 0.0
    for start in starts:
        values = np.interp(start + np.append(grid, phase_s), times_s[read], counter[read])
        parts.append(level + values[:-1] - values[0])
        level += float(values[-1] - values[0])
    return np.append(np.concatenate(parts), level)
