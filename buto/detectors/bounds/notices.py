"""Judge notifications: which of their differences are findings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from buto.analysis.pipeline import PipelineSettings, numbers_fit
from buto.analysis.spread import COUNT_GRAIN
from buto.classify.notifications import (
    Band,
    Emitter,
    Limits,
    NotificationDifference,
    NotificationKind,
    NotificationModel,
    compare_notifications,
    learn_notifications,
)
from buto.detectors.bounds.findings import Point, finding_of, largest_of
from buto.detectors.bounds.rounding import rounded
from buto.detectors.bounds.settings import BandSettings
from buto.properties import Property
from buto.runs import FloatArray, Run
from buto.verdicts import NOTIFICATION, Finding


def learn(runs: Sequence[Run], interval_s: float, settings: BandSettings) -> NotificationModel:
    """Return the model of the training runs; with a floor, times have a deviation of half an interval."""
    return learn_notifications(
        [run.notifications for run in runs],
        _band(Property("time", "s"), interval_s / 2, settings.pipeline),
        _band(Property("count", "{notification}", lower=0.0), COUNT_GRAIN, settings.pipeline),
        strict=settings.notifications == "strict",
    )


def findings(
    run: Run, model: NotificationModel, interval_s: float, settings: BandSettings
) -> tuple[Finding, ...]:
    """Return at most one finding for each type and source.

    Strict: for any difference. Sustained: for a count outside its band, or if, of the notifications
    whose time is known, at least ``outside_share`` came too early or too late. A type that no training
    run emitted has the band of a type that is never emitted.
    """
    differences: dict[tuple[str, str], list[NotificationDifference]] = defaultdict(list)
    for difference in compare_notifications(model, run.notifications):
        differences[difference.type, difference.source].append(difference)
    emitters = {(emitter.type, emitter.source): emitter for emitter in model.emitters}
    found = []
    for key in sorted(emitters.keys() | differences.keys()):
        if settings.notifications == "strict":
            finding = _strict(run.id, key, differences[key], interval_s)
        else:
            emitter = emitters.get(key) or _silent(key, settings)
            finding = _sustained(run, emitter, differences[key], (interval_s, settings.outside_share))
        if finding is not None:
            found.append(finding)
    return tuple(found)


def _strict(
    run_id: str, key: tuple[str, str], differences: list[NotificationDifference], interval_s: float
) -> Finding | None:
    if not differences:
        return None
    kinds = Counter(difference.kind for difference in differences)
    text = ", ".join(f"{number} {kind.value}" for kind, number in kinds.items())
    late = [one for one in differences if one.kind is NotificationKind.LATE_OR_EARLY]
    if late:
        return replace(_time_finding(run_id, key, late, interval_s), text=text)
    return Finding(NOTIFICATION, _subject(key), run_id, severity=float(len(differences)), text=text)


def _sustained(
    run: Run, emitter: Emitter, differences: list[NotificationDifference], limits: tuple[float, float]
) -> Finding | None:
    interval_s, outside_share = limits
    key = emitter.type, emitter.source
    mine = [one for one in run.notifications if (one.type, one.source) == key]
    count = _count_point(len(mine), emitter.count)
    if count.severity > 0:
        prop = Property(_subject(key), "{notification}")
        text = "their number differs" if emitter.count.expected[0] else "training runs had none"
        return replace(finding_of(prop, run.id, count), source=NOTIFICATION, at_s=None, text=text)
    late = [one for one in differences if one.kind is NotificationKind.LATE_OR_EARLY]
    timed = sum(one.sequence in emitter.sequences for one in mine)
    if late and len(late) >= outside_share * timed:
        finding = _time_finding(run.id, key, late, interval_s)
        text = f"{len(late)} of {timed} came too early or too late"
        return replace(finding, outside_share=len(late) / timed, text=text)
    return None


def _time_finding(
    run_id: str, key: tuple[str, str], late: list[NotificationDifference], interval_s: float
) -> Finding:
    points = [_time_point(one, interval_s) for one in late]
    seen = [point.at_s for point in points]
    finding = largest_of(Property(_subject(key), "s"), run_id, points)
    return replace(finding, source=NOTIFICATION, window_s=(min(seen), max(seen)))


def _time_point(difference: NotificationDifference, interval_s: float) -> Point:
    return Point(
        difference.time_s,
        difference.time_s,
        difference.lower_s,
        difference.upper_s,
        difference.expected_s,
        interval_s,
    )


def _count_point(count: int, band: Limits) -> Point:
    lower, upper, expected = (float(values[0]) for values in (band.lower, band.upper, band.expected))
    return Point(float("nan"), float(count), lower, upper, expected, COUNT_GRAIN)


def _silent(key: tuple[str, str], settings: BandSettings) -> Emitter:
    count = _band(Property("count", "{notification}", lower=0.0), COUNT_GRAIN, settings.pipeline)
    nothing = Limits(np.empty(0), np.empty(0), np.empty(0))
    return Emitter(*key, count(np.zeros((2, 1))), (), nothing)


def _band(prop: Property, grain: float, settings: PipelineSettings) -> Band:
    def band(values: FloatArray) -> Limits:
        n = values.shape[1]
        bounds = rounded(numbers_fit(values, [prop] * n, np.full(n, grain), settings))
        return Limits(bounds.expected[0], bounds.lower[0], bounds.upper[0])

    return band


def _subject(key: tuple[str, str]) -> str:
    type_, source = key
    return f"{type_} from {source}"
