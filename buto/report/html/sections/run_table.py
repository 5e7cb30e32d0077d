"""A line for each run: how it ended, and how well it was measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from buto.report.charted import RecordedRuns
from buto.report.check_report import CheckReport
from buto.report.html.chart_data import when
from buto.runs import Run
from buto.units import format_percent, format_seconds

MAX_RUNS = 60


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run; ``kind`` is ``checked``, ``not-judged`` or ``training``."""

    id: str
    kind: str
    role: str
    problems: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunTable:
    """Runs of both sides.

    Attributes:
        left_out: number of runs that the table has no room for.
        deleted: number of training runs that are no longer in the store.
    """

    rows: tuple[RunRow, ...]
    left_out: int
    deleted: int


def run_table(report: CheckReport) -> RunTable:
    """Return the checked runs, then the training runs."""
    judged, roles = report.verdict.run_ids, report.roles
    rows = [
        _row(run, "checked", roles.judged) if run.id in judged else _row(run, "not-judged", "not judged")
        for run in report.checked
    ]
    rows += [_row(run, "training", roles.known) for run in report.training]
    return RunTable(
        tuple(rows[:MAX_RUNS]),
        max(0, len(rows) - MAX_RUNS),
        len(report.training_ids) - len(report.training),
    )


def recorded_table(report: RecordedRuns) -> RunTable:
    """Return runs that nothing judges."""
    rows = [_row(run, "checked", "recorded") for run in report.checked]
    return RunTable(tuple(rows[:MAX_RUNS]), max(0, len(rows) - MAX_RUNS), 0)


def _row(run: Run, kind: str, role: str) -> RunRow:
    quality = run.quality
    cells = (
        when(run),
        format_seconds(run.outcome.duration_s),
        run.outcome.describe(),
        str(run.n_samples),
        format_percent(quality.missed_share),
        format_seconds(quality.largest_gap_s),
        "unknown" if math.isnan(quality.foreign_load) else format_percent(quality.foreign_load),
    )
    return RunRow(run.id, kind, role, quality.describe(), cells)
