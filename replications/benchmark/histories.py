"""What Apache Otava and buto's monitor say of histories of builds: of builds that did not change, and a step.

Otava looks at a series of results, one for each build, by its own package and with its defaults. The
monitor looks at each build as it comes, and starts turns. The series are the first runs of the checks in
``data/live/builds.jsonl.gz``: eight programs that did not change, each counter that no machine moves. Once
as they are, where each change point is false; once with a step that is added to the allocated bytes of all
builds from the middle on.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from beds.artefacts import BedError
from buto.judging.effects import PART
from buto.judging.monitor import Build, BuildSeries, is_exact_total, look
from buto.judging.procedure import N_TURNS
from buto.run.model import FloatArray
from buto.run.properties import Kind, is_counted, property_for
from buto_replications.checkout import CHECKOUT
from buto_replications.live.journal import TRAIN, PartJournal

BUILDS = CHECKOUT / "data" / "live" / "builds.jsonl"
STEPPED = "jvm.memory.allocated"
STEPS = (0.02, 0.05, 0.2)
"""Shares of the level that are added in the middle."""

NEAR = 7
"""A change point is that of a step within so many builds of it: the monitor looks back over eight."""


N_TRAINING = 10

Series = Mapping[str, FloatArray]
"""By counter, its value in each of N_TRAINING runs and at each build after them, shape (n,), no NaN."""

Rule = Callable[[Series], list[int]]
"""Returns where a counter of a series has changed, by place; several places may be one change."""


def read_series() -> dict[str, Series]:
    """Return the series of each program, in the order of time; counters that a build lacks are left out."""
    runs: dict[str, list[Mapping[str, float]]] = {}
    for entry in PartJournal(BUILDS).entries():
        # A program that is trained anew begins anew, and its longest series is kept.
        name = entry.subject.partition("/")[0]
        if entry.action == TRAIN and len(runs.get(name, ())) < 2 * N_TRAINING:
            runs[name] = list(entry.plain[:N_TRAINING])
        elif entry.action != TRAIN and entry.plain and name in runs:
            runs[name].append(entry.plain[0])
    return {program: _columns(builds) for program, builds in sorted(runs.items())}


def _columns(builds: Sequence[Mapping[str, float]]) -> Series:
    shared = set.intersection(*map(set, builds))
    return {name: np.array([build[name] for build in builds]) for name in sorted(shared)}


def otava(series: Series) -> list[int]:
    """Return change points of Apache Otava, with its defaults.

    Raises:
        BedError: it is not installed.
    """
    if importlib.util.find_spec("otava") is None:
        raise BedError("Apache Otava is not installed; type: pip install --no-deps apache-otava")
    from otava.series import AnalysisOptions, Metric
    from otava.series import Series as OtavaSeries

    n = len(next(iter(series.values())))
    whole = OtavaSeries(
        "builds",
        None,
        list(range(n)),
        {name: Metric() for name in series},
        {name: values.tolist() for name, values in series.items()},
        {},
    )
    points = whole.analyze(AnalysisOptions()).change_points
    return [point.index for of_counter in points.values() for point in of_counter]


def monitor(series: Series) -> list[int]:
    """Return the builds at which buto's monitor starts turns, which clear the alarm."""
    names = [name for name in series if is_exact_total(name)]
    quantities = tuple(map(property_for, names))
    whole = [
        prop.kind is Kind.COUNTER or is_counted(prop) or prop.unit.startswith("{") for prop in quantities
    ]
    values = np.column_stack([series[name] for name in names])
    known = values[:N_TRAINING]
    share = np.where(whole, 1.0, PART)
    history, alarms, place = BuildSeries(quantities, share, np.zeros(len(names)), known), [], N_TRAINING
    while place < len(values):
        build = Build(f"{place:04}", f"{place:04}", values[place])
        history = structs.replace(history, builds=(*history.builds, build))
        alarm, place = look(history), place + 1
        if alarm is not None:
            alarms.append(place - 1)
            history = history.clear(alarm.first, alarm.last, values[place : place + N_TURNS])
            place += N_TURNS
    return alarms


RULES: Mapping[str, Rule] = {
    "buto's monitor": monitor,
    "Apache Otava": otava,
}


@dataclass(frozen=True, slots=True)
class HistoryFigures:
    """What one rule says of all series.

    Attributes:
        n_builds: of all series together.
        n_false: builds of unchanged series at which a counter has changed, by the rule.
        n_found: by the size of a step, in how many series it was found near its place.
    """

    rule: str
    n_series: int
    n_builds: int
    n_false: int
    n_found: Mapping[float, int]


def measure(rule: str, every: Mapping[str, Series]) -> HistoryFigures:
    """Return what a rule says of the series as they are, and with a step in the middle of each.

    Raises:
        BedError: the package of the rule is not installed.
    """
    analyze = RULES[rule]
    found = dict.fromkeys(STEPS, 0)
    for series in every.values():
        middle = len(series[STEPPED]) // 2
        for share in STEPS:
            found[share] += any(abs(build - middle) <= NEAR for build in analyze(_with_step(series, share)))
    lengths = [len(series[STEPPED]) - N_TRAINING for series in every.values()]
    n_false = sum(len(set(analyze(series))) for series in every.values())
    return HistoryFigures(rule, len(every), sum(lengths), n_false, found)


def _with_step(series: Series, share: float) -> Series:
    """Return the stepped counter alone: of the others, changes are false whatever was added."""
    values = series[STEPPED]
    later = np.arange(len(values)) >= len(values) // 2
    return {STEPPED: values + later * share * np.median(values)}


def table() -> str:
    """Return the figures of all rules as a table of Markdown."""
    every = read_series()
    steps = " | ".join(f"+{100 * share:g} %" for share in STEPS)
    lines = [
        f"| rule | builds that did not change: change points | {steps} |",
        f"| {'--- | ' * (2 + len(STEPS))}",
    ]
    for rule in RULES:
        figures = measure(rule, every)
        found = " | ".join(f"{figures.n_found[share]} of {figures.n_series}" for share in STEPS)
        lines.append(f"| {rule} | {figures.n_false} of {figures.n_builds:,} | {found} |")
    return "\n".join(line.rstrip() for line in lines)
