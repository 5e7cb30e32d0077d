"""From comparisons to findings: which differences count, one for each subject, worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.analysis.pipeline import Comparison, Model
from buto.analysis.series import SUMMARIES
from buto.detectors.bounds.settings import BandSettings
from buto.properties import Better, Property
from buto.verdicts import Direction, Effect, Finding

SOURCE = "bounds"

_SUMMARY_TEXTS = {"mean": "the mean over the run is outside", "last": "the last value is outside"}


@dataclass(frozen=True, eq=False, slots=True)
class Point:
    """One value with its band, and what a finding reports about it."""

    at_s: float
    observed: float
    lower: float
    upper: float
    expected: float
    grain: float

    @property
    def severity(self) -> float:
        """Distance beyond the band in widths of the band, or of the smallest meaningful width."""
        distance = max(self.observed - self.upper, self.lower - self.observed, 0.0)
        return distance / max(self.upper - self.lower, self.grain, 1e-9 * abs(self.expected), 1e-300)


def property_findings(
    run_id: str, comparison: Comparison, model: Model, settings: BandSettings
) -> tuple[Finding, ...]:
    """Return at most one finding for each property and direction of one run.

    A property fails if, of its points that could be compared, at least ``outside_share`` (and at least
    one) lie beyond the same limit, or, where summaries are judged, if its mean or its last value does.
    """
    findings = []
    compared = (~np.isnan(comparison.beyond)).sum(axis=0)
    for column in _suspects(comparison):
        prop = model.properties[column]
        for sign in (1.0, -1.0):
            rows = np.flatnonzero(comparison.beyond[:, column] * sign > 0).tolist()
            share = len(rows) / compared[column] if compared[column] else 0.0
            if rows and share >= settings.outside_share:
                points = [_point_at(comparison, model, row, column) for row in rows]
                window = (points[0].at_s, points[-1].at_s)
                finding = replace(largest_of(prop, run_id, points), window_s=window, outside_share=share)
                findings.append(finding)
                continue
            rows = np.flatnonzero(comparison.summaries_beyond[:, column] * sign > 0).tolist()
            if rows and settings.summaries:
                points = [_summary(comparison, model, row, column) for row in rows]
                worst = max(points, key=lambda point: point.severity)
                text = _SUMMARY_TEXTS[SUMMARIES[rows[points.index(worst)]]]
                findings.append(replace(finding_of(prop, run_id, worst), at_s=None, text=text, is_level=True))
    return tuple(findings)


def number_finding(run_id: str, prop: Property, point: Point) -> Finding | None:
    """Return the finding of a number that a run has once; None if it is inside its band, or has none."""
    if not (point.observed > point.upper or point.observed < point.lower):
        return None
    return replace(finding_of(prop, run_id, point), at_s=None)


def finding_of(prop: Property, run_id: str, point: Point) -> Finding:
    """Return a finding with all values of one point."""
    direction = Direction.MORE if point.observed > point.expected else Direction.LESS
    return Finding(
        source=SOURCE,
        subject=prop.name,
        run_id=run_id,
        direction=direction,
        effect=_effect(prop.better, direction),
        unit=prop.unit,
        observed=float(point.observed),
        lower=float(point.lower),
        upper=float(point.upper),
        expected=float(point.expected),
        at_s=float(point.at_s),
        severity=float(point.severity),
    )


def largest_of(prop: Property, run_id: str, points: Sequence[Point]) -> Finding:
    """Return a finding with the largest change in the property's unit and the largest severity of any point.

    In a leak, the change in widths of the band may be largest early, where the band is narrow; how much is
    lost shows at the end.
    """
    largest = max(points, key=lambda point: abs(point.observed - point.expected))
    severity = max(point.severity for point in points)
    return replace(finding_of(prop, run_id, largest), severity=float(severity))


def merged(per_run: Sequence[Sequence[Finding]], runs_outside: str) -> tuple[Finding, ...]:
    """Return one finding for each subject over all runs, worst first.

    With ``any``, a subject counts that is found in one run; with ``most``, one that is found in more than
    half of the runs with the same direction. The worst run's finding represents all.
    """
    needed = 1 if runs_outside == "any" else len(per_run) // 2 + 1
    by_subject: dict[tuple[str, str], dict[Direction, dict[str, Finding]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for findings in per_run:
        for finding in findings:
            by_subject[finding.source, finding.subject][finding.direction][finding.run_id] = finding
    chosen = []
    for directions in by_subject.values():
        enough = [list(found.values()) for found in directions.values() if len(found) >= needed]
        if not enough:
            continue
        worst = max((one for found in enough for one in found), key=lambda one: one.severity)
        number = len(directions[worst.direction])
        if len(per_run) > 1:
            worst = replace(worst, text=_sentence(worst.text, f"in {number} of {len(per_run)} runs"))
        chosen.append(worst)
    return tuple(sorted(chosen, key=lambda one: (-one.severity, one.source, one.subject)))


def _suspects(comparison: Comparison) -> list[int]:
    """Return the few columns that have any value outside."""
    outside = np.nan_to_num(np.concatenate([comparison.beyond, comparison.summaries_beyond])).any(axis=0)
    return [int(column) for column in np.flatnonzero(outside)]


def _point_at(comparison: Comparison, model: Model, row: int, column: int) -> Point:
    bounds = comparison.bounds
    return Point(
        comparison.smoothed.times_s[row],
        comparison.smoothed.values[row, column],
        bounds.lower[row, column],
        bounds.upper[row, column],
        bounds.expected[row, column],
        model.grain[column],
    )


def _summary(comparison: Comparison, model: Model, row: int, column: int) -> Point:
    return Point(
        float("nan"),
        comparison.summaries[row, column],
        model.summaries.lower[row, column],
        model.summaries.upper[row, column],
        model.summaries.expected[row, column],
        model.grain[column],
    )


def _effect(better: Better, direction: Direction) -> Effect:
    if better is Better.UNKNOWN:
        return Effect.UNKNOWN
    less = direction is Direction.LESS
    return Effect.BETTER if less == (better is Better.LOWER) else Effect.WORSE


def _sentence(text: str, where: str) -> str:
    return f"{text}; {where}" if text else where
