"""A curve in one line of text."""

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
    parts = [part[np.isfinite(part)] for part in np.array_split(values, min(len(values), width) or 1)]
    means = np.array([part.mean() if part.size else np.nan for part in parts])
    if not np.isfinite(means).any():
        return UNREADABLE * min(len(values), width)
    low, high = np.nanmin(means), np.nanmax(means)
    span = high - low or 1.0
    levels = np.floor((means - low) / span * (len(BLOCKS) - 1) + 0.5)
    return "".join(UNREADABLE if np.isnan(level) else BLOCKS[int(level)] for level in levels)
