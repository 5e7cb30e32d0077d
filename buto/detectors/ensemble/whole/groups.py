"""Prior tests by environment: means, scatter, and which numbers do not depend on the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np

from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.ensemble.voting import Environment
from buto.runs import FloatArray

FEWEST_FREEDOM = 4
"""Fewer degrees of freedom do not show how far tests of one environment are apart."""

TOLERANCE = 4.0
"""An environment's mean may be so many deviations of one test away from that of the others, if a number is
to be called the same everywhere."""

FEWEST_SCALED = 3
"""A machine factor is one number for at least so many quantities, or it explains nothing."""

LOGARITHMIC = 3.0
"""From here on, about ten grains, the inverse hyperbolic sine is a logarithm, so a factor is an addend."""


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
        quantity: shape (n_numbers,), the quantity of each number, in increasing order.
        is_chosen: shape (n_numbers,), which are sizes that the JVM chooses, or parts of others. They are
            never called the same: what another collector makes of them is not the program's doing.
        pooled: whether tests of all environments are one group, because too few of them share one. They are
            then draws of whatever machines there are, as the new test is.
    """

    values: FloatArray
    floor: FloatArray
    place: IntArray
    environments: tuple[Environment, ...]
    is_level: BoolArray
    is_time: BoolArray
    quantity: IntArray
    is_chosen: BoolArray
    pooled: bool = False

    @cached_property
    def counts(self) -> IntArray:
        """Number of tests of each environment, shape (n_environments,)."""
        counts: IntArray = np.bincount(self.place, minlength=len(self.environments))
        return counts

    @cached_property
    def means(self) -> FloatArray:
        """The mean of each environment, shape (n_environments, n_numbers)."""
        return np.array([self.values[self.place == one].mean(axis=0) for one in range(len(self.counts))])

    @cached_property
    def squares(self) -> FloatArray:
        """Sums of squares within environments, shape (n_environments, n_numbers)."""
        away = (self.values - self.means[self.place]) ** 2
        return np.array([away[self.place == one].sum(axis=0) for one in range(len(self.counts))])

    def freedom(self, without: int | None = None) -> int:
        """Return the degrees of freedom within environments, of all or of all but one."""
        counts = np.delete(self.counts, [] if without is None else [without])
        return int((counts - 1).sum())

    @property
    def tells_environments_apart(self) -> bool:
        """Whether there are enough tests of one environment to know what another one changes."""
        some = range(len(self.counts))
        return len(some) > 1 and all(self.freedom(without=one) >= FEWEST_FREEDOM for one in some)


@dataclass(frozen=True, eq=False, slots=True)
class Dependences:
    """How each number depends on the machine.

    Attributes:
        same, scaled: shape (n_numbers,); a number that is neither has a level of its own everywhere.
        between: shape (n_numbers,), how far an environment's mean usually is from that of the others, after
            division by the factor where a number is scaled.
        factors: shape (n_environments,), logarithms, relative to the mean of all; zeros if nothing is scaled.
    """

    same: BoolArray
    scaled: BoolArray
    between: FloatArray
    factors: FloatArray

    def of(self, number: int) -> Dependence:
        """Return how one number depends on the machine."""
        if self.same[number]:
            return Dependence.SAME
        return Dependence.SCALED if self.scaled[number] else Dependence.OWN


def grouped(environments: Sequence[Environment]) -> tuple[IntArray, tuple[Environment, ...]]:
    """Return the number of each test's environment, and the different environments."""
    different: list[Environment] = []
    for one in environments:
        if one not in different:
            different.append(one)
    return np.array([different.index(one) for one in environments], dtype=np.int64), tuple(different)


def dependences(groups: Groups) -> Dependences:
    """Learn from at least two environments which quantities are the same, and which a factor explains.

    All numbers of a quantity must be: of many that differ, one may be the same by chance.
    """
    starts = np.flatnonzero(np.diff(groups.quantity, prepend=-1))
    sizes = np.diff([*starts, len(groups.quantity)])
    means = groups.means
    scatter = np.sqrt(groups.squares.sum(axis=0) / groups.freedom())
    limit = np.where(groups.is_chosen, -1.0, TOLERANCE * np.hypot(scatter, groups.floor))
    away = _from_others(means)
    same = np.repeat(np.logical_and.reduceat((np.abs(away) <= limit).all(axis=0), starts), sizes)
    between = np.sqrt((away**2).mean(axis=0))
    grand = means.mean(axis=0)
    candidates = groups.is_level & groups.is_time & ~same & (grand >= LOGARITHMIC)
    none = Dependences(same, np.zeros_like(same), between, np.zeros(len(means)))
    if candidates.sum() < FEWEST_SCALED:
        return none
    factors = np.median((means - grand)[:, candidates], axis=1)
    left = _from_others(means - factors[:, None])
    close = (np.abs(left) <= limit).all(axis=0) & (grand >= LOGARITHMIC)
    scaled = np.repeat(np.logical_and.reduceat(close, starts), sizes) & ~same
    if (scaled & groups.is_level).sum() < FEWEST_SCALED:
        return none
    return Dependences(same, scaled, np.where(scaled, np.sqrt((left**2).mean(axis=0)), between), factors)


def _from_others(means: FloatArray) -> FloatArray:
    """Return how far each environment's mean is from the mean of the others', same shape."""
    n = len(means)
    away: FloatArray = (means - means.mean(axis=0)) * n / (n - 1)
    return away
