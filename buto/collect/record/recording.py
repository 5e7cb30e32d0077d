"""A run while it is being made. It grows; :meth:`Recording.finish` freezes it into a Run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from buto.errors import MeasureError
from buto.properties import Property
from buto.runs import FloatArray, MetadataValue, Notification, Outcome, Quality, Run, new_id
from buto.runs.journal_entries import Entry
from buto.runs.masking import Mask, MaskedMetadata

_NS = 1e-9

T = TypeVar("T")

MOST_NOTIFICATION_BYTES = 64 * 2**20
"""What the notifications of one recording may take in memory: some 250,000 short ones."""

_NOTIFICATION_BYTES = 200
"""What one takes beside its texts."""


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    times_ns: npt.NDArray[np.int64]
    values: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """How far a recording has come.

    Attributes:
        n_columns, n_blocks, n_notifications: how many there are.
        metadata, reasons: what they are.
    """

    n_columns: int = 0
    n_blocks: int = 0
    n_notifications: int = 0
    metadata: Mapping[str, MetadataValue] = field(default_factory=dict)
    reasons: Mapping[str, str] = field(default_factory=dict)


class Recording:
    """Samples, notifications, metadata and reasons of one execution, in the order of arrival.

    All times are nanoseconds of one monotonic clock, whichever the collector has; ``zero_ns`` is the
    program's own start on it and must be set before :meth:`finish`.

    Secrets are masked as they come in, so that whoever looks never sees them.

    Args:
        mask: what knows them; None for one that goes by the usual names alone.
    """

    def __init__(self, test: str, *, start: datetime | None = None, mask: Mask | None = None) -> None:
        self.id = new_id(start)
        self.test = test
        self.zero_ns: int | None = None
        self.mask = Mask() if mask is None else mask
        self.metadata = MaskedMetadata(self.mask)
        self._columns: dict[str, Property] = {}
        self._times: list[npt.NDArray[np.int64]] = []
        self._values: list[FloatArray] = []
        self.n_dropped_notifications = 0
        self._notifications: list[tuple[int, str, str, int, str]] = []
        self._notification_bytes = 0
        self._reasons: dict[str, str] = {}
        self._n_samples = 0
        self._table: _Table | None = None

    @property
    def n_samples(self) -> int:
        return self._n_samples

    @property
    def columns(self) -> tuple[Property, ...]:
        """One for each column so far."""
        return tuple(self._columns.values())

    @property
    def first_time_ns(self) -> int | None:
        """The time of the row that came first, None before it."""
        return int(self._times[0][0]) if self._times else None

    @property
    def last_time_ns(self) -> int | None:
        """The time of the row that came last, None before the first."""
        return int(self._times[-1][-1]) if self._times else None

    def last_value(self, name: str) -> float:
        """The newest value of a column that is not NaN; NaN if there is none."""
        column = list(self._columns).index(name)
        for block in reversed(self._values):
            if column < block.shape[1]:
                known = block[~np.isnan(block[:, column]), column]
                if len(known):
                    return float(known[-1])
        return float("nan")

    def add_columns(self, properties: Iterable[Property]) -> None:
        """Append columns; rows that are there already get NaN in them.

        Raises:
            MeasureError: a column of that name is there already.
        """
        for prop in properties:
            if prop.name in self._columns:
                raise MeasureError(f"the property {prop.name} was announced twice")
            self._columns[prop.name] = prop
        self._table = None

    def add_rows(self, times_ns: npt.NDArray[np.int64], values: FloatArray) -> None:
        """Append rows.

        Args:
            times_ns: shape (n_rows,).
            values: shape (n_rows, n), n at most the number of columns so far: the first n of them.

        Raises:
            MeasureError: the shapes do not fit each other or the columns.
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

    def add_notification(self, time_ns: int, type: str, source: str, sequence: int, message: str) -> None:
        """Keep a notification; past the bound it is only counted, in ``n_dropped_notifications``."""
        self._notification_bytes += _NOTIFICATION_BYTES + len(type) + len(source) + len(message)
        if self._notification_bytes > MOST_NOTIFICATION_BYTES:
            self.n_dropped_notifications += 1
            return
        type, source, message = map(self.mask.known, (type, source, message))
        self._notifications.append((time_ns, type, source, sequence, message))

    def add_reason(self, name: str, why: str) -> None:
        """Why values of a column are NaN; a second, different reason is added to the first."""
        why = self.mask.text(why)
        known = self._reasons.get(name)
        if known is None:
            self._reasons[name] = why
        elif why not in known:
            self._reasons[name] = f"{known}; {why}"

    def gained(self, since: Mark) -> tuple[Entry, Mark]:
        """What has been added since then, and how far it has come now."""
        metadata, reasons = self.metadata.finished(), dict(self._reasons)
        now = Mark(len(self._columns), len(self._values), len(self._notifications), metadata, reasons)
        times = self._times[since.n_blocks : now.n_blocks]
        entry = Entry(
            times_ns=np.concatenate([np.empty(0, dtype=np.int64), *times]),
            values=self._joined(self._values[since.n_blocks : now.n_blocks]),
            properties=self.columns[since.n_columns :],
            notifications=tuple(self._notifications[since.n_notifications : now.n_notifications]),
            metadata=_changed(metadata, since.metadata),
            nan_reasons=_changed(reasons, since.reasons),
            zero_ns=self.zero_ns,
        )
        return entry, now

    def times_s(self) -> FloatArray:
        """The times of the rows so far, shape (n_samples,), in increasing order, seconds from zero."""
        return self._seconds(self._sorted().times_ns)

    def series(self, name: str) -> FloatArray:
        """One column in the order of :meth:`times_s`, shape (n_samples,)."""
        return self._sorted().values[:, list(self._columns).index(name)]

    def finish(self, outcome: Outcome, quality: Quality, *, stdout: bytes = b"", stderr: bytes = b"") -> Run:
        """The frozen run. Of rows with the same time the one that came last holds.

        Raises:
            MeasureError: there is no sample, or the program's start is not known.
        """
        if self._n_samples == 0:
            raise MeasureError("no sample arrived")
        table = self._sorted()
        values = table.values
        for column, name in enumerate(self._columns):
            if np.isnan(values[:, column]).any() and name not in self._reasons:
                self._reasons[name] = "not there in every sample"
        notifications = sorted(self._notifications, key=lambda item: item[0])
        problems = tuple(replace(one, text=self.mask.text(one.text)) for one in quality.problems)
        return Run(
            id=self.id,
            test=self.test,
            properties=self.columns,
            times_s=self._seconds(table.times_ns),
            values=values,
            outcome=outcome,
            notifications=tuple(
                Notification((time_ns - self._zero()) * _NS, type, source, sequence, message)
                for time_ns, type, source, sequence, message in notifications
            ),
            metadata=self.metadata.finished(),
            nan_reasons=dict(self._reasons),
            quality=replace(quality, problems=problems),
            stdout=self.mask.output(stdout),
            stderr=self.mask.output(stderr),
        )

    def _zero(self) -> int:
        if self.zero_ns is None:
            raise MeasureError("the program's start was not seen")
        return self.zero_ns

    def _seconds(self, times_ns: npt.NDArray[np.int64]) -> FloatArray:
        return np.asarray((times_ns - self._zero()) * _NS, dtype=np.float64)

    def _sorted(self) -> _Table:
        """All rows in strictly increasing order of time, with all columns."""
        if self._table is None:
            times = np.concatenate([np.empty(0, dtype=np.int64), *self._times])
            values = self._joined(self._values)
            order = np.argsort(times, kind="stable")
            last_of_time = np.append(np.diff(times[order]) > 0, True)[: len(times)]
            kept = order[last_of_time]
            if len(kept) < len(times) or (np.diff(kept) < 0).any():
                times, values = times[kept], values[kept]
            self._table = _Table(times, values)
        return self._table

    def _joined(self, blocks: Sequence[FloatArray]) -> FloatArray:
        """Rows one below the other, with all columns; NaN where a block did not have them yet."""
        # Column by column, as the store will write them without making a copy.
        values = np.full((sum(map(len, blocks)), len(self._columns)), np.nan, order="F")
        start = 0
        for block in blocks:
            values[start : start + len(block), : block.shape[1]] = block
            start += len(block)
        return values


def _changed(now: Mapping[str, T], before: Mapping[str, T]) -> dict[str, T]:
    """What is new in a mapping or has another value, in its order."""
    return {key: value for key, value in now.items() if key not in before or before[key] != value}
