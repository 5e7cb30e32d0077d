"""What a report draws of a property: curves of runs, the expected band, and findings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.detectors.possible import possible_band
from buto.detectors.views import Band, View
from buto.properties import Property
from buto.report.spans import Span, spans_of
from buto.runs import FloatArray, Run
from buto.runs.long import drawn_stride
from buto.runs.window import is_cut
from buto.verdicts import Finding

OF_PROGRAM, OF_WINDOW = "the program's start", "the window's start"

MOST = 0.5
"""A run has left its band at a time if more than this share of its later points is outside."""


@dataclass(frozen=True, eq=False, slots=True)
class Curve:
    """One property of one run, as it was judged (smoothed, if the oracle smooths).

    Attributes:
        times_s: shape (n,), increasing, seconds from the program's start.
        values: shape (n,), NaN if not readable.
        run_id: the run that it belongs to.
    """

    times_s: FloatArray
    values: FloatArray
    run_id: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Panel:
    """One property in one pair of axes.

    Attributes:
        findings: what the check fails for, of this property.
        reach: how close the checked runs are to a finding, see :meth:`buto.detectors.views.View.reach`; None
            if nothing was judged.
        of_some: whether the curves have only some samples, which cannot show that a property is constant.
        judged: whether the method judges the property at all.
        spans: of the first checked run.
        zero: what happened at time zero.
        band_decides: whether a value outside the band counts; if not, it is the range of the training runs.
        noted: what is only noted of this property.
    """

    prop: Property
    training: Sequence[Curve] = ()
    checked: Sequence[Curve] = ()
    band: Band | None = None
    findings: Sequence[Finding] = ()
    reach: float | None = None
    of_some: bool = False
    judged: bool = True
    spans: Sequence[Span] = ()
    zero: str = OF_PROGRAM
    band_decides: bool = True
    noted: Sequence[Finding] = ()

    @property
    def changes(self) -> Sequence[Finding]:
        """What the verdict says of the property, be it a finding or noted."""
        return (*self.findings, *self.noted)

    @property
    def since_s(self) -> float | None:
        """From when on most points of the run of the first change are outside its band.

        Seconds from the program's start; None without a change, without a band, or if the run does not
        stay outside.
        """
        curve = next((one for one in self.checked if one.run_id == self._found_in), None)
        if curve is None or self.band is None or not len(self.band.times_s):
            return None
        lower, upper = (
            np.interp(curve.times_s, self.band.times_s, side) for side in (self.band.lower, self.band.upper)
        )
        outside = (curve.values > upper) | (curve.values < lower)
        known = ~np.isnan(curve.values) & ~np.isnan(lower) & ~np.isnan(upper)
        times, outside = curve.times_s[known], outside[known]
        still = np.cumsum(outside[::-1])[::-1] / np.arange(len(outside), 0, -1)
        began = np.flatnonzero(outside & (still > MOST))
        return float(times[began[0]]) if began.size else None

    def outside_s(self, finding: Finding) -> tuple[float, float] | None:
        """Return from when to when the run of a finding was outside the band; None if that is not known.

        The finding's own window is this time only if it has a share of points outside; else the window is
        the part of the run that the finding is about.
        """
        if finding.outside_share is not None:
            return finding.window_s
        since_s = self.since_s
        if since_s is None:
            return None
        return since_s, max(float(curve.times_s[-1]) for curve in self.checked if len(curve.times_s))

    @property
    def _found_in(self) -> str:
        return self.changes[0].run_id if self.changes else ""

    @property
    def moves(self) -> bool:
        """Whether its value changes within or between runs; true if that is not known."""
        columns = [curve.values for curve in (*self.training, *self.checked)]
        if not columns or self.of_some:
            return True
        values = np.concatenate(columns)
        known = values[np.isfinite(values)]
        return bool(known.size and np.ptp(known) > 0)


def panels_of(
    view: View,
    training: Sequence[Run],
    checked: Sequence[Run],
    findings: Sequence[Finding] = (),
    noted: Sequence[Finding] = (),
    reach_of: Mapping[str, float] | None = None,
) -> tuple[Panel, ...]:
    """Return one panel for each property of a view.

    Those with findings come first, in the order of the findings; then those that are noted; then those that
    move, by their reach; then the constant ones.

    Args:
        reach_of: the reach of each property, if the verdict has it; None: the view tells it.
    """
    known = [(run.id, *view.curves(run)) for run in training]
    judged = [(run.id, *view.curves(run)) for run in checked]
    if reach_of is None:
        reach = view.reach(checked)
    else:
        reach = np.array([reach_of.get(prop.name, np.nan) for prop in view.properties])
    of_some = any(drawn_stride(run) > 1 for run in (*training, *checked))
    drawn = (*checked, *training)
    spans = spans_of(checked[0]) if checked else ()
    changes = (*findings, *noted)
    rank = {finding.subject: place for place, finding in reversed(list(enumerate(changes)))}
    panels = [
        Panel(
            prop,
            [Curve(times, values[:, column], run_id) for run_id, times, values in known],
            [Curve(times, values[:, column], run_id) for run_id, times, values in judged],
            _band(view, column, (*training, *checked)),
            [finding for finding in findings if finding.subject == prop.name],
            None if math.isnan(reach[column]) else float(reach[column]),
            of_some=of_some,
            spans=spans,
            zero=OF_PROGRAM if not any(map(is_cut, drawn)) else OF_WINDOW,
            band_decides=view.bands_decide,
            noted=[finding for finding in noted if finding.subject == prop.name],
        )
        for column, prop in enumerate(view.properties)
    ]
    last = len(changes)
    return tuple(
        sorted(
            panels,
            key=lambda panel: (rank.get(panel.prop.name, last), not panel.moves, -(panel.reach or 0.0)),
        )
    )


def _band(view: View, column: int, runs: Sequence[Run]) -> Band | None:
    """Return the band of a property without what is impossible in these runs."""
    band = view.band(column)
    return None if band is None else possible_band(band, view.properties[column], runs)
