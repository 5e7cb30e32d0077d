"""What a page with charts draws, be the runs judged or only recorded.

A panel is one property: the curves of runs, the expected band, and findings. The marks of a run are on the
time axis: spans, as of a phase or a fault, and moments.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from msgspec import Struct, structs

from buto.judging.classifiers import EmitterBands
from buto.judging.features import quantiles
from buto.judging.readable import possible_band
from buto.judging.verdict import OF_CHECK, Difference, Finding, Roles
from buto.judging.views import OF_BAND, Band, RunsView, Smoothing, View
from buto.run.model import FloatArray, Mark, Run, RunSet
from buto.run.properties import Property, Role, is_judged, reading_rank
from buto.run.thinning import stride_of_draw
from buto.run.window import PROGRAM_END, PROGRAM_START, is_cut

BEGIN, FINISH = ".start", ".end"
"""Ends of the names of two marks that enclose a span."""

MOST_SPANS = 60
"""More in one chart would be one dark bar."""


class PanelSpan(Struct, frozen=True):
    """A part of the time axis, or a moment.

    Attributes:
        name: of the mark, without ``.start``.
        start_s: seconds on the run's clock.
        end_s: the same as ``start_s`` for a moment.
        text: what the marks say.
    """

    name: str
    start_s: float
    end_s: float
    text: str = ""

    @property
    def is_moment(self) -> bool:
        return self.start_s == self.end_s


def spans_of(run: Run) -> tuple[PanelSpan, ...]:
    """Return what a chart draws of a run's marks: at most MOST_SPANS, in the order of their beginning.

    ``NAME.start`` begins a span that the next ``NAME.end`` ends, or the end of the run. Any other mark is a
    moment. What lies outside of the samples, or contains all of them, is left out.
    """
    if not len(run.times_s):
        return ()
    first_s, last_s = float(run.times_s[0]), float(run.times_s[-1])
    spans: list[PanelSpan] = []
    open_marks: dict[str, Mark] = {}
    for mark in run.marks:
        if mark.name in (PROGRAM_START, PROGRAM_END):
            continue
        name, is_end = mark.name.removesuffix(FINISH), mark.name.endswith(FINISH)
        if mark.name.endswith(BEGIN):
            open_marks.setdefault(mark.name.removesuffix(BEGIN), mark)
        elif is_end and name in open_marks:
            begun = open_marks.pop(name)
            text = "; ".join(filter(None, (begun.text, mark.text)))
            spans.append(PanelSpan(name, begun.time_s, mark.time_s, text))
        else:
            spans.append(PanelSpan(mark.name, mark.time_s, mark.time_s, mark.text))
    spans += [PanelSpan(name, mark.time_s, last_s, mark.text) for name, mark in open_marks.items()]
    drawn = [
        span
        for span in spans
        if span.end_s >= first_s
        and span.start_s <= last_s
        and (span.start_s > first_s or span.end_s < last_s)
    ]
    return tuple(sorted(drawn, key=lambda span: (span.start_s, -span.end_s))[:MOST_SPANS])


OF_PROGRAM, OF_WINDOW = "the program's start", "the window's start"

FEWEST_POINTS = 3
"""With fewer values a run has no curve."""

MOST = 0.5
"""A run has left its band at a time if more than this share of its later points is outside."""


class Curve(Struct, frozen=True, eq=False):
    """One property of one run, as it was judged (smoothed, if the oracle smooths).

    Attributes:
        times_s: shape (n,), increasing, seconds from the program's start.
        values: shape (n,), NaN if not readable.
    """

    times_s: FloatArray
    values: FloatArray
    run_id: str = ""


class Panel(Struct, frozen=True, eq=False):
    """One property in one pair of axes.

    Attributes:
        reach: how close the checked runs are to a finding, see :meth:`buto.judging.views.View.reach`; None
            if nothing was judged.
        of_some: whether the curves have only some samples, which cannot show that a property is constant.
        judged: whether the method judges the property at all.
        spans: of the first checked run.
        zero: what happened at time zero.
        band_decides: whether a value outside the band counts; if not, it is the range of the training runs.
    """

    prop: Property
    training: Sequence[Curve] = ()
    checked: Sequence[Curve] = ()
    band: Band | None = None
    findings: Sequence[Difference] = ()
    reach: float | None = None
    of_some: bool = False
    judged: bool = True
    spans: Sequence[PanelSpan] = ()
    zero: str = OF_PROGRAM
    band_decides: bool = True
    noted: Sequence[Difference] = ()

    @property
    def changes(self) -> Sequence[Difference]:
        return (*self.findings, *self.noted)

    @property
    def has_curves(self) -> bool:
        """Whether any run has values at several times; what is counted at the exit only has one."""
        return any(
            np.count_nonzero(np.isfinite(curve.values)) >= FEWEST_POINTS
            for curve in (*self.training, *self.checked)
        )

    @property
    def since_s(self) -> float | None:
        """From when on most points of the run of the first change are outside its band.

        Seconds from the program's start; None without a change, without a band, or if the run does not
        stay outside, or has no curve.
        """
        band = self.band if self.has_curves else None
        found_in = self.changes[0].run_id if self.changes else ""
        curve = next(
            (checked_curve for checked_curve in self.checked if checked_curve.run_id == found_in), None
        )
        if curve is None or band is None or not len(band.times_s):
            return None
        lower, upper = (np.interp(curve.times_s, band.times_s, side) for side in (band.lower, band.upper))
        outside = (curve.values > upper) | (curve.values < lower)
        known = ~np.isnan(curve.values + lower + upper)
        times, outside = curve.times_s[known], outside[known]
        still = np.cumsum(outside[::-1])[::-1] / np.arange(len(outside), 0, -1)
        began = np.flatnonzero(outside & (still > MOST))
        return float(times[began[0]]) if began.size else None

    def outside_s(self, finding: Difference) -> tuple[float, float] | None:
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
    def moves(self) -> bool:
        """Whether its value changes within or between runs; true if that is not known."""
        columns = [curve.values for curve in (*self.training, *self.checked)]
        if not columns or self.of_some:
            return True
        values = np.concatenate(columns)
        known = values[np.isfinite(values)]
        return bool(known.size and np.ptp(known) > 0)


def join_readings(times_s: FloatArray, values: FloatArray) -> FloatArray:
    """Return values, shape (n,), with straight lines between those of a source that is not always read.

    A gap that is longer than most stays NaN: there the source could not be read.
    """
    known = np.flatnonzero(~np.isnan(values))
    if len(known) < 3 or len(known) == len(values):
        return values
    gaps_s = np.diff(times_s[known], append=np.inf)
    place = np.searchsorted(known, np.arange(len(values)), side="right") - 1
    usual_s = quantiles(gaps_s[:-1, None], [0.5])[0, 0]
    is_between = (place >= 0) & (gaps_s[place] <= 1.5 * usual_s)
    return np.where(is_between, np.interp(times_s, times_s[known], values[known]), values)


ENVELOPE_INTERVALS = 60


def envelope_of(curves: Sequence[Curve]) -> Band | None:
    """Return the smallest and the largest value of any curve at each time, by intervals of the longest run.

    A line between two points of a curve counts in each interval that it crosses: else the limits would jump
    from one set of sampled runs to the next. A limit between two intervals is the wider one of both, so that
    every point is inside. None without a point.
    """
    points = [(curve.times_s, curve.values) for curve in curves if np.isfinite(curve.values).any()]
    if not points:
        return None
    times, values = _join_readable(points)
    if times.min() == times.max():
        return None
    edges = np.linspace(times.min(), times.max(), ENVELOPE_INTERVALS + 1)
    crossed = [(edges, np.interp(edges, *one, left=np.nan, right=np.nan)) for one in points]
    times, values = _join_readable([*points, *crossed])
    place = np.clip(np.searchsorted(edges, times, side="right") - 1, 0, ENVELOPE_INTERVALS - 1)
    least, most = np.full(ENVELOPE_INTERVALS, np.inf), np.full(ENVELOPE_INTERVALS, -np.inf)
    np.minimum.at(least, place, values)
    np.maximum.at(most, place, values)
    lower = np.minimum(np.append(least[:1], least), np.append(least, least[-1:]))
    upper = np.maximum(np.append(most[:1], most), np.append(most, most[-1:]))
    known = np.isfinite(lower)
    return Band(edges[known], lower[known], (lower[known] + upper[known]) / 2, upper[known])


def _join_readable(points: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[FloatArray, FloatArray]:
    times, values = (np.concatenate(side) for side in zip(*points, strict=True))
    known = np.isfinite(values)
    return times[known], values[known]


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
    curves = {run.id: view.curves(run) for run in (*training, *checked)}
    if reach_of is None:
        reach_of = dict(zip((prop.name for prop in view.properties), view.reach(checked), strict=True))
    reach = [reach_of.get(prop.name, math.nan) for prop in view.properties]
    drawn = (*checked, *training)
    changes = (*findings, *noted)
    rank = {finding.subject: place for place, finding in reversed(list(enumerate(changes)))}
    of_some = any(stride_of_draw(run) > 1 for run in drawn)
    spans = spans_of(checked[0]) if checked else ()
    zero = OF_WINDOW if any(map(is_cut, drawn)) else OF_PROGRAM

    def of(runs: Sequence[Run], column: int) -> list[Curve]:
        rows = [(*curves[run.id], run.id) for run in runs]
        return [
            Curve(times, join_readings(times, values[:, column]), run_id) for times, values, run_id in rows
        ]

    def band(column: int) -> Band | None:
        if not view.bands_decide and (around := envelope_of(of(training, column))):
            return around
        return view.band(column)

    bands = [band(column) for column in range(len(view.properties))]
    differences, others = (
        [finding for finding in some if isinstance(finding, Difference)] for some in (findings, noted)
    )

    panels = [
        Panel(
            prop,
            of(training, column),
            of(checked, column),
            # Without what is impossible in these runs.
            None if band is None else possible_band(band, prop, drawn),
            [difference for difference in differences if difference.subject == prop.name],
            None if math.isnan(reach[column]) else float(reach[column]),
            of_some=of_some,
            spans=spans,
            zero=zero,
            band_decides=view.bands_decide,
            noted=[finding for finding in others if finding.subject == prop.name],
        )
        for column, (prop, band) in enumerate(zip(view.properties, bands, strict=True))
    ]
    last = len(changes)
    return tuple(
        sorted(
            panels,
            key=lambda panel: (rank.get(panel.prop.name, last), not panel.moves, -(panel.reach or 0.0)),
        )
    )


NO_RUNS = RunSet(())
OF_RECORDING = Roles("recorded", "recorded runs", "", "other runs")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Charted:
    """Runs of a test with their curves.

    Attributes:
        made: when the report was created; aware.
        checked: the runs that the report is about.
        training: stored runs behind them; may be empty.
        panels: one for each property, the most important first.
        costs: of measuring.
        emitters: notifications that are expected, with their times.
        reach_of: what a panel's reach is a share of, as a text after the percentage.
        stride: one sample in so many is drawn; 1 unless the runs are too long to hold.
        smoothing: how the curves are smoothed; None if they are not.
    """

    test: str
    made: datetime
    checked: RunSet
    training: RunSet
    panels: tuple[Panel, ...]
    costs: tuple[Panel, ...]
    emitters: tuple[EmitterBands, ...] = ()
    reach_of: str = OF_BAND
    stride: int = 1
    smoothing: Smoothing | None = None

    @property
    def roles(self) -> Roles:
        return OF_CHECK

    def panel(self, name: str) -> Panel | None:
        return next((panel for panel in self.panels if panel.prop.name == name), None)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedRuns(Charted):
    """Runs that nothing judges, for there is no oracle."""

    @property
    def roles(self) -> Roles:
        return OF_RECORDING


def report_recorded_runs(runs: RunSet, made: datetime) -> RecordedRuns:
    """Return the report of at least one run of one test, without bands."""
    view = RunsView([run for run in runs if run.quality.valid] or runs.runs)
    panels = sorted(panels_of(view, (), runs.runs), key=_by_reading)
    return RecordedRuns(
        test=runs.runs[0].test,
        made=made,
        checked=runs,
        training=NO_RUNS,
        panels=tuple(panel for panel in panels if panel.prop.role is Role.PROGRAM),
        costs=costs_of((), runs.runs),
        stride=stride_of(runs),
    )


def costs_of(training: Sequence[Run], checked: Sequence[Run]) -> tuple[Panel, ...]:
    drawn = panels_of(RunsView((*checked, *training)), training, checked)
    return tuple(panel for panel in drawn if panel.prop.role is Role.COST)


class _RunsBeside(RunsView):
    """Runs as they were recorded, at the times of the curves of another view, which may be smoothed."""

    def __init__(self, other: View, runs: Sequence[Run], wanted: Callable[[Property], bool]) -> None:
        super().__init__(runs, wanted)
        self._other = other

    def curves(self, run: Run) -> tuple[FloatArray, FloatArray]:
        times_s, values = super().curves(run)
        wanted_s, _ = self._other.curves(run)
        if not len(times_s):
            return wanted_s, np.full((len(wanted_s), len(self.properties)), np.nan)
        places = np.searchsorted((times_s[1:] + times_s[:-1]) / 2, wanted_s)
        return wanted_s, values[places]


def beside(judged: View, training: Sequence[Run], checked: Sequence[Run]) -> tuple[Panel, ...]:
    """Return the panels of what is recorded of the program and not judged; those that move come first."""
    names = {prop.name for prop in judged.properties}

    def is_wanted(prop: Property) -> bool:
        return prop.role is Role.PROGRAM and prop.name not in names and not is_judged(prop)

    drawn = panels_of(_RunsBeside(judged, (*checked, *training), is_wanted), training, checked)
    panels = (structs.replace(panel, judged=False) for panel in drawn)
    return tuple(sorted(panels, key=_by_reading))


def _by_reading(panel: Panel) -> tuple[bool, tuple[int, int, int]]:
    return not panel.moves, reading_rank(panel.prop.name)


def stride_of(*sets: RunSet) -> int:
    return max((stride_of_draw(run) for runs in sets for run in runs), default=1)
