"""What is learned of whole tests: the numbers of each, and how each number depends on the machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from buto.analysis.contrasts import Stable, stabilised
from buto.analysis.timepoints import IntArray
from buto.detectors.ensemble.voting import Environment
from buto.detectors.ensemble.whole.deviations import FEWEST_LIKE
from buto.detectors.ensemble.whole.groups import Dependences, Groups, dependences, grouped
from buto.detectors.ensemble.whole.numbers import LEVELS, Numbers
from buto.detectors.ensemble.whole.ranking import Ranked, ranked
from buto.properties import METRICS, split_name
from buto.runs import FloatArray

LEVEL_SHARE = 0.02
"""Share of a quantity's level: between machines, a smaller difference is small."""


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
        values = self.values[:, self.kept]
        level = np.zeros(len(self.numbers.quantities))
        for place, column in zip(self.kept, self.quantity, strict=True):
            if self.numbers.catalogue[place].name in LEVELS:
                level[column] = max(level[column], float(np.abs(self.values[:, place]).mean()))
        return stabilised(values, self.numbers.grain[self.quantity], level[self.quantity], LEVEL_SHARE)

    @cached_property
    def groups(self) -> Groups:
        """The prior tests by environment; as one group if too few of them share one."""
        place, different = grouped(self.environments)
        of = [self.numbers.catalogue[number] for number in self.kept]
        is_level = np.array([one.name in LEVELS for one in of], dtype=bool)
        is_time = np.array([self.numbers.quantities[one.column].unit == "s" for one in of], dtype=bool)
        chosen = np.array([_is_chosen(self.numbers.quantities[one.column].name) for one in of], dtype=bool)
        stable = self.stable
        groups = Groups(
            stable.values, stable.floor, place, different, is_level, is_time, self.quantity, chosen
        )
        if groups.tells_environments_apart or groups.counts.max() >= FEWEST_LIKE:
            return groups
        return replace(groups, place=np.zeros_like(place), environments=different[:1], pooled=True)

    @cached_property
    def dependences(self) -> Dependences | None:
        """How each kept number depends on the machine; None if prior tests do not show it."""
        return dependences(self.groups) if self.groups.tells_environments_apart else None

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
        """Rank runs of one environment, which are judged together by the median of each number."""
        middle = np.median([self.scaled(one) for one in tests], axis=0)
        return ranked(self.groups, self.dependences, self.quantity, environment, middle, alpha)


def _is_chosen(name: str) -> bool:
    known = METRICS.get(split_name(name)[0])
    return known is not None and known.is_part
