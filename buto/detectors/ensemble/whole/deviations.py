"""How far a test is from prior tests that do not include it: of its own environment, or of all others.

A prior test is held out in the same way as the new test is new: alone if the new test's environment is known,
with all tests of its environment if it is not. In a known environment, the deviations of a new test of an
unchanged program are so like those of the prior tests. In a new one they may be larger: how far environments
are apart was learned of the prior tests' environments, the one that is held out included.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from buto.analysis.matching import BoolArray
from buto.detectors.ensemble.voting import Environment, components_shared, weights
from buto.detectors.ensemble.whole.groups import Dependences, Groups
from buto.runs import FloatArray

FEWEST_LIKE = 5
"""Fewer prior tests of an environment do not show what is usual in it."""


SMALL = 3.0
"""On a machine that was not seen, a contrast up to this is no evidence: what prior tests know of it is not
exact enough."""

_QUANTILE = 1.645
"""Deviations that hold nine tenths of a normal population, at which few environments are made up for."""


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


def known(groups: Groups, environment: Environment) -> int | None:
    """Return the number of an environment that has enough prior tests of its own; None if it has not."""
    same = [place for place, one in enumerate(groups.environments) if one == environment]
    found = [0] if groups.pooled else same
    return found[0] if found and groups.counts[found[0]] >= FEWEST_LIKE else None


def expected_here(groups: Groups, place: int) -> Expected:
    """Return what is expected in a known environment."""
    means = groups.means
    variance = groups.squares.sum(axis=0) / groups.freedom() + groups.floor**2
    return Expected(means[place], np.sqrt(variance * (1 + 1 / groups.counts[place])))


def held_out_alone(groups: Groups, place: int) -> FloatArray:
    """Return the contrasts of the prior tests of an environment, each with the others of it, (n, n_numbers).

    Deviations are pooled over all environments, without the test that is held out.
    """
    means = groups.means
    squares = groups.squares.sum(axis=0)
    n = int(groups.counts[place])
    away = (groups.values[groups.place == place] - means[place]) * n / (n - 1)
    own = away**2 * (n - 1) / n
    variance = np.maximum(squares - own, 0.0) / (groups.freedom() - 1) + groups.floor**2
    contrast: FloatArray = away / np.sqrt(variance * (1 + 1 / (n - 1)))
    return contrast


def expected_elsewhere(
    groups: Groups, found: Dependences, environment: Environment, values: FloatArray, without: int | None
) -> Expected:
    """Return what prior tests of other environments expect of a test.

    Environments count by how many components they share with that of the test, as in stacking.

    Args:
        values: of the test, shape (n_numbers,); they tell the machine's factor where numbers are scaled.
        without: the number of an environment that is held out; None for none.
    """
    means = groups.means
    others = [place for place in range(len(means)) if place != without]
    shared = [components_shared(groups.environments[place], environment) for place in others]
    weight = weights(shared)
    centre = weight @ means[others]
    factor = 0.0
    if found.scaled.any():
        plain = centre - weight @ found.factors[others]
        levels = found.scaled & groups.is_level & ~np.isnan(values)
        factor = float(np.median((values - plain)[levels])) if levels.any() else 0.0
        centre = np.where(found.scaled, plain + factor, centre)
    squares = groups.squares[others].sum(axis=0)
    scatter = squares / groups.freedom(without) + groups.floor**2
    few = float((weight**2 / groups.counts[others]).sum())
    # Of a prior test, the distance of its environment from the others is known; of a new one it is not.
    between = found.between * (_few_environments(len(means)) if without is None else 1.0)
    return Expected(centre, np.sqrt(scatter * (1 + few) + between**2), factor)


def held_out_environments(groups: Groups, found: Dependences) -> FloatArray:
    """Return the contrasts of all prior tests with other environments, shape (n_tests, n_numbers)."""
    rows = []
    for place, values in zip(groups.place.tolist(), groups.values, strict=True):
        environment = groups.environments[place]
        rows.append(expected_elsewhere(groups, found, environment, values, place).contrast(values))
    return np.array(rows)


def without_small(contrast: FloatArray) -> FloatArray:
    """Return contrasts on machines that were not seen, zero where they are no evidence, same shape."""
    return np.where(np.abs(contrast) <= SMALL, 0.0, contrast)


def _few_environments(number: int) -> float:
    """Return by how much a deviation of so few environments is enlarged: Student's t for the normal quantile.

    By the inverse of Wallace's approximation (Annals of Mathematical Statistics 30, 1959).
    """
    freedom = number - 1
    normal = _QUANTILE * (8 * freedom + 3) / (8 * freedom + 1)
    return float(np.sqrt(freedom * np.expm1(normal**2 / freedom)) / _QUANTILE)


def judged_elsewhere(found: Dependences) -> BoolArray:
    """Return which numbers can be judged in an environment without prior tests, shape (n_numbers,)."""
    return found.same | found.scaled
