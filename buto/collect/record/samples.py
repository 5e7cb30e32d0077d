"""The samples of a run while it is recorded: blocks of rows, and columns that may come later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.collect.record.track import IntArray
from buto.errors import MeasureError
from buto.properties import Property
from buto.runs import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Table:
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
        self._table: Table | None = None

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

    def newest_samples(self, metric: str, n: int) -> tuple[IntArray, FloatArray]:
        """Return the newest samples of all instances of a metric.

        Returns:
            Times, shape (at most n,), and values, shape (at most n, n_instances); NaN: could not be read. No
            instance if the metric is not recorded (yet).
        """
        columns = instances(metric, self.columns)
        times: list[IntArray] = []
        values: list[FloatArray] = []
        found = 0
        for block_times, block in zip(reversed(self._times), reversed(self._values), strict=False):
            if found >= n or not columns or columns[-1] >= block.shape[1]:
                break
            times.append(block_times)
            values.append(block[:, columns])
            found += len(block)
        joined = np.concatenate([np.empty((0, len(columns))), *reversed(values)])[-n:]
        return np.concatenate([np.empty(0, dtype=np.int64), *reversed(times)])[-n:], joined

    def blocks(self, start: int = 0, end: int | None = None) -> tuple[IntArray, FloatArray]:
        """Return times and values of some blocks, or of all: rows as they arrived, with all columns."""
        times = np.concatenate([np.empty(0, dtype=np.int64), *self._times[start:end]])
        return times, self._joined(self._values[start:end])

    def table(self) -> Table:
        """Return all rows in strictly increasing order of time, with all columns."""
        if self._table is None:
            times, values = self.blocks()
            order = np.argsort(times, kind="stable")
            last_of_time = np.append(np.diff(times[order]) > 0, True)[: len(times)]
            kept = order[last_of_time]
            if len(kept) < len(times) or (np.diff(kept) < 0).any():
                times, values = times[kept], values[kept]
            self._table = Table(times, values)
        return self._table

    def _joined(self, blocks: Sequence[FloatArray]) -> FloatArray:
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
