"""How alike two changes of a program are, in standardised features.

A change is a vector: for each feature, by how many deviations of unchanged runs it differs from what it was
before. What unchanged runs may show counts as no difference, and large differences by their logarithm, so
that neither the noise of many features nor the size of one decides.
"""

from __future__ import annotations

import numpy as np

from buto.run.model import FloatArray, IntArray

QUIET = 3.0
"""Deviations within which unchanged runs lie."""

NEAR = 0.5
"""Two changes are alike if they are nearer to each other than this share of the way to no change."""


def distances(change: FloatArray, others: FloatArray) -> FloatArray:
    """Return how far other changes are from one, as a share of its distance from no change, (n_others,).

    0 is the same change, 1 is as far as no change at all; infinite if the change itself is none.

    Args:
        change: shape (n_features,), in deviations; NaN: not known, left out.
        others: shape (n_others, n_features).
    """
    changed, rest = scale(change), scale(others)
    known = ~np.isnan(changed) & ~np.isnan(rest)
    apart = np.sqrt(np.where(known, (rest - changed) ** 2, 0.0).sum(axis=1))
    size = np.sqrt(np.where(known, changed**2, 0.0).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        shares: FloatArray = np.where(size > 0, apart / size, np.inf)
    return shares


def nearest(change: FloatArray, others: FloatArray, most: int) -> IntArray:
    """Return the places of the others that are alike, the nearest first, at most so many."""
    if not len(others):
        return np.empty(0, np.int64)
    far = distances(change, others)
    order: IntArray = np.argsort(far, kind="stable")
    return order[far[order] <= NEAR][:most]


def scale(change: FloatArray) -> FloatArray:
    """Return a change on the scale of distances, of the same shape; NaN stays NaN."""
    beyond = np.maximum(np.abs(change) - QUIET, 0.0)
    signed: FloatArray = np.copysign(np.arcsinh(np.where(np.isnan(change), np.nan, beyond)), change)
    return signed
