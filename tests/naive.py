"""Slow, plain versions of the fast numerics, written from the thesis's text; import nothing of buto.

One property at a time, lists of floats, None where there is no number.
"""

from __future__ import annotations

import math


def smooth_mean(values, window):
    """Section 4.4.1 with the mean."""
    return [_mean(chunk) for chunk in _windows(values, window)]


def smooth_median(values, window):
    """Section 4.4.1 with the median."""
    return [_median(chunk) for chunk in _windows(values, window)]


def linear_points(runs):
    """Section 4.4.2, linear: the i-th values of all runs that have one."""
    longest = max((len(run) for run in runs), default=0)
    return [[run[index] for run in runs if index < len(run)] for index in range(longest)]


def simple_bounds(point, deviations, average="mean"):
    """Listing 4.1 for one time point: (lower, upper), or None without values."""
    values = [value for value in point if value is not None]
    if not values:
        return None
    centre = _mean(values) if average == "mean" else _median(values)
    half_width = deviations * _std(values)
    return centre - half_width, centre + half_width


def nearest_bound(times, time, interval):
    """The text of section 4.4.7: index of the closest bound within the interval, or None."""
    best = None
    smallest = interval
    for index, candidate in enumerate(times):
        distance = abs(candidate - time)
        if distance < smallest:
            best, smallest = index, distance
    return best


def last_bound_within_reach(times, time, interval):
    """Listing C.8 as it is printed."""
    found = None
    for index, candidate in enumerate(times):
        if abs(candidate - time) < interval:
            found = index
    return found


def classify(training, test, window, deviations, interval):
    """Listings C.15 and C.16 for one property, as printed but for C.8's slip.

    Args:
        training: runs, each a list of (time, value).
        test: a list of (time, value).

    Returns:
        The times of all differences: out of bounds, or without bounds.
    """
    half = window // 2
    times_of = [[time for time, _ in run][half : len(run) - half] for run in training]
    values_of = [smooth_mean([value for _, value in run], window) for run in training]
    model_times = [_mean(point) for point in linear_points(times_of)]
    bounds = [simple_bounds(point, deviations) for point in linear_points(values_of)]
    differences = []
    test_times = [time for time, _ in test][half : len(test) - half]
    for time, value in zip(test_times, smooth_mean([value for _, value in test], window), strict=True):
        index = nearest_bound(model_times, time, interval)
        if index is None:
            differences.append(time)
            continue
        lower, upper = bounds[index]
        if value < lower or value > upper:
            differences.append(time)
    return differences


def _windows(values, window):
    return [
        [value for value in values[start : start + window] if value is not None]
        for start in range(len(values) - window + 1)
    ]


def _mean(values):
    return math.fsum(values) / len(values) if values else None


def _median(values):
    if not values:
        return None
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _std(values):
    if len(values) < 2:
        return 0.0
    mean = _mean(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))
