"""Leave out counters that others predict: constants, duplicates, and sums of others."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.load_models import correlation, varies
from buto.runs import FloatArray

SINGULAR = 1e-8
"""Share of its variance below which what others leave of a counter is rounding."""


TIE = 1e-9
"""Shares that differ by less are equal."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """Which counters are left.

    Attributes:
        kept: their columns, ascending.
        constant: columns without variance.
        redundant: columns that others predict, in the order in which they were left out, with their R² then.
    """

    kept: tuple[int, ...]
    constant: tuple[int, ...]
    redundant: tuple[tuple[int, float], ...]


def reduced(values: FloatArray, threshold: float) -> Reduced:
    """Leave out the counter with the largest R² on all others until none is above the threshold.

    Counters that are exact linear combinations of others go first, because the inverse of the correlation
    matrix does not exist with them; of two equal counters the second goes.

    Args:
        values: shape (n_observations, n_counters), finite.
        threshold: of R², below 1.
    """
    varying = np.flatnonzero(varies(values))
    constant = tuple(np.flatnonzero(~varies(values)).tolist())
    if not len(varying):
        return Reduced((), constant, ())
    correlations = correlation(values[:, varying])
    independent = _independent(correlations)
    dependent = np.setdiff1d(np.arange(len(varying)), independent)
    precision = np.asfortranarray(np.linalg.inv(correlations[np.ix_(independent, independent)]))
    removed = [(int(varying[one]), 1.0) for one in dependent]
    removed += [(int(varying[independent[one]]), share) for one, share in _removed(precision, threshold)]
    gone = {column for column, _ in removed}
    return Reduced(
        tuple(column for column in varying.tolist() if column not in gone), constant, tuple(removed)
    )


def _independent(correlations: FloatArray) -> FloatArray:
    """Return columns, ascending, of which none is a linear combination of others."""
    # Imported here: it takes a while, and every configuration is validated with this detector's keys.
    from scipy.linalg import lapack

    _, pivots, rank, _ = lapack.dpstrf(correlations, tol=SINGULAR)
    found: FloatArray = np.sort(pivots[:rank] - 1)
    return found


def _removed(precision: FloatArray, threshold: float) -> list[tuple[int, float]]:
    """Return which counters go, with their R².

    A counter's R² on all others is 1 - 1/p, where p is its element on the diagonal of the precision matrix.
    Without the counter, the precision matrix of the rest differs by a matrix of rank one.

    Args:
        precision: inverse of the correlation matrix in Fortran's order; it is overwritten.
    """
    from scipy.linalg import blas

    numbers = np.arange(len(precision))
    present = np.ones(len(precision), dtype=bool)
    found: list[tuple[int, float]] = []
    while True:
        shares = 1.0 - 1.0 / np.where(present, precision.diagonal(), 1.0)
        # The last two counters have equal shares, which differ in rounding.
        worst = int(np.flatnonzero(shares >= shares.max() - TIE)[-1])
        share = shares[worst]
        if not share > threshold:
            return found
        found.append((int(numbers[worst]), float(share)))
        column = precision[:, worst].copy()
        precision = blas.dger(-1.0 / column[worst], column, column, a=precision, overwrite_a=1)
        present[worst] = False
        if 2 * present.sum() < len(present):
            precision = np.asfortranarray(precision[np.ix_(present, present)])
            numbers, present = numbers[present], present[present]
