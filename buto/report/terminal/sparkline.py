"""Draw a curve in one line of text."""

from __future__ import annotations

import numpy as np

from buto.runs import FloatArray

BLOCKS = "▁▂▃▄▅▆▇█"
UNREADABLE = " "


def sparkline(values: FloatArray, width: int) -> str:
    """Draw values as block characters, lowest value lowest, each character the mean of its share.

    Args:
        values: shape (n,), evenly spaced. NaN is left out of the means.
        width: number of characters; fewer values give fewer characters.

    Returns:
        Text of ``min(n, width)`` characters; a blank where a share holds only NaN.
    """
    return sparklines([values], width)[0]


def sparklines(curves: list[FloatArray], width: int) -> list[str]:
    """Draw several curves of one quantity to the same scale; see :func:`sparkline`."""
    means = [_means(values, width) for values in curves]
    known = np.concatenate([values[np.isfinite(values)] for values in means])
    if not known.size:
        return [UNREADABLE * len(values) for values in means]
    low = known.min()
    span = known.max() - low or 1.0
    return ["".join(_block((mean - low) / span) for mean in values) for values in means]


def _means(values: FloatArray, width: int) -> FloatArray:
    """Return the means, shape (min(n, width),), NaN for a share without a finite value."""
    if not len(values):
        return np.empty(0)
    parts = [part[np.isfinite(part)] for part in np.array_split(values, min(len(values), width))]
    return np.array([part.mean() if part.size else np.nan for part in parts])


def _block(share: float) -> str:
    return UNREADABLE if np.isnan(share) else BLOCKS[int(share * (len(BLOCKS) - 1) + 0.5)]
