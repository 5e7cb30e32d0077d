"""Numbers that are read beside the JVM's samples at times of their own, and how they join the run."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.properties import Kind, Property
from buto.runs import FloatArray

MAX_PROPERTIES = 5000
"""Most columns of one track, so that a source cannot fill the memory with new names."""

_MOST_REASONS = 5
"""Different reasons that are kept of one track."""

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Readings:
    """What a track has so far, or what was added to it since.

    Attributes:
        properties: one for each column, those of earlier readings included.
        times_ns: shape (n_readings,), by the recording's clock, in the order of arrival.
        values: shape (n_readings, n_properties); NaN where nothing was read.
    """

    properties: tuple[Property, ...]
    times_ns: IntArray
    values: FloatArray


class Track:
    """The readings of one source during one recording. May be filled in another thread.

    Args:
        name: of the source, which begins the names of its properties.
        interval_s: planned time between two readings.
        from_first: whether counters count from their first reading. Those of a system that is older than the
            run would otherwise differ from run to run.
    """

    def __init__(self, name: str, interval_s: float, *, from_first: bool = False) -> None:
        self.name = name
        self.interval_s = interval_s
        self.from_first = from_first
        self._lock = threading.Lock()
        self._columns: dict[str, int] = {}
        self._properties: list[Property] = []
        self._times_ns: list[int] = []
        self._rows: list[FloatArray] = []
        self._reasons: list[str] = []
        self._is_closed = False

    def add_columns(self, properties: Sequence[Property]) -> None:
        """Append columns, with NaN in earlier readings; columns that there are already stay as they are."""
        with self._lock:
            for prop in properties:
                if prop.name not in self._columns:
                    self._columns[prop.name] = len(self._properties)
                    self._properties.append(prop)

    def add(self, time_ns: int, values: Mapping[str, float], why_not: str = "") -> None:
        """Append a reading; nothing is appended after :meth:`close`.

        Args:
            time_ns: ``time.monotonic_ns`` at the reading.
            values: by the name of a column; all other columns get NaN.
            why_not: why the others, or all, are missing.
        """
        with self._lock:
            if self._is_closed:
                return
            row = np.full(len(self._properties), np.nan)
            for name, value in values.items():
                column = self._columns.get(name)
                if column is not None:
                    row[column] = value
            self._times_ns.append(time_ns)
            self._rows.append(row)
            self._keep_reason(why_not)

    def close(self, why: str = "") -> None:
        """Accept no further readings.

        Args:
            why: a reason for what is missing, if there is one.
        """
        with self._lock:
            self._is_closed = True
            self._keep_reason(why)

    @property
    def n_readings(self) -> int:
        return len(self._times_ns)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Different reasons why values are missing, the first one first."""
        return tuple(self._reasons)

    def add_reason(self, why: str) -> None:
        """Add a reason why values are missing; a few different ones are kept."""
        with self._lock:
            self._keep_reason(why)

    def names(self) -> tuple[str, ...]:
        """Return the names of the columns so far."""
        return tuple(self._columns)

    def latest(self) -> dict[str, float]:
        """Return the newest reading by name; empty before the first one."""
        with self._lock:
            if not self._rows:
                return {}
            row = self._rows[-1]
            return {prop.name: float(value) for prop, value in zip(self._properties, row, strict=False)}

    def readings(self, since: int = 0) -> Readings:
        """Return all readings, or those from number ``since`` on."""
        with self._lock:
            properties = tuple(self._properties)
            rows = self._rows[since:]
            values = np.full((len(rows), len(properties)), np.nan)
            for place, row in enumerate(rows):
                values[place, : len(row)] = row
            return Readings(properties, np.array(self._times_ns[since:], dtype=np.int64), values)

    def _keep_reason(self, why: str) -> None:
        if why and why not in self._reasons and len(self._reasons) < _MOST_REASONS:
            self._reasons.append(why)


def aligned(
    readings: Readings, interval_s: float, times_ns: IntArray, *, from_first: bool = False
) -> FloatArray:
    """Return the values at the run's own sample times.

    A sample is known if the reading next to it, before or after, is at most 1.5 intervals away and has a
    value. A gauge then has the value of that reading: no value is made up that nobody read. A counter lies on
    the line between the two readings around the sample, and is level before the first and after the last.

    Args:
        interval_s: planned time between two readings.
        times_ns: shape (n_samples,), increasing, by the recording's clock.
        from_first: whether counters count from their first reading.

    Returns:
        Shape (n_samples, n_properties); NaN where nothing is known.
    """
    n_samples, n_properties = len(times_ns), len(readings.properties)
    values = np.full((n_samples, n_properties), np.nan, order="F")
    if not len(readings.times_ns) or not n_samples:
        return values
    order = np.argsort(readings.times_ns, kind="stable")
    read_ns, read = readings.times_ns[order], readings.values[order]
    after = np.clip(np.searchsorted(read_ns, times_ns), 0, len(read_ns) - 1)
    before = np.clip(after - 1, 0, None)
    nearest = np.where(times_ns - read_ns[before] <= read_ns[after] - times_ns, before, after)
    is_near = np.abs(read_ns[nearest] - times_ns) <= 1.5e9 * interval_s
    values[is_near] = read[nearest[is_near]]
    # Differences are exact; nanoseconds since boot as double would not be.
    at = (times_ns - read_ns[0]).astype(np.float64)
    read_at = (read_ns - read_ns[0]).astype(np.float64)
    for column, prop in enumerate(readings.properties):
        if prop.kind is Kind.COUNTER:
            good = ~np.isnan(read[:, column])
            known = ~np.isnan(values[:, column])
            if good.any():
                counts = read[good, column]
                line = np.interp(at[known], read_at[good], counts)
                values[known, column] = line - counts[0] if from_first else line
    return values
