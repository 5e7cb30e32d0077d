"""A target and its baseline as one row: alone, side by side, or as the relative difference."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray

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
