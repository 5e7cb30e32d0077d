"""What a page with charts is made of, be the runs judged or only recorded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from buto.classify.notifications import Emitter
from buto.detectors.views import OF_BAND, RunsView, Smoothing, View
from buto.properties import Property, Role, is_judged, reading_rank
from buto.report.panels import Panel, panels_of
from buto.runs import FloatArray, Run, RunSet
from buto.runs.long import drawn_stride
from buto.verdicts import OF_CHECK, Roles

NO_RUNS = RunSet(())
OF_RECORDING = Roles("recorded", "recorded runs", "", "other runs")


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Charted:
    """Runs of a test with their curves.

    Attributes:
        test: its name.
        made: when the report was created; aware.
        checked: the runs that the report is about.
        training: stored runs behind them; may be empty.
        panels: one for each property, the most important first.
        costs: the overhead of measuring.
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
    emitters: tuple[Emitter, ...] = ()
    reach_of: str = OF_BAND
    stride: int = 1
    smoothing: Smoothing | None = None

    @property
    def roles(self) -> Roles:
        """What these runs and those behind them are called."""
        return OF_CHECK


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecordedRuns(Charted):
    """Runs that nothing judges, for there is no oracle."""

    @property
    def roles(self) -> Roles:
        return OF_RECORDING


def recorded_runs(runs: RunSet, made: datetime) -> RecordedRuns:
    """Return the report of at least one run of one test, without bands."""
    view = RunsView([run for run in runs if run.quality.valid] or runs.runs)
    panels = sorted(
        panels_of(view, (), runs.runs), key=lambda panel: (not panel.moves, reading_rank(panel.prop.name))
    )
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
    """Return the panels of what measuring cost."""
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

    def wanted(prop: Property) -> bool:
        return prop.role is Role.PROGRAM and prop.name not in names and not is_judged(prop)

    drawn = panels_of(_RunsBeside(judged, (*checked, *training), wanted), training, checked)
    found = (replace(panel, judged=False) for panel in drawn)
    return tuple(sorted(found, key=lambda panel: (not panel.moves, reading_rank(panel.prop.name))))


def stride_of(*sets: RunSet) -> int:
    """Return of how many samples one is drawn."""
    return max((drawn_stride(run) for runs in sets for run in runs), default=1)
