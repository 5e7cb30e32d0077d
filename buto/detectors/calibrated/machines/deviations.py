"""How far a test is from prior tests of other environments.

A prior test is held out with all tests of its environment, as the new test is new. Then nothing that is
learned knows the environment: not which numbers are the same, not the factors of machines, and not how far
environments are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.machines.environments import Environment, components_shared, weights
from buto.detectors.calibrated.machines.groups import Dependences, Groups, dependences
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False, slots=True)
class Expected:
    """What prior tests expect of tests of one environment.

    Attributes:
        centre: shape (n_numbers,).
        deviation: shape (n_numbers,), of a new test from the centre.
        factor: logarithm of how slow the machine is; 0 if it is not known, or not used.
    """

    centre: FloatArray
    deviation: FloatArray
    factor: float = 0.0

    def contrast(self, values: FloatArray) -> FloatArray:
        """Return by how many deviations values are off, same shape; 0 for NaN."""
        return np.nan_to_num((values - self.centre) / self.deviation)


def expected_elsewhere(
    groups: Groups, found: Dependences, environment: Environment, values: FloatArray
) -> Expected:
    """Return what prior tests of other environments expect of a test.

    Environments count by how many components they share with that of the test, as in stacking.

    Args:
        found: learned of these other environments.
        values: of the test, shape (n_numbers,); they tell the machine's factor where numbers are scaled.
    """
    means, others = groups.means[found.places], [groups.environments[one] for one in found.places]
    weight = weights([components_shared(one, environment) for one in others])
    centre, factor = weight @ means, 0.0
    if found.scaled.any():
        plain = centre - weight @ found.factors
        levels = found.scaled & groups.is_level & ~np.isnan(values)
        factor = float(np.median((values - plain)[levels])) if levels.any() else 0.0
        centre = np.where(found.scaled, plain + factor, centre)
    few = float((weight**2 / groups.counts[found.places]).sum())
    variance = groups.scatter(found.places) * (1 + few) + found.between**2 * (1 + float((weight**2).sum()))
    return Expected(centre, np.sqrt(variance), factor)


def held_out_environments(groups: Groups, size: int) -> tuple[FloatArray, ...]:
    """Return for each environment the contrasts of its tests, with all that the others teach.

    Shape (n_checks, n_numbers) each; zero where the others cannot judge a number.

    Args:
        size: tests are put together, as many as are judged together now: each with those after it.
    """
    found = []
    for place, environment in enumerate(groups.environments):
        taught = dependences(groups, groups.without(place))
        rows = [
            np.where(
                taught.judged, expected_elsewhere(groups, taught, environment, values).contrast(values), 0.0
            )
            for values in _medians(groups.values[groups.place == place], size)
        ]
        found.append(np.array(rows))
    return tuple(found)


def _medians(values: FloatArray, size: int) -> Sequence[FloatArray]:
    """Return the median of each test and the next ones, in a circle; of all at once if there are too few."""
    n = len(values)
    if n < size:
        return [np.median(values, axis=0)]
    return [np.median(values[(first + np.arange(size)) % n], axis=0) for first in range(n)]
