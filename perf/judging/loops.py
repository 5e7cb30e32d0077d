"""The simple pipeline of the thesis, loop by loop: slow and plain, without buto or NumPy.

One property at a time, lists of floats, None where there is no number. The tests of the fast numerics
compare with it, too.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

Values = Sequence[float | None]
Reading = tuple[float, float]
"""The time of a sample, and its value."""
Bounds = tuple[float, float]
"""Lower and upper."""


def smooth_mean(values: Values, window: int) -> list[float | None]:
    """Return the means of moving windows (section 4.4.1)."""
    starts = range(len(values) - window + 1)
    return [_mean(_find_known(values[start : start + window])) for start in starts]


def linear_points(runs: Sequence[Values]) -> list[list[float | None]]:
    """Return the i-th values of all runs that have one (section 4.4.2, linear)."""
    longest = max((len(run) for run in runs), default=0)
    return [[run[index] for run in runs if index < len(run)] for index in range(longest)]


def simple_bounds(point: Values, deviations: float) -> Bounds | None:
    """Return the bounds of one time point, or None without values (Listing 4.1)."""
    values = _find_known(point)
    centre = _mean(values)
    if centre is None:
        return None
    half_width = deviations * _std(values)
    return centre - half_width, centre + half_width


def nearest_bound(times: Values, time: float, interval: float) -> int | None:
    """Return the index of the closest bound within the interval, or None (section 4.4.7)."""
    best = None
    smallest = interval
    for index, candidate in enumerate(times):
        if candidate is not None and abs(candidate - time) < smallest:
            best, smallest = index, abs(candidate - time)
    return best


def classify(
    training: Sequence[Sequence[Reading]],
    test: Sequence[Reading],
    window: int,
    deviations: float,
    interval: float,
) -> list[float]:
    """Return the times at which one property is out of bounds or without bounds (Listings C.15 and C.16).

    As printed, but for the slip of Listing C.8.
    """
    half = window // 2
    times_of = [[time for time, _ in run][half : len(run) - half] for run in training]
    values_of = [smooth_mean([value for _, value in run], window) for run in training]
    model_times = [_mean(_find_known(point)) for point in linear_points(times_of)]
    bounds = [simple_bounds(point, deviations) for point in linear_points(values_of)]
    differences = []
    test_times = [time for time, _ in test][half : len(test) - half]
    for time, value in zip(test_times, smooth_mean([value for _, value in test], window), strict=True):
        index = nearest_bound(model_times, time, interval)
        limits = None if index is None else bounds[index]
        if limits is None or value is None or not limits[0] <= value <= limits[1]:
            differences.append(time)
    return differences


def _find_known(values: Values) -> list[float]:
    return [value for value in values if value is not None]


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _std(values: Sequence[float]) -> float:
    mean = _mean(values)
    if mean is None or len(values) < 2:
        return 0.0
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
