"""The tables of a page: metadata of both sides, runs, costs of measuring, classes, notifications."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from statistics import median

import numpy as np

from buto.judging.class_changes import ClassChange
from buto.report.check_report import CheckReport
from buto.report.document import Table
from buto.report.environment import EnvironmentRow, Likeness
from buto.report.html.chart_data import when
from buto.report.html.template import markup, property_name
from buto.report.panels import Charted, Curve, Panel
from buto.run.model import Run
from buto.run.properties import Kind, split_name
from buto.run.units import (
    format_bytes,
    format_change,
    format_count,
    format_number,
    format_percent,
    format_quantity,
    format_seconds,
)

MAX_ROWS = 400
MAX_RUNS = 60
MAX_MESSAGES = 100

_BEAN_TIME = "buto.bean.time"
_DIFFERENT = (Likeness.DECIDES, Likeness.DIFFERS)
_SIGNS = {
    Likeness.DECIDES: "≠ not comparable",
    Likeness.DIFFERS: "≠",
    Likeness.SAME: "=",
    Likeness.VARIES: "varies",
    Likeness.IGNORED: "not compared",
}


def class_table(changes: Sequence[ClassChange]) -> Table:
    """Return the classes whose live objects changed: numbers and bytes in the judged runs."""
    rows = [
        (
            markup("<code>{}</code>", change.name),
            format_number(change.after.instances),
            f"{change.instances:+,}",
            format_bytes(change.after.size_bytes),
            format_change(change.before.size_bytes, change.after.size_bytes, "By"),
        )
        for change in changes
    ]
    return Table(("class", "objects", "change", "bytes", "change"), rows)


def metadata_tables(report: CheckReport) -> Iterator[tuple[str, Table]]:
    """Yield title and table of three parts: what differs, where it has no title; the same; not compared."""
    rows = report.environment
    alike = f"equal, or not the same in all {report.roles.known_runs}"
    parts = (
        ("", _DIFFERENT),
        (alike, (Likeness.SAME, Likeness.VARIES)),
        ("not compared", (Likeness.IGNORED,)),
    )
    for title, kinds in parts:
        part = [row for row in rows if row.likeness in kinds]
        if part:
            yield title and f"{format_count(len(part), 'key')} {title}", _metadata(part, report.roles.known)


def environment_summary(report: CheckReport) -> str:
    compared = [row for row in report.environment if row.likeness is not Likeness.IGNORED]
    differing = sum(row.likeness in _DIFFERENT for row in compared)
    verb = "differs" if differing == 1 else "differ"
    return f"{differing or 'None'} of {format_count(len(compared), 'compared key')} {verb}."


def _metadata(rows: Sequence[EnvironmentRow], known: str) -> Table:
    """Return a table with a column for each checked run, or one for all if they are alike."""
    width = max(len(row.observed) for row in rows)
    alike = all(len(set(row.observed)) <= 1 for row in rows)
    heads = ["this run" if width == 1 else "these runs"] if alike else [f"run {n + 1}" for n in range(width)]
    cells = [
        (
            markup('<span title="{}">{}</span>', row.likeness.value, _SIGNS[row.likeness]),
            row.key,
            _value(row.expected),
            *(
                markup("<mark>{}</mark>", value or "none")
                if row.likeness in _DIFFERENT and value != row.expected
                else _value(value)
                for value in row.observed[: len(heads)]
            ),
        )
        for row in rows
    ]
    kinds = [row.likeness.name.lower() for row in rows]
    return Table(("", "key", known, *heads), cells, kinds).first(MAX_ROWS)


def _value(value: str | None) -> str:
    return markup('<span class="none">none</span>') if value is None else value


def run_table(report: Charted, judged: Sequence[str] | None = None) -> Table:
    """Return the checked runs, then those behind them.

    Args:
        judged: ids of the runs that the verdict is about; None if nothing is judged.
    """
    roles = report.roles
    sides = [
        (run, "checked", roles.judged)
        if judged is None or run.id in judged
        else (run, "not-judged", "not judged")
        for run in report.checked
    ]
    sides += [(run, "training", roles.known) for run in report.training]
    heads = ("run", "role", "start", "duration", "end", "samples", "missed", "largest gap", "load by others")
    kinds = [kind for _, kind, _ in sides]
    return Table(heads, [_run(run, role) for run, _, role in sides], kinds).first(MAX_RUNS)


def _run(run: Run, role: str) -> tuple[str, ...]:
    quality = run.quality
    problems = quality.describe()
    return (
        markup("{}<br><small>{}</small>", run.id, problems) if problems else run.id,
        role,
        when(run),
        format_seconds(run.outcome.duration_s),
        run.outcome.describe(),
        str(run.n_samples),
        format_percent(quality.missed_share),
        format_seconds(quality.largest_gap_s),
        "unknown" if math.isnan(quality.foreign_load) else format_percent(quality.foreign_load),
    )


def cost_tables(report: Charted) -> tuple[Table, Table]:
    """Return the costs of whole runs, and the time to read each MBean, largest first."""
    beans = [panel for panel in report.costs if split_name(panel.prop.name)[0] == _BEAN_TIME]
    whole = [panel for panel in report.costs if split_name(panel.prop.name)[0] != _BEAN_TIME]
    whole.sort(key=lambda panel: panel.prop.name)
    beans.sort(key=lambda panel: -(_typical(panel.checked, panel) or 0.0))
    heads = ("cost", "", report.roles.judged, "maximum", report.roles.known, "change")
    first, second = (Table(heads, list(map(_cost, panels[:MAX_ROWS]))) for panels in (whole, beans))
    return first, second


def _cost(panel: Panel) -> tuple[str, ...]:
    unit, is_counter = panel.prop.unit, panel.prop.kind is Kind.COUNTER
    now, before = _typical(panel.checked, panel), _typical(panel.training, panel)
    peaks = [float(np.nanmax(curve.values)) for curve in panel.checked if np.isfinite(curve.values).any()]
    highest = None if is_counter else max(peaks, default=None)
    change = "" if now is None or before is None else format_change(before, now, unit)
    values = ("" if level is None else format_quantity(level, unit) for level in (now, highest, before))
    return property_name(panel.prop.name), "total" if is_counter else "average", *values, change


def _typical(curves: Sequence[Curve], panel: Panel) -> float | None:
    """Return the median over runs of a counter's last value, or of the mean of anything else."""
    columns = [curve.values[np.isfinite(curve.values)] for curve in curves]
    is_counter = panel.prop.kind is Kind.COUNTER
    levels = [float(known[-1] if is_counter else known.mean()) for known in columns if known.size]
    return median(levels) if levels else None


def notification_table(report: Charted) -> Table:
    rows = [
        (
            format_seconds(notification.time_s),
            notification.type,
            notification.source,
            str(notification.sequence),
            notification.message,
        )
        for run in report.checked
        for notification in run.notifications
    ]
    return Table(("time", "type", "source", "number", "message"), rows).first(MAX_MESSAGES)
