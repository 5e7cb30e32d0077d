"""Regression models of counters by each other as a Detector (Shang et al.)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from buto.analysis.features import observations
from buto.detectors.calibrated.load import observations_of, observations_to_data
from buto.detectors.explanation import Explanation
from buto.detectors.protocol import Detector, FittedDetector
from buto.detectors.readable import judged_properties, readable
from buto.detectors.regression_models.findings import SHARE_BEYOND, beyond_training, differs, finding_of
from buto.detectors.regression_models.judging import Judged, excesses, judged
from buto.detectors.regression_models.settings import (
    CALIBRATION,
    DISTANCE,
    EACH,
    ERROR,
    KEYS,
    REDUNDANT,
    SHANG,
    SHANG_CALIBRATED,
    STRETCHES,
    THRESHOLD,
)
from buto.detectors.settings import Settings
from buto.detectors.views import RunsView, View
from buto.errors import JudgeError
from buto.properties import Property
from buto.runs import FloatArray, Run, RunSet
from buto.steps import Action, Advice, Step
from buto.units import format_percent
from buto.verdicts import Finding, Status, Verdict


@dataclass(frozen=True, eq=False, slots=True)
class FittedRegressionModels(FittedDetector):
    """The observations of the training runs; models are made in each check, because they depend on its runs.

    Attributes:
        properties: the columns of the observations, by name.
        runs: of each training run, shape (n_observations, n_properties).
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: Settings
    properties: tuple[Property, ...]
    runs: tuple[FloatArray, ...]
    left_out: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if a cluster differs; else inconclusive if a property could not be read, or if a model
        was used beyond the training runs; else a pass.
        """
        usable = readable(runs, self.properties)
        reasons = [
            f"{prop.name} could not be read in enough samples"
            for prop, read in zip(self.properties, usable, strict=True)
            if not read
        ]
        properties = [prop for prop, read in zip(self.properties, usable, strict=True) if read]
        stretches = self.settings.values[STRETCHES]
        new = [observations(run, properties, stretches) for run in runs]
        if not properties or not all(map(len, new)):
            reasons = reasons if not properties else [*reasons, "a run has fewer than two samples"]
            return Verdict(Status.INCONCLUSIVE, self.settings.method, reasons=tuple(reasons))
        clusters = self._clusters(usable, np.vstack(new), properties)
        findings = self._findings(clusters, properties, runs, new)
        beyond = beyond_training(clusters, properties)
        if any(one.extrapolated > SHARE_BEYOND for one in clusters):
            reasons += beyond
        if findings:
            warnings = tuple(dict.fromkeys([*reasons, *beyond]))
            return Verdict(Status.REGRESSION, self.settings.method, findings, warnings=warnings)
        if reasons:
            return Verdict(Status.INCONCLUSIVE, self.settings.method, reasons=tuple(reasons))
        return Verdict(Status.PASS, self.settings.method, warnings=beyond)

    def to_data(self) -> dict[str, Any]:
        return observations_to_data(self.properties, self.runs, self.left_out)

    def view(self, runs: Sequence[Run]) -> View:
        known = {prop.name for prop in self.properties}
        return RunsView(runs, lambda prop: prop.name in known)

    def explain(self, verdict: Verdict) -> Explanation:
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        known = verdict.roles.known_runs
        return Explanation(
            f"{verdict.n_training} {known} showed how {len(self.properties)} properties depend on each "
            "other. Those that rise and fall together form a cluster. In each cluster, the property that "
            "changed most is predicted from the others.",
            f"A cluster differs if its predictions are off by more than {format_percent(threshold)} on "
            f"average ({measure} errors), and by more than for any of the {known} when it is predicted from "
            f"the rest.{self._worst(known)}",
        )

    def _worst(self, known: str) -> str:
        if self.settings.values[CALIBRATION] == EACH:
            return ""
        return f" It must be so by a larger factor than any of the {known} is in any cluster."

    def _clusters(
        self, usable: np.ndarray[Any, np.dtype[np.bool_]], new: FloatArray, properties: Sequence[Property]
    ) -> list[Judged]:
        values = self.settings.values
        old = [run[:, usable] for run in self.runs]
        names = [prop.name for prop in properties]
        return list(judged(old, new, names, values[REDUNDANT], values[DISTANCE]))

    def _findings(
        self,
        clusters: Sequence[Judged],
        properties: Sequence[Property],
        runs: RunSet,
        new: Sequence[FloatArray],
    ) -> tuple[Finding, ...]:
        """Return the findings, worst first; each names the run whose target is furthest from the expected."""
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        found = []
        for one in self._differing(clusters):
            means = [run[:, one.target].mean() for run in new]
            worst = int(np.abs(np.array(means) - one.expected).argmax())
            found.append(finding_of(one, properties, runs.runs[worst].id, threshold, measure))
        return tuple(sorted(found, key=lambda one: (-one.severity, one.subject)))

    def _differing(self, clusters: Sequence[Judged]) -> list[Judged]:
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        found = [one for one in clusters if differs(one, threshold, measure)]
        if not found or self.settings.values[CALIBRATION] == EACH:
            return found
        _, usual = excesses(clusters, measure)
        return [one for one, excess in zip(found, excesses(found, measure)[0], strict=True) if excess > usual]


class ShangDetector(Detector[Settings]):
    """Learns a :class:`FittedRegressionModels`, as the paper does."""

    name = SHANG.method
    defaults = SHANG
    keys = KEYS
    exchangeable = False

    def fit(self, runs: RunSet) -> FittedRegressionModels:
        """Learn from valid runs. Raise JudgeError if no property was read in all of them."""
        ordered = sorted(runs, key=lambda run: run.id)
        properties, left_out = judged_properties(ordered, runs.properties, self.settings)
        learned = [observations(run, properties, self.settings.values[STRETCHES]) for run in ordered]
        if not properties or not all(map(len, learned)):
            raise JudgeError(
                "no property was read twice in every training run",
                advice=Advice("see why: ", Step(Action.SHOW_RUN, ordered[0].test, run_id=ordered[0].id)),
            )
        return FittedRegressionModels(self.settings, properties, tuple(learned), left_out)

    def from_data(self, data: Mapping[str, Any]) -> FittedRegressionModels:
        return FittedRegressionModels(self.settings, *observations_of(data))


class ShangCalibratedDetector(ShangDetector):
    """Learns as the paper does, with training runs in place of the typed threshold."""

    name = SHANG_CALIBRATED.method
    defaults = SHANG_CALIBRATED
