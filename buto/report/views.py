"""What can be shown of an oracle, whichever detector it has: bands, and runs as they were judged."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Protocol

import numpy as np

from buto.analysis.pipeline import Comparison
from buto.analysis.series import series_of
from buto.classify.notifications import Emitter
from buto.detectors.calibrated.detector import FittedCalibrated
from buto.detectors.calibrated.findings import standing
from buto.oracle import FittedBounds, Oracle
from buto.properties import Property
from buto.report.panel import Band, Curve, Panel
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import drawn, drawn_stride
from buto.verdicts import Finding

OF_BAND = "of its band"
_BEYOND = np.nextafter(1.0, 2.0)


class View(Protocol):
    """What a detector shows of what it learned. A new detector gets one here, in :func:`view_of`."""

    @property
    def properties(self) -> tuple[Property, ...]:
        """What is judged; the columns of all that follows."""

    def band(self, column: int) -> Band | None:
        """What is expected of one property over time; None where nothing is said of times."""

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        """A run as it is judged: times, shape (n,), and values, shape (n, n_properties)."""

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """How far the runs together are on their way to a finding, shape (n_properties,), or NaN.

        0 is as expected, more than 1 is a finding.
        """

    @property
    def reach_of(self) -> str:
        """What a reach is a share of, for behind a percentage."""

    @property
    def left_out(self) -> Mapping[str, str]:
        """Properties that are not judged, each with the reason."""

    @property
    def emitters(self) -> tuple[Emitter, ...]:
        """The notifications that are expected, with their times."""


class BoundsView:
    """Of the bounds oracle."""

    def __init__(self, fitted: FittedBounds) -> None:
        self._fitted = fitted

    @property
    def properties(self) -> tuple[Property, ...]:
        return self._fitted.model.properties

    @property
    def left_out(self) -> Mapping[str, str]:
        return self._fitted.left_out

    @property
    def emitters(self) -> tuple[Emitter, ...]:
        return self._fitted.notifications.emitters

    def band(self, column: int) -> Band | None:
        bounds = self._fitted.model.bounds
        if not len(bounds):
            return None
        # Times of linear points need not increase where only late runs reach the last ones.
        order = np.argsort(bounds.times_s, kind="stable")
        sides = (side[order, column] for side in (bounds.lower, bounds.expected, bounds.upper))
        return Band(bounds.times_s[order], *sides)

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        smoothed = self._fitted.compare(run).smoothed
        return smoothed.times_s, smoothed.values

    @property
    def reach_of(self) -> str:
        return OF_BAND

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """The rule's own statistic: more than 1 for one run exactly where a finding is made.

        Of the points of a run, the one counts that ``outside_share`` of them reach; of several runs, the
        one that decides (any of them, or the middle one).
        """
        if not runs:
            return np.full(len(self.properties), np.nan)
        settings = self._fitted.settings
        used = np.array([self._used(self._fitted.compare(run)) for run in runs])
        needed = 1 if settings.runs_outside == "any" else len(runs) // 2 + 1
        both = np.sort(np.nan_to_num(used, nan=-1.0, posinf=np.inf), axis=0)[-needed].max(axis=0)
        return np.where(both < 0, np.nan, both)

    def _used(self, comparison: Comparison) -> FloatArray:
        """Of one run, upwards and downwards, shape (2, n_properties)."""
        bounds, settings = comparison.bounds, self._fitted.settings
        known = ~np.isnan(comparison.beyond)
        needed = np.maximum(1, np.ceil(settings.outside_share * known.sum(axis=0) - 1e-9)).astype(np.int64)
        limits = self._fitted.model.summaries
        sides = []
        for sign, end, whole in ((1.0, bounds.upper, limits.upper), (-1.0, bounds.lower, limits.lower)):
            shares = _shares(comparison.smoothed.values, bounds.expected, end, comparison.beyond, sign)
            number = _shares(comparison.summaries, limits.expected, whole, comparison.summaries_beyond, sign)
            ranked = np.sort(np.nan_to_num(shares, nan=-1.0, posinf=np.inf), axis=0)
            rows = np.clip(len(ranked) - needed, 0, None)
            side = ranked[rows, np.arange(len(needed))] if len(ranked) else np.full(len(needed), -1.0)
            if settings.summaries:
                side = np.maximum(side, np.nan_to_num(number, nan=-1.0, posinf=np.inf).max(axis=0))
            sides.append(np.where(side < 0, np.nan, side))
        return np.array(sides)


class CalibratedView(BoundsView):
    """Of the calibrated oracle: its bands show when and where, its contrasts decide."""

    def __init__(self, fitted: FittedCalibrated) -> None:
        super().__init__(fitted.bands)
        self._calibrated = fitted

    @property
    def reach_of(self) -> str:
        return "of what stands out"

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        """The largest contrast of each property, as a share of what would stand out by itself."""
        if not runs:
            return super().reach(runs)
        shares = standing(self._calibrated.evidence(RunSet(tuple(runs))), self._calibrated.settings)
        return np.array([shares.get(prop.name, np.nan) for prop in self.properties])


class RunsView:
    """Of a detector that has nothing to draw: the runs alone."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self.properties = tuple({prop.name: prop for run in runs for prop in run.properties}.values())
        self.left_out: Mapping[str, str] = {}
        self.reach_of = ""
        self.emitters: tuple[Emitter, ...] = ()

    def band(self, column: int) -> Band | None:
        return None

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        series = series_of(drawn(run), self.properties)
        return series.times_s, series.values

    def reach(self, runs: Sequence[Run]) -> FloatArray:
        return np.full(len(self.properties), np.nan)


def view_of(oracle: Oracle, runs: Sequence[Run]) -> View:
    """The view of an oracle's detector; ``runs`` say which properties there are where it does not."""
    if isinstance(oracle.fitted, FittedBounds):
        return BoundsView(oracle.fitted)
    if isinstance(oracle.fitted, FittedCalibrated):
        return CalibratedView(oracle.fitted)
    return RunsView(runs)


def panels_of(
    view: View, training: Sequence[Run], checked: Sequence[Run], findings: Sequence[Finding] = ()
) -> tuple[Panel, ...]:
    """One panel for each property of a view.

    Those with findings come first, in the order of the findings; then those that move, by their
    reach; then what stays the same in all runs.
    """
    taught = [(run.id, *view.curves(run)) for run in training]
    judged = [(run.id, *view.curves(run)) for run in checked]
    reach = view.reach(checked)
    of_some = any(drawn_stride(run) > 1 for run in (*training, *checked))
    rank = {finding.subject: place for place, finding in reversed(list(enumerate(findings)))}
    panels = [
        Panel(
            prop,
            [Curve(times, values[:, column], run_id) for run_id, times, values in taught],
            [Curve(times, values[:, column], run_id) for run_id, times, values in judged],
            view.band(column),
            [finding for finding in findings if finding.subject == prop.name],
            None if math.isnan(reach[column]) else float(reach[column]),
            of_some=of_some,
        )
        for column, prop in enumerate(view.properties)
    ]
    last = len(findings)
    return tuple(
        sorted(
            panels,
            key=lambda panel: (rank.get(panel.prop.name, last), not panel.moves, -(panel.reach or 0.0)),
        )
    )


def _shares(
    values: FloatArray, expected: FloatArray, end: FloatArray, beyond: FloatArray, sign: float
) -> FloatArray:
    """How far towards a limit each value lies: 0 as expected or on the other side, more than 1 beyond it.

    Beyond a limit on its own centre, which nothing can be a share of, it is infinite.
    """
    width = end - expected
    outside = beyond * sign > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.maximum((values - expected) / width, 0.0)
    share = np.where(width == 0, np.where(outside, np.inf, 0.0), share)
    # A value that differs from its limit by rounding lies inside.
    share = np.where(outside, np.maximum(share, _BEYOND), np.minimum(share, 1.0))
    return np.where(np.isnan(beyond), np.nan, share)
