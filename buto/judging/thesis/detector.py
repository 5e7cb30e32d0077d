"""The thesis's test-run classifier (section 4.7, C.15, C.16) as a Detector, with settings and explanations.

Each difference of a notification from training is a part of a finding. Metadata are not compared here:
:mod:`buto.oracle.check` does that for every detector.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np

from buto.errors import JudgeError, UsageError
from buto.extensions import require
from buto.judging.classifiers import (
    BandLimits,
    MetadataSettings,
    NotificationDifference,
    NotificationKind,
    NotificationModel,
    compare_notifications,
    learn_notifications,
)
from buto.judging.protocol import Detector, FittedDetector, Reasoning
from buto.judging.readable import MOST_UNREAD, Level, partly_unread, possible_level, read_at_all
from buto.judging.settings import CHANGES_WITH_EACH_RUN, EVERYTHING, Settings
from buto.judging.thesis import data as bounds_data
from buto.judging.thesis.data import KEYS, levels_of, round_bounds
from buto.judging.thesis.filters import ALGORITHMS
from buto.judging.thesis.findings import BoundsView, Point, finding_of, largest_of, merge, property_findings
from buto.judging.thesis.pipeline import (
    BandComparison,
    Fit,
    Model,
    PipelineSettings,
    compare,
    fit,
    numbers_fit,
)
from buto.judging.verdict import NOTIFICATION, Difference, Finding, Statement, Status, Verdict
from buto.judging.views import View
from buto.run.model import FloatArray, Run, RunSet
from buto.run.properties import DURATION, Property
from buto.run.units import format_number
from buto.steps import Advice, Setting

NAME = "thesis"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThesisSettings(Settings):
    """What a user may set: the algorithm of each stage from runs to bounds, and its parameters."""

    pipeline: PipelineSettings = field(default_factory=PipelineSettings)

    def with_value(self, key: str, value: Any) -> Self:
        name = key.replace("-", "_")
        if name in {setting.name for setting in fields(PipelineSettings)}:
            return replace(self, pipeline=replace(self.pipeline, **{name: value}))
        return Settings.with_value(self, key, value)

    def check(self, given: Collection[str]) -> None:
        # Before the program is launched for it.
        if ALGORITHMS[self.pipeline.bounds].needs_filterpy:
            require("filterpy", f"judge: thesis: bounds: {self.pipeline.bounds}")
        for key in given:
            if not _applies(key.replace("-", "_"), self.pipeline):
                raise _not_of(key, self.pipeline.bounds)

    def own(self) -> dict[str, Any]:
        """Return its keys; of the bounds' parameters those that were given or have a default, and only where
        the algorithm has them."""
        return dict(_choose(self.pipeline)) | Settings.own(self)


THESIS = ThesisSettings(method=NAME, metadata=MetadataSettings(CHANGES_WITH_EACH_RUN, EVERYTHING))
"""The best configuration of the thesis's chapter 5: S-20 with mean smoothing over 9 samples."""


def _choose(pipeline: PipelineSettings) -> Iterator[tuple[str, Any]]:
    for setting in fields(pipeline):
        value = getattr(pipeline, setting.name)
        if value is not None and _applies(setting.name, pipeline):
            yield _key(setting.name), value


def _applies(name: str, pipeline: PipelineSettings) -> bool:
    """Return whether the chosen bounds use a setting; true for all that are not parameters of bounds."""
    return name in ALGORITHMS[pipeline.bounds].parameters or not _bounds_with(name)


def _bounds_with(name: str) -> tuple[str, ...]:
    return tuple(bounds for bounds, algorithm in ALGORITHMS.items() if name in algorithm.parameters)


def _not_of(key: str, bounds: str) -> UsageError:
    others = " or ".join(_bounds_with(key.replace("-", "_")))
    known = ", ".join(_key(name) for name in ("average", "deviations", *ALGORITHMS[bounds].parameters))
    return UsageError(
        f"judge: thesis: {key} is no setting of bounds: {bounds}, but of {others}",
        advice=f"bounds: {bounds} goes with {known}; leave {key} out, or set bounds: {others}",
    )


def _key(name: str) -> str:
    return name.replace("_", "-")


def explain(verdict: Verdict, pipeline: PipelineSettings) -> Reasoning:
    """Return what made the bands, and when a value outside them counts."""
    several = ""
    if len(verdict.run_ids) > 1:
        several = f" Of the {len(verdict.run_ids)} runs, one decides."
    return Reasoning(
        f"{verdict.n_training} {verdict.roles.known_runs} defined what is normal: from {_series(pipeline)}, "
        f"at each time point a band of {format_number(pipeline.deviations)} standard deviations around the "
        f"{pipeline.average} ({pipeline.bounds} bounds).",
        "A property differs if any of its points is outside the band. A run also differs if it has samples "
        f"at times that no training run reached, or other notifications than those.{several}",
    )


def _series(pipeline: PipelineSettings) -> str:
    if pipeline.smoothing == "none":
        return "the series as they were read"
    return f"series smoothed by the {pipeline.smoothing} of {pipeline.window} samples"


def learn(runs: Sequence[Run], settings: PipelineSettings) -> NotificationModel:
    """Return the model of the training runs. Raise JudgeError if they do not have the same notifications."""

    def band(times: FloatArray) -> BandLimits:
        bounds = round_bounds(numbers_fit(times, [Property("time", "s")] * times.shape[1], settings))
        return BandLimits(bounds.expected[0], bounds.lower[0], bounds.upper[0])

    return learn_notifications([run.notifications for run in runs], band, strict=True)


def notice_findings(run: Run, model: NotificationModel) -> Iterator[Finding]:
    """Yield at most one finding for each type and source, in their order."""
    differences: dict[tuple[str, str], list[NotificationDifference]] = defaultdict(list)
    for difference in compare_notifications(model, run.notifications):
        differences[difference.type, difference.source].append(difference)
    for type_, source in sorted(differences):
        yield _finding(run.id, f"{type_} from {source}", differences[type_, source])


def _finding(run_id: str, subject: str, differences: list[NotificationDifference]) -> Finding:
    kinds = Counter(difference.kind for difference in differences)
    text = ", ".join(f"{number} {kind.value}" for kind, number in kinds.items())
    late = [
        Point(
            difference.time_s,
            difference.time_s,
            difference.lower_s,
            difference.upper_s,
            difference.expected_s,
        )
        for difference in differences
        if difference.kind is NotificationKind.LATE_OR_EARLY
    ]
    if not late:
        return Statement(NOTIFICATION, subject, run_id, severity=float(len(differences)), text=text)
    seen = [point.at_s for point in late]
    finding = largest_of(Property(subject, "s"), run_id, late)
    return replace(finding, source=NOTIFICATION, window_s=(min(seen), max(seen)), text=text)


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
        per_run = []
        unreadable: dict[str, str] = {}
        partly: list[str] = []
        for run in runs:
            comparison = self.compare(run)
            per_run.append(tuple(self._findings(run, comparison)))
            unreadable |= {
                self.model.properties[column].name: f"{self.model.properties[column].name} could not be read "
                "in any comparable sample"
                for column in np.flatnonzero(np.isnan(comparison.beyond).all(axis=0))
            }
            lacking = self.partly_unread(run, comparison)
            partly += [sentence for name, sentence in lacking.items() if name not in unreadable]
        findings = merge(per_run)
        reasons = (*(unreadable[name] for name in sorted(unreadable)), *partly)
        status = Status.REGRESSION if findings else Status.INCONCLUSIVE if reasons else Status.PASS
        return Verdict(
            status,
            NAME,
            findings,
            reasons=reasons if status is Status.INCONCLUSIVE else (),
            undecided=reasons,
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

    def explain(self, verdict: Verdict) -> Reasoning:
        return explain(verdict, self.settings.pipeline)

    def compare(self, run: Run) -> BandComparison:
        """Return a run beside the bounds."""
        return compare(run, self.model, self.settings.pipeline)

    def partly_unread(self, run: Run, comparison: BandComparison) -> dict[str, str]:
        """Return, by name, a sentence for each property that has bounds but lacks too many samples."""
        bounded = ~np.isnan(comparison.bounds.upper) & comparison.in_model[:, None]
        lacking = (bounded & np.isnan(comparison.smoothed.values)).sum(axis=0)
        shares = lacking / np.maximum(bounded.sum(axis=0), 1)
        names = [self.model.properties[place].name for place in np.flatnonzero(shares > MOST_UNREAD)]
        unread = shares[shares > MOST_UNREAD]
        return {
            name: partly_unread(name, share, run) for name, share in zip(names, unread.tolist(), strict=True)
        }

    def _findings(self, run: Run, comparison: BandComparison) -> Iterator[Finding]:
        properties = {prop.name: prop for prop in self.model.properties}
        for finding in property_findings(run.id, comparison, self.model):
            yield possible_level(finding, properties[finding.subject], [run])
        yield from notice_findings(run, self.notifications)
        if not comparison.in_model.all():
            yield self._outside_model(run, comparison)

    def _outside_model(self, run: Run, comparison: BandComparison) -> Difference:
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
            replace(model, bounds=round_bounds(model.bounds)),
            learn(runs.runs, self.settings.pipeline),
            self._read(runs)[1],
        )

    def stages(self, runs: RunSet) -> Fit:
        """Return every stage from runs to bounds, for plots; the bounds are not rounded."""
        return fit(runs.runs, self.find_judged(runs), self.settings.pipeline)

    def find_judged(self, runs: RunSet) -> list[Property]:
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
