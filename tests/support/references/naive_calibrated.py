"""Slow, plain versions of the calibrated oracle's numerics; import nothing of buto.

One property, one run or one choice at a time, lists of floats, None where there is no number.
"""

from __future__ import annotations

import itertools
import math

N_GRID = 60


def on_grid(times, values, end):
    """Values at 60 even moments from 0 to end, or None if nothing was read."""
    known = [(time, value) for time, value in zip(times, values, strict=True) if value is not None]
    if not known:
        return None
    return [_at(known, end * number / (N_GRID - 1)) for number in range(N_GRID)]


def _at(known, time):
    if time <= known[0][0]:
        return known[0][1]
    for (earlier, below), (later, above) in itertools.pairwise(known):
        if time <= later:
            return below + (time - earlier) / (later - earlier) * (above - below)
    return known[-1][1]


def mean_between(times, values, start, end):
    """Mean of the lines between the samples, or None if nothing was read."""
    known = [(time, value) for time, value in zip(times, values, strict=True) if value is not None]
    if not known:
        return None
    moments = [start, *(time for time, _ in known if start < time < end), end]
    area = sum(
        (later - earlier) * (_at(known, earlier) + _at(known, later)) / 2
        for earlier, later in itertools.pairwise(moments)
    )
    return area / (end - start)


def gauge(times, values, end):
    """By name."""
    grid = on_grid(times, values, end)
    early, middle, late = (
        mean_between(times, values, end * part / 3, end * (part + 1) / 3) for part in range(3)
    )
    return {
        "mean": mean_between(times, values, 0, end),
        "mean-early": early,
        "mean-middle": middle,
        "mean-late": late,
        "slope": late - early,
        "deviation": math.sqrt(_mean([(value - _mean(grid)) ** 2 for value in grid])),
        "low": quantile(grid, 0.1),
        "median": quantile(grid, 0.5),
        "high": quantile(grid, 0.9),
        "largest": max(grid),
        "last": [value for value in values if value is not None][-1],
        "roughness": _mean([abs(earlier - other) for earlier, other in itertools.pairwise(grid)]),
    }


def counter(times, values, end):
    """By name."""
    grid = on_grid(times, values, end)
    return {
        "total": [value for value in values if value is not None][-1],
        "mean": mean_between(times, values, 0, end),
        "increase-early": grid[20] - grid[0],
        "increase-middle": grid[40] - grid[20],
        "increase-late": grid[59] - grid[40],
    }


def quantile(values, share):
    """On the straight line between the two that are nearest."""
    ranked = sorted(values)
    place = share * (len(ranked) - 1)
    below = math.floor(place)
    above = min(below + 1, len(ranked) - 1)
    return ranked[below] + (place - below) * (ranked[above] - ranked[below])


def student(values, chosen, floor):
    """Student's t of the chosen against the others, with a floor under the pooled deviation."""
    ours = [values[place] for place in chosen]
    others = [value for place, value in enumerate(values) if place not in chosen]
    squares = sum((value - _mean(group)) ** 2 for group in (ours, others) for value in group)
    variance = squares / (len(values) - 2) + floor**2
    return (_mean(ours) - _mean(others)) / math.sqrt(variance * (1 / len(ours) + 1 / len(others)))


def wallace(student_t, freedom):
    """The normal deviate of about the same probability as Student's t."""
    size = math.sqrt(freedom * math.log(1 + student_t**2 / freedom))
    return math.copysign(size * (8 * freedom + 1) / (8 * freedom + 3), student_t)


def _mean(values):
    return sum(values) / len(values)
