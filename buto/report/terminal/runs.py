"""Print stored runs: a list with a line for each, or one run with all its properties."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import numpy as np

from buto.report.document import align
from buto.report.terminal.style import sparkline
from buto.run.labels import RunLabel
from buto.run.model import PURPOSE, MetadataValue, Outcome, Quality, Run, SourceState
from buto.run.names import start_of
from buto.run.patterns import fits
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

_HEADS = ("TEST", "RUN", "FOR", "LABEL", "AGE", "DURATION", "SAMPLES", "SIZE", "OUTCOME", "STATE")
_LABEL_AT = _HEADS.index("LABEL")

_PURPOSES = {"stage": "kept program"}
"""Words for what a run is for, where the stored one says little to who reads a list."""
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
    rows = [
        _HEADS,
        *(
            _list_row(test, summary, now, (test, summary.id) in learned, labels.get((test, summary.id), ""))
            for test, summary in runs
        ),
    ]
    return align(rows if labels else [(*row[:_LABEL_AT], *row[_LABEL_AT + 1 :]) for row in rows])


def run_lines(run: Run, now: datetime, *, whole: bool = False, labels: Sequence[RunLabel] = ()) -> list[str]:
    """Return everything that is known of one run.

    Args:
        now: for its age.
        labels: all that it has or had, oldest first.
        whole: whether system properties, properties that are always zero or unreadable, all
            notifications and all texts in full length are given.
    """
    limit = None if whole else MAX_TEXT

    def row(*texts: str) -> tuple[str, ...]:
        return tuple(_show(text, limit) for text in texts)

    heard = [
        row(
            format_seconds(notification.time_s),
            notification.type,
            notification.source,
            f"#{notification.sequence}",
            notification.message,
        )
        for notification in run.notifications[: None if whole else MAX_NOTIFICATIONS]
    ]
    if len(heard) < len(run.notifications):
        heard.append(("...", f"{len(run.notifications) - len(heard)} more", "", "", ""))
    sections = {
        "labels": [row(*_label_texts(label)) for label in labels],
        "services": [row(*_service_texts(name, output)) for name, output in run.outputs.items()],
        "sources": [row(source.name, source.kind, _how_read(source)) for source in run.sources],
        "metadata": _metadata_rows(run, limit),
        "properties": _property_rows(run, Role.PROGRAM, whole),
        "cost of measuring": _property_rows(run, Role.COST, whole),
        "marks": [row(format_seconds(mark.time_s), mark.name, mark.text) for mark in run.marks],
        "notifications": heard,
    }
    lines = align([(f"{key}:", _show(value, None)) for key, value in _facts(run, now)])
    for title, rows in sections.items():
        lines += ["", title, *(f"  {line}" for line in align(rows))] if rows else []
    return lines


def _facts(run: Run, now: datetime) -> list[tuple[str, str]]:
    start = start_of(run.id)
    quality = run.quality
    return [
        ("test", run.test),
        ("run", f"{run.id}{'' if start is None else f' ({_age(start, now)} ago)'}"),
        *_jvm_facts(run),
        ("outcome", f"{run.outcome.describe()}; ran for {format_seconds(run.outcome.duration_s)}"),
        ("last sample", run.outcome.last_sample),
        ("samples", f"{format_number(run.n_samples)} of {format_count(len(run.properties), 'property')}"),
        *_window_fact(run),
        ("state", _state(quality)),
        ("missed", f"{format_percent(quality.missed_share)} of the planned samples"),
        ("largest gap", format_seconds(quality.largest_gap_s)),
        ("foreign load", format_percent(quality.foreign_load)),
        ("output", f"{format_bytes(len(run.stdout))}, errors {format_bytes(len(run.stderr))}"),
    ]


def _label_texts(run_label: RunLabel) -> tuple[str, ...]:
    given = run_label.labelling
    label = f"{given.label.value}{' (replaced)' if run_label.is_replaced else ''}"
    return label, given.command, given.person, f"{given.at.astimezone(UTC):%Y-%m-%d %H:%M}", given.reason


def _how_read(source: SourceState) -> str:
    return f"gave nothing at the end: {source.reason}" if source.reason else "was read to the end"


def _service_texts(name: str, output: bytes) -> tuple[str, ...]:
    last = output.decode(errors="replace").rstrip().rpartition("\n")[2]
    return name, f"{format_bytes(len(output))} of output", f"last line: {last}" if last else ""


def _jvm_facts(run: Run) -> list[tuple[str, str]]:
    name, others = run.metadata.get("buto.jvm"), run.metadata.get("buto.jvms.others")
    if others and not name:
        return [("jvm", f"{others} was seen, and is measured from outside (the setting measure)")]
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


def _list_row(test: str, summary: RunSummary, now: datetime, learned: bool, label: str) -> tuple[str, ...]:
    start = start_of(summary.id)
    head = summary.head
    purpose = "" if head is None else str(head.metadata.get(PURPOSE, ""))
    purpose = _show(_PURPOSES.get(purpose, purpose), None)
    reason = ", ".join(filter(None, (purpose, "oracle" if learned else "")))
    age = "" if start is None else _age(start, now)
    beginning = (_show(test, None), summary.id, reason, label, age)
    if head is None:
        return (*beginning, "", "", "", "", f"damaged: {_show(summary.damage, None)}")
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
        (_show(key, limit), _show(text, limit)) for key, text in texts.items() if key not in left_out
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
    return format_bytes(value) if fits(key, "*.memory.*") else format_number(value)


def _property_rows(run: Run, role: Role, whole: bool) -> list[tuple[str, ...]]:
    ours = [prop for prop in run.properties if prop.role is role]
    shown = [prop for prop in ours if whole or np.nan_to_num(run.series(prop.name)).any()]
    rows = [_property_row(run, prop) for prop in shown]
    if len(shown) < len(ours):
        left_out = f"... {len(ours) - len(shown)} always zero or unreadable, shown by --whole"
        rows.append((left_out, "", "", "", "", ""))
    return [("", "first", "last", "min", "max", ""), *rows] if rows else []


def _property_row(run: Run, prop: Property) -> tuple[str, ...]:
    values = run.series(prop.name)
    known = values[~np.isnan(values)]
    reason = _show(run.nan_reasons.get(prop.name, ""), MAX_TEXT)
    figures = (known[0], known[-1], known.min(), known.max()) if known.size else [math.nan] * 4
    curve = sparkline(values, SPARKLINE_WIDTH) if known.size else ""
    texts = (format_quantity(float(figure), prop.unit) for figure in figures)
    return _show(prop.name, None), *texts, "  ".join(filter(None, (curve, reason)))


def _state(quality: Quality) -> str:
    return "valid" if quality.valid else f"invalid: {_show(quality.describe(), None)}"


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


def _show(text: str, limit: int | None) -> str:
    """Return one line that cannot move the cursor, cut at ``limit`` characters."""
    cut = text if limit is None or len(text) <= limit else f"{text[:limit]} ..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in cut)
