"""What can be drawn of the thesis's rule: its bands, and how much of them a run uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from buto.analysis.pipeline import Comparison, Model, PipelineSettings, compare
from buto.classify.notifications import Emitter
from buto.detectors.views import OF_BAND, Band, Smoothing, View
from buto.runs import FloatArray, Run
from buto.runs.long import drawn

_BEYOND = np.nextafter(1.0, 2.0)


class BoundsView(View):
    """Bands over time; of a long run only some samples are drawn."""

    reach_of = OF_BAND

    def __init__(
        self,
        model: Model,
        pipeline: PipelineSettings,
        left_out: Mapping[str, str],
        emitters: tuple[Emitter, ...],
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
                found = _shares(comparison.smoothed.values, bounds.expected, end, comparison.beyond, sign)
                shares.append(np.nan_to_num(found, nan=-1.0, posinf=np.inf))
        most = np.concatenate(shares).max(axis=0)
        return np.where(most < 0, np.nan, most)

    def _compare(self, run: Run) -> Comparison:
        return compare(drawn(run), self._model, self._pipeline)


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
