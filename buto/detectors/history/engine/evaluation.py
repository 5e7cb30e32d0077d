"""Cross-validation by grouped folds."""

from __future__ import annotations

import numpy as np

from buto.detectors.history.engine.engine import train
from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.folds import grouped_folds, has_both
from buto.detectors.history.engine.measures import Errors, errors_of
from buto.detectors.history.engine.models.model import BoolArray
from buto.detectors.history.engine.scheme import Scheme

N_FOLDS = 10


def cross_validated(examples: Examples, scheme: Scheme, seed: int, n_folds: int = N_FOLDS) -> BoolArray:
    """Return for each example whether an engine that has not seen its configuration calls it abnormal.

    ValueError if abnormal or normal examples are of one configuration only.
    """
    predicted = np.zeros(len(examples), dtype=bool)
    n_done = 0
    for learned, held_out in grouped_folds(examples, n_folds, seed):
        predicted[held_out] = learned_predictions(examples.at(learned), examples.at(held_out), scheme, seed)
        n_done += 1
    if not n_done:
        raise ValueError("normal and abnormal examples must be of at least two configurations each")
    return predicted


def learned_predictions(learned: Examples, judged: Examples, scheme: Scheme, seed: int) -> BoolArray:
    """Return whether an engine that knows some examples calls others abnormal, shape (n_judged,).

    An engine that learned from one class only calls every row that class.
    """
    if not has_both(learned.abnormal):
        return np.full(len(judged), bool(learned.abnormal.all()))
    return train(learned, scheme, seed).predict(judged)


def cross_validated_errors(examples: Examples, scheme: Scheme, seed: int, n_folds: int = N_FOLDS) -> Errors:
    """Return the errors on all examples, see :func:`cross_validated`."""
    return errors_of(cross_validated(examples, scheme, seed, n_folds), examples.abnormal)
