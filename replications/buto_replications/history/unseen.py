"""Regressions of kinds that nobody has labelled: how many of them are found."""

from __future__ import annotations

import numpy as np

from buto_replications.detectors.history.engine import (
    Errors,
    Examples,
    Scheme,
    errors_of,
    learned_predictions,
)
from buto_replications.detectors.history.model import IntArray
from buto_replications.history.replay import TextArray


def unseen_errors(examples: Examples, kinds: TextArray, scheme: Scheme, seed: int, n_folds: int) -> Errors:
    """Return the errors on regressions of which no other of the same kind was learned from.

    Each fold leaves out whole kinds of regressions, and whole configurations. The regressions of its kinds,
    in all configurations, and the good rows of its configurations are judged.

    Args:
        kinds: shape (n_rows,), of each regression; of good rows nothing is looked at.

    Raises:
        ValueError: there are fewer than two kinds.
    """
    random = np.random.default_rng(seed)
    n_folds = min(n_folds, len(np.unique(kinds[examples.abnormal])))
    if n_folds < 2:
        raise ValueError("regressions must be of at least two kinds")
    fold_of_kind = _folds(kinds, examples.abnormal, n_folds, random)
    fold_of_place = _folds(examples.configuration, np.ones(len(examples), dtype=bool), n_folds, random)
    predicted = np.zeros(len(examples), dtype=bool)
    for fold in range(n_folds):
        is_kind = examples.abnormal & (fold_of_kind == fold)
        is_place = fold_of_place == fold
        held_out = is_kind | (is_place & ~examples.abnormal)
        learned, judged = examples.at(~is_kind & ~is_place), examples.at(held_out)
        predicted[held_out] = learned_predictions(learned, judged, scheme, seed)
    return errors_of(predicted, examples.abnormal)


def _folds(
    labels: TextArray | IntArray, chosen: np.ndarray, n_folds: int, random: np.random.Generator
) -> IntArray:
    """Return the fold of each row, the same for the same label; -1 of rows that are not chosen."""
    names, number = np.unique(labels[chosen], return_inverse=True)
    folds = np.full(len(labels), -1)
    folds[chosen] = (random.permutation(len(names)) % n_folds)[number]
    return folds
