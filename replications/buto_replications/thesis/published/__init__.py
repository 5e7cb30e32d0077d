"""The numbers that the thesis prints in chapter 5, for comparison with ours.

Numbers are as printed, including slips; :meth:`Row.slips` returns those that do not follow from a row's
counts. Labels of configurations are those of :mod:`buto_replications.thesis.grids`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import isnan
from pathlib import Path

from buto_replications.scores import SCORES

_TOLERANCE = 0.0101
"""For two decimals, which the thesis sometimes rounds and sometimes cuts off."""


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One line of a table.

    Attributes:
        configuration: as ``S-20``, or the value of the parameter that the table varies.
        counts: true positives, false negatives, true negatives, false positives.
        scores: accuracy, precision and MCC as printed, as shares of 1.
    """

    configuration: str
    counts: tuple[int, int, int, int]
    scores: tuple[float, float, float]

    def slips(self) -> Mapping[str, float]:
        """Return by name the scores that follow from the counts but are printed differently."""
        computed = {score.name: float(score.value(self.counts)) for score in SCORES}
        return {
            name: value
            for (name, value), printed in zip(computed.items(), self.scores, strict=True)
            if not isnan(value) and abs(value - printed) > _TOLERANCE
        }


@dataclass(frozen=True, slots=True)
class Scope:
    """The judgements that a table counts.

    Attributes:
        program: of :data:`buto_replications.design.PROGRAMS`; None for all.
        properties: the names of the property on all hosts; empty for all properties together, which reject a
            run if any of them does.
    """

    program: str | None = None
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A single experiment that the thesis shows, with one property and one configuration.

    Attributes:
        counts: as in :class:`PublishedRow`.
    """

    table: str
    figure: str
    training: str
    negative: str
    properties: tuple[str, ...]
    configuration: str
    counts: tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Notified:
    """An experiment with the notifications of the consumer and producer program.

    Attributes:
        tables, figure: their numbers; the tables are of positive runs, of negative runs, and a summary.
        of_positive, of_negative: mean and standard deviation over runs of the number of flagged
            notifications; :func:`flagged` returns the numbers of each run.
    """

    tables: tuple[str, str, str]
    figure: str
    training: str
    negative: str
    of_positive: tuple[float, float]
    of_negative: tuple[float, float]


HEAP_USED = ("jvm.memory.heap.used",)
HEAP_COMMITTED = ("jvm.memory.heap.committed",)
EDEN_USED = ("jvm.memory.used[PS Eden Space]", "jvm.memory.used[G1 Eden Space]")
YOUNG_COLLECTIONS = ("jvm.gc.count[PS Scavenge]", "jvm.gc.count[G1 Young Generation]")
FULL_COLLECTIONS = ("jvm.gc.count[PS MarkSweep]", "jvm.gc.count[G1 Old Generation]")
COMPILATION = ("jvm.compilation.time",)
METASPACE_USED = ("jvm.memory.used[Metaspace]",)
"""Replaces the permanent generation since Java 8."""
JOBS = ("mbean[buto.testprograms:type=Production]/State.processedJobs",)
QUEUE = ("mbean[buto.testprograms:type=Production]/State.queueSize",)
"""The number of elements in the buffer, which the thesis calls its size."""

SCOPES: dict[str, Scope] = {
    "5.14": Scope(),
    "5.15": Scope(None, HEAP_USED),
    "5.16": Scope("references"),
    "5.17": Scope("references", EDEN_USED),
    "5.19": Scope("references", HEAP_COMMITTED),
    "5.21": Scope("leaker"),
    "5.22": Scope("leaker", YOUNG_COLLECTIONS),
    "5.24": Scope("leaker", FULL_COLLECTIONS),
    "5.26": Scope("classloading"),
    "5.27": Scope("classloading", COMPILATION),
    "5.29": Scope("classloading", METASPACE_USED),
    "5.31": Scope("consumerproducer"),
    "5.32": Scope("consumerproducer", JOBS),
    "5.34": Scope("consumerproducer", QUEUE),
}
"""The tables of section 5.6, which rank the configurations of the experiment ``overall``."""

_TABLES_IN = {
    "5.1": "5.1",
    "5.2": "5.2",
    "5.3": "5.3",
    "5.4": "5.4",
    "5.5.1": "5.5",
    "5.5.2": "5.6 5.7",
    "5.5.3": "5.9 5.10 5.11 5.12 5.13",
    "5.6": "5.14 5.15",
    "5.6.1": "5.16",
    "5.6.2": "5.17 5.18",
    "5.6.3": "5.19 5.20",
    "5.6.4": "5.21",
    "5.6.5": "5.22 5.23",
    "5.6.6": "5.24 5.25",
    "5.6.7": "5.26",
    "5.6.8": "5.27 5.28",
    "5.6.9": "5.29 5.30",
    "5.6.10": "5.31",
    "5.6.11": "5.32 5.33",
    "5.6.12": "5.34 5.35",
    "5.7.1": "5.38",
    "5.7.2": "5.41",
}
SECTIONS = {table: section for section, tables in _TABLES_IN.items() for table in tables.split()}
"""By table, its section."""

EXAMPLES = (
    Example("5.18", "5.3", "references-strong", "references-weak", EDEN_USED, "S-4", (46, 4, 50, 0)),
    Example("5.20", "5.4", "references-strong", "references-soft", HEAP_COMMITTED, "K-8", (45, 5, 50, 0)),
    Example(
        "5.23", "5.5", "leaker-string", "leaker-string-builder", YOUNG_COLLECTIONS, "S-2", (43, 7, 50, 0)
    ),
    Example("5.25", "5.6", "leaker-string-builder", "leaker-string", FULL_COLLECTIONS, "P-4", (50, 0, 50, 0)),
    Example("5.28", "5.7", "classloading-100ms", "classloading-1000ms", COMPILATION, "K-8", (50, 0, 50, 0)),
    Example(
        "5.30", "5.8", "classloading-100ms", "classloading-1000ms", METASPACE_USED, "P-8", (50, 0, 50, 0)
    ),
    Example("5.33", "5.9", "consumerproducer-v4", "consumerproducer-v0", JOBS, "S-4", (50, 0, 49, 1)),
    Example("5.35", "5.10", "consumerproducer-v1", "consumerproducer-v0", QUEUE, "S-2", (45, 5, 45, 5)),
)

NOTIFIED = (
    Notified(
        ("5.36", "5.37", "5.38"),
        "5.11",
        "consumerproducer-v4",
        "consumerproducer-v0",
        (1.22, 3.93),
        (33.44, 4.79),
    ),
    Notified(
        ("5.39", "5.40", "5.41"),
        "5.12",
        "consumerproducer-v0",
        "consumerproducer-v3",
        (1.88, 1.65),
        (2.48, 1.57),
    ),
)


def rows(table: str) -> tuple[PublishedRow, ...]:
    """Return the lines of a table as printed, best first; KeyError for a table without counts."""
    return _tables()[table]


def tables() -> tuple[str, ...]:
    return tuple(_tables())


def flagged(table: str) -> tuple[int, ...]:
    """Return the printed number of flagged notifications of each run; KeyError for other tables."""
    return _flag()[table]


def slips() -> tuple[tuple[str, str], ...]:
    """Return tables and how they contradict others; :meth:`Row.slips` finds contradictions within a row."""
    return tuple((line["table"], line["slip"]) for line in _read("slips.csv"))


@cache
def _tables() -> Mapping[str, tuple[PublishedRow, ...]]:
    of_table: dict[str, list[PublishedRow]] = {}
    for line in _read("tables.csv"):
        tp, fn, tn, fp = (int(line[name]) for name in ("tp", "fn", "tn", "fp"))
        accuracy, precision, mcc = (float(line[name]) for name in ("accuracy", "precision", "mcc"))
        row = PublishedRow(line["configuration"], (tp, fn, tn, fp), (accuracy, precision, mcc))
        of_table.setdefault(line["table"], []).append(row)
    return {table: tuple(lines) for table, lines in of_table.items()}


@cache
def _flag() -> Mapping[str, tuple[int, ...]]:
    flags: dict[str, tuple[int, ...]] = {}
    for line in _read("flagged.csv"):
        flags[line["table"]] = (*flags.get(line["table"], ()), *map(int, line["flagged"].split()))
    return flags


def _read(name: str) -> Iterator[dict[str, str]]:
    with Path(__file__).with_name(name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
