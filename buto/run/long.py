"""Runs too large to be held in memory with others: some samples in memory, all others read on demand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace

import numpy as np

from buto.run.model import FloatArray, Run
from buto.run.properties import Property

LONG_VALUES = 1 << 24
"""Number of values that makes a run a long one: 128 MiB, or 50 hours of fifty properties twice a second."""

MOST_VALUES = 1 << 27
"""Number of values of a set of runs in memory: 1 GiB. Of a larger set, each run is opened like a long one."""

MOST_DRAWN = 1 << 24
"""Number of values in memory, for drawing, of all runs of a larger set together: 128 MiB."""

MOST_SAMPLES = 120
"""Largest number of samples of a long run in memory."""

_BLOCK_VALUES = 1 << 22
"""Number of values that are read at once when a run is opened."""

_COLUMNS_AT_ONCE = 64

ReadColumns = Callable[[Sequence[int]], FloatArray]
"""Return the values of properties, given by number, in all samples; shape (n_samples, n)."""


@dataclass(frozen=True, eq=False, repr=False)
class LongRun(Run):
    """A stored run whose ``times_s`` and ``values`` contain only every ``stride``-th sample, for drawing.

    Computations use all samples, which :meth:`part` returns. Everything but the samples is as in any run.

    Attributes:
        whole_times_s: shape (n_samples,).
        smallest: shape (n_properties,), see :meth:`buto.run.model.Run.smallest_read`, of all samples.
        read_columns: raises BadFileError if the file is damaged.
        known: by name of a property, mean and last value over all samples as computed by
            :func:`buto.judging.features.summaries`, so that they are computed only once.
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
        """Return the run with all samples of these properties.

        Properties that it does not have are left out.
        """
        columns = [self.column_of[prop.name] for prop in properties if prop.name in self.column_of]
        values = np.empty((self.n_samples, len(columns)))
        for start in range(0, len(columns), _COLUMNS_AT_ONCE):
            some = columns[start : start + _COLUMNS_AT_ONCE]
            values[:, start : start + len(some)] = self.read_columns(some)
        return self._with(tuple(self.properties[one] for one in columns), values)

    def thinned(self) -> Run:
        """Return a run with every ``stride``-th sample, which are those in memory."""
        return self._with(self.properties, self.values, self.times_s)

    def _with(
        self, properties: tuple[Property, ...], values: FloatArray, times_s: FloatArray | None = None
    ) -> Run:
        whole = {one.name: getattr(self, one.name) for one in fields(Run)}
        times = self.whole_times_s if times_s is None else times_s
        return Run(**whole | {"properties": properties, "values": values, "times_s": times})


def drawn(run: Run) -> Run:
    """Return the run for drawing; only some samples of a run of at least LONG_VALUES values."""
    if isinstance(run, LongRun):
        return run.thinned()
    stride = drawn_stride(run)
    if stride == 1:
        return run
    return replace(run, times_s=run.times_s[::stride].copy(), values=run.values[::stride].copy())


def drawn_stride(run: Run) -> int:
    """Return the stride: every how many samples of a run one is drawn."""
    if isinstance(run, LongRun):
        return run.stride
    return stride_for(run.n_samples) if run.values.size >= LONG_VALUES else 1


def stride_for(n_samples: int) -> int:
    """Return the smallest power of two that leaves at most MOST_SAMPLES of ``n_samples``."""
    stride = 1
    while n_samples > stride * MOST_SAMPLES:
        stride *= 2
    return stride


def is_large(shapes: Sequence[tuple[int, int]]) -> bool:
    """Return whether a set of runs of these numbers of samples and properties is too large for the memory."""
    return _n_values(shapes) > MOST_VALUES


def stride_for_set(shapes: Sequence[tuple[int, int]]) -> int:
    """Return the stride of the long runs of a set, of which these are the samples and properties."""
    stride = stride_for(max((n_samples for n_samples, _ in shapes), default=0))
    while is_large(shapes) and _n_values(shapes) > stride * MOST_DRAWN:
        stride *= 2
    return stride


def _n_values(shapes: Sequence[tuple[int, int]]) -> int:
    return sum(n_samples * n_properties for n_samples, n_properties in shapes)


def looked_through(
    n_samples: int, n_properties: int, stride: int, read: ReadColumns
) -> tuple[FloatArray, FloatArray]:
    """Read every ``stride``-th sample and the smallest magnitude of each column, in bounded memory.

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
