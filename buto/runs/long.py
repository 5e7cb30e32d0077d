"""Runs of too many values to be held in memory with others: some samples of them, the rest on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from buto.properties import Property
from buto.runs.model import FloatArray, Run

LONG_VALUES = 1 << 24
"""Values from which on a stored run is a long one: 128 MiB, 50 hours of fifty properties twice a second."""

MOST_SAMPLES = 120
"""Of a long run in memory."""

_BLOCK_VALUES = 1 << 22
"""Values that are looked at together when a run is opened."""

_COLUMNS_AT_ONCE = 64

ReadColumns = Callable[[Sequence[int]], FloatArray]
"""From numbers of properties to their values in all samples, shape (n_samples, n)."""


@dataclass(frozen=True, eq=False, repr=False)
class LongRun(Run):
    """A stored run whose ``times_s`` and ``values`` are those of each ``stride``-th sample, for drawing.

    What is computed from it is computed from all samples, by :meth:`part`. All but its samples is as in any
    run.

    Attributes:
        whole_times_s: shape (n_samples,).
        smallest: shape (n_properties,), see :meth:`buto.runs.model.Run.smallest_read`, of all samples.
        read_columns: fails with BadFileError if the file is damaged.
        known: of properties that were gone through, by name: mean and last value over all samples, as
            :func:`buto.analysis.series.summaries` has them, for those who need them again.
    """

    stride: int = 1
    whole_times_s: FloatArray = field(default_factory=lambda: np.empty(0))
    smallest: FloatArray = field(default_factory=lambda: np.empty(0))
    read_columns: ReadColumns = field(default=lambda columns: np.empty((0, len(columns))))
    known: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def n_samples(self) -> int:
        return len(self.whole_times_s)

    def smallest_read(self, column: int) -> float:
        return float(self.smallest[column])

    def part(self, properties: Sequence[Property]) -> Run:
        """The run with all its samples, but of these properties only; those that it lacks are left out."""
        columns = [self.column_of[prop.name] for prop in properties if prop.name in self.column_of]
        values = np.empty((self.n_samples, len(columns)))
        for start in range(0, len(columns), _COLUMNS_AT_ONCE):
            some = columns[start : start + _COLUMNS_AT_ONCE]
            values[:, start : start + len(some)] = self.read_columns(some)
        return self._with(tuple(self.properties[one] for one in columns), values)

    def thinned(self) -> Run:
        """What is in memory as a run of its own: each ``stride``-th sample."""
        return self._with(self.properties, self.values, self.times_s)

    def _with(
        self, properties: tuple[Property, ...], values: FloatArray, times_s: FloatArray | None = None
    ) -> Run:
        return Run(
            self.id,
            self.test,
            properties,
            self.whole_times_s if times_s is None else times_s,
            values,
            self.outcome,
            self.notifications,
            self.metadata,
            self.nan_reasons,
            self.quality,
            self.stdout,
            self.stderr,
        )


def drawn(run: Run) -> Run:
    """The run, or of one of LONG_VALUES or more, wherever it is held, some samples."""
    if isinstance(run, LongRun):
        return run.thinned()
    stride = drawn_stride(run)
    if stride == 1:
        return run
    return replace(run, times_s=run.times_s[::stride].copy(), values=run.values[::stride].copy())


def drawn_stride(run: Run) -> int:
    """Of how many samples of a run one is drawn."""
    if isinstance(run, LongRun):
        return run.stride
    return stride_for(run.n_samples) if run.values.size >= LONG_VALUES else 1


def stride_for(n_samples: int) -> int:
    """The smallest power of two that leaves at most MOST_SAMPLES of so many samples."""
    stride = 1
    while n_samples > stride * MOST_SAMPLES:
        stride *= 2
    return stride


def looked_through(
    n_samples: int, n_properties: int, stride: int, read: ReadColumns
) -> tuple[FloatArray, FloatArray]:
    """Each ``stride``-th sample and the smallest magnitudes of all columns, in bounded memory.

    Returns:
        Values, shape (ceil(n_samples / stride), n_properties), and what LongRun calls ``smallest``.
    """
    some = np.empty((-(-n_samples // stride), n_properties))
    smallest = np.empty(n_properties)
    size = max(1, _BLOCK_VALUES // max(1, n_samples))
    for start in range(0, n_properties, size):
        columns = range(start, min(n_properties, start + size))
        values = read(columns)
        some[:, columns] = values[::stride]
        smallest[columns] = np.fmin.reduce(np.abs(values), axis=0, initial=np.nan)
    return some, smallest
