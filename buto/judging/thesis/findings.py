"""What is said and drawn of a run by the thesis's rule.

Findings are the differences which count, one for each subject, worst first. Drawn are the bands, and how much
of them a run uses.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from msgspec import Struct

from buto.judging.classifiers import EmitterBands
from buto.judging.thesis.pipeline import BandComparison, Model, PipelineSettings, compare
from buto.judging.verdict import Difference, Direction, Finding, effect_of
from buto.judging.views import OF_BAND, Band, Smoothing, View
from buto.run.model import FloatArray, Run
from buto.run.properties import Property
from buto.run.thinning import thin

SOURCE = "bounds"


class Point(Struct, frozen=True, eq=False):
    """One value with its band, and what a finding reports about it."""

    at_s: float
    observed: float
    lower: float
    upper: float
    expected: float

    @property
    def severity(self) -> float:
        """Distance beyond the band in widths of the band; without width, in shares of what is expected."""
        distance = max(self.observed - self.upper, self.lower - self.observed, 0.0)
        return distance / (self.upper - self.lower or abs(self.expected) or 1.0)


def property_findings(run_id: str, comparison: BandComparison, model: Model) -> Iterator[Difference]:
    """Yield at most one finding for each property and direction of one run: any point outside the band."""
    compared = (~np.isnan(comparison.beyond)).sum(axis=0).tolist()
    for column in np.flatnonzero(np.nan_to_num(comparison.beyond).any(axis=0)).tolist():
        for sign in (1.0, -1.0):
            rows = np.flatnonzero(comparison.beyond[:, column] * sign > 0).tolist()
            if rows:
                points = [_point_at(comparison, row, column) for row in rows]
                finding = largest_of(model.properties[column], run_id, points)
                window = (points[0].at_s, points[-1].at_s)
                yield replace(finding, window_s=window, outside_share=len(rows) / compared[column])


def finding_of(prop: Property, run_id: str, point: Point) -> Difference:
    """Return a finding with all values of one point."""
    direction = Direction.MORE if point.observed > point.expected else Direction.LESS
    return Difference(
        source=SOURCE,
        subject=prop.name,
        run_id=run_id,
        direction=direction,
        effect=effect_of(prop.better, direction),
        unit=prop.unit,
        observed=float(point.observed),
        lower=float(point.lower),
        upper=float(point.upper),
        expected=float(point.expected),
        at_s=float(point.at_s),
        severity=float(point.severity),
    )


def largest_of(prop: Property, run_id: str, points: Sequence[Point]) -> Difference:
    """Return a finding with the largest change in the property's unit and the largest severity of any point.

    In a leak, the change in widths of the band may be largest early, where the band is narrow; how much is
    lost shows at the end.
    """
    largest = max(points, key=lambda point: abs(point.observed - point.expected))
    severity = max(point.severity for point in points)
    return replace(finding_of(prop, run_id, largest), severity=float(severity))


def merge(per_run: Sequence[Sequence[Finding]]) -> tuple[Finding, ...]:
    """Return one finding for each subject over all runs, worst first; the worst run's represents all."""
    by_subject: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in (difference for findings in per_run for difference in findings):
        by_subject[finding.source, finding.subject].append(finding)
    chosen = []
    for of_subject in by_subject.values():
        worst = max(of_subject, key=lambda finding: finding.severity)
        if len(per_run) > 1:
            number = len({finding.run_id for finding in of_subject if finding.direction is worst.direction})
            worst = replace(worst, text=_sentence(worst.text, f"in {number} of {len(per_run)} runs"))
        chosen.append(worst)
    return tuple(sorted(chosen, key=lambda finding: (-finding.severity, finding.source, finding.subject)))


def _point_at(comparison: BandComparison, row: int, column: int) -> Point:
    bounds = comparison.bounds
    return Point(
        comparison.smoothed.times_s[row],
        comparison.smoothed.values[row, column],
        bounds.lower[row, column],
        bounds.upper[row, column],
        bounds.expected[row, column],
    )


def _sentence(text: str, where: str) -> str:
    return f"{text}; {where}" if text else where


_BEYOND = np.nextafter(1.0, 2.0)


class BoundsView(View):
    """Bands over time; of a long run only some samples are drawn."""

    reach_of = OF_BAND

    def __init__(
        self,
        model: Model,
        pipeline: PipelineSettings,
        left_out: Mapping[str, str],
        emitters: tuple[EmitterBands, ...],
    ) -> None:
        self._model, self._pipeline = model, pipeline
        self.properties = model.properties
        self.left_out, self.emitters = left_out, emitters
        if pipeline.smoothing != "none":
            self.smoothing = Smoothing(pipeline.smoothing, pipeline.window)

    def band(self, column: int) -> Band | None:
        bounds = self._model.bounds
        if not len(bounds):
            return None
        # Times of linear points need not increase where only late runs reach the last ones.
        order = np.argsort(bounds.times_s, kind="stable")
        sides = (side[order, column] for side in (bounds.lower, bounds.expected, bounds.upper))
        return Band(bounds.times_s[order], *sides)

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        smoothed = self._compare(run).smoothed
        return smoothed.times_s, smoothed.values

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """Return the largest share of the way to a limit: more than 1 exactly if there is a finding."""
        shares = [np.full((1, len(self.properties)), -1.0)]
        for comparison in map(self._compare, runs):
            bounds = comparison.bounds
            for sign, end in ((1.0, bounds.upper), (-1.0, bounds.lower)):
                way = _shares(comparison.smoothed.values, bounds.expected, end, comparison.beyond, sign)
                shares.append(np.nan_to_num(way, nan=-1.0, posinf=np.inf))
        most = np.concatenate(shares).max(axis=0)
        return np.where(most < 0, np.nan, most)

    def _compare(self, run: Run) -> BandComparison:
        return compare(thin(run), self._model, self._pipeline)


def _shares(
    values: FloatArray, expected: FloatArray, end: FloatArray, beyond: FloatArray, sign: float
) -> FloatArray:
    """Return each value's share of the way to a limit: 0 as expected or on the other side, more than 1 beyond
    it.

    If the limit is the centre itself, every value beyond it has an infinite share.
    """
    width = end - expected
    outside = beyond * sign > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.maximum((values - expected) / width, 0.0)
    share = np.where(width == 0, np.where(outside, np.inf, 0.0), share)
    # A value that differs from its limit only by rounding is inside.
    share = np.where(outside, np.maximum(share, _BEYOND), np.minimum(share, 1.0))
    return np.where(np.isnan(beyond), np.nan, share)
