"""How far the two runs of each pair differ, for every way of exchanging runs within pairs.

Two programs that run at the same time see the same machine: what slows one of them slows the other. So the
difference within a pair varies less than a run does. If the programs do not differ, each of the two runs of a
pair is as likely as the other to be the first program's, so every way of exchanging runs within pairs is
equally likely. That argument is exact, like the one of :mod:`buto.analysis.contrasts`, and as symmetric.

In all functions, runs are rows: those of the first program, then those of the second, both in the order of
the pairs.
"""

from __future__ import annotations

import numpy as np

from buto.analysis.contrasts import Stable, different, wallace
from buto.analysis.likelihood import Differences
from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray


def exchanges(n_pairs: int, limit: int, seed: int = 0) -> IntArray:
    """Return which run of each pair is taken for the second program's, shape (n_choices, n_pairs).

    The first choice is what really was. All choices if there are at most ``limit``, else ``limit`` different
    random ones by ``seed``, including the first.
    """
    if 2**n_pairs <= limit:
        bits = (np.arange(2**n_pairs)[:, None] >> np.arange(n_pairs)) & 1
    else:
        first = np.zeros(n_pairs, np.int64)
        bits = different(first, lambda random: random.integers(0, 2, (limit, n_pairs)), limit, seed)
    chosen: IntArray = np.arange(n_pairs) + n_pairs * (1 - bits)
    return chosen


def paired_differences(stable: Stable, chosen: IntArray) -> Differences:
    """Return Student's t of the paired differences of every choice in every feature.

    Args:
        stable: of both runs of each pair; the floor of each run is added to the variance of a difference.
        chosen: see :func:`exchanges`.
    """
    mean, variance, n_pairs = _moments(stable, chosen)
    return Differences(n_pairs * mean**2 / variance, variance, 1 / n_pairs, n_pairs - 1.0)


def paired_contrasts(stable: Stable, chosen: IntArray) -> FloatArray:
    """Return the same as normal deviates, positive if the chosen runs have more, (n_choices, n_features)."""
    mean, variance, n_pairs = _moments(stable, chosen)
    freedom = n_pairs - 1
    squared = n_pairs * mean**2 / variance
    normal: FloatArray = np.copysign(np.sqrt(freedom * np.log1p(squared / freedom)) * wallace(freedom), mean)
    return normal


def within_pairs(stable: Stable, limit: float) -> tuple[FloatArray, FloatArray]:
    """Return the range of the second program's means with which its contrast is below ``limit``.

    Returns:
        lower and upper, each of shape (n_features,), in the features' own units.
    """
    n_pairs = len(stable.values) // 2
    actual = np.arange(n_pairs, 2 * n_pairs)[None]
    _, variance, _ = _moments(stable, actual)
    freedom = n_pairs - 1
    squared = freedom * np.expm1((limit / wallace(freedom)) ** 2 / freedom)
    half = np.sqrt(squared * variance[0] / n_pairs)
    centre = stable.values[:n_pairs].mean(axis=0)
    with np.errstate(over="ignore"):
        return stable.unit * np.sinh(centre - half), stable.unit * np.sinh(centre + half)


def _moments(stable: Stable, chosen: IntArray) -> tuple[FloatArray, FloatArray, int]:
    """Return mean and variance of the differences, (n_choices, n_features), and the number of pairs."""
    n_pairs = len(stable.values) // 2
    difference = stable.values[n_pairs:] - stable.values[:n_pairs]
    signs = np.where(chosen >= n_pairs, 1.0, -1.0)
    mean = signs @ difference / n_pairs
    spread = np.maximum((difference**2).sum(axis=0) - n_pairs * mean**2, 0.0)
    return mean, spread / (n_pairs - 1) + 2 * stable.floor**2, n_pairs
