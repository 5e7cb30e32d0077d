"""Which differences count: those of a size that matters, and where only worse ones fail, those for the worse.

What does not count is taken out of every choice of runs alike, so that a p-value stays one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.features import Feature
from buto.analysis.matching import BoolArray
from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.profile import TOTAL, Profile
from buto.detectors.calibrated.settings import JudgeSettings
from buto.detectors.effects import (
    GROWTH_MEASURE,
    PART_MEASURES,
    kept_by_classes,
    share_that_matters,
    smallest_effects,
)
from buto.properties import Better, Property
from buto.runs import FloatArray
from buto.verdicts import Direction, Effect, effect_of

SHAPES = ("deviation", "roughness")
"""Features that say how a property moves and not how much of it there is: no direction of them is better."""

SIGN_OF_WORSE = {Better.LOWER: 1.0, Better.HIGHER: -1.0, Better.UNKNOWN: 0.0}

CLASSES = "jvm.class.loaded"

SLOPE = "slope"
"""The feature that says how much a gauge grows during the run."""


@dataclass(frozen=True, eq=False, slots=True)
class Sizes:
    """The smallest differences that matter.

    Attributes:
        least: shape (n_features,), in the unit of each feature.
        per_class: shape (n_features,), how much more for each class that is loaded more or less: what a
            class keeps by itself.
        classes: column of the number of classes that were loaded; None if it is not known.
    """

    least: FloatArray
    per_class: FloatArray
    classes: int | None

    def exceeded(self, values: FloatArray, chosen: IntArray) -> BoolArray:
        """Return whether the difference of means is large enough, shape (n_choices, n_features).

        Args:
            values: shape (n_runs, n_features), in the properties' units.
            chosen: shape (n_choices, size).
        """
        size, n_runs = chosen.shape[1], len(values)
        members = np.zeros((len(chosen), n_runs))
        np.put_along_axis(members, chosen, 1.0, axis=1)
        total = members @ values
        difference = np.abs(total / size - (values.sum(axis=0) - total) / (n_runs - size))
        return self.matter(difference)

    def matter(self, difference: FloatArray) -> BoolArray:
        """Return which differences are large enough, of the same shape.

        Args:
            difference: shape (..., n_features), not negative; NaN for what could not be read.
        """
        large: BoolArray = difference >= self.least
        places = np.flatnonzero(self.per_class)
        if self.classes is not None and len(places):
            explained = np.nan_to_num(difference[..., [self.classes]]) * self.per_class[places]
            large[..., places] = difference[..., places] >= self.least[places] + explained
        return large


def sizes_that_matter(
    profile: Profile, features: Sequence[Feature], values: FloatArray, settings: JudgeSettings
) -> Sizes:
    """Return the smallest differences of features that matter.

    Args:
        values: shape (n_runs, n_features of the catalogue), of all runs alike.

    Raises:
        UsageError: a size has another unit than its property.
    """
    return sizes_of(profile.quantities, features, profile.amounts(values), settings.minimum_effect)


def sizes_of(
    quantities: Sequence[Property],
    features: Sequence[Feature],
    amounts: FloatArray,
    minimum: Mapping[str, str],
) -> Sizes:
    """Return the smallest differences of features that matter; UsageError as above.

    Args:
        amounts: shape (n_quantities,), the level of each gauge and the total of each counter.
        minimum: effects by pattern, in place of the usual ones.
    """
    effects = smallest_effects(quantities, amounts, minimum)
    columns = [one.column for one in features]
    share = np.array([_share(one, quantities[one.column]) for one in features])
    # A mean of whole numbers is rounded: one thread more in each run is one thread.
    least = effects[columns] * share * (1.0 - 1e-9)
    per_class = np.where(least > 0, kept_by_classes(quantities)[columns], 0.0)
    loaded = (
        place
        for place, one in enumerate(features)
        if one.name == TOTAL and quantities[one.column].name == CLASSES
    )
    return Sizes(least, per_class, next(loaded, None))


def _share(feature: Feature, prop: Property) -> float:
    measure = GROWTH_MEASURE if feature.name == SLOPE else PART_MEASURES.get(feature.name, "")
    return share_that_matters(measure, prop.unit)


def welcome_or_not(difference: FloatArray, sign: FloatArray, fail_on: str) -> BoolArray:
    """Return which differences are in a direction that counts, of the same shape.

    Args:
        difference: shape (..., n_features), positive where the runs under test have more.
        sign: shape (n_features,), see :func:`signs_of_worse`.
        fail_on: ``any`` or ``worse``.
    """
    worse: BoolArray = difference * sign > 0
    return np.ones(difference.shape, np.bool_) if fail_on == "any" else worse


def effect_of_feature(feature: Feature, prop: Property, direction: Direction) -> Effect:
    """Return whether a difference of this feature is welcome."""
    return Effect.UNKNOWN if feature.name in SHAPES else effect_of(prop.better, direction)


def signs_of_worse(features: Sequence[Feature], quantities: Sequence[Property]) -> FloatArray:
    """Return 1 if more of a feature is worse, -1 if less is, 0 if neither is, shape (n_features,)."""
    return np.array(
        [0.0 if one.name in SHAPES else SIGN_OF_WORSE[quantities[one.column].better] for one in features]
    )
