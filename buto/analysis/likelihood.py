"""How much likelier a change is than none: Bayes factors of two-sample t-tests, and one score over all.

By Gönen, Johnson, Lu and Westfall, "The Bayesian two-sample t test" (The American Statistician 59, 2005):
under a change, the difference of the means is normal with a standard deviation that is given beforehand.
Features are on a logarithmic scale far from zero, so this is the usual *relative* size of a change. The
factor of a feature that varies more between runs than changes usually do is near 1, whatever its values are:
noisy features say nothing, neither for a change nor against one, and adding some of them costs little power.

A difference that speaks against a change, or that does not count, has the factor 1, so that no choice of runs
has a high score only because the others speak against a change. The factor of a quantity is the mean over its
features; the score of a choice of runs is the logarithm of the
mean over quantities, the likelihood that one of them has changed. All runs are treated alike, and therefore
the rank of the score is an exact p-value (:mod:`buto.analysis.evidence`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.analysis.contrasts import Stable
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

USUAL_CHANGES = (0.03, 0.1, 0.3, 1.0)
"""Equally likely sizes of a change on the scale of features: from 3 % to almost threefold."""

LARGEST_LOGARITHM = 600.0
"""Larger logarithms would overflow as factors."""


@dataclass(frozen=True, eq=False, slots=True)
class Differences:
    """Differences of means between the chosen runs and the others.

    Attributes:
        squared_t: shape (n_choices, n_features), squares of Student's t.
        variance: shape (n_choices, n_features), of one run within its group.
        sizes: the sum of the reciprocal sizes of both groups.
        freedom: degrees of freedom of t.
    """

    squared_t: FloatArray
    variance: FloatArray
    sizes: float
    freedom: float


def differences(stable: Stable, chosen: IntArray) -> Differences:
    """Return the differences of every choice of runs in every feature.

    Args:
        stable: its floor is added to the variance as that of an independent deviation.
        chosen: shape (n_choices, size).
    """
    values = stable.values - stable.values.mean(axis=0)
    n_runs, size = len(values), chosen.shape[1]
    members = np.zeros((len(chosen), n_runs))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    ours = members @ values
    within = (values**2).sum(axis=0) - ours**2 / size - ours**2 / (n_runs - size)
    freedom = n_runs - 2.0
    variance = np.maximum(within, 0.0) / freedom + stable.floor**2
    sizes = 1 / size + 1 / (n_runs - size)
    squared = (ours * sizes) ** 2 / (variance * sizes)
    return Differences(squared, variance, sizes, freedom)


def factors(found: Differences) -> FloatArray:
    """Return the Bayes factor of each choice and feature, shape (n_choices, n_features); 1 says nothing.

    It is the mean over USUAL_CHANGES, and increases with Student's t without a limit that matters.
    """
    freedom = found.freedom
    plain = np.log1p(found.squared_t / freedom)
    result = np.zeros_like(found.squared_t)
    for change in USUAL_CHANGES:
        ratio = change**2 / (found.variance * found.sizes)
        fitted = np.log1p(found.squared_t / (freedom * (1 + ratio)))
        logarithm = (freedom + 1) / 2 * (plain - fitted) - np.log1p(ratio) / 2
        result += np.exp(np.minimum(logarithm, LARGEST_LOGARITHM))
    return result / len(USUAL_CHANGES)


def for_a_change(factor: FloatArray, counts: BoolArray) -> FloatArray:
    """Return the same factors, at least 1, and 1 where a difference does not count."""
    return np.where(counts, np.maximum(factor, 1.0), 1.0)


def mean_of_each(values: FloatArray, group: IntArray) -> FloatArray:
    """Return the mean over the columns of each group, shape (n_choices, n_groups).

    Args:
        group: shape (n_columns,), the number of each column's group, in increasing order.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    counts = np.diff(np.append(starts, len(group)))
    means: FloatArray = np.add.reduceat(values, starts, axis=1) / counts
    return means


def score(of_each: FloatArray) -> FloatArray:
    """Return the score of each choice, shape (n_choices,), from the factors of quantities.

    Args:
        of_each: shape (n_choices, n_quantities).
    """
    likelihood: FloatArray = np.log(of_each.mean(axis=1))
    return likelihood
