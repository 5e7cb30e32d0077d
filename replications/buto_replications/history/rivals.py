"""Plain rivals on labelled histories, with the folds of the classifiers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from buto.run.model import FloatArray
from buto_replications.detectors.history.examples import (
    Examples,
    errors_of,
    grouped_folds,
    relative_difference,
    two_to_one,
)
from buto_replications.detectors.history.similarity import BoolArray
from buto_replications.rivals import Rival

FEWEST_NORMAL = 2
"""A group with fewer normal rows to learn from fails nothing."""


def as_ratios(examples: Examples) -> Examples:
    """Return targets as shares of their baselines; both 0 is 1."""
    return replace(examples, target=1 + relative_difference(examples.target, examples.baseline))


def predicted(examples: Examples, rival: Rival, seed: int, n_folds: int) -> BoolArray:
    """Return which rows a rival calls abnormal, shape (n_rows,).

    Rows are compared with the normal ones of their group. The limit is not typed but learned, as all that
    a classifier has: from two thirds of the other folds and the labels of the last third, the one with the
    best balanced accuracy.
    """
    calls = np.zeros(len(examples), dtype=bool)
    for learned, held_out in grouped_folds(examples, n_folds, seed):
        known, judged = examples.at(learned), examples.at(held_out)
        divided = two_to_one(known, seed)
        if divided is None:
            continue
        prior, tried = known.at(divided[0]), known.at(divided[1])
        limit = best_limit(_scores(prior, tried, rival), tried.abnormal)
        calls[held_out] = _scores(prior, judged, rival) > limit
    return calls


def _scores(prior: Examples, new: Examples, rival: Rival) -> FloatArray:
    scores = np.zeros(len(new))
    for group in np.unique(new.group):
        rows = new.group == group
        normal = prior.target[(prior.group == group) & ~prior.abnormal]
        if len(normal) >= FEWEST_NORMAL:
            scores[rows] = rival.worst(normal, new.target[rows], 1)
    return scores


def best_limit(scores: FloatArray, abnormal: BoolArray) -> float:
    """Return the limit with the best balanced accuracy, the largest of equally good ones."""
    limits = np.unique(scores)[::-1]
    accuracies = [errors_of(scores > limit, abnormal).balanced_accuracy for limit in limits.tolist()]
    return float(limits[int(np.argmax(accuracies))])
