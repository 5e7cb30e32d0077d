"""Find the events of a run that a chart marks on its time axis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.properties import split_name
from buto.runs import Run

MAX_MARKS = 400
"""Marks of each kind and run; more would be one dark bar."""

COLLECTIONS = "jvm.gc.count"


@dataclass(frozen=True, slots=True)
class Collections:
    """Collections of one collector that ended between two samples.

    Attributes:
        time_s: time of the later sample.
        count: how many.
    """

    time_s: float
    count: int
    collector: str


def collections_of(run: Run) -> list[Collections]:
    """Return when the counters of collections grew, by time; close ones are combined if there are many."""
    found = []
    for name in run.column_of:
        metric, collector = split_name(name)
        if metric == COLLECTIONS:
            found += _grown(run, name, collector or "")
    return sorted(found, key=lambda one: one.time_s)


def _grown(run: Run, name: str, collector: str) -> list[Collections]:
    values = run.series(name)
    known = np.isfinite(values)
    times, counts = run.times_s[known], values[known]
    if not len(times):
        return []
    groups = np.linspace(times[0], times[-1], MAX_MARKS) if len(times) > MAX_MARKS else times
    rows = np.searchsorted(times, groups, side="right") - 1
    steps = np.diff(counts[rows])
    return [
        Collections(float(times[row]), round(step), collector)
        for row, step in zip(rows[1:], steps, strict=True)
        if step > 0
    ]
