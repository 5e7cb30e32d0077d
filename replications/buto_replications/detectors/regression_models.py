"""Regression models of counters by each other, as a Detector: the methods of Shang et al.

New observations are judged by old ones: clusters, their models, and the models' errors. Judged clusters
become findings and sentences. The settings are those of ``shang`` and ``shang-calibrated``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.errors import JudgeError
from buto.judging.features import observations
from buto.judging.load.findings import Errors, errors_of, ks_statistics
from buto.judging.load.judge import observations_of, observations_to_data
from buto.judging.protocol import Detector, FittedDetector, Reasoning
from buto.judging.readable import find_judged_properties, readable
from buto.judging.settings import Settings
from buto.judging.stored import COMMON, choice, positive, share, whole
from buto.judging.verdict import Difference, Direction, Finding, Status, Verdict, effect_of
from buto.judging.views import RunsView, View
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import Kind, Property
from buto.run.units import format_percent
from buto.steps import Action, Advice, Step
from buto_replications.detectors.regression_fits import (
    CUTS,
    DISTANCES,
    PAIRS,
    clustered,
    fitted,
    reduced,
    target_of,
)

GRAIN = 0.01
"""The smallest relative error that means something."""

LARGEST = 1e6
"""Larger relative errors, also infinite ones, are equally wrong."""


@dataclass(frozen=True, slots=True)
class JudgedCluster:
    """One cluster of counters, by their columns.

    Attributes:
        target: the counter that is predicted.
        predictors: the other counters of the cluster; without any, the target's mean is predicted.
        new: errors of the new observations.
        usual: for each old run, its errors when it is predicted from the other old runs.
        expected, measured: means of the target over the new observations, predicted and measured.
        extrapolated: share of the new observations that lie beyond the old ones.
    """

    target: int
    predictors: tuple[int, ...]
    new: Errors
    usual: tuple[Errors, ...]
    expected: float
    measured: float
    extrapolated: float


def judged(
    old: Sequence[FloatArray],
    new: FloatArray,
    names: Sequence[str],
    redundant: float,
    distance: str,
    of: str = PAIRS,
) -> Iterator[JudgedCluster]:
    """Return every cluster of counters in old and new observations with its model's errors.

    Args:
        old: for each run, shape (n_observations, n_counters).
        new: shape (n_observations, n_counters), at least one.
        redundant: the R² above which a counter is left out.
        distance: between counters, see :func:`distances`.
        of: of what the statistic that cuts is computed, see :func:`clustered`.
    """
    before = np.vstack(old)
    both = np.vstack([before, new])
    kept = reduced(both, redundant).kept
    statistics = ks_statistics(before, new)
    for cluster in clustered(both[:, kept], distance, of):
        members = [kept[column] for column in cluster]
        target = target_of(members, statistics, names)
        predictors = tuple(member for member in members if member != target)
        model = fitted(before[:, predictors], before[:, target])
        predicted = model.predict(new[:, predictors])
        yield JudgedCluster(
            target,
            predictors,
            errors_of(predicted, new[:, target]),
            tuple(_usual(old, predictors, target)),
            float(predicted.mean()),
            float(new[:, target].mean()),
            model.extrapolates(new[:, predictors]),
        )


def excesses(clusters: Sequence[JudgedCluster], measure: str) -> tuple[FloatArray, float]:
    """Return how many times as large as usual the errors are, and how much of that is usual.

    An excess is an error over the largest one of the training runs in the same cluster. A training run has
    the excesses that it would have as a check of the others. With many clusters, an unchanged check is
    worse than all training runs in some of them; it is so by a larger factor than every training run only as
    often as any other run is the worst of all.

    Args:
        clusters: at least one, each with the errors of two or more training runs.
        measure: see :meth:`Errors.by`.

    Returns:
        The excess of each cluster, shape (n_clusters,), and the largest excess of any training run.
    """
    new = np.minimum([cluster.new.by(measure) for cluster in clusters], LARGEST)
    usual = np.minimum([[error.by(measure) for error in cluster.usual] for cluster in clusters], LARGEST)
    second, first = np.sort(usual, axis=1)[:, -2:].T[..., None]
    others = np.where(usual == first, second, first)
    return new / (first[:, 0] + GRAIN), float((usual / (others + GRAIN)).max())


def _usual(old: Sequence[FloatArray], predictors: Sequence[int], target: int) -> Iterator[Errors]:
    """Return nothing for a single old run, which no other predicts."""
    for number, run in enumerate(old if len(old) > 1 else ()):
        others = np.vstack([value for place, value in enumerate(old) if place != number])
        model = fitted(others[:, predictors], others[:, target])
        yield errors_of(model.predict(run[:, predictors]), run[:, target])


THRESHOLD, REDUNDANT, DISTANCE, ERROR, STRETCHES = "threshold", "redundant", "distance", "error", "stretches"
CALIBRATION, EACH, WORST = "calibration", "each", "worst"
CUT = "cut"


SHANG = Settings(
    method="shang",
    values={
        THRESHOLD: 0.3,
        REDUNDANT: 0.9,
        DISTANCE: "eq1",
        ERROR: "absolute",
        STRETCHES: 30,
        CALIBRATION: EACH,
        CUT: PAIRS,
    },
)
"""The method of Shang et al. (2015)."""

SHANG_CALIBRATED = replace(
    SHANG,
    method="shang-calibrated",
    values={**SHANG.values, THRESHOLD: 0.05, DISTANCE: "correlation", STRETCHES: 10, CALIBRATION: WORST},
)
"""The same, with training runs in place of the typed threshold."""

KEYS = (
    positive(THRESHOLD, "The relative error above which a cluster of counters differs.", example=0.3),
    share(REDUNDANT, "The R² above which a counter is left out because others predict it."),
    choice(DISTANCE, "When two counters are near: by absolute correlation, or by the paper's.", *DISTANCES),
    choice(CUT, "Whether pairwise distances or standardised points choose the number of clusters.", *CUTS),
    choice(ERROR, "By which mean of relative errors a cluster is judged.", "absolute", "signed"),
    whole(STRETCHES, "Into how many stretches of time a run is divided.", 1, 10_000, example=30),
    choice(
        CALIBRATION,
        "Whether each cluster by itself, or the worst of a check, must be worse than in any training run.",
        EACH,
        WORST,
    ),
    *COMMON,
)


SOURCE = "shang"

NAMED = 3
"""So many other counters of a cluster are named."""

SHARE_NAMED = 0.1
"""If more of the observations lie beyond those of training, a warning says so."""

SHARE_BEYOND = 0.5
"""If more of them do, a cluster whose model is right by chance makes no pass."""


def differs(cluster: JudgedCluster, threshold: float, measure: str) -> bool:
    """Return whether a cluster's error is above the threshold and larger than that of every training run."""
    error = cluster.new.by(measure)
    return error > threshold and error > _usual_text(cluster, measure)


def finding_of(
    cluster: JudgedCluster, properties: Sequence[Property], run_id: str, threshold: float, measure: str
) -> Finding:
    """Return the finding of a cluster that differs; it names the target, its error, and the predictors."""
    target = properties[cluster.target]
    direction = Direction.MORE if cluster.measured > cluster.expected else Direction.LESS
    rate = target.kind is Kind.COUNTER
    error = cluster.new.by(measure)
    return Difference(
        SOURCE,
        target.name,
        run_id,
        direction,
        effect_of(target.better, direction),
        unit=target.unit,
        observed=cluster.measured,
        expected=cluster.expected,
        severity=float(min(error / threshold, 1e9)),
        measure="rate per second" if rate else "mean",
        text=_text(cluster, properties, measure),
    )


def beyond_training(clusters: Sequence[JudgedCluster], properties: Sequence[Property]) -> tuple[str, ...]:
    """Return a sentence for each cluster whose model is used where training has not been."""
    return tuple(
        f"{properties[cluster.target].name} is predicted from values beyond those of the training runs in "
        f"{format_percent(cluster.extrapolated)} of the observations: another load, or another program"
        for cluster in clusters
        if cluster.extrapolated > SHARE_NAMED
    )


def _text(cluster: JudgedCluster, properties: Sequence[Property], measure: str) -> str:
    names = [properties[predictor].name for predictor in cluster.predictors]
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    basis = f"predicted from {', '.join(names[:NAMED])}{more}" if names else "predicted as its mean"
    sentence = (
        f"{basis}, it is off by {_percent(cluster.new.absolute)} (signed {_percent(cluster.new.signed)}); "
        f"training runs by at most {_percent(_usual_text(cluster, measure))}"
    )
    if cluster.new.undefined:
        sentence += f"; it is 0 and was predicted not to be in {format_percent(cluster.new.undefined)}"
    return sentence


def _usual_text(cluster: JudgedCluster, measure: str) -> float:
    return max((errors.by(measure) for errors in cluster.usual), default=0.0)


def _percent(share: float) -> str:
    return format_percent(share) if np.isfinite(share) else "any factor"


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
        if any(cluster.extrapolated > SHARE_BEYOND for cluster in clusters):
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

    def explain(self, verdict: Verdict) -> Reasoning:
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        known = verdict.roles.known_runs
        return Reasoning(
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
    ) -> list[JudgedCluster]:
        values = self.settings.values
        old = [run[:, usable] for run in self.runs]
        names = [prop.name for prop in properties]
        return list(judged(old, new, names, values[REDUNDANT], values[DISTANCE], values[CUT]))

    def _findings(
        self,
        clusters: Sequence[JudgedCluster],
        properties: Sequence[Property],
        runs: RunSet,
        new: Sequence[FloatArray],
    ) -> tuple[Finding, ...]:
        """Return the findings, worst first; each names the run whose target is furthest from the expected."""
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        findings = []
        for cluster in self._differing(clusters):
            means = [run[:, cluster.target].mean() for run in new]
            worst = int(np.abs(np.array(means) - cluster.expected).argmax())
            findings.append(finding_of(cluster, properties, runs.runs[worst].id, threshold, measure))
        return tuple(sorted(findings, key=lambda finding: (-finding.severity, finding.subject)))

    def _differing(self, clusters: Sequence[JudgedCluster]) -> list[JudgedCluster]:
        threshold, measure = self.settings.values[THRESHOLD], self.settings.values[ERROR]
        differing = [cluster for cluster in clusters if differs(cluster, threshold, measure)]
        if not differing or self.settings.values[CALIBRATION] == EACH:
            return differing
        _, usual = excesses(clusters, measure)
        return [
            cluster
            for cluster, excess in zip(differing, excesses(differing, measure)[0], strict=True)
            if excess > usual
        ]


class ShangDetector(Detector[Settings]):
    """Learns a :class:`FittedRegressionModels`, as the paper does."""

    name = SHANG.method
    defaults = SHANG
    keys = KEYS
    exchangeable = False

    def fit(self, runs: RunSet) -> FittedRegressionModels:
        """Learn from valid runs. Raise JudgeError if no property was read in all of them."""
        ordered = sorted(runs, key=lambda run: run.id)
        properties, left_out = find_judged_properties(ordered, runs.properties, self.settings)
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
