"""What faults of the bed change: levels, tables, pictures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import isnan

import numpy as np

from buto.report.panels import Curve
from buto.run.model import FloatArray, Run
from buto.run.properties import Kind
from buto.run.units import format_count, format_number, format_quantity
from buto_replications.bed.labels import NO_FAULT, BedRun, chosen
from buto_replications.report.charts import FaultPanel, FaultRow, png
from buto_replications.report.content import TextTable, csv_text

SPAN_S = 5.0
"""A point of a curve is the level of so many seconds."""

THROUGHPUT = "load.throughput["

LOW, HIGH = "-low", "-high"
"""The intensities: how the names of faults end."""

BASE_OF_ROLE = {"fault": "good", "steady-fault": "steady", "environment-fault": "environment"}
"""By the role of runs with a fault, that of the runs without one which are otherwise like them."""


@dataclass(frozen=True, slots=True)
class Counter:
    """A property that tells something about a fault.

    Attributes:
        property: its name. A counter is divided by the number of answers, to compare runs of unlike load.
        unit: of the level, see :class:`buto.run.properties.Property`.
    """

    property: str
    title: str
    head: str
    unit: str


COUNTERS = (
    Counter("jvm.cpu.time", "CPU of the JVM per answer", "CPU", "s"),
    Counter("jvm.memory.allocated", "allocated per answer", "allocated", "By"),
    Counter("jvm.memory.heap.used_after_last_gc", "heap after collections", "heap", "By"),
    Counter("process.memory.usage", "resident memory of the JVM", "resident", "By"),
    Counter("process.io.calls[write]", "write calls of the JVM per answer", "writes", "1"),
    Counter("postgres.cpu.time", "CPU of PostgreSQL per answer", "DB CPU", "s"),
    Counter("database.statements.calls", "SQL statements per answer", "SQL", "1"),
    Counter("database.activity.blks_hit", "blocks from buffers per answer", "blocks", "1"),
    Counter("database.activity.tup_returned", "rows read per answer", "rows", "1"),
    Counter("load.latency.p50[search]", "median latency of search", "search", "s"),
    Counter("load.latency.p50[log-in]", "median latency of log-in", "log-in", "s"),
)


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """The levels of one counter in runs with a fault, and in the runs without it that they compare with.

    Attributes:
        base, changed: medians over runs; NaN if it could not be read.
        scatter: the largest distance of a run without the fault from their median; NaN for a single run.
    """

    counter: Counter
    base: float
    changed: float
    scatter: float

    @property
    def change(self) -> float:
        """The relative change, as 0.5 for half as much again; NaN without a base."""
        return self.changed / self.base - 1.0 if self.base else np.nan

    @property
    def stands_out(self) -> bool:
        """Whether the change is larger than the distance of any run without the fault."""
        return abs(self.changed - self.base) > self.scatter


@dataclass(frozen=True, eq=False, slots=True)
class Faulty:
    """Runs with one fault in one environment, and the runs without it."""

    environment: str
    role: str
    fault: str
    base: tuple[BedRun, ...]
    changed: tuple[BedRun, ...]


def faults(runs: Sequence[BedRun]) -> Iterator[Faulty]:
    """Yield each fault with its runs and those without it, by role, environment and kind; high ones last."""
    keys = {
        (run.labels.role, run.labels.environment, run.labels.fault)
        for run in runs
        if run.labels.fault != NO_FAULT
    }
    roles = list(BASE_OF_ROLE)
    order = sorted(keys, key=lambda key: (roles.index(key[0]), key[1], kind_of(key[2]), HIGH in key[2]))
    for role, environment, fault in order:
        base = chosen(runs, environment=environment, role=BASE_OF_ROLE[role], fault=NO_FAULT)
        changed = chosen(runs, environment=environment, role=role, fault=fault)
        yield Faulty(environment, role, fault, base, changed)


def kind_of(fault: str) -> str:
    return fault.removesuffix(LOW).removesuffix(HIGH)


def effects(runs: Sequence[BedRun]) -> dict[Faulty, tuple[FaultEffect, ...]]:
    """Return the effect of each fault on each of :data:`COUNTERS`, if there are runs without it."""
    return {
        faulty: tuple(_effect(faulty, counter) for counter in COUNTERS)
        for faulty in faults(runs)
        if faulty.base
    }


def level(run: Run, counter: Counter) -> float:
    """Return one number for a run: growth per answer of a counter, else the median; NaN if not readable."""
    if counter.property not in run.column_of:
        return np.nan
    values = run.series(counter.property)
    known = ~np.isnan(values)
    if known.sum() < 2:
        return np.nan
    if run.properties[run.column_of[counter.property]].kind is not Kind.COUNTER:
        return float(np.median(values[known]))
    times_s = run.times_s[known]
    answers = float(np.interp(times_s[[0, -1]], run.times_s, answered(run)) @ [-1.0, 1.0])
    return float(values[known][-1] - values[known][0]) / answers if answers else np.nan


def answered(run: Run) -> FloatArray:
    """Return how many requests were answered until each sample, shape (n_samples,)."""
    rates = [run.series(name) for name in run.column_of if name.startswith(THROUGHPUT)]
    if not rates:
        return np.zeros(run.n_samples)
    per_s = np.nansum(rates, axis=0)
    return np.concatenate([[0.0], np.cumsum(per_s[1:] * np.diff(run.times_s))])


def curve(run: Run, counter: Counter, span_s: float = SPAN_S) -> tuple[FloatArray, FloatArray]:
    """Return middles of whole spans and the level in each, both of shape (n_spans,); NaN where unknown."""
    edges_s = np.arange(run.times_s[0], run.times_s[-1] - span_s, span_s)
    parts = [(run.times_s >= start) & (run.times_s <= start + span_s) for start in edges_s]
    levels = [
        level(replace(run, times_s=run.times_s[part], values=run.values[part]), counter) for part in parts
    ]
    return edges_s + span_s / 2, np.array(levels)


def _effect(faulty: Faulty, counter: Counter) -> FaultEffect:
    base = np.array([level(run.run, counter) for run in faulty.base])
    changed = np.array([level(run.run, counter) for run in faulty.changed])
    middle = _median(base)
    known = base[~np.isnan(base)]
    scatter = float(np.abs(known - middle).max()) if len(known) > 1 else np.nan
    return FaultEffect(counter, middle, _median(changed), scatter)


def _median(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else np.nan


MOST_PANELS = 4
PHASE = "phase-"
"""Marks of the load's phases begin with this."""
STAR = "*: further from the median of the runs without the fault than each of them"


def run_table(runs: Sequence[BedRun], caption: str) -> TextTable:
    rows = [
        (
            run.run.test,
            run.labels.environment,
            run.labels.role,
            run.labels.fault,
            run.labels.load,
            format_number(run.run.n_samples),
            format_number(len(run.run.properties)),
        )
        for run in sorted(runs, key=lambda run: (run.labels.environment, run.labels.role, run.run.test))
    ]
    heads = ("run", "environment", "role", "fault", "load", "samples", "properties")
    return TextTable(caption, heads, tuple(rows), left=5)


def effect_tables(by_fault: Mapping[Faulty, Sequence[FaultEffect]]) -> Iterator[TextTable]:
    """Yield for each role how much each fault changes each counter, and the levels without it."""
    for role, of_role in groupby(by_fault.items(), key=lambda item: item[0].role):
        rows = []
        for faulty, of_fault in of_role:
            base = tuple(format_quantity(effect.base, effect.counter.unit) for effect in of_fault)
            without = ("without", faulty.environment, format_number(len(faulty.base)), *base)
            if without not in rows:
                rows.append(without)
            changes = tuple(map(_change, of_fault))
            rows.append((faulty.fault, faulty.environment, format_number(len(faulty.changed)), *changes))
        starred = any(cell.endswith("*") for row in rows for cell in row)
        yield TextTable(
            f"role {role}, against runs of the role {BASE_OF_ROLE[role]}:",
            ("fault", "environment", "runs", *(counter.head for counter in COUNTERS)),
            tuple(rows),
            left=2,
            notes=(STAR,) if starred else (),
        )


def effects_csv(by_fault: Mapping[Faulty, Sequence[FaultEffect]]) -> str:
    heads = "role environment fault counter unit base with_fault change scatter"
    rows = [
        (
            *(faulty.role, faulty.environment, faulty.fault, effect.counter.property, effect.counter.unit),
            *(f"{number:.6g}" for number in (effect.base, effect.changed, effect.change, effect.scatter)),
        )
        for faulty, of_fault in by_fault.items()
        for effect in of_fault
    ]
    return csv_text(heads.split(), rows)


def pictures(by_fault: Mapping[Faulty, Sequence[FaultEffect]]) -> Iterator[tuple[str, bytes]]:
    """Yield for each kind of fault its name and a picture of the counters that tell it best.

    These are the ones that its highest intensity changes most, compared with how far runs without it are
    apart. Faults that have only one run to compare with are not drawn.
    """
    drawn = [item for item in by_fault.items() if len(item[0].base) > 1]
    for kind, of_kind in groupby(drawn, key=lambda item: kind_of(item[0].fault)):
        rows = list(of_kind)
        strongest = rows[-1][1]
        order = sorted(range(len(COUNTERS)), key=lambda number: -_distance(strongest[number]))
        shown = sorted(order[:MOST_PANELS])
        title = f"{kind}, with {format_count(len(rows[-1][0].base), 'run')} without it"
        yield kind, png(title, [_row(faulty, [of[number] for number in shown]) for faulty, of in rows])


def _row(faulty: Faulty, shown: Sequence[FaultEffect]) -> FaultRow:
    marks = faulty.changed[0].run.marks
    panels = tuple(
        FaultPanel(
            effect.counter.title,
            f"{format_quantity(effect.base, effect.counter.unit)} → "
            f"{format_quantity(effect.changed, effect.counter.unit)} ({_change(effect)})",
            effect.counter.unit,
            tuple(Curve(*curve(run.run, effect.counter), run.run.id) for run in faulty.base),
            tuple(Curve(*curve(run.run, effect.counter), run.run.id) for run in faulty.changed),
        )
        for effect in shown
    )
    return FaultRow(
        f"{faulty.fault} ({format_count(len(faulty.changed), 'run')})",
        panels,
        tuple(mark.time_s for mark in marks if mark.name.startswith(PHASE) and mark.time_s > 0),
    )


def _distance(effect: FaultEffect) -> float:
    distance = abs(effect.changed - effect.base) / effect.scatter if effect.scatter else 0.0
    return 0.0 if isnan(distance) else distance


def _change(effect: FaultEffect) -> str:
    if isnan(effect.change):
        return "–"
    return f"{100 * effect.change:+.0f} %{'*' if effect.stands_out else ''}"
