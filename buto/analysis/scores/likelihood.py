"""How much likelier a change is than none, for each feature: Bayes factors of two-sample t-tests.

By Gönen, Johnson, Lu and Westfall, "The Bayesian two-sample t test" (The American Statistician 59, 2005):
under a change, the difference of the means is normal with a standard deviation that is given beforehand.
Features are on a logarithmic scale far from zero, so this is the usual *relative* size of a change. The
factor of a feature that varies more between runs than changes usually do is near 1, whatever its values are:
noisy features say nothing, neither for a change nor against one, and adding some of them costs little power.
"""

from __future__ import annotations

import numpy as np

from buto.analysis.scores.differences import Differences
from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

USUAL_CHANGES = (0.03, 0.1, 0.3, 1.0)
"""Equally likely sizes of a change on the scale of features: from 3 % to almost threefold."""

LARGEST_LOGARITHM = 600.0
"""Larger logarithms would overflow as factors."""


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


def mean_of_each(values: FloatArray, group: IntArray) -> FloatArray:
    """Return the mean over the columns of each group, shape (n_choices, n_groups).

    Args:
        group: shape (n_columns,), the number of each column's group, in increasing order.
    """
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    counts = np.diff(np.append(starts, len(group)))
    means: FloatArray = np.add.reduceat(values, starts, axis=1) / counts
    return means
