"""The work that a run did, such as answered requests: twice as many cause twice as many statements."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from buto.analysis.series import series_of
from buto.detectors.calibrated.machines.environments import some_of
from buto.properties import Kind
from buto.runs import FloatArray, Run


@dataclass(frozen=True, slots=True)
class Work:
    """What growth is compared with.

    Attributes:
        names: the properties that count work, or tell how much is done in a second.
        rate: the usual amount of work in a second. Growth is scaled to it.
    """

    names: tuple[str, ...]
    rate: float

    def scale(self, run: Run, edges_s: FloatArray) -> FloatArray:
        """Return by what growth between two edges is multiplied, so that it is what the usual work causes.

        Shape (n_edges - 1,); NaN where no work was done, or nothing of it could be read.
        """
        done = np.diff(np.interp(edges_s, *_until(run, self.names)))
        usual = self.rate * np.diff(edges_s)
        scale: FloatArray = np.divide(usual, done, out=np.full(len(done), np.nan), where=done > 0)
        return scale

    def is_known(self, run: Run) -> bool:
        """Return whether a run did any work, and it could be read."""
        _, done = _until(run, self.names)
        return bool(done[-1] > 0)


def learn_work(runs: Sequence[Run], patterns: Iterable[str]) -> Work | None:
    """Return the work of prior tests; None if no run has a property that these shell patterns name."""
    wanted = tuple(patterns)
    names = {
        prop.name
        for run in runs
        for prop in run.properties
        if any(fnmatchcase(prop.name, pattern) for pattern in wanted)
    }
    if not names:
        return None
    chosen = tuple(sorted(names))
    rates = [_rate(*_until(run, chosen)) for run in runs]
    known = [one for one in rates if one > 0]
    return Work(chosen, float(f"{np.median(known):.6g}")) if known else None


def unknown_work(work: Work | None, runs: Iterable[Run]) -> str:
    """Return why growth in these runs is not judged; empty if it is not scaled, or if all tell their work."""
    if work is None:
        return ""
    ids = [run.id for run in runs if not work.is_known(run)]
    why = f"{some_of(work.names)} could not be read, or counted no work, in {some_of(ids)}"
    return f"growth is not judged, because {why}" if ids else ""


def work_to_data(work: Work) -> dict[str, Any]:
    """Return what growth is scaled to as plain data."""
    return {"counted_by": list(work.names), "each_second": work.rate}


def work_of(written: Mapping[str, Any] | None) -> Work | None:
    """Invert :func:`work_to_data`, None for None; raise ValueError or TypeError for data of another shape."""
    if written is None:
        return None
    names, rate = written["counted_by"], float(written["each_second"])
    if not isinstance(names, list) or not names:
        raise TypeError("work must be counted by a list of properties")
    if not 0 < rate < math.inf:
        raise ValueError(f"{rate} is no rate of work")
    return Work(tuple(str(name) for name in names), rate)


def _until(run: Run, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return times, and the work done from the first to each of them; one NaN if it is not known.

    A property that a run lacks counts no work, such as a kind of requests that was not sent. Missed readings
    are interpolated. Work is not known if a run has none of these properties, or could never read one.
    """
    wanted = set(names)
    properties = [prop for prop in run.properties if prop.name in wanted]
    series = series_of(run, properties)
    if not properties or not len(series):
        return np.zeros(1), np.full(1, np.nan)
    steps_s = np.diff(series.times_s, prepend=series.times_s[0])
    done = np.zeros(len(series))
    for prop, values in zip(properties, series.values.T, strict=True):
        read = ~np.isnan(values)
        if not read.any():
            return np.zeros(1), np.full(1, np.nan)
        known = np.interp(series.times_s, series.times_s[read], values[read])
        done += known if prop.kind is Kind.COUNTER else np.cumsum(known * steps_s)
    return series.times_s, done - done[0]


def _rate(times_s: FloatArray, done: FloatArray) -> float:
    span_s = times_s[-1] - times_s[0]
    return float(done[-1] / span_s) if span_s > 0 else np.nan
