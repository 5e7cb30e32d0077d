"""Print stored runs: a list with a line for each, or one run with all its properties."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from fnmatch import fnmatchcase

import numpy as np

from buto.report.document import aligned
from buto.report.terminal.style import sparkline
from buto.run.labels import RunLabel
from buto.run.model import PURPOSE, Mark, MetadataValue, Notification, Outcome, Quality, Run, SourceState
from buto.run.names import start_of
from buto.run.properties import Property, Role
from buto.run.store import RunSummary
from buto.run.units import (
    format_age,
    format_bytes,
    format_count,
    format_number,
    format_percent,
    format_quantity,
    format_seconds,
)
from buto.run.window import WINDOW, window_of

SPARKLINE_WIDTH = 30
MAX_NOTIFICATIONS = 10
MAX_TEXT = 120
"""Characters of a metadata value or a message; class paths are longer."""

SYSTEM_PROPERTY = "system.property["
"""Prefix of the metadata keys that only ``--whole`` shows; a JVM has about fifty."""

_LIST_HEADER = ("TEST", "RUN", "FOR", "AGE", "DURATION", "SAMPLES", "SIZE", "OUTCOME", "STATE")
_LABEL, _LABEL_AT = "LABEL", 3
"""Header of the column of labels, and its place."""

NO_LABELS: Mapping[tuple[str, str], str] = {}


def list_lines(
    runs: Iterable[tuple[str, RunSummary]],
    now: datetime,
    learned: Container[tuple[str, str]] = (),
    labels: Mapping[tuple[str, str], str] = NO_LABELS,
) -> list[str]:
    """Return a header and one line for each pair of a test and a run.

    Args:
        now: for their age.
        learned: test and id of the runs that oracles have learned from.
        labels: by test and id; without any, there is no column for them.
    """
    every = list(runs)
    rows = [_LIST_HEADER, *(_list_row(test, one, now, (test, one.id) in learned) for test, one in every)]
    if not labels:
        return aligned(rows)
    column = [_LABEL, *(labels.get((test, one.id), "") for test, one in every)]
    labelled = [(*row[:_LABEL_AT], text, *row[_LABEL_AT:]) for row, text in zip(rows, column, strict=True)]
    return aligned(labelled)


def run_lines(run: Run, now: datetime, *, whole: bool = False, labels: Sequence[RunLabel] = ()) -> list[str]:
    """Return everything that is known of one run.

    Args:
        now: for its age.
        labels: all that it has or had, oldest first.
        whole: whether system properties, properties that are always zero or unreadable, all
            notifications and all texts in full length are given.
    """
    start = start_of(run.id)
    age = "" if start is None else f" ({_age(start, now)} ago)"
    limit = None if whole else MAX_TEXT
    facts = [
        ("test", run.test),
        ("run", f"{run.id}{age}"),
        *_jvm_facts(run),
        ("outcome", f"{run.outcome.describe()}; ran for {format_seconds(run.outcome.duration_s)}"),
        ("last sample", run.outcome.last_sample),
        ("samples", f"{run.n_samples} of {format_count(len(run.properties), 'property')}"),
        *_window_fact(run),
        ("state", _state(run.quality)),
        ("missed", f"{format_percent(run.quality.missed_share)} of the planned samples"),
        ("largest gap", format_seconds(run.quality.largest_gap_s)),
        ("foreign load", format_percent(run.quality.foreign_load)),
        ("output", f"{format_bytes(len(run.stdout))}, errors {format_bytes(len(run.stderr))}"),
    ]
    lines = [aligned([(f"{key}:", _shown(value, None)) for key, value in facts])]
    services = [_service_row(name, output, limit) for name, output in run.outputs.items()]
    lines += [_section("labels", [_label_row(one, limit) for one in labels])]
    lines += [_section("services", services)]
    lines += [_section("sources", [_source_row(source, limit) for source in run.sources])]
    lines += [_section("metadata", _metadata_rows(run, limit))]
    for title, role in (("properties", Role.PROGRAM), ("cost of measuring", Role.COST)):
        ours = [prop for prop in run.properties if prop.role is role]
        shown_ones = [prop for prop in ours if whole or np.nan_to_num(run.series(prop.name)).any()]
        rows = [_property_row(run, prop) for prop in shown_ones]
        if len(shown_ones) < len(ours):
            left_out = f"... {len(ours) - len(shown_ones)} always zero or unreadable, shown by --whole"
            rows.append((left_out, "", "", "", "", ""))
        lines += [_section(title, [("", "first", "last", "min", "max", ""), *rows] if rows else [])]
    lines += [_section("marks", [_mark_row(mark, limit) for mark in run.marks])]
    shown = run.notifications if whole else run.notifications[:MAX_NOTIFICATIONS]
    notifications = [_notification_row(notification, limit) for notification in shown]
    if len(shown) < len(run.notifications):
        notifications.append(("...", f"{len(run.notifications) - len(shown)} more", "", "", ""))
    lines += [_section("notifications", notifications)]
    return [line for part in lines for line in part]


def _label_row(one: RunLabel, limit: int | None) -> tuple[str, ...]:
    given = one.labelling
    return (
        f"{given.label.value} (replaced)" if one.is_replaced else given.label.value,
        _shown(given.command, limit),
        _shown(given.person, limit),
        f"{given.at.astimezone(UTC):%Y-%m-%d %H:%M}",
        _shown(given.reason, limit),
    )


def _source_row(source: SourceState, limit: int | None) -> tuple[str, ...]:
    how = f"gave nothing at the end: {source.reason}" if source.reason else "was read to the end"
    return source.name, source.kind, _shown(how, limit)


def _jvm_facts(run: Run) -> list[tuple[str, str]]:
    """Return which JVM was measured, if that is known, and which others were not."""
    name, others = run.metadata.get("buto.jvm"), run.metadata.get("buto.jvms.others")
    if not name:
        return []
    also = f"; also seen: {others} (the setting jvm measures another)" if others else ""
    return [("jvm", f"{name}{also}")]


def _window_fact(run: Run) -> list[tuple[str, str]]:
    """Return which part of the run is learned and judged, if it is not all of it."""
    window = window_of(run)
    if window is None:
        return []
    start_s, end_s = window
    return [
        ("window", f"{run.metadata[WINDOW]}: {format_seconds(start_s)} to {format_seconds(end_s)} is judged")
    ]


def _list_row(test: str, summary: RunSummary, now: datetime, learned: bool) -> tuple[str, ...]:
    start = start_of(summary.id)
    head = summary.head
    purpose = "" if head is None else _shown(str(head.metadata.get(PURPOSE, "")), None)
    reason = ", ".join(filter(None, (purpose, "oracle" if learned else "")))
    beginning = (_shown(test, None), summary.id, reason, "" if start is None else _age(start, now))
    if head is None:
        return (*beginning, "", "", "", "", f"damaged: {_shown(summary.damage, None)}")
    return (
        *beginning,
        format_seconds(head.outcome.duration_s),
        str(head.samples),
        format_bytes(summary.size_bytes),
        _short(head.outcome),
        _state(head.quality),
    )


def _metadata_rows(run: Run, limit: int | None) -> list[tuple[str, ...]]:
    texts = {key: _metadata_text(key, value, limit) for key, value in sorted(run.metadata.items())}
    left_out = [key for key in texts if limit is not None and key.startswith(SYSTEM_PROPERTY)]
    rows: list[tuple[str, ...]] = [
        (_shown(key, limit), _shown(text, limit)) for key, text in texts.items() if key not in left_out
    ]
    if left_out:
        rows.append(("...", f"{format_count(len(left_out), 'system property')}, shown by --whole"))
    return rows


def _metadata_text(key: str, value: MetadataValue, limit: int | None) -> str:
    """Return a known quantity in its unit, anything else as recorded."""
    if value is None:
        return ""
    if limit is None or isinstance(value, str) or not math.isfinite(value):
        return str(value)
    if key == "jvm.start.time":
        return f"{datetime.fromtimestamp(value / 1000, UTC):%Y-%m-%d %H:%M:%S} UTC"
    if key == "jvm.uptime":
        return format_seconds(value / 1000)
    if key == "buto.interval":
        return format_seconds(value)
    return format_bytes(value) if fnmatchcase(key, "*.memory.*") else format_number(value)


def _property_row(run: Run, prop: Property) -> tuple[str, ...]:
    values = run.series(prop.name)
    known = values[~np.isnan(values)]
    name = f"{_shown(prop.name, None)}"
    reason = run.nan_reasons.get(prop.name, "")
    if not known.size:
        return (name, *[format_quantity(math.nan, prop.unit)] * 4, _shown(reason, MAX_TEXT))
    figures = (known[0], known[-1], known.min(), known.max())
    curve = sparkline(values, SPARKLINE_WIDTH) + (f"  {_shown(reason, MAX_TEXT)}" if reason else "")
    return (name, *(format_quantity(float(figure), prop.unit) for figure in figures), curve)


def _mark_row(mark: Mark, limit: int | None) -> tuple[str, ...]:
    return (format_seconds(mark.time_s), _shown(mark.name, limit), _shown(mark.text, limit))


def _service_row(name: str, output: bytes, limit: int | None) -> tuple[str, ...]:
    last = output.decode(errors="replace").rstrip().rpartition("\n")[2]
    return (
        name,
        f"{format_bytes(len(output))} of output",
        f"last line: {_shown(last, limit)}" if last else "",
    )


def _notification_row(notification: Notification, limit: int | None) -> tuple[str, ...]:
    return (
        format_seconds(notification.time_s),
        _shown(notification.type, limit),
        _shown(notification.source, limit),
        f"#{notification.sequence}",
        _shown(notification.message, limit),
    )


def _state(quality: Quality) -> str:
    return "valid" if quality.valid else f"invalid: {_shown(quality.describe(), None)}"


def _short(outcome: Outcome) -> str:
    if outcome.harness_lost:
        return "harness lost"
    if outcome.timed_out:
        return "timeout"
    if outcome.signal is not None:
        return f"signal {outcome.signal}"
    return "left running" if outcome.exit_code is None else f"exit {outcome.exit_code}"


def _age(start: datetime, now: datetime) -> str:
    return format_age((now - start).total_seconds())


def _shown(text: str, limit: int | None) -> str:
    """Return one line that cannot move the cursor, cut at ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} ..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)


def _section(title: str, rows: Sequence[tuple[str, ...]]) -> list[str]:
    return ["", title, *(f"  {line}" for line in aligned(rows))] if rows else []
