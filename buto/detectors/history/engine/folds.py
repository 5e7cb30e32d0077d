"""Divide examples so that no configuration is on both sides."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.models.model import BoolArray, IntArray

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
