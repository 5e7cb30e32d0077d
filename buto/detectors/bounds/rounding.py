"""Round bounds to meaningful digits, so that people can read and compare an oracle's file."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from buto.analysis.bounds import Bounds
from buto.runs import FloatArray

WIDTH_DIGITS = 3
"""Digits of a band's width that are kept: limits move by less than a hundredth of it."""

TIME_DECIMALS = 4
"""Tenths of a millisecond."""

_RESIDUE = 1e-12
_TINIEST = 1e-200
"""The width of narrower bands is only a rounding error."""


def rounded(bounds: Bounds) -> Bounds:
    """Return bounds in the order of time, with limits rounded outwards to three digits of the band's width.

    Times are rounded to 0.1 ms. The last points of runs of unequal length may come in another order, because
    few runs reach them.
    A band without width stays exact, as does NaN. What an oracle keeps in memory is rounded too, so that
    it judges equally before and after it was stored.
    """
    order = np.argsort(bounds.times_s, kind="stable")
    bounds = Bounds(bounds.times_s[order], bounds.lower[order], bounds.upper[order], bounds.expected[order])
    width = bounds.upper - bounds.lower
    wide = np.isfinite(width) & (width > _RESIDUE * np.maximum(np.abs(bounds.lower), np.abs(bounds.upper)))
    wide &= width > _TINIEST
    exponent = np.floor(np.log10(np.where(wide, width, 1.0))).astype(np.int64) - (WIDTH_DIGITS - 1)
    return Bounds(
        np.round(bounds.times_s, TIME_DECIMALS),
        np.where(wide, _to(np.floor, bounds.lower, exponent), bounds.lower),
        np.where(wide, _to(np.ceil, bounds.upper, exponent), bounds.upper),
        np.where(wide, _to(np.round, bounds.expected, exponent), bounds.expected),
    )


def _to(
    direction: Callable[[FloatArray], FloatArray], values: FloatArray, exponent: npt.NDArray[np.int64]
) -> FloatArray:
    # Powers of ten are exact upwards only, so both ways use one; then the result prints short.
    power = 10.0 ** np.abs(exponent)
    return np.where(exponent >= 0, direction(values / power) * power, direction(values * power) / power)
