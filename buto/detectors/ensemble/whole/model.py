"""What is learned of whole tests: the numbers of each, and how each number depends on the machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from buto.analysis.contrasts import Stable, stabilised
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.ensemble.rules.voting import Environment
from buto.detectors.ensemble.whole.deviations import FEWEST_LIKE, held_out_environments, known
from buto.detectors.ensemble.whole.exact import is_exact, is_growth
from buto.detectors.ensemble.whole.groups import Dependences, Groups, dependences, grouped
from buto.detectors.ensemble.whole.numbers import LEVELS, Numbers
from buto.detectors.ensemble.whole.ranking import Ranked, ranked_elsewhere, ranked_here
from buto.detectors.ensemble.whole.tail import SMALLEST_TAIL
from buto.properties import METRICS, Property, split_name
from buto.runs import FloatArray

LEVEL_SHARE = 0.02
"""Share of a quantity's level: between machines, a smaller difference is small."""

GROWTH_SHARE = 0.005
"""The same for how much a quantity grows during a run."""

LINEAR = 1000.0
"""The unit of growth, in smallest differences: so the inverse hyperbolic sine is linear up to some hundred
of them. Growth may be zero, so it cannot have logarithms."""


@dataclass(frozen=True, eq=False)
class WholeTests:
    """The prior tests as numbers.

    Attributes:
        values: shape (n_tests, n_numbers), in the units of the quantities; NaN where a test has no value.
        environments: of each test.
    """

    numbers: Numbers
    values: FloatArray
    environments: tuple[Environment, ...]

    @cached_property
    def kept(self) -> IntArray:
        """The numbers that all prior tests have, shape (n_kept,)."""
        return np.flatnonzero(~np.isnan(self.values).any(axis=0))

    @cached_property
    def quantity(self) -> IntArray:
        """The number of the quantity of each kept number, shape (n_kept,)."""
        return np.array([self.numbers.catalogue[place].column for place in self.kept], dtype=np.int64)

    @cached_property
    def stable(self) -> Stable:
        """The kept numbers on a scale on which a factor is an addend."""
        values, grain = self.values[:, self.kept], self.numbers.grain[self.quantity]
        levels = np.zeros(len(self.numbers.quantities))
        for place, column in zip(self.kept, self.quantity, strict=True):
            if self.numbers.catalogue[place].name in LEVELS:
                levels[column] = max(levels[column], float(np.abs(self.values[:, place]).mean()))
        level = levels[self.quantity]
        usual = stabilised(values, grain, level, LEVEL_SHARE)
        smallest = np.hypot(grain, GROWTH_SHARE * level)
        unit = np.where(self.is_growth, LINEAR * np.where(smallest > 0, smallest, 1.0), usual.unit)
        return Stable(np.arcsinh(values / unit), np.where(self.is_growth, 1 / LINEAR, usual.floor), unit)

    @cached_property
    def is_growth(self) -> BoolArray:
        """Which kept numbers say how much a quantity grows, shape (n_kept,)."""
        return self._which(is_growth)

    @cached_property
    def exact(self) -> BoolArray:
        """Which kept numbers the machine hardly changes, shape (n_kept,)."""
        return self._which(is_exact)

    @cached_property
    def groups(self) -> Groups:
        """The prior tests by environment; as one group if too few of them share one."""
        place, different = grouped(self.environments)
        of = [self.numbers.catalogue[number] for number in self.kept]
        is_level = np.array([one.name in LEVELS for one in of], dtype=bool)
        is_time = np.array([self.numbers.quantities[one.column].unit == "s" for one in of], dtype=bool)
        chosen = np.array([_is_chosen(self.numbers.quantities[one.column].name) for one in of], dtype=bool)
        stable = self.stable
        _, part = np.unique(2 * self.quantity + self.is_growth, return_inverse=True)
        groups = Groups(stable.values, stable.floor, place, different, is_level, is_time, part, chosen)
        if groups.tells_environments_apart or groups.counts.max() >= FEWEST_LIKE:
            return groups
        return replace(groups, place=np.zeros_like(place), environments=different[:1], pooled=True)

    @cached_property
    def dependences(self) -> Dependences | None:
        """How each kept number depends on the machine; None if prior tests do not show it."""
        if not self.groups.tells_environments_apart:
            return None
        return dependences(self.groups, np.arange(len(self.groups.counts)))

    @property
    def smallest_elsewhere(self) -> float:
        """The smallest p-value on a machine that was not seen; with exact numbers, there are two scores."""
        return (2 if self.exact.any() else 1) * SMALLEST_TAIL

    def judges_elsewhere(self, alpha: float) -> bool:
        """Return whether a test on a machine that was not seen can fail."""
        return self.dependences is not None and alpha >= self.smallest_elsewhere

    def only(self, places: IntArray) -> WholeTests:
        """Return some of the prior tests."""
        return WholeTests(self.numbers, self.values[places], tuple(self.environments[one] for one in places))

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return the kept ones of a test's numbers as :attr:`stable` has them, shape (n_kept,)."""
        scaled: FloatArray = np.arcsinh(values[self.kept] / self.stable.unit)
        return scaled

    def in_units(self, scaled: FloatArray) -> FloatArray:
        """Return the inverse of :meth:`scaled`."""
        with np.errstate(over="ignore"):
            values: FloatArray = self.stable.unit * np.sinh(scaled)
        return values

    def ranked(self, environment: Environment, tests: Sequence[FloatArray], alpha: float) -> Ranked | None:
        """Rank runs of one environment, which are judged together by the median of each number.

        None if prior tests cannot judge this environment at this alpha.
        """
        middle = np.median([self.scaled(one) for one in tests], axis=0)
        if known(self.groups, environment) is not None:
            return ranked_here(self.groups, self.quantity, environment, middle, alpha)
        if self.dependences is None or not self.judges_elsewhere(alpha):
            return None
        held_out = self._held_out(len(tests))
        return ranked_elsewhere(
            self.groups, self.dependences, held_out, self.exact, self.quantity, environment, middle, alpha
        )

    def _held_out(self, size: int) -> tuple[FloatArray, ...]:
        """Return what :func:`held_out_environments` does, computed once for each size."""
        if size not in self._known_held_out:
            self._known_held_out[size] = held_out_environments(self.groups, size)
        return self._known_held_out[size]

    @cached_property
    def _known_held_out(self) -> dict[int, tuple[FloatArray, ...]]:
        return {}

    def _which(self, does: Callable[[Property, str], bool]) -> BoolArray:
        of = [self.numbers.catalogue[place] for place in self.kept]
        return np.array([does(self.numbers.quantities[one.column], one.name) for one in of], dtype=bool)


def _is_chosen(name: str) -> bool:
    known = METRICS.get(split_name(name)[0])
    return known is not None and known.is_part
