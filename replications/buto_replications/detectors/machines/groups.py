"""Prior tests by environment: which numbers do not depend on the machine, which a factor of the machine
explains, and what is expected of a machine that was not seen.

A prior test is held out with all tests of its environment, as the new test is new. Then nothing that is
learned knows the environment: not which numbers are the same, not the factors of machines, and not how far
environments are apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from buto.judging.environments import Environment, components_shared, weights
from buto.run.model import BoolArray, FloatArray, IntArray

FEWEST_FREEDOM = 4
"""Fewer degrees of freedom do not show how far tests of one environment are apart."""

FEWEST_ENVIRONMENTS = 3
"""Of fewer, nothing is left to compare if one is held out."""

TOLERANCE = 4.0
"""An environment's mean may be so many deviations of one test away from that of the others, if a number is
to be called the same everywhere."""

FEWEST_SCALED = 3
"""A machine factor is one number for at least so many quantities, or it explains nothing."""

LOGARITHMIC = 3.0
"""From here on, about ten grains, the inverse hyperbolic sine is a logarithm, so a factor is an addend."""

PRIOR_FREEDOM = 3.0
"""How far environments are apart is learned of each number, and of all that are the same. This is the weight
of the latter, as a number of environments: of few that agree by chance, one number alone knows nothing."""


class Dependence(Enum):
    """How a number depends on the machine."""

    SAME = "same"
    SCALED = "scaled"
    """The same after division by a factor of the machine."""
    OWN = "own"
    """Each environment has its own level."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Numbers of prior tests on a scale on which a factor is an addend.

    Attributes:
        values: shape (n_tests, n_numbers).
        floor: shape (n_numbers,), the smallest meaningful deviation.
        place: shape (n_tests,), the number of each test's environment.
        environments: the different ones, in the order of ``place``.
        is_level: shape (n_numbers,), which numbers say how much there is of a quantity.
        is_time: shape (n_numbers,), which are times.
        part: shape (n_numbers,), the number of what is the same as a whole or not: a quantity, or its growth.
        is_chosen: shape (n_numbers,), which are sizes that the JVM chooses, or parts of others. They are
            never called the same: what another collector makes of them is not the program's doing.
    """

    values: FloatArray
    floor: FloatArray
    place: IntArray
    environments: tuple[Environment, ...]
    is_level: BoolArray
    is_time: BoolArray
    part: IntArray
    is_chosen: BoolArray

    @cached_property
    def counts(self) -> IntArray:
        """Number of tests of each environment, shape (n_environments,)."""
        counts: IntArray = np.bincount(self.place, minlength=len(self.environments))
        return counts

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each environment, shape (n_environments, n_numbers)."""
        return np.array([self.values[self.place == group].mean(axis=0) for group in range(len(self.counts))])

    @cached_property
    def squares(self) -> FloatArray:
        """Sums of squares within environments, shape (n_environments, n_numbers)."""
        away = (self.values - self.means[self.place]) ** 2
        return np.array([away[self.place == group].sum(axis=0) for group in range(len(self.counts))])

    def freedom(self, places: IntArray) -> int:
        """Return the degrees of freedom within some environments."""
        return int((self.counts[places] - 1).sum())

    def scatter(self, places: IntArray) -> FloatArray:
        """Return the variance of tests of one environment, learned of some, shape (n_numbers,)."""
        squares = self.squares[places].sum(axis=0)
        variance: FloatArray = squares / self.freedom(places) + self.floor**2
        return variance

    def without(self, place: int) -> IntArray:
        """Return the numbers of all environments but one."""
        return np.delete(np.arange(len(self.counts)), place)

    @property
    def tells_environments_apart(self) -> bool:
        """Whether each environment can be held out: enough tests of at least two others are left."""
        some = range(len(self.counts))
        return len(some) >= FEWEST_ENVIRONMENTS and all(
            self.freedom(self.without(values)) >= FEWEST_FREEDOM for values in some
        )


@dataclass(frozen=True, eq=False, slots=True)
class Dependences:
    """How each number depends on the machine, as some environments show it.

    Attributes:
        places: the numbers of these environments.
        same, scaled: shape (n_numbers,); a number that is neither has a level of its own everywhere.
        between: shape (n_numbers,), standard deviation of environments, after division by the factor where a
            number is scaled.
        factors: shape (n_places,), logarithms, relative to the mean of all; zeros if nothing is scaled.
    """

    places: IntArray
    same: BoolArray
    scaled: BoolArray
    between: FloatArray
    factors: FloatArray

    @property
    def judged(self) -> BoolArray:
        """Which numbers can be judged in an environment without prior tests, shape (n_numbers,)."""
        return self.same | self.scaled

    def of(self, number: int) -> Dependence:
        """Return how one number depends on the machine."""
        if self.same[number]:
            return Dependence.SAME
        return Dependence.SCALED if self.scaled[number] else Dependence.OWN


def dependences(groups: Groups, places: IntArray) -> Dependences:
    """Learn from at least two environments which numbers are the same, and which a factor explains.

    All numbers of a part must be: of many that differ, one may be the same by chance.
    """
    means, variance = groups.means[places], groups.scatter(places)
    limit = np.where(groups.is_chosen, -1.0, TOLERANCE * np.sqrt(variance))
    close: BoolArray = np.logical_and.reduce(np.abs(_from_others(means)) <= limit, axis=0)
    same = _in_whole_parts(groups.part, close)
    scaled, factors = _scale(groups, means, limit, same)
    levels = means - np.where(scaled, factors[:, None], 0.0)
    return Dependences(places, same, scaled, _between(levels, variance, same | scaled), factors)


def _scale(
    groups: Groups, means: FloatArray, limit: FloatArray, same: BoolArray
) -> tuple[BoolArray, FloatArray]:
    """Return which numbers a factor of each machine explains, and the factors."""
    none = np.zeros(len(same), dtype=bool), np.zeros(len(means))
    grand = means.mean(axis=0)
    candidates: BoolArray = groups.is_level & groups.is_time & ~same & (grand >= LOGARITHMIC)
    if candidates.sum() < FEWEST_SCALED:
        return none
    factors = np.median((means - grand)[:, candidates], axis=1)
    left = np.abs(_from_others(means - factors[:, None]))
    close: BoolArray = np.logical_and.reduce(left <= limit, axis=0) & (grand >= LOGARITHMIC)
    scaled = _in_whole_parts(groups.part, close) & ~same
    return (scaled, factors) if (scaled & groups.is_level).sum() >= FEWEST_SCALED else none


def _between(levels: FloatArray, variance: FloatArray, judged: BoolArray) -> FloatArray:
    """Return the deviation of environments, moderated by the usual one of the judged numbers."""
    ratio = levels.var(axis=0, ddof=1) / variance
    usual = float(ratio[judged].mean()) if judged.any() else 0.0
    freedom = len(levels) - 1
    moderated: FloatArray = (PRIOR_FREEDOM * usual + freedom * ratio) / (PRIOR_FREEDOM + freedom)
    return np.sqrt(moderated * variance)


def _in_whole_parts(part: IntArray, good: BoolArray) -> BoolArray:
    """Return which numbers are of a part all of whose numbers are good, shape (n_numbers,)."""
    bad = np.bincount(part, weights=~good)
    whole: BoolArray = (bad == 0)[part]
    return whole


def _from_others(means: FloatArray) -> FloatArray:
    """Return how far each environment's mean is from the mean of the others', same shape."""
    n = len(means)
    away: FloatArray = (means - means.mean(axis=0)) * n / (n - 1)
    return away


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
    groups: Groups, taught: Dependences, environment: Environment, values: FloatArray
) -> Expected:
    """Return what prior tests of other environments expect of a test.

    Environments count by how many components they share with that of the test, as in stacking.

    Args:
        taught: learned of these other environments.
        values: of the test, shape (n_numbers,); they tell the machine's factor where numbers are scaled.
    """
    means, others = groups.means[taught.places], [groups.environments[place] for place in taught.places]
    weight = weights([len(components_shared(place, environment)) for place in others])
    centre, factor = weight @ means, 0.0
    if taught.scaled.any():
        plain = centre - weight @ taught.factors
        levels = taught.scaled & groups.is_level & ~np.isnan(values)
        factor = float(np.median((values - plain)[levels])) if levels.any() else 0.0
        centre = np.where(taught.scaled, plain + factor, centre)
    few = float((weight**2 / groups.counts[taught.places]).sum())
    variance = groups.scatter(taught.places) * (1 + few) + taught.between**2 * (1 + float((weight**2).sum()))
    return Expected(centre, np.sqrt(variance), factor)


def held_out_environments(groups: Groups, size: int) -> tuple[FloatArray, ...]:
    """Return for each environment the contrasts of its tests, with all that the others teach.

    Shape (n_checks, n_numbers) each; zero where the others cannot judge a number.

    Args:
        size: tests are put together, as many as are judged together now: each with those after it.
    """
    contrasts = []
    for place, environment in enumerate(groups.environments):
        taught = dependences(groups, groups.without(place))
        rows = [
            np.where(
                taught.judged, expected_elsewhere(groups, taught, environment, values).contrast(values), 0.0
            )
            for values in _medians(groups.values[groups.place == place], size)
        ]
        contrasts.append(np.array(rows))
    return tuple(contrasts)


def _medians(values: FloatArray, size: int) -> Sequence[FloatArray]:
    """Return the median of each test and the next ones, in a circle; of all at once if there are too few."""
    n = len(values)
    if n < size:
        return [np.median(values, axis=0)]
    return [np.median(values[(first + np.arange(size)) % n], axis=0) for first in range(n)]
