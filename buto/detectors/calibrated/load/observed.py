"""What is known of runs: rates and means over stretches of time, and the smallest step of each counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np
import numpy.typing as npt

from buto.analysis.series import series_of
from buto.detectors.calibrated.load.listed import MAY_LEAK, STRETCHES
from buto.detectors.calibrated.load.observations import observations
from buto.properties import Kind, Property
from buto.runs import FloatArray, Run

FEWEST_SAMPLES = 2


@dataclass(frozen=True, eq=False, slots=True)
class Observed:
    """One run.

    Attributes:
        rows: means of gauges and rates of counters, shape (n_stretches, n_properties).
        stretch_s: length of a stretch in seconds.
        step: smallest increase of each counter, 0 for others; shape (n_properties,).
        growth: increase per second of each gauge that requests may keep, 0 for others; the shape of ``rows``.
    """

    rows: FloatArray
    stretch_s: float
    step: FloatArray
    growth: FloatArray

    @property
    def seconds(self) -> float:
        return self.stretch_s * len(self.rows)

    def of(self, columns: npt.NDArray[np.bool_]) -> Observed:
        """Return the same run with some of the properties."""
        return Observed(self.rows[:, columns], self.stretch_s, self.step[columns], self.growth[:, columns])


def observed(run: Run, properties: Sequence[Property]) -> Observed:
    """Return what is known of a run; no rows if it has fewer than two samples.

    Args:
        properties: those that are :func:`buto.detectors.readable.readable` in the run.
    """
    rows = observations(run, properties, STRETCHES)
    growth = np.zeros(rows.shape)
    growing = [column for column in matching(properties, MAY_LEAK) if properties[column].kind is Kind.GAUGE]
    # The growth of a gauge is what the rate of a counter is.
    counted = [replace(properties[column], kind=Kind.COUNTER) for column in growing]
    if counted:
        growth[:, growing] = observations(run, counted, STRETCHES)
    series = series_of(run, properties)
    seconds = float(series.times_s[-1] - series.times_s[0]) if len(series) else 0.0
    return Observed(rows, seconds / max(1, len(rows)), _steps(series.values, properties), growth)


def matching(properties: Sequence[Property], patterns: Sequence[str]) -> tuple[int, ...]:
    """Return the columns of properties whose names match a pattern."""
    return tuple(
        column
        for column, prop in enumerate(properties)
        if any(fnmatchcase(prop.name, pattern) for pattern in patterns)
    )


def _steps(values: FloatArray, properties: Sequence[Property]) -> FloatArray:
    counters = np.array([prop.kind is Kind.COUNTER for prop in properties])
    with np.errstate(invalid="ignore"):
        increases = np.diff(values, axis=0)
        smallest = np.where(increases > 0, increases, np.inf).min(axis=0, initial=np.inf)
    found: FloatArray = np.where(counters & np.isfinite(smallest), smallest, 0.0)
    return found
