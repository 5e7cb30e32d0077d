"""The runs of one variant as arrays, one run after another; prepared once and used by every experiment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.series import Series, series_of
from buto.analysis.smoothing import smooth
from buto.analysis.timepoints import IntArray
from buto.properties import METRICS, Property, is_judged, split_name
from buto.runs import FloatArray, Run

UPTIME = "jvm.uptime"
"""Metadata: milliseconds from the JVM's start until metadata was read, which is just before main."""


@dataclass(frozen=True, eq=False, slots=True)
class Stack:
    """Several runs of the same properties.

    Attributes:
        times_s: shape (n_rows,), seconds from each run's main.
        values: shape (n_rows, n_properties).
        starts: shape (n_runs + 1,), the first row of each run, and the number of rows.
    """

    times_s: FloatArray
    values: FloatArray
    starts: IntArray

    def __len__(self) -> int:
        return len(self.starts) - 1

    def run(self, number: int) -> Series:
        rows = slice(self.starts[number], self.starts[number + 1])
        return Series(self.times_s[rows], self.values[rows])

    def some(self, numbers: Sequence[int] | IntArray) -> Stack:
        """Return only these runs, in this order."""
        return stacked([self.run(number) for number in numbers])

    def later(self, by_s: FloatArray) -> Stack:
        """Return the same runs with ``by_s``, shape (n_runs,), added to their times."""
        return Stack(self.times_s + np.repeat(by_s, np.diff(self.starts)), self.values, self.starts)


def stacked(series: Sequence[Series]) -> Stack:
    """Return runs of the same properties as one stack; there must be at least one."""
    starts = np.concatenate([[0], np.cumsum([len(one) for one in series])]).astype(np.int64)
    return Stack(
        np.concatenate([one.times_s for one in series]),
        np.concatenate([one.values for one in series]),
        starts,
    )


@dataclass(frozen=True, slots=True)
class Smoothing:
    """The method of smoothing and its window in samples."""

    method: str
    window: int


@dataclass(frozen=True, eq=False, slots=True)
class Variant:
    """The usable runs of one variant.

    Attributes:
        raw: as they were sampled.
        smoothed: by smoothing, the smoothed runs.
        boot_s: shape (n_runs,), seconds from the JVM's start to main; NaN if not known.
    """

    raw: Stack
    smoothed: Mapping[Smoothing, Stack]
    boot_s: FloatArray


def prepared(runs: Sequence[Run], properties: Sequence[Property], smoothings: Sequence[Smoothing]) -> Variant:
    """Stack runs and smooth each of them in several ways."""
    series = [series_of(run, properties) for run in runs]
    return Variant(
        stacked(series),
        {way: stacked([smooth(one, way.method, way.window) for one in series]) for way in smoothings},
        np.array([_boot_s(run) for run in runs]),
    )


def judged_properties(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the program's properties of which at least one value could be read, sorted by name."""
    found: dict[str, Property] = {}
    for run in runs:
        for column, prop in enumerate(run.properties):
            new = prop.name not in found and is_judged(prop)
            if new and np.isfinite(run.values[:, column]).any():
                found[prop.name] = prop
    return tuple(found[name] for name in sorted(found))


def in_thesis(prop: Property) -> bool:
    """Return whether a property is in Table 3.6 or from the program's own MBeans; CPU time is in neither."""
    metric = METRICS.get(split_name(prop.name)[0])
    return metric is None or metric.thesis_name is not None


def _boot_s(run: Run) -> float:
    try:
        return float(run.metadata.get(UPTIME) or "nan") / 1000
    except ValueError:
        return float("nan")
