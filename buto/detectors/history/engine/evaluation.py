"""Cross-validation by grouped folds."""

from __future__ import annotations

import numpy as np

from buto.detectors.history.engine.engine import train
from buto.detectors.history.engine.examples import Examples
from buto.detectors.history.engine.folds import grouped_folds
from buto.detectors.history.engine.measures import Errors, errors_of
from buto.detectors.history.engine.models.model import BoolArray
from buto.detectors.history.engine.scheme import Scheme

N_FOLDS = 10


def cross_validated(examples: Examples, scheme: Scheme, seed: int, n_folds: int = N_FOLDS) -> BoolArray:
    """Return for each example whether an engine that has not seen its configuration calls it abnormal.

    ValueError if abnormal examples are of one configuration only.
    """
    predicted = np.zeros(len(examples), dtype=bool)
    n_done = 0
    for learned, held_out in grouped_folds(examples, n_folds, seed):
        engine = train(examples.at(learned), scheme, seed)
        predicted[held_out] = engine.predict(examples.at(held_out))
        n_done += 1
    if not n_done:
        raise ValueError("abnormal examples must be of at least two configurations")
    return predicted


def cross_validated_errors(examples: Examples, scheme: Scheme, seed: int, n_folds: int = N_FOLDS) -> Errors:
    """Return the errors on all examples, see :func:`cross_validated`."""
    return errors_of(cross_validated(examples, scheme, seed, n_folds), examples.abnormal)
