"""The bounds oracle: the thesis's test-run classifier (section 4.7, C.15 and C.16) as a Detector.

It does not compare metadata: :mod:`buto.oracle.check` does that for every detector.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.analysis.pipeline import Comparison, Fit, Model, Wholes, compare, fit, numbers_fit
from buto.analysis.series import LARGEST
from buto.classify.notifications import NotificationModel
from buto.detectors.bounds import data as bounds_data
from buto.detectors.bounds import notices
from buto.detectors.bounds.explanation import explain
from buto.detectors.bounds.findings import Point, finding_of, merged, number_finding, property_findings
from buto.detectors.bounds.keys import KEYS
from buto.detectors.bounds.levels import levels_of
from buto.detectors.bounds.rounding import rounded
from buto.detectors.bounds.settings import BOUNDS, PRESETS, BandSettings
from buto.detectors.bounds.view import BoundsView
from buto.detectors.bounds.warnings import few_runs
from buto.detectors.explanation import Explanation
from buto.detectors.levels import Level
from buto.detectors.possible import possible_level
from buto.detectors.protocol import Detector, FittedDetector
from buto.detectors.settings import judges
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.properties import DURATION, Property
from buto.runs import Run, RunSet
from buto.runs.long import drawn
from buto.steps import Action, Advice, Setting, Step
from buto.verdicts import Finding, Status, Verdict

MOST_UNREAD = 1 / 3
"""If more samples of a property are missing, the run cannot pass, because only the rest is judged."""


@dataclass(frozen=True, eq=False, slots=True)
class FittedBounds(FittedDetector):
    """Bounds of every property, of the run's duration, and of notifications.

    Attributes:
        model: bounds of the properties.
        duration: lower, expected and upper seconds; None if the duration is not judged.
        notifications: which are expected, and when.
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: BandSettings
    model: Model
    duration: Point | None
    notifications: NotificationModel
    left_out: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if there are findings; else inconclusive if a property of the model has no value in
        the runs, or not in a large part of one; else a pass.
        """
        found = []
        unreadable: dict[str, str] = {}
        partly: list[str] = []
        for run in runs:
            comparison = compare(run, self.model, self.settings.pipeline)
            found.append(self._findings(run, comparison))
            unreadable |= {
                name: f"{name} could not be read in any comparable sample"
                for name in self._unreadable(comparison)
            }
            lacking = self.partly_unread(run, comparison)
            partly += [sentence for name, sentence in lacking.items() if name not in unreadable]
        findings = merged(found, self.settings.runs_outside)
        reasons = (*(unreadable[name] for name in sorted(unreadable)), *partly)
        status = Status.REGRESSION if findings else Status.INCONCLUSIVE if reasons else Status.PASS
        return Verdict(
            status,
            BoundsDetector.name,
            findings,
            reasons=reasons if status is Status.INCONCLUSIVE else (),
            warnings=reasons if status is Status.REGRESSION else (),
        )

    def to_data(self) -> dict[str, Any]:
        return bounds_data.write(self.model, self.duration, self.notifications, self.left_out)

    def why_confirm(self, verdict: Verdict) -> str | None:
        """Return that the run fails; None where a single run's finding decides whatever others do."""
        fails = verdict.status is Status.REGRESSION and self.settings.runs_outside == "most"
        return "the run is outside the bounds" if fails else None

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        return few_runs(len(runs), self.model, self.duration, self.settings)

    def levels(self) -> Iterable[Level]:
        deviations = self.settings.pipeline.deviations
        return levels_of(self.model, self.duration, self.notifications, deviations)

    def view(self, runs: Sequence[Run]) -> View:
        return BoundsView(self.model, self.settings, self.left_out, self.notifications.emitters)

    def explain(self, verdict: Verdict) -> Explanation:
        return explain(verdict, self.settings)

    def compare(self, run: Run) -> Comparison:
        """Return a run beside the bounds, for plots; of a long run only some samples."""
        return compare(drawn(run), self.model, self.settings.pipeline)

    def partly_unread(self, run: Run, comparison: Comparison) -> dict[str, str]:
        """Return, by name, a sentence for each property that has bounds but lacks too many samples."""
        bounded = ~np.isnan(comparison.bounds.upper) & comparison.in_model[:, None]
        lacking = (bounded & np.isnan(comparison.smoothed.values)).sum(axis=0)
        shares = lacking / np.maximum(bounded.sum(axis=0), 1)
        names = [self.model.properties[place].name for place in np.flatnonzero(shares > MOST_UNREAD)]
        unread = shares[shares > MOST_UNREAD]
        return {
            name: f"{name} could not be read in {share:.0%} of the samples of {run.id}"
            for name, share in zip(names, unread.tolist(), strict=True)
        }

    def _findings(self, run: Run, comparison: Comparison) -> tuple[Finding, ...]:
        properties = {prop.name: prop for prop in self.model.properties}
        found = [
            possible_level(finding, properties[finding.subject], [run])
            for finding in property_findings(run.id, comparison, self.model, self.settings)
        ]
        found += notices.findings(run, self.notifications, self.model.interval_s, self.settings)
        if self.duration is not None:
            point = replace(self.duration, observed=run.outcome.duration_s)
            duration = number_finding(run.id, DURATION, point)
            found += [duration] if duration is not None else []
        if self.settings.outside_model == "fail" and not comparison.in_model.all():
            found.append(self._outside_model(run, comparison))
        return tuple(found)

    def _outside_model(self, run: Run, comparison: Comparison) -> Finding:
        times = comparison.smoothed.times_s[~comparison.in_model]
        model_times = self.model.bounds.times_s
        first = float(model_times.min()) if len(model_times) else 0.0
        last = float(model_times.max()) if len(model_times) else 0.0
        furthest = times[np.argmax(np.maximum(times - last, first - times))]
        point = Point(furthest, furthest, first, last, (first + last) / 2, self.model.interval_s)
        return replace(
            finding_of(DURATION, run.id, point),
            window_s=(float(times[0]), float(times[-1])),
            outside_share=len(times) / len(comparison.in_model),
            text="samples at times that the model does not reach to",
        )

    def _unreadable(self, comparison: Comparison) -> set[str]:
        compared = ~np.isnan(comparison.beyond).all(axis=0)
        if self.settings.summaries:
            compared |= ~np.isnan(comparison.summaries_beyond).all(axis=0)
        return {self.model.properties[column].name for column in np.flatnonzero(~compared)}


class BoundsDetector(Detector[BandSettings]):
    """Learns a :class:`FittedBounds`."""

    name = BOUNDS
    presets = PRESETS
    keys = KEYS

    def fit(self, runs: RunSet, known: Wholes | None = None) -> FittedBounds:
        """Learn from valid runs. Raise JudgeError if no property can be judged, or if notifications differ.

        Args:
            known: what was found in the complete runs of which ``runs`` are samples.
        """
        model = self.stages(runs, known).model
        if not len(model.bounds) and not self.settings.summaries:
            raise JudgeError(
                f"all training runs have fewer samples than the smoothing window of {model.window}",
                advice=Advice("sample more often: ", Setting("interval", "10ms"), ", or judge: {window: 1}"),
            )
        model = replace(model, bounds=rounded(model.bounds), summaries=rounded(model.summaries))
        return FittedBounds(
            self.settings,
            model,
            self._duration(runs, model.interval_s) if self.settings.duration else None,
            notices.learn(runs.runs, model.interval_s, self.settings),
            self._left_out(runs),
        )

    def stages(self, runs: RunSet, known: Wholes | None = None) -> Fit:
        """Return every stage from runs to bounds, for plots; the bounds are not rounded."""
        shown = runs.runs if known is None else [drawn(run) for run in runs]
        return fit(shown, self.judged(runs), self.settings.pipeline, known)

    def judged(self, runs: RunSet) -> list[Property]:
        """Return the properties that were read in each of these runs, by name. Raise JudgeError if there are
        none.
        """
        left_out = self._left_out(runs)
        judged = [
            prop
            for prop in sorted(runs.properties, key=lambda prop: prop.name)
            if prop.name not in left_out and judges(self.settings, prop)
        ]
        if not judged:
            raise JudgeError(
                "no property was read in every training run",
                advice=Advice("see why: ", Step(Action.SHOW_RUN, runs.runs[0].test, run_id=runs.runs[0].id)),
            )
        return judged

    def from_data(self, data: Mapping[str, Any]) -> FittedBounds:
        return FittedBounds(self.settings, *bounds_data.read(data))

    def n_values(self, data: Mapping[str, Any]) -> int:
        return len(data["times_s"]) * len(data["properties"])

    def _left_out(self, runs: RunSet) -> dict[str, str]:
        reasons = {}
        for prop in runs.properties:
            without = [run for run in runs if not _has(run, prop)]
            if without and judges(self.settings, prop):
                where = "any" if len(without) == len(runs) else f"{len(without)} of {len(runs)}"
                why = without[0].nan_reasons.get(prop.name, _why_not(without[0], prop))
                reasons[prop.name] = f"not read in {where} of the training runs: {why}"
        return reasons

    def _duration(self, runs: RunSet, interval_s: float) -> Point:
        durations = np.array([[run.outcome.duration_s] for run in runs])
        grain = np.array([interval_s])
        band = rounded(numbers_fit(durations, [DURATION], grain, self.settings.pipeline))
        return Point(
            float("nan"), float("nan"), band.lower[0, 0], band.upper[0, 0], band.expected[0, 0], interval_s
        )


def _why_not(run: Run, prop: Property) -> str:
    column = run.column_of.get(prop.name)
    read = column is not None and not np.isnan(run.smallest_read(column))
    return "its values are too large for statistics" if read else "no value"


def _has(run: Run, prop: Property) -> bool:
    column = run.column_of.get(prop.name)
    return column is not None and run.smallest_read(column) <= LARGEST
