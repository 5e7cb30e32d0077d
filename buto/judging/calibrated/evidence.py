"""The evidence of a check: scores of every way of choosing as many runs, before anything is decided.

Only some differences count: those of a size that matters, and where only worse ones fail, those for the
worse. What does not count is taken out of every choice of runs alike, so that a p-value stays one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.errors import JudgeError
from buto.judging.calibrated.profile import LEVELS, TOTAL, Profile
from buto.judging.calibrated.settings import JudgeSettings
from buto.judging.contrasts import Stable, choices, compared, contrasts, linear, mirrored, stabilised
from buto.judging.effects import (
    GROWTH_MEASURE,
    PART_MEASURES,
    kept_by_classes,
    share_that_matters,
    smallest_effects,
)
from buto.judging.features import Feature
from buto.judging.rank import (
    MOST_CHOICES,
    Significance,
    differences,
    factors,
    for_a_change,
    mean_of_each,
    score,
    significance,
)
from buto.judging.verdict import Direction, Effect, effect_of
from buto.run.model import BoolArray, FloatArray, IntArray
from buto.run.properties import Better, Property, is_judged
from buto.run.units import format_quantity
from buto.steps import Action, Advice, Step

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

    def exceeded(self, values: FloatArray, chosen: IntArray, load: FloatArray | None = None) -> BoolArray:
        """Return whether the difference of means is large enough, shape (n_choices, n_features).

        Args:
            values: shape (n_runs, n_features), in the properties' units.
            chosen, load: see :func:`buto.judging.contrasts.compared`.
        """
        if load is not None:
            return self.matter(np.abs(compared(values, chosen, load).difference))
        # Sums of whole numbers are exact, so that one thread more in each run is one thread.
        size, n_runs = chosen.shape[1], len(values)
        members = np.zeros((len(chosen), n_runs))
        np.put_along_axis(members, chosen, 1.0, axis=1)
        total = members @ values
        return self.matter(np.abs(total / size - (values.sum(axis=0) - total) / (n_runs - size)))

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


RANGES = 3.0
"""What lies beyond all training runs by so many times their range, a person would see at once."""

SMALLEST_SHARE = 0.02
"""Share of a property's level that a range is never less than, so that a few more classes are not obvious."""


@dataclass(frozen=True, eq=False, slots=True)
class Ranked:
    """All choices of runs compared; the runs under test are the first choice.

    Attributes:
        contrast: shape (n_choices, n_kept), zero where a difference does not count.
        score: shape (n_choices,).
        significance: of the runs under test.
    """

    contrast: FloatArray
    score: FloatArray
    significance: Significance

    @property
    def p_value(self) -> float:
        return self.significance.p_value

    @property
    def highest(self) -> bool:
        return self.significance.highest


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What was found before anything is decided.

    Attributes:
        profile: of the training runs, with what only the runs under test have added.
        values: shape (n_runs, n_kept), training runs first, in the properties' units.
        stable: the same on the scale on which runs scatter alike.
        kept: shape (n_kept,), columns of the profile's catalogue that could be read in all runs.
        least: shape (n_kept,), the smallest difference that matters.
        mattering: only differences of that size count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
    """

    profile: Profile
    values: FloatArray
    stable: Stable
    kept: IntArray
    least: FloatArray
    mattering: Ranked
    any: Ranked

    @property
    def features(self) -> list[Feature]:
        """What each kept column is."""
        return [self.profile.catalogue[place] for place in self.kept]


def weigh(
    profile: Profile,
    values: FloatArray,
    n_checked: int,
    settings: JudgeSettings,
    *,
    most: int = MOST_CHOICES,
    load: FloatArray | None = None,
) -> Evidence:
    """Return the evidence of the last ``n_checked`` rows of features against all others.

    Args:
        values: shape (n_runs, n_features), columns as the profile's catalogue; NaN: could not be read.
        most: largest number of choices that are compared.
        load: see :func:`buto.judging.contrasts.compared`.
    """
    kept = np.flatnonzero(~np.isnan(values).any(axis=0))
    if not len(kept):
        raise JudgeError(
            "no property could be read in all runs", advice=Advice(Step(Action.LIST_RUNS), " lists the runs")
        )
    features = [profile.catalogue[place] for place in kept]
    readable = np.where(np.isnan(values), 0.0, values)
    levels = profile.levels(readable)
    columns = np.array([one.column for one in features])
    kept_values = values[:, kept]
    grain, level = profile.grain[columns], levels[columns]
    stable = (
        stabilised(kept_values, grain, level) if load is None else linear(kept_values, grain, level, load)
    )
    chosen = choices(len(values), n_checked, most)
    contrast = contrasts(stable, chosen)
    factor = factors(differences(stable, chosen))
    twice = settings.fail_on == "any" and mirrored(chosen, len(values))

    def ranked(counts: BoolArray) -> Ranked:
        of_each = score(mean_of_each(for_a_change(factor, counts), columns))
        return Ranked(np.where(counts, contrast, 0.0), of_each, significance(of_each, mirrored=twice))

    counts = welcome_or_not(contrast, signs_of_worse(features, profile.quantities), settings.fail_on)
    sizes = sizes_that_matter(profile, features, readable, settings)
    matters = counts & sizes.exceeded(kept_values, chosen, load)
    return Evidence(profile, kept_values, stable, kept, sizes.least, ranked(matters), ranked(counts))


def could_not_be_read(evidence: Evidence, *, usual: bool = True) -> tuple[str, ...]:
    """Return a sentence for each quantity with a feature that is not known in all runs.

    Args:
        usual: whether of those that every run has, or of exact counters, which a run may do without: there
            was no collection, or the kernel does not tell.
    """
    lost = np.ones(len(evidence.profile.catalogue), np.bool_)
    lost[evidence.kept] = False
    columns = sorted({evidence.profile.catalogue[place].column for place in np.flatnonzero(lost)})
    quantities = [evidence.profile.quantities[column] for column in columns]
    return tuple(f"{one.name} could not be read" for one in quantities if is_judged(one) is usual)


def quantity_columns(features: Sequence[Feature]) -> IntArray:
    """Return the number of each feature's quantity, shape (n_features,)."""
    return np.array([one.column for one in features], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Obvious:
    """A property that is far beyond all training runs in every run under test.

    Attributes:
        quantity: the property.
        observed: mean of the runs under test.
        lowest, highest: of the training runs.
    """

    quantity: Property
    observed: float
    lowest: float
    highest: float

    def __str__(self) -> str:
        unit = self.quantity.unit
        observed, lowest, highest = (
            format_quantity(value, unit) for value in (self.observed, self.lowest, self.highest)
        )
        return (
            f"{self.quantity.name} is {observed}, far beyond all training runs ({lowest} to {highest}), "
            "although together with all other properties this is not a regression"
        )


def obvious(evidence: Evidence, n_checked: int) -> tuple[Obvious, ...]:
    """Return the properties whose level is obviously different, the farthest first.

    A property whose difference does not count by the settings is left out.
    """
    training, checked = evidence.values[:-n_checked], evidence.values[-n_checked:]
    lowest, highest = training.min(axis=0), training.max(axis=0)
    level = np.abs(training.mean(axis=0))
    unit = np.maximum(evidence.stable.unit, SMALLEST_SHARE * level)
    width = np.maximum(highest - lowest, unit)
    distance = np.maximum(checked.min(axis=0) - highest, lowest - checked.max(axis=0)) / width
    distance = np.where(evidence.mattering.contrast[0] == 0, 0.0, distance)
    found: dict[int, Obvious] = {}
    for place in np.argsort(-distance, kind="stable"):
        feature = evidence.profile.catalogue[evidence.kept[place]]
        if distance[place] < RANGES:
            break
        if feature.name in LEVELS and feature.column not in found:
            found[feature.column] = Obvious(
                evidence.profile.quantities[feature.column],
                float(checked[:, place].mean()),
                float(lowest[place]),
                float(highest[place]),
            )
    return tuple(found.values())
