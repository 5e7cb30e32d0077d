"""How far some runs differ from others, measured in the same way for every choice of runs.

The idea of the calibrated oracle: pool n training runs and k runs under test, and compute for *every* choice
of k of the n + k runs how far they differ from the rest. If the program has not changed, the k runs under
test are like any other k runs, so their score is an ordinary one. Everything here is symmetric in the runs,
which makes this argument exact. Only the comparison of scores (:mod:`buto.judging.rank`) uses which runs
are under test.

Few runs may be equal by chance, so there is a smallest deviation that means something. It has two parts: a
*grain*, below which a unit is not measured or not used, and a share of the level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from msgspec import Struct

from buto.run.model import FloatArray, IntArray
from buto.run.properties import Property


class LevelShare(float, Enum):
    """Share of a property's level: a smaller difference is small, however well runs agree."""

    RUNS = 0.003
    """Between runs as they are: a few more classes are an ordinary difference."""
    LOAD = 0.01
    """Between runs whose load was adjusted for."""
    MACHINES = 0.02
    """Between machines."""
    GROWTH_BETWEEN_MACHINES = 0.005
    """Between machines, of how much a quantity grows during a run."""


class Grains(Struct, frozen=True):
    """Grains by unit.

    Attributes:
        by_unit: in that unit.
        cpu_s: of processor time, which kernels count in ticks of 4 to 10 ms.
        count: of whole numbers.
    """

    by_unit: Mapping[str, float]
    cpu_s: float
    count: float


COUNT_GRAIN = 0.1
"""Of whole numbers between runs of one machine: a count that is the same in all runs is exact, and one more
in each run is a change. With half a count, one thread more of seven would be a deviation of 7 %."""

BETWEEN_MACHINES = Grains({"By": 65536.0, "s": 0.004}, cpu_s=0.015, count=0.5)
"""A size class of allocators; the tick of a 250 Hz kernel; half a count."""

BETWEEN_RUNS = Grains({"By": 4096.0, "s": 0.001}, cpu_s=0.005, count=COUNT_GRAIN)
"""A page of memory; the millisecond in which the JVM counts times; half a tick."""

DURATION_GRAIN_S = 0.01

CLASS_GRAIN = 4096.0
"""Of the bytes of a class: a page of memory."""

_ROWS_AT_ONCE = 4096

SINGULAR = 1e-9
"""Share of the spread of loads below which loads within both groups are equal, apart from rounding."""


def grains(
    properties: Sequence[Property], values: Iterable[FloatArray], table: Grains = BETWEEN_MACHINES
) -> FloatArray:
    """Return the grain of each property, shape (n_properties,).

    Args:
        values: one array (n_samples, n_properties) for each run; a property of a unit without a grain
            counts as whole numbers if all of its values are, and has none otherwise.
    """
    whole = np.ones(len(properties), dtype=np.bool_)
    for value in values:
        for start in range(0, len(value), _ROWS_AT_ONCE):
            some = value[start : start + _ROWS_AT_ONCE]
            some = some if whole.all() else some[:, whole]
            broken = some != np.rint(some)
            if broken.any():
                whole[whole] = ~(broken & ~np.isnan(some)).any(axis=0)
    return np.array([_grain(prop, bool(whole[column]), table) for column, prop in enumerate(properties)])


def _grain(prop: Property, whole: bool, table: Grains) -> float:
    if "cpu" in prop.name and prop.unit == "s":
        return table.cpu_s
    return table.by_unit.get(prop.unit, table.count if whole or prop.unit.startswith("{") else 0.0)


class Stable(Struct, frozen=True, eq=False):
    """Features on a scale for comparing runs.

    Without a load this is one on which the scatter of runs does not depend on their level; with one it is
    linear, so that features can be linear in the load.

    Attributes:
        values: shape (n_runs, n_features).
        floor: shape (n_features,), the smallest meaningful deviation.
        unit: shape (n_features,), the divisors of the features.
        load: shape (n_runs, n_kinds), what features may follow; None if nothing is taken out.
    """

    values: FloatArray
    floor: FloatArray
    unit: FloatArray
    load: FloatArray | None = None

    def in_units(self, values: FloatArray) -> FloatArray:
        """Return numbers of this scale in the features' own units; the last axis is that of features."""
        with np.errstate(over="ignore"):
            numbers: FloatArray = self.unit * (np.sinh(values) if self.load is None else values)
        return numbers


def stabilise(
    features: FloatArray, grain: FloatArray, level: FloatArray, level_share: float = LevelShare.RUNS
) -> Stable:
    """Return the inverse hyperbolic sine of each feature in grains: linear near zero, logarithmic far from
    it.

    Args:
        features: shape (n_runs, n_features), no NaN.
        grain: shape (n_features,), smallest meaningful difference, not negative; 0 is replaced by a
            thousandth of the level.
        level: shape (n_features,), the usual level of the feature's property.
        level_share: smallest share of the level that means something.
    """
    unit = np.maximum(grain, 1e-3 * level)
    unit = np.where(unit > 0, unit, 1.0)
    centre = features.mean(axis=0)
    floor = np.hypot(unit, level_share * level) / np.hypot(centre, unit)
    return Stable(np.arcsinh(features / unit), floor, unit)


def linear(features: FloatArray, grain: FloatArray, level: FloatArray, load: FloatArray) -> Stable:
    """Return features as shares of their means, so that they may be linear in the load.

    Args:
        features, grain, level: see :func:`stabilise`.
        load: see :func:`compare_choices`.
    """
    unit = np.hypot(features.mean(axis=0), grain)
    unit = np.where(unit > 0, unit, 1.0)
    least = np.hypot(grain, LevelShare.LOAD * level)
    return Stable(features / unit, np.where(least > 0, least / unit, 1.0), unit, load)


@lru_cache(maxsize=32)
def choices(n_runs: int, size: int, limit: int, seed: int = 0) -> IntArray:
    """Return choices of ``size`` of ``n_runs`` runs, shape (n_choices, size); the runs under test come first.

    The last runs are those under test. All choices if there are at most ``limit``; else ``limit`` different
    random ones by ``seed``, including the one under test.
    """
    under_test = np.arange(n_runs - size, n_runs)
    if comb(n_runs, size) <= limit:
        ways = np.array(list(combinations(range(n_runs), size)), np.int64)
        # combinations() ends with the last runs.
        return _fix(ways[::-1])
    everyone = np.tile(np.arange(n_runs), (limit, 1))
    return _fix(
        different(
            under_test,
            lambda random: np.sort(random.permuted(everyone, axis=1)[:, :size], axis=1),
            limit,
            seed,
        )
    )


def different(
    first: IntArray, draw: Callable[[np.random.Generator], IntArray], n_rows: int, seed: int
) -> IntArray:
    """Return random rows that differ from each other, the given one first, shape (n_rows, n_columns).

    If the one under test were drawn again, it would tie with itself, and its rank would not be the smallest.

    Args:
        draw: gives some random rows, each as likely as any other of all possible ones.
    """
    random = np.random.default_rng(seed)
    rows = first[None]
    while len(rows) < n_rows:
        rows = np.vstack([rows, draw(random)])
        places = np.unique(rows, axis=0, return_index=True)[1]
        rows = rows[np.sort(places)]
    return rows[:n_rows]


def _fix(ways: IntArray) -> IntArray:
    ways.flags.writeable = False
    return ways


def is_mirrored(chosen: IntArray, n_runs: int) -> bool:
    """Return whether all runs not under test are a choice, too; it differs as far in the other direction."""
    size = chosen.shape[1]
    return 2 * size == n_runs and bool((np.sort(chosen, axis=1) == np.arange(size)).all(axis=1).any())


class Compared(Struct, frozen=True, eq=False):
    """The chosen runs beside the others.

    Attributes:
        difference: of the means, shape (n_choices, n_features); positive if the chosen runs have more.
        variance: of one run within its group, of the same shape.
        sizes: what the variance of the difference is, in that of one run; shape (n_choices, 1) or a number.
            Infinite where the loads of both groups differ and no run tells what that does.
        freedom: degrees of freedom of the variance.
    """

    difference: FloatArray
    variance: FloatArray
    sizes: FloatArray | float
    freedom: int


def compare_choices(values: FloatArray, chosen: IntArray, load: FloatArray | None = None) -> Compared:
    """Compare every choice of runs with the others.

    With a load, this is an analysis of covariance: slopes that both groups share are learned within them, the
    difference is that under the same load, and it is the less certain the further apart the loads are.

    Args:
        values: shape (n_runs, n_features), no NaN.
        chosen: shape (n_choices, size); each choice leaves at least two runs.
        load: shape (n_runs, n_kinds), no NaN; at least three runs more than kinds.
    """
    n_runs, size = len(values), chosen.shape[1]
    others = n_runs - size
    members = np.zeros((len(chosen), n_runs))
    np.put_along_axis(members, chosen, 1.0, axis=1)

    def means(centred: FloatArray) -> tuple[FloatArray, FloatArray]:
        ours = members @ centred / size
        return ours, -ours * size / others

    centred = values - values.mean(axis=0)
    mean, rest = means(centred)
    spread = np.maximum((centred**2).sum(axis=0) - size * mean**2 - others * rest**2, 0.0)
    if load is None:
        return Compared(mean - rest, spread / (n_runs - 2), 1 / size + 1 / others, n_runs - 2)
    along = (load - load.mean(axis=0)) / np.where(load.std(axis=0) > 0, load.std(axis=0), 1.0)
    at, at_rest = means(along)

    def inside(ours: FloatArray, theirs: FloatArray, total: FloatArray) -> FloatArray:
        """Return sums of products within both groups, shape (n_choices, n_kinds, n_columns)."""
        between = size * at[:, :, None] * ours[:, None] + others * at_rest[:, :, None] * theirs[:, None]
        sums: FloatArray = along.T @ total - between
        return sums

    widths, axes = np.linalg.eigh(inside(at, at_rest, along))
    moves = widths > SINGULAR * n_runs
    inverse = np.where(moves, 1 / np.where(moves, widths, 1.0), 0.0)
    apart = np.einsum("ck,ckj->cj", at - at_rest, axes)
    unknown = (~moves & (np.abs(apart) > np.sqrt(SINGULAR))).any(axis=1, keepdims=True)
    reach = np.where(unknown, np.inf, (apart**2 * inverse).sum(axis=1, keepdims=True))
    turned = np.swapaxes(axes, 1, 2) @ inside(mean, rest, centred)
    explained = (turned**2 * inverse[:, :, None]).sum(axis=1)
    shift = (apart[:, :, None] * inverse[:, :, None] * turned).sum(axis=1)
    freedom = n_runs - 2 - load.shape[1]
    variance = np.maximum(spread - explained, 0.0) / freedom
    return Compared(mean - rest - shift, variance, 1 / size + 1 / others + reach, freedom)


def contrasts(stable: Stable, chosen: IntArray) -> FloatArray:
    """Return the contrast of the chosen runs' mean with that of the others, shape (n_choices, n_features).

    It is Student's t with the pooled deviation of both groups, to which the floor is added as an independent
    deviation, converted to the normal deviate of the same probability by Wallace's approximation (Annals of
    Mathematical Statistics 30, 1959). It is positive if the chosen runs have more.

    Args:
        chosen: see :func:`compare_choices`.
    """
    compared = compare_choices(stable.values, chosen, stable.load)
    freedom = compared.freedom
    squared = compared.difference**2 / ((compared.variance + stable.floor**2) * compared.sizes)
    normal: FloatArray = np.sqrt(freedom * np.log1p(squared / freedom))
    signed: FloatArray = np.copysign(normal * wallace(freedom), compared.difference)
    return signed


def within(stable: Stable, size: int, limit: float) -> tuple[FloatArray, FloatArray]:
    """Return the range of means with which the contrast of the last ``size`` runs is below ``limit``.

    Returns:
        lower and upper, each of shape (n_features,), in the features' own units.
    """
    n_runs = len(stable.values)
    last = np.arange(n_runs - size, n_runs)
    compared = compare_choices(stable.values, last[None], stable.load)
    squared = compared.freedom * np.expm1((limit / wallace(compared.freedom)) ** 2 / compared.freedom)
    half = np.sqrt(squared * (compared.variance + stable.floor**2) * compared.sizes)[0]
    centre = stable.values[last].mean(axis=0) - compared.difference[0]
    return stable.in_units(centre - half), stable.in_units(centre + half)


def wallace(freedom: int) -> float:
    """Return the factor of Wallace's approximation, see :func:`contrasts`."""
    return (8 * freedom + 1) / (8 * freedom + 3)
