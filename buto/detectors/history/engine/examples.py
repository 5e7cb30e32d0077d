"""The labelled past as arrays: what was measured, beside which baseline, and whether it was abnormal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from buto.detectors.history.engine.models.model import BoolArray, IntArray
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Examples:
    """Labelled rows.

    Attributes:
        target: shape (n_rows, n_columns), finite.
        baseline: of the same shape, what the target is compared with.
        abnormal: shape (n_rows,), the label.
        group: shape (n_rows,), which rows are alike enough to share a classifier.
        configuration: shape (n_rows,), which rows have one label for one reason, such as repetitions. Folds
            never divide a configuration.
    """

    target: FloatArray
    baseline: FloatArray
    abnormal: BoolArray
    group: IntArray
    configuration: IntArray

    def __len__(self) -> int:
        return len(self.target)

    def at(self, rows: IntArray | BoolArray) -> Self:
        """Return the examples at some places."""
        return type(self)(
            self.target[rows],
            self.baseline[rows],
            self.abnormal[rows],
            self.group[rows],
            self.configuration[rows],
        )
