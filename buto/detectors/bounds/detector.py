"""The thesis's test-run classifier (section 4.7, C.15 and C.16) as a Detector.

It does not compare metadata: :mod:`buto.oracle.check` does that for every detector.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from buto.analysis.pipeline import Comparison, Fit, Model, compare, fit
from buto.classify.notifications import NotificationModel
from buto.detectors.bounds import data as bounds_data
from buto.detectors.bounds import notices
from buto.detectors.bounds.explanation import explain
from buto.detectors.bounds.findings import Point, finding_of, merged, property_findings
from buto.detectors.bounds.keys import KEYS
from buto.detectors.bounds.levels import levels_of
from buto.detectors.bounds.rounding import rounded
from buto.detectors.bounds.settings import NAME, THESIS, ThesisSettings
from buto.detectors.bounds.view import BoundsView
from buto.detectors.explanation import Explanation
from buto.detectors.levels import Level
from buto.detectors.possible import possible_level
from buto.detectors.protocol import Detector, FittedDetector
from buto.detectors.readable import MOST_UNREAD, partly_unread, read_at_all
from buto.detectors.views import View
from buto.errors import JudgeError
from buto.properties import DURATION, Property
from buto.runs import Run, RunSet
from buto.steps import Advice, Setting
from buto.verdicts import Finding, Status, Verdict

FEW_RUNS = 5
"""With fewer runs, their deviation says little of the next run."""


@dataclass(frozen=True, eq=False, slots=True)
class FittedBounds(FittedDetector):
    """Bounds of every property, and notifications.

    Attributes:
        model: bounds of the properties.
        notifications: which are expected, and when.
        left_out: properties that cannot be judged, each with the reason.
    """

    settings: ThesisSettings
    model: Model
    notifications: NotificationModel
    left_out: Mapping[str, str]

    def check(self, runs: RunSet) -> Verdict:
        """Judge valid runs together, at least one.

        A regression if there are findings in any of them; else inconclusive if a property of the model has
        no value in the runs, or not in a large part of one; else a pass.
        """
        found = []
        unreadable: dict[str, str] = {}
        partly: list[str] = []
        for run in runs:
            comparison = self.compare(run)
            found.append(tuple(self._findings(run, comparison)))
            unreadable |= {
                self.model.properties[column].name: f"{self.model.properties[column].name} could not be read "
                "in any comparable sample"
                for column in np.flatnonzero(np.isnan(comparison.beyond).all(axis=0))
            }
            lacking = self.partly_unread(run, comparison)
            partly += [sentence for name, sentence in lacking.items() if name not in unreadable]
        findings = merged(found)
        reasons = (*(unreadable[name] for name in sorted(unreadable)), *partly)
        status = Status.REGRESSION if findings else Status.INCONCLUSIVE if reasons else Status.PASS
        return Verdict(
            status,
            NAME,
            findings,
            reasons=reasons if status is Status.INCONCLUSIVE else (),
            warnings=reasons if status is Status.REGRESSION else (),
        )

    def to_data(self) -> dict[str, Any]:
        return bounds_data.write(self.model, self.notifications, self.left_out)

    def training_warnings(self, runs: RunSet) -> tuple[str, ...]:
        if len(runs) >= FEW_RUNS:
            return ()
        return (
            Advice("10 are a good number (", Setting("runs", "10"), ")", fact=f"{len(runs)} runs are few"),
        )

    def levels(self) -> Iterable[Level]:
        return levels_of(self.model, self.notifications, self.settings.pipeline.deviations)

    def view(self, runs: Sequence[Run]) -> View:
        return BoundsView(self.model, self.settings.pipeline, self.left_out, self.notifications.emitters)

    def explain(self, verdict: Verdict) -> Explanation:
        return explain(verdict, self.settings.pipeline)

    def compare(self, run: Run) -> Comparison:
        """Return a run beside the bounds."""
        return compare(run, self.model, self.settings.pipeline)

    def partly_unread(self, run: Run, comparison: Comparison) -> dict[str, str]:
        """Return, by name, a sentence for each property that has bounds but lacks too many samples."""
        bounded = ~np.isnan(comparison.bounds.upper) & comparison.in_model[:, None]
        lacking = (bounded & np.isnan(comparison.smoothed.values)).sum(axis=0)
        shares = lacking / np.maximum(bounded.sum(axis=0), 1)
        names = [self.model.properties[place].name for place in np.flatnonzero(shares > MOST_UNREAD)]
        unread = shares[shares > MOST_UNREAD]
        return {
            name: partly_unread(name, share, run) for name, share in zip(names, unread.tolist(), strict=True)
        }

    def _findings(self, run: Run, comparison: Comparison) -> Iterator[Finding]:
        properties = {prop.name: prop for prop in self.model.properties}
        for finding in property_findings(run.id, comparison, self.model):
            yield possible_level(finding, properties[finding.subject], [run])
        yield from notices.findings(run, self.notifications)
        if not comparison.in_model.all():
            yield self._outside_model(run, comparison)

    def _outside_model(self, run: Run, comparison: Comparison) -> Finding:
        times = comparison.smoothed.times_s[~comparison.in_model]
        model_times = self.model.bounds.times_s
        first = float(model_times.min()) if len(model_times) else 0.0
        last = float(model_times.max()) if len(model_times) else 0.0
        furthest = times[np.argmax(np.maximum(times - last, first - times))]
        point = Point(furthest, furthest, first, last, (first + last) / 2)
        return replace(
            finding_of(DURATION, run.id, point),
            window_s=(float(times[0]), float(times[-1])),
            outside_share=len(times) / len(comparison.in_model),
            text="samples at times that the model does not reach to",
        )


class BoundsDetector(Detector[ThesisSettings]):
    """Learns a :class:`FittedBounds`."""

    name = NAME
    defaults = THESIS
    keys = KEYS

    def fit(self, runs: RunSet) -> FittedBounds:
        """Learn from valid runs. Raise JudgeError if nothing can be judged, or if notifications differ."""
        model = self.stages(runs).model
        if not len(model.bounds):
            raise JudgeError(
                "all training runs have fewer samples than the smoothing window of "
                f"{self.settings.pipeline.window}",
                advice=Advice(
                    "sample more often: ",
                    Setting("interval", "10ms"),
                    ", or judge: {method: thesis, thesis: {window: 1}}",
                ),
            )
        return FittedBounds(
            self.settings,
            replace(model, bounds=rounded(model.bounds)),
            notices.learn(runs.runs, self.settings.pipeline),
            self._read(runs)[1],
        )

    def stages(self, runs: RunSet) -> Fit:
        """Return every stage from runs to bounds, for plots; the bounds are not rounded."""
        return fit(runs.runs, self.judged(runs), self.settings.pipeline)

    def judged(self, runs: RunSet) -> list[Property]:
        """Return the properties that were read in each of these runs, by name. Raise JudgeError if there are
        none.
        """
        return self._read(runs)[0]

    def from_data(self, data: Mapping[str, Any]) -> FittedBounds:
        return FittedBounds(self.settings, *bounds_data.read(data))

    def n_values(self, data: Mapping[str, Any]) -> int:
        return len(data["times_s"]) * len(data["properties"])

    def _read(self, runs: RunSet) -> tuple[list[Property], dict[str, str]]:
        return read_at_all(runs.runs, runs.properties, self.settings)
