"""Training runs of several machines as numbers, and how runs of another machine rank among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from buto.judging.contrasts import LevelShare, Stable, stabilise
from buto.judging.environments import Environment, group
from buto.judging.evidence import Sizes, signs_of_worse, sizes_of, welcome_or_not
from buto.judging.features import Feature
from buto.judging.judge_settings import JudgeSettings
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import METRICS, Kind, Property, split_name
from buto_replications.detectors.machines.groups import (
    Dependences,
    Groups,
    dependences,
    held_out_environments,
)
from buto_replications.detectors.machines.numbers import LEVELS, RunNumbers
from buto_replications.detectors.machines.ranking import SMALLEST_TAIL, Counts, RankedRun, ranked

GROWTH = ("slope",)
"""How much a quantity grows during a run. It may be the same where the level is not: another JDK loads more
classes at the start, and no more of them later."""

_WHOLE = ("total", "largest")
"""Numbers that do not depend on when in a run something happens: on a slower machine that is later."""

_LEVEL = (
    "jvm.memory.allocated",
    "jvm.thread.count",
    "jvm.thread.daemon.count",
    "jvm.thread.started",
    "process.socket.count",
    "process.unix.file_descriptor.count",
)
"""Of these, the amount is exact, too."""

_GROWTH_ALONE = ("jvm.class.count", "jvm.object.live")
"""Of these, only the growth: another JDK starts with more of them."""


def is_growth(quantity: Property, feature: str) -> bool:
    """Return whether a number says how much a quantity grows. Times grow in proportion to the machine."""
    return quantity.kind is Kind.GAUGE and quantity.unit != "s" and feature in GROWTH


def is_exact(quantity: Property, feature: str) -> bool:
    """Return whether a number of a quantity is exact."""
    metric = split_name(quantity.name)[0]
    if metric in _LEVEL:
        return feature in _WHOLE or is_growth(quantity, feature)
    return metric in _GROWTH_ALONE and is_growth(quantity, feature)


LINEAR = 1000.0
"""The unit of growth, in smallest differences: so the inverse hyperbolic sine is linear up to some hundred
of them. Growth may be zero, so it cannot have logarithms."""


@dataclass(frozen=True, eq=False, slots=True)
class Elsewhere:
    """Runs on a machine that training does not know.

    Attributes:
        mattering: only differences of a size that matters count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
    """

    mattering: RankedRun
    any: RankedRun


@dataclass(frozen=True, eq=False)
class WholeTests:
    """Training runs as numbers.

    Attributes:
        values: shape (n_tests, n_numbers), in the units of the quantities; NaN where a test has no value.
        environments: of each test.
    """

    numbers: RunNumbers
    values: FloatArray
    environments: tuple[Environment, ...]

    @cached_property
    def kept(self) -> IntArray:
        """The numbers that all prior tests have, shape (n_kept,)."""
        return np.flatnonzero(~np.isnan(self.values).any(axis=0))

    @cached_property
    def quantity(self) -> IntArray:
        """The number of the quantity of each kept number, shape (n_kept,)."""
        return np.array([feature.column for feature in self.features], dtype=np.int64)

    @cached_property
    def stable(self) -> Stable:
        """The kept numbers on a scale on which a factor is an addend."""
        values, grain = self.values[:, self.kept], self.numbers.grain[self.quantity]
        levels = np.zeros(len(self.numbers.quantities))
        for place, column in zip(self.kept, self.quantity, strict=True):
            if self.numbers.catalogue[place].name in LEVELS:
                levels[column] = max(levels[column], float(np.abs(self.values[:, place]).mean()))
        level = levels[self.quantity]
        usual = stabilise(values, grain, level, LevelShare.MACHINES)
        smallest = np.hypot(grain, LevelShare.GROWTH_BETWEEN_MACHINES * level)
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
        """The training runs by environment."""
        place, different = group(self.environments)
        of = self.features
        is_level = np.array([feature.name in LEVELS for feature in of], dtype=bool)
        is_time = np.array(
            [self.numbers.quantities[feature.column].unit == "s" for feature in of], dtype=bool
        )
        chosen = np.array(
            [_is_chosen(self.numbers.quantities[feature.column].name) for feature in of], dtype=bool
        )
        stable = self.stable
        _, part = np.unique(2 * self.quantity + self.is_growth, return_inverse=True)
        return Groups(stable.values, stable.floor, place, different, is_level, is_time, part, chosen)

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
        return WholeTests(
            self.numbers, self.values[places], tuple(self.environments[place] for place in places)
        )

    def scaled(self, values: FloatArray) -> FloatArray:
        """Return the kept ones of a test's numbers as :attr:`stable` has them, shape (n_kept,)."""
        scaled: FloatArray = np.arcsinh(values[self.kept] / self.stable.unit)
        return scaled

    def in_units(self, scaled: FloatArray) -> FloatArray:
        """Return the inverse of :meth:`scaled`."""
        with np.errstate(over="ignore"):
            values: FloatArray = self.stable.unit * np.sinh(scaled)
        return values

    def judged(
        self, environment: Environment, tests: Sequence[FloatArray], settings: JudgeSettings
    ) -> Elsewhere | None:
        """Rank runs of one environment that training does not know, by the median of each number.

        None if the training runs cannot judge this environment at this alpha.
        """
        sign = signs_of_worse(self.features, self.numbers.quantities)
        sizes = self.sizes(settings.minimum_effect)

        def count(values: FloatArray, expected: FloatArray) -> BoolArray:
            return welcome_or_not(values - expected, sign, settings.fail_on)

        def matter(values: FloatArray, expected: FloatArray) -> BoolArray:
            with np.errstate(invalid="ignore"):
                difference = np.abs(self.in_units(values) - self.in_units(expected))
            return sizes.matter(difference) & count(values, expected)

        mattering = self._ranked(environment, tests, settings.alpha, matter)
        every = self._ranked(environment, tests, settings.alpha, count)
        return None if mattering is None or every is None else Elsewhere(mattering, every)

    def sizes(self, minimum: Mapping[str, str]) -> Sizes:
        """Return the smallest differences of the kept numbers that matter.

        Raises:
            UsageError: a size has another unit than its quantity.
        """
        levels = np.zeros(len(self.numbers.quantities))
        of = self.features
        for place, feature in sorted(zip(self.kept.tolist(), of, strict=True), key=lambda each: each[1].name):
            if feature.name in LEVELS:  # Of a counter, the total comes last and holds.
                levels[feature.column] = float(np.abs(self.values[:, place].mean()))
        return sizes_of(self.numbers.quantities, of, levels, minimum)

    @property
    def features(self) -> list[Feature]:
        """What each kept number is."""
        return [self.numbers.catalogue[place] for place in self.kept]

    def _ranked(
        self, environment: Environment, tests: Sequence[FloatArray], alpha: float, counts: Counts
    ) -> RankedRun | None:
        if self.dependences is None or not self.judges_elsewhere(alpha):
            return None
        return ranked(
            self.groups,
            self.dependences,
            self._held_out(len(tests)),
            self.exact,
            self.quantity,
            environment,
            np.median([self.scaled(test) for test in tests], axis=0),
            alpha,
            counts,
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
        quantities = self.numbers.quantities
        return np.array(
            [does(quantities[feature.column], feature.name) for feature in self.features], dtype=bool
        )


def _is_chosen(name: str) -> bool:
    known = METRICS.get(split_name(name)[0])
    return known is not None and known.is_part
