"""One number for each property of a run, for those who track it over many checks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from buto.analysis.series import series_of, summaries
from buto.oracle.findings import DURATION
from buto.properties import Role
from buto.runs import Run

PART_VALUES = 1 << 22
"""Values of a run that are looked at together: of a long one they are read from the disk."""


def levels(run: Run) -> dict[str, float]:
    """Property to level: of a counter its last value, of all others the mean over the samples.

    In the property's unit. With the run's duration; without what measuring costs, and without what
    could not be read.
    """
    judged = [prop for prop in run.properties if prop.role is Role.PROGRAM]
    size = max(2, PART_VALUES // max(1, run.n_samples))
    found = {DURATION.name: run.outcome.duration_s}
    for start in range(0, len(judged), size):
        properties = judged[start : start + size]
        mean, last = summaries(series_of(run, properties), properties)
        for column, prop in enumerate(properties):
            found[prop.name] = float(mean[column] if math.isnan(last[column]) else last[column])
    return {name: level for name, level in found.items() if math.isfinite(level)}


def median_levels(of_runs: Sequence[dict[str, float]]) -> dict[str, float]:
    """The median of each property over those runs that have it."""
    names = dict.fromkeys(name for one in of_runs for name in one)
    return {name: median(one[name] for one in of_runs if name in one) for name in names}
