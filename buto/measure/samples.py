"""The samples of a run while it is recorded: blocks of rows, and columns that may come later.

Numbers that are read beside the JVM's samples, at times of their own, are tracks, which join the run at the
times of its samples.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
from msgspec import Struct

from buto.errors import MeasureError
from buto.run.model import FloatArray
from buto.run.properties import Kind, Property

MAX_PROPERTIES = 5000
"""Most columns of one track, so that a source cannot fill the memory with new names."""

_MOST_REASONS = 5
"""Different reasons that are kept of one track."""

IntArray = npt.NDArray[np.int64]


class Readings(Struct, frozen=True, eq=False):
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
        return tuple(self._columns)

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


def align(
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


class SampleTable(Struct, frozen=True, eq=False):
    """Rows in strictly increasing order of time.

    Attributes:
        times_ns: shape (n_rows,).
        values: shape (n_rows, n_columns).
    """

    times_ns: IntArray
    values: FloatArray


class Samples:
    """Rows in the order of arrival, by the nanoseconds of the collector's monotonic clock."""

    def __init__(self) -> None:
        self._columns: dict[str, Property] = {}
        self._times: list[IntArray] = []
        self._values: list[FloatArray] = []
        self._n_samples = 0
        self._table: SampleTable | None = None

    @property
    def n_samples(self) -> int:
        return self._n_samples

    @property
    def columns(self) -> tuple[Property, ...]:
        """The properties of the columns so far."""
        return tuple(self._columns.values())

    @property
    def first_time_ns(self) -> int | None:
        """The time of the row that arrived first; None without rows."""
        return int(self._times[0][0]) if self._times else None

    @property
    def last_time_ns(self) -> int | None:
        """The time of the row that arrived last; None without rows."""
        return int(self._times[-1][-1]) if self._times else None

    def last_row(self) -> FloatArray:
        """Return the values of the row that arrived last, shape (n_columns then,)."""
        row: FloatArray = self._values[-1][-1]
        return row

    def last_value(self, name: str) -> float:
        """Return the newest value of a column that is not NaN; NaN if there is none."""
        column = list(self._columns).index(name)
        for block in reversed(self._values):
            if column < block.shape[1]:
                known = block[~np.isnan(block[:, column]), column]
                if len(known):
                    return float(known[-1])
        return float("nan")

    def add_columns(self, properties: Iterable[Property]) -> None:
        """Append columns; existing rows get NaN in them.

        Raises:
            MeasureError: there already is a column of that name.
        """
        for prop in properties:
            if prop.name in self._columns:
                raise MeasureError(f"the property {prop.name} was announced twice")
            self._columns[prop.name] = prop
        self._table = None

    def add_rows(self, times_ns: IntArray, values: FloatArray) -> None:
        """Append rows.

        Args:
            times_ns: shape (n_rows,).
            values: shape (n_rows, n), n at most the number of columns so far: the first n of them.

        Raises:
            MeasureError: the shapes do not match each other or the columns.
        """
        if len(times_ns) == 0:
            return
        if values.ndim != 2 or len(values) != len(times_ns) or values.shape[1] > len(self._columns):
            raise MeasureError(
                f"samples of shape {values.shape} for {len(times_ns)} times and {len(self._columns)} columns"
            )
        self._times.append(np.array(times_ns, dtype=np.int64))
        self._values.append(np.array(values, dtype=np.float64))
        self._n_samples += len(times_ns)
        self._table = None

    def add_row(self, time_ns: int, values: Mapping[str, float]) -> None:
        """Append one row of known columns by name; all other columns get NaN."""
        row = np.full((1, len(self._columns)), np.nan)
        for column, name in enumerate(self._columns):
            row[0, column] = values.get(name, np.nan)
        self.add_rows(np.array([time_ns], dtype=np.int64), row)

    def add_to_last_row(self, values: Mapping[str, float]) -> None:
        """Set values in the row that arrived last, by name; KeyError for a column that it does not have."""
        places = {name: column for column, name in enumerate(self._columns)}
        self._values[-1][-1, [places[name] for name in values]] = list(values.values())
        self._table = None

    def blank(self, names: Iterable[str]) -> None:
        """Make all values of some columns NaN, in the rows so far; KeyError for an unknown column."""
        places = {name: column for column, name in enumerate(self._columns)}
        columns = [places[name] for name in names]
        for block in self._values:
            block[:, [column for column in columns if column < block.shape[1]]] = np.nan
        self._table = None

    def newest_samples(self, metric: str, n: int) -> tuple[IntArray, FloatArray]:
        """Return the newest samples of all instances of a metric.

        Returns:
            Times, shape (at most n,), and values, shape (at most n, n_instances); NaN: could not be read. No
            instance if the metric is not recorded (yet).
        """
        columns = instances(metric, self.columns)
        times: list[IntArray] = []
        values: list[FloatArray] = []
        n_rows = 0
        for block_times, block in zip(reversed(self._times), reversed(self._values), strict=False):
            if n_rows >= n or not columns or columns[-1] >= block.shape[1]:
                break
            times.append(block_times)
            values.append(block[:, columns])
            n_rows += len(block)
        joined = np.concatenate([np.empty((0, len(columns))), *reversed(values)])[-n:]
        return np.concatenate([np.empty(0, dtype=np.int64), *reversed(times)])[-n:], joined

    def blocks(self, start: int = 0, end: int | None = None) -> tuple[IntArray, FloatArray]:
        """Return times and values of some blocks, or of all: rows as they arrived, with all columns."""
        times = np.concatenate([np.empty(0, dtype=np.int64), *self._times[start:end]])
        return times, self._join(self._values[start:end])

    def table(self) -> SampleTable:
        """Return all rows in strictly increasing order of time, with all columns."""
        if self._table is None:
            times, values = self.blocks()
            order = np.argsort(times, kind="stable")
            last_of_time = np.append(np.diff(times[order]) > 0, True)[: len(times)]
            kept = order[last_of_time]
            if len(kept) < len(times) or (np.diff(kept) < 0).any():
                times, values = times[kept], values[kept]
            self._table = SampleTable(times, values)
        return self._table

    def _join(self, blocks: Sequence[FloatArray]) -> FloatArray:
        """Return the rows of all blocks, with all columns; NaN in columns that a block did not have yet."""
        # In column order, so that the store writes them without a copy.
        values = np.full((sum(map(len, blocks)), len(self._columns)), np.nan, order="F")
        start = 0
        for block in blocks:
            values[start : start + len(block), : block.shape[1]] = block
            start += len(block)
        return values


def instances(metric: str, properties: Sequence[Property]) -> list[int]:
    """Return the columns of a metric without instances, or of all its instances."""
    return [
        column
        for column, prop in enumerate(properties)
        if prop.name == metric or prop.name.startswith(f"{metric}[")
    ]
