"""The tables of a page, as rows of texts: metadata of both sides, runs, costs of measuring, and classes.

A run's line says how it ended and how well it was measured. Classes are those whose live objects changed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from buto.judging.class_changes import ClassChange
from buto.report.check_report import CheckReport
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.html.chart_data import when
from buto.report.panels import Charted, Curve, Panel, RecordedRuns
from buto.run.model import Run
from buto.run.properties import Kind, split_name
from buto.run.units import (
    format_bytes,
    format_change,
    format_count,
    format_percent,
    format_quantity,
    format_seconds,
)


@dataclass(frozen=True, slots=True)
class ClassRow:
    """A class as the page shows it: numbers and bytes in the judged runs, and how they changed."""

    name: str
    objects: str
    more_objects: str
    size: str
    more_size: str


def class_rows(changes: Sequence[ClassChange]) -> list[ClassRow]:
    """Return a row for each class."""
    return [
        ClassRow(
            name=one.name,
            objects=f"{one.after.instances:,}",
            more_objects=f"{one.instances:+,}",
            size=format_bytes(one.after.size_bytes),
            more_size=format_change(one.before.size_bytes, one.after.size_bytes, "By"),
        )
        for one in changes
    ]


MAX_ROWS = 400
_SIGNS = {
    Likeness.DECIDES: "≠ not comparable",
    Likeness.DIFFERS: "≠",
    Likeness.SAME: "=",
    Likeness.VARIES: "varies",
    Likeness.IGNORED: "not compared",
}


@dataclass(frozen=True, slots=True)
class MetadataRow:
    """One key; None among its values where a run has none."""

    key: str
    kind: str
    sign: str
    meaning: str
    differs: bool
    expected: str | None
    observed: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class MetadataTable:
    """Some keys, with a column for each checked run, or one for all if they are alike."""

    heads: tuple[str, ...]
    rows: tuple[MetadataRow, ...]
    left_out: int


@dataclass(frozen=True, slots=True)
class EnvironmentSection:
    """What differs, and folded tables with their titles."""

    summary: str
    differing: MetadataTable | None
    folded: tuple[tuple[str, MetadataTable], ...]


def environment_section(report: CheckReport) -> EnvironmentSection:
    """Return the metadata in three parts: different, not different, not compared."""
    rows = report.environment
    differing = [row for row in rows if row.likeness in (Likeness.DECIDES, Likeness.DIFFERS)]
    compared = [row for row in rows if row.likeness in (Likeness.SAME, Likeness.VARIES)]
    ignored = [row for row in rows if row.likeness is Likeness.IGNORED]
    n_compared = format_count(len(differing) + len(compared), "compared key")
    verb = "differs" if len(differing) == 1 else "differ"
    alike = f"equal, or not the same in all {report.roles.known_runs}"
    return EnvironmentSection(
        f"{len(differing) or 'None'} of {n_compared} {verb}.",
        _table(differing) if differing else None,
        tuple(
            (f"{format_count(len(folded), 'key')} {title}", _table(folded))
            for title, folded in ((alike, compared), ("not compared", ignored))
            if folded
        ),
    )


def _table(rows: Sequence[EnvironmentRow]) -> MetadataTable:
    width = max(len(row.observed) for row in rows)
    alike = all(len(set(row.observed)) <= 1 for row in rows)
    heads = ["this run" if width == 1 else "these runs"] if alike else [f"run {n + 1}" for n in range(width)]
    shown = [
        MetadataRow(
            row.key,
            row.likeness.name.lower(),
            _SIGNS[row.likeness],
            row.likeness.value,
            row.likeness in (Likeness.DECIDES, Likeness.DIFFERS),
            row.expected,
            row.observed[: len(heads)],
        )
        for row in rows[:MAX_ROWS]
    ]
    return MetadataTable(tuple(heads), tuple(shown), len(rows) - len(shown))


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


MAX_OVERHEAD_ROWS = 400
_BEAN_TIME = "buto.bean.time"


@dataclass(frozen=True, slots=True)
class CostRow:
    """One cost: whether a total or an average, checked runs, maximum, training runs, change."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OverheadSection:
    """The costs of whole runs, and the time to read each MBean, largest first."""

    whole: tuple[CostRow, ...]
    beans: tuple[CostRow, ...]


def overhead_section(report: Charted) -> OverheadSection:
    """Return the costs, at most MAX_ROWS of each kind."""
    whole = [panel for panel in report.costs if split_name(panel.prop.name)[0] != _BEAN_TIME]
    beans = [panel for panel in report.costs if split_name(panel.prop.name)[0] == _BEAN_TIME]
    whole.sort(key=lambda panel: panel.prop.name)
    beans.sort(key=lambda panel: -(_typical(panel.checked, panel) or 0.0))
    return OverheadSection(
        tuple(map(_overhead_row, whole[:MAX_OVERHEAD_ROWS])),
        tuple(map(_overhead_row, beans[:MAX_OVERHEAD_ROWS])),
    )


def _overhead_row(panel: Panel) -> CostRow:
    unit, is_counter = panel.prop.unit, panel.prop.kind is Kind.COUNTER
    now, before = _typical(panel.checked, panel), _typical(panel.training, panel)
    peaks = [float(np.nanmax(one.values)) for one in panel.checked if np.isfinite(one.values).any()]
    highest = None if is_counter else max(peaks, default=None)
    change = "" if now is None or before is None else format_change(before, now, unit)
    values = ("" if one is None else format_quantity(one, unit) for one in (now, highest, before))
    return CostRow(panel.prop.name, ("total" if is_counter else "average", *values, change))


def _typical(curves: Sequence[Curve], panel: Panel) -> float | None:
    """Return the median over runs of a counter's last value, or of the mean of anything else."""
    found = []
    for curve in curves:
        known = curve.values[np.isfinite(curve.values)]
        if known.size:
            found.append(float(known[-1] if panel.prop.kind is Kind.COUNTER else known.mean()))
    return median(found) if found else None
