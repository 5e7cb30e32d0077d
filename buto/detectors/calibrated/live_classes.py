"""The live objects of each class at the end of a run, as numbers that runs can be compared by.

A histogram lists the largest classes only, and each run lists others. So a class counts with at least a
*floor*: no class that the training runs leave out uses more. What a run does not list is the floor, too.
Together the classes are one property, :data:`buto.properties.LIVE_CLASSES`, with one feature for each class.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.class_changes import histogram_at_end
from buto.runs import ClassCount, FloatArray, Run

MOST_CLASSES = 100
"""The largest classes of each run that are compared."""


@dataclass(frozen=True, slots=True)
class LiveClasses:
    """The classes that are compared.

    Attributes:
        names: of classes, those of any run's largest that use more than the floor.
        floor: bytes; smaller classes count as much.
    """

    names: tuple[str, ...]
    floor: float

    def measure(self, run: Run) -> FloatArray:
        """Return the bytes of each class, shape (n_classes,); NaN if the run has no histogram at its end."""
        histogram = histogram_at_end(run)
        if histogram is None:
            return np.full(len(self.names), np.nan)
        sizes = {one.name: float(one.size_bytes) for one in histogram.classes}
        return np.array([max(sizes.get(name, 0.0), self.floor) for name in self.names])

    def with_those_of(self, runs: Sequence[Run]) -> LiveClasses:
        """Return these classes, and then those that only these runs have among their largest."""
        listed = {one.name for run in runs for one in _largest(run) if one.size_bytes > self.floor}
        return replace(self, names=(*self.names, *sorted(listed.difference(self.names))))


def learn_classes(runs: Sequence[Run]) -> LiveClasses | None:
    """Return the classes of training runs; None unless all of them have a histogram at their end."""
    if any(histogram_at_end(run) is None for run in runs):
        return None
    lists = [_largest(run) for run in runs]
    cut = [one[-1].size_bytes for one in lists if len(one) == MOST_CLASSES]
    return LiveClasses((), float(max(cut, default=0))).with_those_of(runs)


def _largest(run: Run) -> tuple[ClassCount, ...]:
    histogram = histogram_at_end(run)
    return () if histogram is None else histogram.classes[:MOST_CLASSES]
