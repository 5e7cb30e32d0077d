"""The work that a run did, such as answered requests: twice as many cause twice as many statements."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

import numpy as np

from buto.analysis.series import series_of
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
