"""The evidence of a check: scores of every way of choosing as many runs, before anything is decided.

Only some differences count: those of a size that matters, and where only worse ones fail, those for the
worse. What does not count is taken out of every choice of runs alike, so that a p-value stays one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct, structs

from buto.errors import JudgeError
from buto.judging.accusing import Wholes, is_level
from buto.judging.beyond import beyond, find_counted_columns, find_moved_by_machine, is_busier
from buto.judging.contrasts import Stable, choices, compare_choices, contrasts, is_mirrored, linear, stabilise
from buto.judging.effects import (
    estimate_kept_by_classes,
    find_stood_in_for,
    share_that_matters,
    smallest_effects,
)
from buto.judging.features import SLOPE, TOTAL, Feature
from buto.judging.judge_settings import JudgeSettings
from buto.judging.modes import find_modes
from buto.judging.profile import TrainingProfile
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
from buto.run.properties import DURATION, Better, Property, follows_the_machine, is_counted, is_judged
from buto.steps import Action, Advice, Step

SHAPES = ("deviation", "roughness")
"""Features that say how a property moves and not how much of it there is: no direction of them is better."""

SIGN_OF_WORSE = {Better.LOWER: 1.0, Better.HIGHER: -1.0, Better.UNKNOWN: 0.0}

CLASSES = "jvm.class.loaded"


class Sizes(Struct, frozen=True, eq=False):
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

    def only(self, kept: BoolArray) -> Sizes:
        """Return the sizes of some features, the number of classes among them; kept: shape (n_features,)."""
        classes = None if self.classes is None else int(kept[: self.classes].sum())
        return Sizes(self.least[kept], self.per_class[kept], classes)

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


def raw_differences(values: FloatArray, chosen: IntArray, load: FloatArray | None = None) -> FloatArray:
    """Return the differences of means, positive where the chosen runs have more, (n_choices, n_features).

    Args:
        values: shape (n_runs, n_features), in the properties' units.
        chosen, load: see :func:`buto.judging.contrasts.compare_choices`.
    """
    if load is not None:
        return compare_choices(values, chosen, load).difference
    members = np.zeros((len(chosen), len(values)))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    return compute_differences(values, members)


def compute_differences(values: FloatArray, members: FloatArray) -> FloatArray:
    """Return how much more the members have in the mean than the others, shape (n_choices, n_features).

    Sums of whole numbers are exact, so that one thread more in each run is one thread.

    Args:
        values: shape (n_runs, n_features).
        members: shape (n_choices, n_runs), 1 for those that are chosen, else 0; some of each.
    """
    n_members = members.sum(axis=1, keepdims=True)
    total = members @ values
    differences: FloatArray = total / n_members - (values.sum(axis=0) - total) / (len(values) - n_members)
    return differences


def sizes_that_matter(
    profile: TrainingProfile, features: Sequence[Feature], values: FloatArray, settings: JudgeSettings
) -> Sizes:
    """Return the smallest differences of features that matter.

    Args:
        values: shape (n_runs, n_features of the catalogue), of all runs alike.

    Raises:
        UsageError: a size has another unit than its property.
    """
    sizes = sizes_of(profile.quantities, features, profile.amounts(values), settings.minimum_effect)
    columns = [feature.column for feature in features]
    instead = find_stood_in_for(profile.quantities, settings.minimum_effect)[columns]
    least = np.where(instead, np.inf, sizes.least + profile.steps[columns])
    return structs.replace(sizes, least=least)


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
    columns = [feature.column for feature in features]
    share = np.array([share_that_matters(quantities[feature.column], feature.name) for feature in features])
    # A mean of whole numbers is rounded: one thread more in each run is one thread.
    least = effects[columns] * share * (1.0 - 1e-9)
    per_class = np.where(least > 0, estimate_kept_by_classes(quantities)[columns], 0.0)
    loaded = (
        place
        for place, feature in enumerate(features)
        if feature.name == TOTAL and quantities[feature.column].name == CLASSES
    )
    return Sizes(least, per_class, next(loaded, None))


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
        [
            0.0 if feature.name in SHAPES else SIGN_OF_WORSE[quantities[feature.column].better]
            for feature in features
        ]
    )


LEVEL_WEIGHT = 5.0
"""How much a feature that says how much there is of a property weighs, beside 1 of each other feature."""


def level_features(features: Sequence[Feature], quantities: Sequence[Property]) -> BoolArray:
    """Return which features say how much there is of a quantity, shape (n_features,)."""
    return np.array([is_level(quantities[feature.column], feature.name) for feature in features], np.bool_)


def feature_weights(features: Sequence[Feature], quantities: Sequence[Property]) -> FloatArray:
    """Return how much each feature weighs among those of its quantity, shape (n_features,)."""
    return np.where(level_features(features, quantities), LEVEL_WEIGHT, 1.0)


def which_matter(difference: FloatArray, sizes: Sizes, wholes: Wholes) -> BoolArray:
    """Return which differences matter, of the same shape: large enough, and with their wholes.

    Args:
        difference: shape (n_choices, n_features), positive where the runs under test have more; NaN for what
            could not be read.
    """
    return wholes.together(sizes.matter(np.abs(difference)), difference, sizes.least)


class Distances(Struct, frozen=True):
    """How far one run is from all training runs, by predictive t.

    Attributes:
        level: of what there is most different of a quantity; 0 if nothing differs by a size that matters.
        growth: the same of growth during the run.
        quantity: the name of what is farthest; empty if nothing differs.
    """

    level: float
    growth: float
    quantity: str


class Ranked(Struct, frozen=True, eq=False):
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


class Evidence(Struct, frozen=True, eq=False):
    """What was found before anything is decided.

    Attributes:
        profile: of the training runs, with what only the runs under test have added.
        values: shape (n_runs, n_kept), training runs first, in the properties' units.
        stable: the same on the scale on which runs scatter alike.
        kept: shape (n_kept,), columns of the profile's catalogue that could be read in all runs.
        least: shape (n_kept,), the smallest difference that matters.
        mattering: only differences of that size count; this decides.
        any: all differences count; what is certain here and does not matter is noted.
        exact: of the mattering ones only those of exact counters, which no machine moves.
    """

    profile: TrainingProfile
    values: FloatArray
    stable: Stable
    kept: IntArray
    least: FloatArray
    mattering: Ranked
    any: Ranked
    exact: Ranked
    fail_on: str

    @property
    def features(self) -> list[Feature]:
        """What each kept column is."""
        return [self.profile.catalogue[place] for place in self.kept]


def weigh(
    profile: TrainingProfile,
    values: FloatArray,
    n_checked: int,
    settings: JudgeSettings,
    *,
    most: int = MOST_CHOICES,
    load: FloatArray | None = None,
    waits_s: FloatArray | None = None,
    sized_by: FloatArray | None = None,
) -> Evidence:
    """Return the evidence of the last ``n_checked`` rows of features against all others.

    Args:
        values: shape (n_runs, n_features), columns as the profile's catalogue; NaN: could not be read.
        most: largest number of choices that are compared.
        load: see :func:`buto.judging.contrasts.compare_choices`.
        waits_s: shape (n_runs,), how long the threads of each run waited for a core. Given that, durations
            are compared; by themselves they tell how large a difference is. None, or NaN: not known.
        sized_by: the same columns, of the runs of whose level sizes are shares; None for all. Only with all
            is the rank of a choice exact, because no choice then has sizes of its own.
    """
    kept = np.flatnonzero(~np.isnan(values).any(axis=0))
    if not len(kept):
        raise JudgeError(
            "no property could be read in all runs", advice=Advice(Step(Action.LIST_RUNS), " lists the runs")
        )
    features = [profile.catalogue[place] for place in kept]
    readable = np.where(np.isnan(values), 0.0, values)
    levels = profile.levels(readable)
    columns = np.array([feature.column for feature in features])
    kept_values = values[:, kept]
    grain, level = profile.grain[columns], levels[columns]
    stable = stabilise(kept_values, grain, level) if load is None else linear(kept_values, grain, level, load)
    chosen = choices(len(values), n_checked, most)
    contrast = contrasts(stable, chosen)
    factor = factors(differences(stable, chosen))
    if load is None and waits_s is not None and not np.isnan(waits_s).any():
        _adjust_durations(factor, features, profile.quantities, stable, chosen, waits_s)
    twice = settings.fail_on == "any" and is_mirrored(chosen, len(values))
    weights = feature_weights(features, profile.quantities)

    def rank(counts: BoolArray) -> Ranked:
        of_each = score(mean_of_each(for_a_change(factor, counts), columns, weights))
        return Ranked(np.where(counts, contrast, 0.0), of_each, significance(of_each, mirrored=twice))

    counts = welcome_or_not(contrast, signs_of_worse(features, profile.quantities), settings.fail_on)
    sized = readable if sized_by is None else np.where(np.isnan(sized_by), 0.0, sized_by)
    sizes = sizes_that_matter(profile, features, sized, settings)
    wholes = Wholes.among(features, profile.quantities)
    matters = counts & which_matter(raw_differences(kept_values, chosen, load), sizes, wholes)
    # What another property is judged instead of is not noted, either.
    counts &= ~find_stood_in_for(profile.quantities, settings.minimum_effect)[columns]
    counted = np.array([is_counted(profile.quantities[feature.column]) for feature in features])
    moved = find_moved_counters(profile, values, n_checked, settings, waits_s)
    counted &= np.array([profile.quantities[column].name not in moved for column in columns])
    return Evidence(
        profile,
        kept_values,
        stable,
        kept,
        sizes.least,
        rank(matters),
        rank(counts),
        rank(matters & counted),
        settings.fail_on,
    )


def find_moved_counters(
    profile: TrainingProfile,
    values: FloatArray,
    n_checked: int,
    settings: JudgeSettings,
    waits_s: FloatArray | None,
) -> frozenset[str]:
    """Return the counters that only a busier machine has moved, as far as these runs tell."""
    if waits_s is None or n_checked < FEWEST_TO_SCATTER:
        return frozenset()
    shares = profile.wait_shares(values, waits_s)
    shares_before, shares_after = shares[:-n_checked], shares[-n_checked:]
    # Most checks end here: this is asked thousands of times where checks are simulated.
    if not is_busier(shares_before, shares_after):
        return frozenset()
    columns = find_counted_columns(profile.catalogue, profile.quantities)
    ends = [profile.quantities[profile.catalogue[place].column] for place in columns.values()]
    at_the_end = values[:, [*columns.values()]]
    before, after = at_the_end[:-n_checked], at_the_end[-n_checked:]
    excesses = beyond(ends, before, after, settings.minimum_effect)
    places = [[*columns].index(each.quantity.name) for each in excesses]
    moved = find_moved_by_machine(
        excesses, after[:, places], shares_before, shares_after, settings.minimum_effect
    )
    return frozenset(each.quantity.name for each in moved)


FEWEST_TO_SCATTER = 2
"""Runs that can differ from each other."""

SHORTEST_WAIT_S = 0.01
"""Added to waits for a core before their logarithm is taken."""


def _adjust_durations(
    factor: FloatArray,
    features: Sequence[Feature],
    quantities: Sequence[Property],
    stable: Stable,
    chosen: IntArray,
    waits_s: FloatArray,
) -> None:
    """Replace the factors of durations by those given the wait for a core, in place.

    All choices of runs are treated alike, so that a p-value stays one. Sizes are those of the durations as
    they are: a program that computes more also waits more, and the wait would explain part of its change.
    """
    places = [place for place, feature in enumerate(features) if quantities[feature.column] == DURATION]
    if places and len(waits_s) > chosen.shape[1] + FEWEST_FOR_WAITS:
        load = np.log(waits_s + SHORTEST_WAIT_S)[:, None]
        durations = Stable(stable.values[:, places], stable.floor[places], stable.unit[places], load)
        factor[:, places] = factors(differences(durations, chosen))


FEWEST_FOR_WAITS = 4
"""Runs beside those under test that tell how durations follow waits."""


def distances(evidence: Evidence, mood: FloatArray | None = None) -> Distances:
    """Return how far the one run under test is from the training runs.

    Student's t of one more run: its difference from their mean, by their deviation and the smallest
    meaningful one together, times the root of 1 + 1/n. Only differences of a size that matters count.

    Args:
        mood: shape (n_runs, n_features of the catalogue), later runs of the program of the training. With
            them is compared what follows the machine; NaN is left out. None for none.

    What follows the heap's size is compared in spite of two modes of it, see :mod:`buto.judging.modes`.
    """
    features, quantities = evidence.features, evidence.profile.quantities
    n_runs = len(evidence.values)
    squared = differences(evidence.stable, np.array([[n_runs - 1]])).squared_t[0]
    t = np.where(evidence.mattering.contrast[0] != 0, np.sqrt(squared), 0.0)
    known, run = evidence.values[:-1], evidence.values[-1]
    later = np.empty((0, len(features))) if mood is None else mood[:, evidence.kept]
    modes = find_modes(features, quantities, known)
    n_alike = 0 if modes is None else modes.count_alike(known, run)
    if modes is not None and n_alike:
        known, run, later = modes.match(known), modes.match(run[None])[0], modes.match(later)
        matched = _predictive_t(evidence, known, run, n_means=2, n_alike=n_alike)
        apart = run - known.mean(axis=0)
        counts = welcome_or_not(apart, signs_of_worse(features, quantities), evidence.fail_on)
        t = np.where(modes.shift != 0, np.where(counts, matched, 0.0), t)
    if len(later):
        by_mood = _predictive_t(evidence, np.vstack([known, later]), run)
        follows = np.array([follows_the_machine(quantities[feature.column]) for feature in features])
        # A machine that moves does not make ordinary what training has seen.
        t = np.where(follows, np.minimum(t, by_mood), t)
    levels = np.where(level_features(features, quantities), t, 0.0)
    growths = np.where([feature.name == SLOPE for feature in features], t, 0.0)
    farthest = int(np.argmax(np.maximum(levels, growths)))
    level, growth = float(levels.max()), float(growths.max())
    name = quantities[features[farthest].column].name if max(level, growth) > 0 else ""
    return Distances(level, growth, name)


def _predictive_t(
    evidence: Evidence, known: FloatArray, run: FloatArray, n_means: int = 1, n_alike: int | None = None
) -> FloatArray:
    """Return Student's t of a run beside known ones, shape (n_kept,).

    0 where it does not differ from their mean by a size that matters.

    Args:
        known: shape (n_runs, n_kept); NaN is left out.
        run: shape (n_kept,).
        n_means: how many means of the known runs were taken from them.
        n_alike: how many of them its mean is of; None for all.
    """
    scale = np.arcsinh(known / evidence.stable.unit)
    n_known = (~np.isnan(known)).sum(axis=0)
    mean = np.nanmean(scale, axis=0)
    variance = np.nansum((scale - mean) ** 2, axis=0) / (n_known - n_means)
    distance = np.arcsinh(run / evidence.stable.unit) - mean
    wider = 1 + 1 / (n_known if n_alike is None else n_alike)
    t = np.abs(distance) / np.sqrt((variance + evidence.stable.floor**2) * wider)
    far = np.abs(run - np.nanmean(known, axis=0)) >= evidence.least
    return np.where(far, t, 0.0)


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
    return tuple(
        f"{quantity.name} could not be read" for quantity in quantities if is_judged(quantity) is usual
    )


def quantity_columns(features: Sequence[Feature]) -> IntArray:
    """Return the number of each feature's quantity, shape (n_features,)."""
    return np.array([feature.column for feature in features], dtype=np.int64)
