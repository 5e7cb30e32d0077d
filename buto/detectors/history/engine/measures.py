"""How good a classifier is: counts of its errors, and balanced accuracy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.detectors.history.engine.models.model import BoolArray


@dataclass(frozen=True, slots=True)
class Errors:
    """How many rows of both classes there are, and how many of them were classified wrong.

    Attributes:
        normal, abnormal: number of rows.
        false_positives: normal rows that were called abnormal.
        false_negatives: abnormal rows that were called normal.
    """

    normal: int
    abnormal: int
    false_positives: int
    false_negatives: int

    @property
    def balanced_accuracy(self) -> float:
        """The mean of both classes' shares of correct rows; of the one class if there is only one, NaN
        without rows.
        """
        shares = [
            1 - wrong / total
            for wrong, total in ((self.false_positives, self.normal), (self.false_negatives, self.abnormal))
            if total
        ]
        return sum(shares) / len(shares) if shares else float("nan")

    @property
    def missed(self) -> float:
        """Share of the abnormal rows that were missed; NaN without any."""
        return self.false_negatives / self.abnormal if self.abnormal else float("nan")

    @property
    def alarms(self) -> float:
        """Share of the normal rows that were called abnormal; NaN without any."""
        return self.false_positives / self.normal if self.normal else float("nan")


def errors_of(predicted: BoolArray, abnormal: BoolArray) -> Errors:
    """Return the errors of predictions, both of shape (n_rows,)."""
    return Errors(
        int(np.count_nonzero(~abnormal)),
        int(np.count_nonzero(abnormal)),
        int(np.count_nonzero(predicted & ~abnormal)),
        int(np.count_nonzero(~predicted & abnormal)),
    )
