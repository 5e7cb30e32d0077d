"""The statistic of causes in plain loops, from its description; imports nothing of buto."""

from __future__ import annotations

import math


def deviations(old, new, old_squares, new_squares, grain):
    """One unit: difference of the means by its standard error, with a shrunk variance."""
    mean_old, mean_new = sum(old) / len(old), sum(new) / len(new)
    scatter = 0.0
    for values, mean in ((old, mean_old), (new, mean_new)):
        for value in values:
            scatter += (value - mean) ** 2
    sampling = (sum(old_squares) / len(old) + sum(new_squares) / len(new)) / 2
    if sampling < grain * grain:
        sampling = grain * grain
    level = (mean_old + mean_new) / 2
    expected = sampling + (0.1 * level) ** 2
    freedom = len(old) + len(new) - 2
    variance = (4 * expected + scatter) / (4 + freedom)
    return (mean_new - mean_old) / math.sqrt(variance / len(old) + variance / len(new))


def exceeds_falls(z, rise):
    """Whether each unit rose by more than all that fell by more than two standard errors; none if the sum
    of all has not risen."""
    fallen = sum(-rise[at] for at in range(len(z)) if z[at] < -2)
    return [sum(rise) > 0 and row > fallen for row in rise]


def order(z, rise):
    """Places of the units that rose: strong evidence and a tenth of all first, then by rise."""
    places = [at for at in range(len(z)) if rise[at] > 0]
    tenth = 0.1 * sum(rise[at] for at in places)
    strong = [at for at in places if z[at] > 4 and rise[at] >= tenth]
    weak = [at for at in places if at not in strong]
    return sorted(strong, key=lambda at: -rise[at]) + sorted(weak, key=lambda at: -rise[at])


def named(z, rise, old, new):
    """Whether each unit is named; old and new are lists of launches of each unit."""
    limits = {3: 5.0, 4: 4.5, 5: 4.0}
    k = min(len(old[0]), len(new[0]), 5)
    total = sum(row for row in rise if row > 0)
    return [
        k in limits and z[at] > limits[k] and rise[at] >= 0.1 * total and min(new[at]) > max(old[at])
        for at in range(len(z))
    ]
