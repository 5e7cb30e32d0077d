"""Which differences count: those that are large enough, and where only worse ones fail, those for the worse.

What does not count is taken out of every choice of runs alike, so that a p-value stays one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.features import Feature
from buto.analysis.timepoints import IntArray
from buto.properties import Better, Property
from buto.runs import FloatArray
from buto.verdicts import Direction, Effect

SHAPES = ("deviation", "roughness")
"""Features that say how a property moves and not how much of it there is: no direction of them is better."""


@dataclass(frozen=True, eq=False, slots=True)
class Counting:
    """What counts.

    Attributes:
        features: of the columns that are judged; ``column`` is a place in ``quantities``.
        effects: shape (n_quantities,), the smallest difference that counts, in the property's unit.
        fail_on: ``any`` or ``worse``.
    """

    features: Sequence[Feature]
    quantities: Sequence[Property]
    effects: FloatArray
    fail_on: str


def relevant(contrast: FloatArray, values: FloatArray, chosen: IntArray, counting: Counting) -> FloatArray:
    """Return the contrasts, zero if a difference does not count, shape (n_choices, n_features).

    Args:
        contrast: shape (n_choices, n_features), positive where the chosen runs have more.
        values: shape (n_runs, n_features), in the properties' units.
        chosen: shape (n_choices, size).
    """
    result = contrast
    least = counting.effects[[one.column for one in counting.features]]
    if least.any():
        result = np.where(np.abs(_differences(values, chosen)) < least, 0.0, result)
    if counting.fail_on == "worse":
        signs = np.array([_sign_of_worse(one, counting.quantities[one.column]) for one in counting.features])
        result = np.where(result * signs > 0, result, 0.0)
    return result


def effect_of(feature: Feature, prop: Property, direction: Direction) -> Effect:
    """Return whether a difference of this feature is welcome."""
    sign = _sign_of_worse(feature, prop)
    if not sign:
        return Effect.UNKNOWN
    return Effect.WORSE if (direction is Direction.MORE) == (sign > 0) else Effect.BETTER


def _sign_of_worse(feature: Feature, prop: Property) -> int:
    if feature.name in SHAPES or prop.better is Better.UNKNOWN:
        return 0
    return 1 if prop.better is Better.LOWER else -1


def _differences(values: FloatArray, chosen: IntArray) -> FloatArray:
    size, n_runs = chosen.shape[1], len(values)
    total = values[chosen].sum(axis=1)
    others = (values.sum(axis=0) - total) / (n_runs - size)
    differences: FloatArray = total / size - others
    return differences
