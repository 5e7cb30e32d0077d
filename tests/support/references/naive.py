"""Slow, plain versions of the fast numerics, written from the thesis's text; import nothing of buto.

Those that are timed, too, are in ``perf/judging/loops.py``.

One property at a time, lists of floats, None where there is no number.
"""

from __future__ import annotations

import itertools
import math


def smooth_median(values, window):
    """Section 4.4.1 with the median."""
    return [_median(chunk) for chunk in _windows(values, window)]


def last_bound_within_reach(times, time, interval):
    """Listing C.8 as it is printed."""
    found = None
    for index, candidate in enumerate(times):
        if abs(candidate - time) < interval:
            found = index
    return found


def rounding_points(runs, interval):
    """Section 4.4.2, rounding: lists of (time, value), one for each time stamp that occurs, in order."""
    groups = {}
    for run in runs:
        for time, value in run:
            groups.setdefault(math.floor(time / interval + 0.5), []).append((time, value))
    return [groups[number] for number in sorted(groups)]


def kalman_filter(points, noise):
    """The one-dimensional filter of the textbooks: (state, variance) at each (measurement, variance).

    None where a point has no measurement: the filter predicts, but says nothing. Exact for fractions.
    """
    found = []
    state = variance = None
    for point in points:
        if state is None:
            if point is not None:
                state, variance = point
            found.append(point)
            continue
        variance += noise
        if point is None:
            found.append(None)
            continue
        measured, error = point
        gain = variance / (variance + error) if variance + error else 1
        state += gain * (measured - state)
        variance *= 1 - gain
        found.append((state, variance))
    return found


def kalman_listing(points, deviations, q):
    """Listing C.1 as it is printed, for (mean, stdev) of each point: (lower, upper)."""
    found = []
    state = variance = None
    for measured, std in points:
        if state is None:
            state, variance = measured, std * deviations
            found.append((state - variance, state + variance))
            continue
        gain = variance / (variance + std) if variance + std else 1.0
        state = gain * (measured - state) + state
        variance = variance - gain * variance
        variance = (variance + q) * (1 - gain)
        found.append((state - variance * deviations, state + variance * deviations))
    return found


def process_noise(points, method):
    """Listing C.2 for (mean, stdev) of each point."""
    if method == "average-difference":
        return _mean([abs(earlier[0] - other[0]) for earlier, other in itertools.pairwise(points)]) or 0.0
    return _mean([std for _, std in points]) if method == "average-variance" else 0.0


def particle_filter(points, noise_std, draws, resample, propagate, weighting):
    """Listings C.3 to C.7 for (mean, stdev) of each point: (state, stdev).

    Args:
        draws: three lists of random numbers, standard normal for each particle; standard normal for each
            point and particle; uniform for each point and particle.
    """
    initial, noise, picks = draws
    n = len(initial)
    particles = [points[0][0] + points[0][1] * number for number in initial]
    previous, velocity = None, 0.0
    found = []
    for index, (measured, std) in enumerate(points):
        for i in range(n):
            particles[i] += velocity + noise_std * noise[index][i]
        if std == 0:
            particles = [measured] * n
        weights = _weights([abs(x - measured) for x in particles], std or 1.0, weighting)
        if 1 / math.fsum(w * w for w in weights) < resample * n * (1 - 1e-12):
            particles = [particles[_picked(weights, pick)] for pick in sorted(picks[index])]
        state = _mean(particles)
        found.append((state, _std(particles)))
        if previous is not None and propagate == "velocity":
            velocity = state - previous
        previous = state
    return found


def _weights(distances, std, weighting):
    nearest = min(distances)
    if weighting == "distance":
        raw = [float(distance == 0) if nearest == 0 else nearest / distance for distance in distances]
    else:
        raw = [math.exp(-((distance / std) ** 2 - (nearest / std) ** 2) / 2) for distance in distances]
    total = math.fsum(raw)
    return [weight / total for weight in raw]


def _picked(weights, pick):
    reached = 0.0
    for index, weight in enumerate(weights):
        reached += weight
        if pick < reached:
            return index
    return len(weights) - 1


def interpolated_bound(times, values, time, interval):
    """The text of section 4.4.7 and Listing C.10: a limit at a time, or None."""
    return _interpolated(times, values, time, interval)


def interpolated_as_printed(times, values, time):
    """Listing C.9, whose overrun is compared with the first bound's time stamp."""
    return _interpolated(times, values, time, times[0])


def _interpolated(times, values, time, overrun):
    if time < times[0]:
        return values[0]
    for index in range(1, len(times)):
        if time < times[index]:
            width = times[index] - times[index - 1]
            height = values[index] - values[index - 1]
            return values[index - 1] + height * ((time - times[index - 1]) / width)
    return values[-1] if time - times[-1] < overrun else None


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
