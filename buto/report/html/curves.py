"""Compress curves: fewer points, sixteen bits each."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.runs import FloatArray

LARGEST = 65532
"""Largest code of a number; the three codes above it are the infinities and NaN."""
_BELOW_ALL, _ABOVE_ALL, _UNREADABLE = 65533, 65534, 65535

Codes = str | int
"""Base64 of little-endian 16-bit codes, or one code if all are equal."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The relation of numbers and codes: ``number = low + code * step``."""

    low: float
    step: float


def thinned(times_s: FloatArray, values: FloatArray, most: int) -> tuple[FloatArray, FloatArray]:
    """Return at most ``most`` points (an even number) of each column, without losing a peak.

    Each of ``most / 2`` intervals of equally many samples keeps its lowest and its highest value, in their
    order, at its first and last time: a point moves by less than an interval. Few samples stay as they are.

    Args:
        times_s: shape (n,), increasing.
        values: shape (n, n_columns); NaN is kept only if a whole interval is NaN.

    Returns:
        Times, shape (m,), and values, shape (m, n_columns).
    """
    n = len(times_s)
    if n <= most:
        return times_s, values
    size = -(-n // (most // 2))
    spans = -(-n // size)
    rows = np.minimum(np.arange(spans * size), n - 1).reshape(spans, size)
    blocks = values[rows]
    unreadable = np.isnan(blocks)
    lowest = np.where(unreadable, np.inf, blocks).argmin(axis=1)[:, np.newaxis]
    highest = np.where(unreadable, -np.inf, blocks).argmax(axis=1)[:, np.newaxis]
    both = np.concatenate([np.minimum(lowest, highest), np.maximum(lowest, highest)], axis=1)
    kept = np.take_along_axis(blocks, both, axis=1).reshape(2 * spans, values.shape[1])
    return times_s[rows[:, [0, -1]]].ravel(), kept


def scale_of(*arrays: FloatArray) -> Scale:
    """Return a scale for all finite numbers of some arrays; exact for whole numbers in a small range."""
    known = np.concatenate([array[np.isfinite(array)] for array in arrays]) if arrays else np.empty(0)
    if not known.size:
        return Scale(0.0, 1.0)
    low, high = float(known.min()), float(known.max())
    if high - low <= LARGEST and (known == np.round(known)).all():
        return Scale(low, 1.0)
    # Half of each first: the difference of two large numbers may be infinite.
    step = (high / 2 - low / 2) / LARGEST * 2
    return Scale(low, step or 1.0)


def codes(values: FloatArray, scale: Scale) -> Codes:
    """Return numbers, shape (n,), as codes; infinities and NaN have their own codes."""
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.clip(np.rint((values - scale.low) / scale.step), 0, LARGEST)
    coded: npt.NDArray[np.uint16] = np.select(
        [np.isnan(values), np.isposinf(values), np.isneginf(values)],
        [_UNREADABLE, _ABOVE_ALL, _BELOW_ALL],
        np.nan_to_num(near),
    ).astype("<u2")
    if len(coded) and (coded == coded[0]).all():
        return int(coded[0])
    return base64.b64encode(coded.tobytes()).decode()
