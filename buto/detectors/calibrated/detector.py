"""The calibrated oracle: one p-value for a check, over all properties and all times together.

The run is the replicate. Each run is a row of features (:mod:`buto.analysis.features`); the runs under
test and the training runs are put together, and each way of choosing as many of them gets a score
(:mod:`buto.analysis.contrasts`). How ordinary the score of the runs under test is among all these is the
p-value (:mod:`buto.analysis.evidence`); it depends on no threshold of any single property.
``docs/judging.md`` has the assumptions and what breaks them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import comb
from typing import Any

import numpy as np

from buto.analysis.contrasts import Stable, choices, contrasts, mirrored, stabilised
from buto.analysis.evidence import Significance, largest_of_each, scores, significance
from buto.analysis.pipeline import Comparison
from buto.analysis.timepoints import IntArray
from buto.detectors.bounds.detector import BoundsDetector, FittedBounds
from buto.detectors.calibrated import data as calibrated_data
from buto.detectors.calibrated.findings import findings
from buto.detectors.calibrated.profile import Profile, learn
from buto.detectors.calibrated.relevance import Counting, relevant
from buto.detectors.effects import smallest_effects
from buto.detectors.settings import CALIBRATED, Settings
from buto.errors import JudgeError
from buto.runs import FloatArray, Run, RunSet
from buto.verdicts import Status, Verdict

FEWEST_RUNS = 5
"""Of fewer, the deviation between runs is anybody's guess."""

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
    """

    profile: Profile
    values: FloatArray
    stable: Stable
    kept: IntArray
    contrast: FloatArray
    score: FloatArray
    significance: Significance


@dataclass(frozen=True, eq=False, slots=True)
class FittedCalibrated:
    """Features of the training runs, and bands over time to show beside them.

    Attributes:
        bands: what is drawn and tells times; it decides nothing.
    """

    settings: Settings
    profile: Profile
    bands: FittedBounds

    @property
    def n_training(self) -> int:
        return len(self.profile.values)

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if the p-value is at most alpha. Inconclusive if alpha is smaller than what the
        number of runs can show, or if no change was found but a property could not be read, or not in
        a large part of a run.
        """
        evidence = self.evidence(runs)
        found = evidence.significance
        unreadable = could_not_be_read(evidence) or self._partly_unread(runs)
        needed = runs_needed(len(runs), self.settings.alpha)
        verdict = Verdict(
            Status.PASS,
            CALIBRATED.detector,
            findings=findings(evidence, runs, self.settings),
            warnings=(),
            p_value=found.p_value,
            alpha=self.settings.alpha,
            guarantee=_guarantee(found, self.n_training, len(runs)),
            stands_out=found.highest,
        )
        if self.settings.alpha < found.smallest:
            reason = (
                f"{self.n_training} training runs cannot tell a share of {self.settings.alpha:g} from chance "
                f"with {len(runs)} under test: {needed} could"
            )
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=(reason,), runs_needed=needed)
        if found.p_value <= self.settings.alpha:
            return replace(verdict, status=Status.REGRESSION, warnings=unreadable)
        if unreadable:
            return replace(verdict, status=Status.INCONCLUSIVE, reasons=unreadable)
        return verdict

    def evidence(self, runs: RunSet) -> Evidence:
        """Everything between runs and verdict, for reports and experiments. JudgeError for no runs."""
        if not len(runs):
            raise JudgeError("there is no run to judge")
        profile = self.profile.hearing(runs.runs)
        values = np.vstack([profile.values, [profile.measure(run) for run in runs]])
        return weigh(profile, values, len(runs), self.settings)

    def compare(self, run: Run) -> Comparison:
        """A run beside the bands, for plots."""
        return self.bands.compare(run)

    def at(self, alpha: float) -> FittedCalibrated:
        """The same judging at another alpha; nothing that was learned depends on it."""
        return replace(self, settings=replace(self.settings, alpha=alpha))

    def to_data(self) -> dict[str, Any]:
        return calibrated_data.write(self.profile) | {"bands": self.bands.to_data()}

    def _partly_unread(self, runs: RunSet) -> tuple[str, ...]:
        judged = {quantity.name for quantity in self.profile.quantities}
        return tuple(
            sentence
            for run in runs
            for name, sentence in self.bands.partly_unread(run, self.compare(run)).items()
            if name in judged
        )


class CalibratedDetector:
    """Learns a :class:`FittedCalibrated`."""

    name = CALIBRATED.detector

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def fit(self, runs: RunSet) -> FittedCalibrated:
        """Learn from valid runs.

        Raises:
            JudgeError: they are fewer than five, or no property can be judged.
            UsageError: the smallest change that counts has another unit than its property.
        """
        if len(runs) < FEWEST_RUNS:
            raise JudgeError(
                f"a calibrated oracle needs at least {FEWEST_RUNS} runs, and here are {len(runs)}",
                advice="record more with --runs 10, or set judge: {preset: sustained}",
            )
        bands = BoundsDetector(self.settings).fit(runs)
        profile = learn(runs.runs, bands.model.properties)
        profile = replace(profile, values=calibrated_data.rounded(profile.values))
        smallest_effects(profile.quantities, profile.levels(profile.values), self.settings.minimum_effect)
        return FittedCalibrated(self.settings, profile, bands)

    def from_data(self, data: Mapping[str, Any]) -> FittedCalibrated:
        profile = calibrated_data.read(data)
        bands = BoundsDetector(self.settings).from_data(data["bands"])
        return FittedCalibrated(self.settings, profile, bands)


def weigh(profile: Profile, values: FloatArray, n_checked: int, settings: Settings) -> Evidence:
    """The evidence of the last ``n_checked`` rows of features against all others.

    Args:
        values: shape (n_runs, n_features), columns as the profile's catalogue; NaN: could not be read.
    """
    kept = np.flatnonzero(~np.isnan(values).any(axis=0))
    if not len(kept):
        raise JudgeError("no property could be read in all runs", advice="buto runs show says why")
    features = [profile.catalogue[place] for place in kept]
    levels = profile.levels(np.where(np.isnan(values), 0.0, values))
    columns = np.array([one.column for one in features])
    values = values[:, kept]
    stable = stabilised(values, profile.grain[columns], levels[columns])
    chosen = choices(len(values), n_checked, MOST_CHOICES)
    effects = smallest_effects(profile.quantities, levels, settings.minimum_effect)
    counting = Counting(features, profile.quantities, effects, settings.fail_on)
    contrast = relevant(contrasts(stable, chosen), values, chosen, counting)
    score = scores(largest_of_each(contrast, columns))
    twice = settings.fail_on == "any" and mirrored(chosen, len(values))
    found = significance(score, n_checked, settings.alpha, mirrored=twice)
    return Evidence(profile, values, stable, kept, contrast, score, found)


def could_not_be_read(evidence: Evidence) -> tuple[str, ...]:
    """A sentence for each quantity of which some feature is not known of all runs."""
    lost = np.ones(len(evidence.profile.catalogue), np.bool_)
    lost[evidence.kept] = False
    columns = sorted({evidence.profile.catalogue[place].column for place in np.flatnonzero(lost)})
    names = [evidence.profile.quantities[column].name for column in columns]
    return tuple(f"{name} could not be read" for name in names)


def runs_needed(n_checked: int, alpha: float) -> int:
    """How many training runs let rank alone decide at this level.

    Never as many as are under test, for each choice of runs has a mirror image then.
    """
    n = FEWEST_RUNS
    while (n == n_checked or min(comb(n + n_checked, n_checked), MOST_CHOICES) < 1 / alpha) and n < 1_000_000:
        n += 1
    return n


def _guarantee(found: Significance, n_training: int, n_checked: int) -> str:
    if found.exact:
        return "rank alone, whatever the values are distributed like; runs need only be exchangeable"
    if found.smallest_rank <= 0.05:
        return (
            "free of assumptions on distributions down to 0.05; below, the scores of "
            f"{n_training} training runs are taken for Student's t"
        )
    return f"parametric: the scores of {n_training} training runs are taken for Student's t"
