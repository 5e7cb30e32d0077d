"""The evidence of a check: scores of every way of choosing as many runs, before anything is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb

import numpy as np

from buto.analysis.contrasts import Stable, choices, contrasts, mirrored, stabilised
from buto.analysis.evidence import Significance, significance
from buto.analysis.features import Feature
from buto.analysis.likelihood import differences, factors, for_a_change, mean_of_each, score
from buto.analysis.matching import BoolArray
from buto.analysis.pairs import exchanges, paired_contrasts, paired_differences
from buto.analysis.timepoints import IntArray
from buto.detectors.calibrated.profile import Profile
from buto.detectors.calibrated.relevance import sizes_that_matter, welcome_or_not
from buto.detectors.calibrated.settings import GATE, JudgeSettings
from buto.errors import JudgeError
from buto.properties import is_judged
from buto.runs import FloatArray
from buto.steps import Action, Advice, Step

FEWEST_RUNS = 5
"""Fewer runs do not show how far runs deviate from each other."""

LEVEL_SHARE = 0.003
"""Share of a property's level that a deviation is never less than: a few more classes are an ordinary
difference."""

MOST_CHOICES = 2000
"""Enough for a p-value of 0.0005; more would take longer than it tells."""

_ROUNDING = 1e-9


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
        paired: whether the runs are pairs, as :mod:`buto.analysis.pairs` has them.
    """

    profile: Profile
    values: FloatArray
    stable: Stable
    kept: IntArray
    least: FloatArray
    mattering: Ranked
    any: Ranked
    paired: bool = False

    @property
    def features(self) -> list[Feature]:
        """What each kept column is."""
        return [self.profile.catalogue[place] for place in self.kept]


def weigh(
    profile: Profile, values: FloatArray, n_checked: int, settings: JudgeSettings, *, paired: bool = False
) -> Evidence:
    """Return the evidence of the last ``n_checked`` rows of features against all others.

    Args:
        values: shape (n_runs, n_features), columns as the profile's catalogue; NaN: could not be read.
        paired: whether each row of the first half and its counterpart in the second are a pair.
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
    stable = stabilised(kept_values, profile.grain[columns], levels[columns], LEVEL_SHARE)
    chosen = exchanges(n_checked, MOST_CHOICES) if paired else choices(len(values), n_checked, MOST_CHOICES)
    contrast = paired_contrasts(stable, chosen) if paired else contrasts(stable, chosen)
    found = paired_differences(stable, chosen) if paired else differences(stable, chosen)
    factor = factors(found)
    twice = settings.fail_on == "any" and mirrored(chosen, len(values))

    def ranked(counts: BoolArray) -> Ranked:
        of_each = score(mean_of_each(for_a_change(factor, counts), columns))
        return Ranked(np.where(counts, contrast, 0.0), of_each, significance(of_each, mirrored=twice))

    counts = welcome_or_not(contrast, features, profile.quantities, settings.fail_on)
    sizes = sizes_that_matter(profile, features, readable, settings)
    matters = counts & sizes.exceeded(kept_values, chosen)
    return Evidence(profile, kept_values, stable, kept, sizes.least, ranked(matters), ranked(counts), paired)


def passes_gate(evidence: Evidence) -> bool:
    """Return whether two more runs follow a first run with this evidence.

    They do if its mattering differences are unusual enough to pass the gate, or if no training run differs as
    much in anything. The three runs together then decide by a p-value of their own, so no gate raises the
    share of unchanged programs that fail above alpha.
    """
    found, everything = evidence.mattering.significance, evidence.any.significance
    return found.p_value <= GATE + _ROUNDING or everything.highest


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


def runs_needed(n_checked: int, alpha: float) -> int:
    """Return how many training runs allow a decision at this level by rank.

    Never as many as are under test, for each choice of runs has a mirror image then.
    """
    n = FEWEST_RUNS
    while (n == n_checked or min(comb(n + n_checked, n_checked), MOST_CHOICES) < 1 / alpha) and n < 1_000_000:
        n += 1
    return n


def quantity_columns(features: Sequence[Feature]) -> IntArray:
    """Return the number of each feature's quantity, shape (n_features,)."""
    return np.array([one.column for one in features], dtype=np.int64)
