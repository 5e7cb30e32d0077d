"""The evidence of a check: scores of every way of choosing as many runs, before anything is decided."""

from __future__ import annotations

from dataclasses import dataclass
from math import comb

import numpy as np

from buto.analysis.contrasts import Stable, choices, contrasts, mirrored, stabilised
from buto.analysis.evidence import Significance, largest_of_each, scores, significance
from buto.analysis.pairs import exchanges, paired_contrasts, paired_differences
from buto.analysis.scores.candidates import Groups
from buto.analysis.timepoints import IntArray
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.calibrated.judging.relevance import Counting, relevant
from buto.detectors.calibrated.judging.resolution import level_share
from buto.detectors.calibrated.settings import candidate_of, gate_of
from buto.detectors.calibrated.training.profile import Profile
from buto.detectors.effects import smallest_effects
from buto.errors import JudgeError
from buto.properties import Topic, is_judged, topic_of
from buto.runs import FloatArray
from buto.steps import Action, Advice, Step

FEWEST_RUNS = 5
"""Fewer runs do not show how far runs deviate from each other."""

FAMILIES = tuple(Topic)
"""Quantities of one topic are one family."""

ROUNDING = 1e-9
"""A rank that is larger than a gate by less than this passes it."""

MOST_CHOICES = 2000
"""Enough for a p-value of 0.0005; more would take longer than it tells."""


@dataclass(frozen=True, eq=False, slots=True)
class Evidence:
    """What was found before anything is decided; the runs under test are the first choice.

    Attributes:
        profile: of the training runs, with what only the runs under test have added.
        values: shape (n_runs, n_kept), training runs first, in the properties' units.
        stable: the same on the scale on which runs scatter alike.
        kept: shape (n_kept,), columns of the profile's catalogue that could be read in all runs.
        contrast: shape (n_choices, n_kept), zero where a difference does not count.
        score: shape (n_choices,).
        significance: of the runs under test.
        paired: whether the runs are pairs, as :mod:`buto.analysis.pairs` has them.
    """

    profile: Profile
    values: FloatArray
    stable: Stable
    kept: IntArray
    contrast: FloatArray
    score: FloatArray
    significance: Significance
    paired: bool = False


def weigh(
    profile: Profile, values: FloatArray, n_checked: int, settings: BandSettings, *, paired: bool = False
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
    levels = profile.levels(np.where(np.isnan(values), 0.0, values))
    columns = np.array([one.column for one in features])
    values = values[:, kept]
    stable = stabilised(values, profile.grain[columns], levels[columns], level_share(settings))
    chosen = exchanges(n_checked, MOST_CHOICES) if paired else choices(len(values), n_checked, MOST_CHOICES)
    plain = paired_contrasts(stable, chosen) if paired else contrasts(stable, chosen)
    effects = smallest_effects(profile.quantities, levels, settings.minimum_effect)
    counting = Counting(features, profile.quantities, effects, settings.fail_on)
    contrast = relevant(plain, values, chosen, counting)
    score = _scores(profile, stable, chosen, columns, contrast, settings, paired=paired)
    twice = settings.fail_on == "any" and mirrored(chosen, len(values))
    by_rank = candidate_of(settings) is not None
    found = significance(score, n_checked, settings.alpha, mirrored=twice, by_rank=by_rank)
    return Evidence(profile, values, stable, kept, contrast, score, found, paired)


def _scores(
    profile: Profile,
    stable: Stable,
    chosen: IntArray,
    columns: IntArray,
    contrast: FloatArray,
    settings: BandSettings,
    *,
    paired: bool,
) -> FloatArray:
    """Return the score of each choice of runs that the settings ask for.

    Args:
        contrast: zero where a difference does not count.
    """
    candidate = candidate_of(settings)
    if candidate is None:
        return scores(largest_of_each(contrast, columns))
    families = np.array(
        [FAMILIES.index(topic_of(profile.quantities[one].name)) for one in np.unique(columns)]
    )
    counts = None if settings.fail_on == "any" and not settings.minimum_effect else contrast != 0
    if paired:
        of_each = candidate.of_differences(paired_differences(stable, chosen), columns, counts)
        return candidate.combined(of_each, families)
    return candidate.scores(stable, chosen, Groups(columns, families), counts)


def goes_on(found: Significance, settings: BandSettings) -> bool:
    """Return whether two more runs follow a first run with this significance.

    They do if it is unusual enough to pass the gate. Without a gate in the settings, its score must be higher
    than that of every training run. The three runs together then decide by a p-value of their own, so no gate
    raises the share of unchanged programs that fail above alpha.
    """
    gate = gate_of(settings)
    if gate is None:
        return found.highest or found.p_value <= settings.alpha
    return passes(found.rank, gate)


def passes(p_value: float, gate: float) -> bool:
    """Return whether a first run with this p-value by rank passes the gate, so that two more follow."""
    return p_value <= gate + ROUNDING


def may_leave_to_three(settings: BandSettings) -> bool:
    """Return whether a first run need not be able to fail alone: it decides only whether two more follow."""
    return gate_of(settings) is not None and candidate_of(settings) is not None


def could_not_be_read(evidence: Evidence, *, usual: bool = True) -> tuple[str, ...]:
    """Return a sentence for each quantity with a feature that is not known in all runs.

    Args:
        usual: whether of those that all presets judge, or of the others, which a run may do without: there
            was no collection, or the kernel does not tell.
    """
    lost = np.ones(len(evidence.profile.catalogue), np.bool_)
    lost[evidence.kept] = False
    columns = sorted({evidence.profile.catalogue[place].column for place in np.flatnonzero(lost)})
    quantities = [evidence.profile.quantities[column] for column in columns]
    return tuple(f"{one.name} could not be read" for one in quantities if is_judged(one, cost=True) is usual)


def runs_needed(n_checked: int, alpha: float) -> int:
    """Return how many training runs allow a decision at this level by rank alone.

    Never as many as are under test, for each choice of runs has a mirror image then.
    """
    n = FEWEST_RUNS
    while (n == n_checked or min(comb(n + n_checked, n_checked), MOST_CHOICES) < 1 / alpha) and n < 1_000_000:
        n += 1
    return n
