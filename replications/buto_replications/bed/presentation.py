"""The bed's runs and the effects of its faults as tables and pictures."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from math import isnan

from buto.report.panels import Curve
from buto.run.units import format_count, format_number, format_quantity
from buto_replications.bed.effects import BASE_OF_ROLE, COUNTERS, Effect, Faulty, curve, kind_of
from buto_replications.bed.labels import BedRun
from buto_replications.report.charts import FaultPanel, FaultRow, png
from buto_replications.report.content import Columns

MOST_PANELS = 4
PHASE = "phase-"
"""Marks of the load's phases begin with this."""
STAR = "*: further from the median of the runs without the fault than each of them"


def run_table(runs: Sequence[BedRun], caption: str) -> Columns:
    """Return one line for each run: its name, labels and size."""
    rows = [
        (
            one.run.test,
            one.labels.environment,
            one.labels.role,
            one.labels.fault,
            one.labels.load,
            format_number(one.run.n_samples),
            format_number(len(one.run.properties)),
        )
        for one in sorted(runs, key=lambda one: (one.labels.environment, one.labels.role, one.run.test))
    ]
    heads = ("run", "environment", "role", "fault", "load", "samples", "properties")
    return Columns(caption, heads, tuple(rows), left=5)


def effect_tables(found: Mapping[Faulty, Sequence[Effect]]) -> Iterator[Columns]:
    """Yield for each role how much each fault changes each counter, and the levels without it."""
    for role, of_role in groupby(found.items(), key=lambda item: item[0].role):
        rows = []
        for faulty, of_fault in of_role:
            base = tuple(format_quantity(one.base, one.counter.unit) for one in of_fault)
            without = ("without", faulty.environment, format_number(len(faulty.base)), *base)
            if without not in rows:
                rows.append(without)
            changes = tuple(map(_change, of_fault))
            rows.append((faulty.fault, faulty.environment, format_number(len(faulty.changed)), *changes))
        starred = any(cell.endswith("*") for row in rows for cell in row)
        yield Columns(
            f"role {role}, against runs of the role {BASE_OF_ROLE[role]}:",
            ("fault", "environment", "runs", *(counter.head for counter in COUNTERS)),
            tuple(rows),
            left=2,
            notes=(STAR,) if starred else (),
        )


def effects_csv(found: Mapping[Faulty, Sequence[Effect]]) -> str:
    """Return one line for each fault and counter."""
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(
        ["role", "environment", "fault", "counter", "unit", "base", "with_fault", "change", "scatter"]
    )
    for faulty, of_fault in found.items():
        for one in of_fault:
            numbers = (one.base, one.changed, one.change, one.scatter)
            labels = (faulty.role, faulty.environment, faulty.fault, one.counter.property, one.counter.unit)
            writer.writerow([*labels, *(f"{number:.6g}" for number in numbers)])
    return content.getvalue()


def pictures(found: Mapping[Faulty, Sequence[Effect]]) -> Iterator[tuple[str, bytes]]:
    """Yield for each kind of fault its name and a picture of the counters that tell it best.

    These are the ones that its highest intensity changes most, compared with how far runs without it are
    apart. Faults that have only one run to compare with are not drawn.
    """
    drawn = [item for item in found.items() if len(item[0].base) > 1]
    for kind, of_kind in groupby(drawn, key=lambda item: kind_of(item[0].fault)):
        rows = list(of_kind)
        strongest = rows[-1][1]
        order = sorted(range(len(COUNTERS)), key=lambda number: -_distance(strongest[number]))
        shown = sorted(order[:MOST_PANELS])
        title = f"{kind}, with {format_count(len(rows[-1][0].base), 'run')} without it"
        yield kind, png(title, [_row(faulty, [of[number] for number in shown]) for faulty, of in rows])


def _row(faulty: Faulty, shown: Sequence[Effect]) -> FaultRow:
    marks = faulty.changed[0].run.marks
    panels = tuple(
        FaultPanel(
            one.counter.title,
            f"{format_quantity(one.base, one.counter.unit)} → "
            f"{format_quantity(one.changed, one.counter.unit)} ({_change(one)})",
            one.counter.unit,
            tuple(Curve(*curve(run.run, one.counter), run.run.id) for run in faulty.base),
            tuple(Curve(*curve(run.run, one.counter), run.run.id) for run in faulty.changed),
        )
        for one in shown
    )
    return FaultRow(
        f"{faulty.fault} ({format_count(len(faulty.changed), 'run')})",
        panels,
        tuple(mark.time_s for mark in marks if mark.name.startswith(PHASE) and mark.time_s > 0),
    )


def _distance(effect: Effect) -> float:
    distance = abs(effect.changed - effect.base) / effect.scatter if effect.scatter else 0.0
    return 0.0 if isnan(distance) else distance


def _change(effect: Effect) -> str:
    if isnan(effect.change):
        return "–"
    return f"{100 * effect.change:+.0f} %{'*' if effect.stands_out else ''}"
