"""Exact counters of a run: those that no machine moves."""

from __future__ import annotations

import numpy as np

from buto.run.model import Run
from buto.run.properties import is_counted


def exact_counters(run: Run) -> dict[str, float]:
    """Return the last value of each exact counter that was read, in its unit."""
    counters = {}
    for column, prop in enumerate(run.properties):
        if is_counted(prop):
            values = run.values[:, column]
            finite = values[np.isfinite(values)]
            if len(finite):
                counters[prop.name] = float(finite[-1])
    return counters
