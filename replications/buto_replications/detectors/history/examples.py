"""Labelled rows, the folds that they are divided into, and the errors of a classifier on them.

Target and baseline become one row: the target alone, both side by side, or their relative difference.
Cross-validation is by grouped folds, which leave no configuration on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from buto.run.model import FloatArray
from buto_replications.detectors.history.similarity import BoolArray, IntArray


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
        return type(self)(
            self.target[rows],
            self.baseline[rows],
            self.abnormal[rows],
            self.group[rows],
            self.configuration[rows],
        )


THIRDS = 3


def grouped_folds(examples: Examples, n_folds: int, seed: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Yield the places of training and of test rows of each fold.

    No configuration is divided, and abnormal rows are spread evenly. There are fewer folds if there are fewer
    configurations with abnormal rows; none if there is only one. The training rows of a fold may all have the
    same label, see :func:`has_both`.
    """
    from sklearn.model_selection import StratifiedGroupKFold

    n_abnormal = len(np.unique(examples.configuration[examples.abnormal]))
    n_normal = len(np.unique(examples.configuration[~examples.abnormal]))
    n_folds = min(n_folds, n_abnormal, n_normal)
    if n_folds < 2:
        return
    divide = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    yield from divide.split(examples.target, examples.abnormal, examples.configuration)


def two_to_one(examples: Examples, seed: int) -> tuple[IntArray, IntArray] | None:
    """Return two thirds to learn from and one third to try on; None if abnormal rows are of one
    configuration, or no two thirds have both classes.
    """
    divided = grouped_folds(examples, THIRDS, seed)
    return next((fold for fold in divided if has_both(examples.abnormal[fold[0]])), None)


def has_both(abnormal: BoolArray) -> bool:
    """Return whether there are abnormal and normal rows to learn from."""
    return bool(abnormal.any() and not abnormal.all())


@dataclass(frozen=True, slots=True)
class ClassErrors:
    """How many rows of both classes there are, and how many of them were classified wrong."""

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


def errors_of(predicted: BoolArray, abnormal: BoolArray) -> ClassErrors:
    return ClassErrors(
        int(np.count_nonzero(~abnormal)),
        int(np.count_nonzero(abnormal)),
        int(np.count_nonzero(predicted & ~abnormal)),
        int(np.count_nonzero(~predicted & abnormal)),
    )


def clustered_error(predicted: BoolArray, examples: Examples) -> float:
    """Return the standard error of the balanced accuracy, if rows of one group depend on each other.

    NaN if one class is missing, or if there is only one group.
    """
    return _clustered(predicted != examples.abnormal, examples)


def clustered_difference(predicted: BoolArray, other: BoolArray, examples: Examples) -> tuple[float, float]:
    """Return by how much the balanced accuracy is above that of other predictions of the same rows, and the
    standard error of this, as in :func:`clustered_error`.
    """
    ours, theirs = (errors_of(each, examples.abnormal).balanced_accuracy for each in (predicted, other))
    wrong = (predicted != examples.abnormal).astype(float) - (other != examples.abnormal)
    return ours - theirs, _clustered(wrong, examples)


def _clustered(wrong: FloatArray | BoolArray, examples: Examples) -> float:
    groups = np.unique(examples.group)
    if not has_both(examples.abnormal) or len(groups) < 2:
        return float("nan")
    part = np.zeros(len(examples))
    for rows in (examples.abnormal, ~examples.abnormal):
        part[rows] = (wrong[rows] - wrong[rows].mean()) / (2 * np.count_nonzero(rows))
    sums = np.array([part[examples.group == group].sum() for group in groups])
    return float(np.sqrt(len(groups) / (len(groups) - 1) * (sums**2).sum()))


ALONE, CONCATENATED, SUBTRACTED = "alone", "concatenated", "subtracted"
PAIRINGS = (ALONE, CONCATENATED, SUBTRACTED)

MOST = 1e3
"""Larger relative differences are equally large."""


def paired(target: FloatArray, baseline: FloatArray, pairing: str) -> FloatArray:
    """Return one row for each pair.

    Args:
        target, baseline: shape (n_pairs, n_columns).

    Returns:
        Shape (n_pairs, n_columns), or with twice the columns where they are side by side.
    """
    if pairing == ALONE:
        return target
    if pairing == CONCATENATED:
        return np.hstack([target, baseline])
    return relative_difference(target, baseline)


def relative_difference(target: FloatArray, baseline: FloatArray) -> FloatArray:
    """Return how much larger the target is, as a share of the baseline.

    0 where both are 0. Where only the baseline is 0, the difference has no share: it counts as the largest.
    """
    difference = target - baseline
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = difference / np.abs(baseline)
    return np.clip(np.where(difference == 0, 0.0, share), -MOST, MOST)
