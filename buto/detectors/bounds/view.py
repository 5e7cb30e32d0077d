"""The view of the bounds oracle: its bands, and how much of them a run uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from buto.analysis.pipeline import Comparison, Model, compare
from buto.classify.notifications import Emitter
from buto.detectors.bounds.settings import BandSettings
from buto.detectors.views import OF_BAND, Band, Smoothing, View
from buto.runs import FloatArray, Run
from buto.runs.long import drawn

_BEYOND = np.nextafter(1.0, 2.0)


class BoundsView(View):
    """Bands over time; of a long run only some samples are drawn."""

    reach_of = OF_BAND

    def __init__(
        self, model: Model, settings: BandSettings, left_out: Mapping[str, str], emitters: tuple[Emitter, ...]
    ) -> None:
        self._model, self._settings = model, settings
        self.properties = model.properties
        self.left_out, self.emitters = left_out, emitters
        pipeline = settings.pipeline
        if pipeline.smoothing != "none":
            self.smoothing = Smoothing(pipeline.smoothing, pipeline.window, pipeline.shrink_window)

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
        """Return the rule's own statistic: more than 1 for one run exactly if there is a finding.

        For a run, it is the value that ``outside_share`` of the points reach; for several runs, that of the
        run that decides (any of them, or the middle one).
        """
        if not runs:
            return np.full(len(self.properties), np.nan)
        settings = self._settings
        used = np.array([self._used(self._compare(run)) for run in runs])
        needed = 1 if settings.runs_outside == "any" else len(runs) // 2 + 1
        both = np.sort(np.nan_to_num(used, nan=-1.0, posinf=np.inf), axis=0)[-needed].max(axis=0)
        return np.where(both < 0, np.nan, both)

    def _used(self, comparison: Comparison) -> FloatArray:
        """Return the statistic of one run, upwards and downwards, shape (2, n_properties)."""
        bounds, settings = comparison.bounds, self._settings
        known = ~np.isnan(comparison.beyond)
        needed = np.maximum(1, np.ceil(settings.outside_share * known.sum(axis=0) - 1e-9)).astype(np.int64)
        limits = self._model.summaries
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

    def _compare(self, run: Run) -> Comparison:
        return compare(drawn(run), self._model, self._settings.pipeline)


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
