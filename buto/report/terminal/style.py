"""Curves in one line of block characters, also that of a finding's run beside the limit that it passed."""

from __future__ import annotations

import math

import numpy as np

from buto.judging.verdict import Direction, Finding
from buto.report.panels import FEWEST_POINTS, Curve, Panel
from buto.run.model import FloatArray

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

    def block(mean: float) -> str:
        return UNREADABLE if np.isnan(mean) else BLOCKS[int((mean - low) / span * (len(BLOCKS) - 1) + 0.5)]

    return ["".join(map(block, values)) for values in means]


def _means(values: FloatArray, width: int) -> FloatArray:
    """Return the means, shape (min(n, width),), NaN for a share without a finite value."""
    if not len(values):
        return np.empty(0)
    parts = [part[np.isfinite(part)] for part in np.array_split(values, min(len(values), width))]
    return np.array([part.mean() if part.size else np.nan for part in parts])


Painted = list[tuple[str, str]]
"""Block characters, each with its style."""


def run_beside_limit(finding: Finding, panel: Panel | None, width: int) -> tuple[Painted, str]:
    """Draw the run of a finding over its time, red where it is beyond its limit.

    Returns:
        The run, and the limit that it passed over the same time and to the same scale, after the words
        ``at most`` or ``at least``; nothing where there is no curve or no limit.
    """
    curve = None if panel is None else _curve_of(panel, finding.run_id)
    if panel is None or curve is None:
        return [], ""
    even = np.linspace(curve.times_s[0], curve.times_s[-1], width)
    run = _at(even, curve.times_s, curve.values)
    limit, word = _limit(panel, finding, even)
    if limit is None:
        return [(block, "") for block in sparklines([run], width)[0]], ""
    drawn, beside = sparklines([run, limit], width)
    outside = run > limit if finding.direction is Direction.MORE else run < limit
    painted = [(block, "red" if out else "") for block, out in zip(drawn, outside, strict=True)]
    return painted, f"{word} {beside}".rstrip()


def _curve_of(panel: Panel, run_id: str) -> Curve | None:
    for curve in panel.checked:
        if curve.run_id == run_id and np.count_nonzero(np.isfinite(curve.values)) >= FEWEST_POINTS:
            return curve
    return None


def _limit(panel: Panel, finding: Finding, times_s: FloatArray) -> tuple[FloatArray | None, str]:
    if panel.band is None or finding.direction is Direction.OTHER:
        return None, ""
    more = finding.direction is Direction.MORE
    limit = _at(times_s, panel.band.times_s, panel.band.upper if more else panel.band.lower)
    return (limit if np.isfinite(limit).any() else None), "at most" if more else "at least"


def _at(times_s: FloatArray, known_s: FloatArray, values: FloatArray) -> FloatArray:
    """Return the values at other times, NaN outside the known times and if no value is finite."""
    finite = np.isfinite(values)
    if not finite.any():
        return np.full(len(times_s), math.nan)
    return np.interp(times_s, known_s[finite], values[finite], left=math.nan, right=math.nan)
