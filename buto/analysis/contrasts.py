"""How far some runs stand apart from others, measured alike for every way of choosing them.

The one idea of the calibrated oracle: put n training runs and k runs under test together, and ask of
*every* k of the n + k runs how far they stand apart from the rest. If the program has not changed, its
k runs are k like any other, so what they score is an ordinary one of these scores. Everything here is
symmetric in the runs, which makes that argument exact; which runs are under test enters only when the
scores are compared (:mod:`buto.analysis.evidence`).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from buto.analysis.timepoints import IntArray
from buto.runs import FloatArray

LEVEL_SHARE = 0.01
"""A difference of one percent of a property's level is small, however well runs agree."""


@dataclass(frozen=True, eq=False, slots=True)
class Stable:
    """Features on a scale on which runs scatter alike wherever they lie.

    Attributes:
        values: shape (n_runs, n_features).
        floor: shape (n_features,), the smallest deviation that means something.
        unit: shape (n_features,), what the features were divided by before.
    """

    values: FloatArray
    floor: FloatArray
    unit: FloatArray


def stabilised(features: FloatArray, grain: FloatArray, level: FloatArray) -> Stable:
    """The inverse hyperbolic sine of each feature in grains: near zero its number, far from it its logarithm.

    Args:
        features: shape (n_runs, n_features), no NaN.
        grain: shape (n_features,), smallest meaningful difference, not negative; 0 is replaced by a
            thousandth of the level.
        level: shape (n_features,), how much of the feature's property there is in general.
    """
    unit = np.maximum(grain, 1e-3 * level)
    unit = np.where(unit > 0, unit, 1.0)
    centre = features.mean(axis=0)
    floor = np.hypot(unit, LEVEL_SHARE * level) / np.hypot(centre, unit)
    return Stable(np.arcsinh(features / unit), floor, unit)


def choices(n_runs: int, size: int, limit: int, seed: int = 0) -> IntArray:
    """Ways of choosing ``size`` of ``n_runs`` runs, shape (n_choices, size), those under test first.

    Runs under test are the last ones. All ways if there are at most ``limit``; else that many at
    random, by ``seed``, the one under test among them.
    """
    under_test = np.arange(n_runs - size, n_runs)
    if comb(n_runs, size) <= limit:
        ways = np.array(list(combinations(range(n_runs), size)), np.int64)
        # combinations() ends with the last runs.
        return ways[::-1]
    random = np.random.default_rng(seed)
    ways = random.permuted(np.tile(np.arange(n_runs), (limit - 1, 1)), axis=1)[:, :size]
    return np.vstack([under_test, ways])


def mirrored(chosen: IntArray, n_runs: int) -> bool:
    """Whether all runs but those under test are a choice too: it lies as far apart, the other way."""
    size = chosen.shape[1]
    return 2 * size == n_runs and bool((np.sort(chosen, axis=1) == np.arange(size)).all(axis=1).any())


def contrasts(stable: Stable, chosen: IntArray) -> FloatArray:
    """How far the chosen runs' mean lies from that of the others, shape (n_choices, n_features).

    Student's t with the deviation pooled within both groups and the floor added to it as independent
    deviations are, then as the normal deviate of the same probability, by Wallace's approximation
    (Annals of Mathematical Statistics 30, 1959): positive where the chosen runs have more.

    Args:
        chosen: shape (n_choices, size); each leaves at least two runs.
    """
    n_runs, size = len(stable.values), chosen.shape[1]
    others, freedom = n_runs - size, n_runs - 2
    centred = stable.values - stable.values.mean(axis=0)
    members = np.zeros((len(chosen), n_runs))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    mean = members @ centred / size
    mean_others = -mean * size / others
    spread = (centred**2).sum(axis=0) - size * mean**2 - others * mean_others**2
    variance = np.maximum(spread, 0.0) / freedom + stable.floor**2
    squared = (mean - mean_others) ** 2 / (variance * (1 / size + 1 / others))
    normal: FloatArray = np.sqrt(freedom * np.log1p(squared / freedom))
    signed: FloatArray = np.copysign(normal * _wallace(freedom), mean - mean_others)
    return signed


def within(stable: Stable, size: int, limit: float) -> tuple[FloatArray, FloatArray]:
    """Between which means the last ``size`` runs would contrast with the others by less than ``limit``.

    Returns:
        lower and upper, each of shape (n_features,), in the features' own units.
    """
    others = stable.values[:-size]
    ours = stable.values[-size:]
    freedom = len(stable.values) - 2
    squares = ((others - others.mean(axis=0)) ** 2).sum(axis=0) + ((ours - ours.mean(axis=0)) ** 2).sum(
        axis=0
    )
    squared = freedom * np.expm1((limit / _wallace(freedom)) ** 2 / freedom)
    variance = squares / freedom + stable.floor**2
    half = np.sqrt(squared * variance * (1 / size + 1 / len(others)))
    centre = others.mean(axis=0)
    with np.errstate(over="ignore"):
        return stable.unit * np.sinh(centre - half), stable.unit * np.sinh(centre + half)


def _wallace(freedom: int) -> float:
    return (8 * freedom + 1) / (8 * freedom + 3)
