"""Judge notifications: each difference from training is a part of a finding."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from buto.analysis.pipeline import PipelineSettings, numbers_fit
from buto.classify.notifications import (
    Limits,
    NotificationDifference,
    NotificationKind,
    NotificationModel,
    compare_notifications,
    learn_notifications,
)
from buto.detectors.bounds.findings import Point, largest_of
from buto.detectors.bounds.rounding import rounded
from buto.properties import Property
from buto.runs import FloatArray, Run
from buto.verdicts import NOTIFICATION, Finding


def learn(runs: Sequence[Run], settings: PipelineSettings) -> NotificationModel:
    """Return the model of the training runs. Raise JudgeError if they do not have the same notifications."""

    def band(times: FloatArray) -> Limits:
        bounds = rounded(numbers_fit(times, [Property("time", "s")] * times.shape[1], settings))
        return Limits(bounds.expected[0], bounds.lower[0], bounds.upper[0])

    return learn_notifications([run.notifications for run in runs], band, strict=True)


def findings(run: Run, model: NotificationModel) -> Iterator[Finding]:
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
        Point(one.time_s, one.time_s, one.lower_s, one.upper_s, one.expected_s)
        for one in differences
        if one.kind is NotificationKind.LATE_OR_EARLY
    ]
    if not late:
        return Finding(NOTIFICATION, subject, run_id, severity=float(len(differences)), text=text)
    seen = [point.at_s for point in late]
    finding = largest_of(Property(subject, "s"), run_id, late)
    return replace(finding, source=NOTIFICATION, window_s=(min(seen), max(seen)), text=text)
