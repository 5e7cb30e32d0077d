"""What is measured, in which order, and how long that takes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from beds.store.components import FORKS, REPORTS
from beds.store.configuration import name_of
from beds.store.versions import FIXED, LOADS, MEASURED_S, OLD, VARIED, VERSIONS, WARM_UP_S, Series

_OLD_RUNS = 2
"""Runs of the old version for each run of a changed one: all others are compared with it."""

_AROUND_A_RUN_S = 3.0
_FORK_S = 1.6
_BENCHMARKS = 6
_REPORT_S = 4.0


class Kind(Enum):
    RUN = "run"
    JMH = "jmh"
    JUNIT = "junit"


@dataclass(frozen=True, slots=True)
class Item:
    """One measurement.

    Attributes:
        load: the name of a load; empty for component tests.
        number: of the repetition, from 1.
    """

    kind: Kind
    version: str
    load: str = ""
    number: int = 1

    @property
    def test(self) -> str:
        """The test of ``buto.yaml``."""
        return name_of(VERSIONS[self.version], LOADS[self.load])

    def result(self, directory: Path) -> Path:
        """Return the file that is there once this has been measured."""
        match self.kind:
            case Kind.RUN:
                return directory / "runs" / f"{self.test}-{self.number}.json"
            case Kind.JMH:
                return directory / "jmh" / f"{self.version}.json"
            case Kind.JUNIT:
                return directory / "junit" / f"{self.version}-{REPORTS}.xml"

    @property
    def forks(self) -> int:
        """How many forks a benchmark has; more of the old version, with which all others are compared."""
        return FORKS * _OLD_RUNS if self.version == OLD.name else FORKS

    @property
    def planned_s(self) -> float:
        """How long it takes on a free machine of two cores."""
        match self.kind:
            case Kind.RUN:
                return WARM_UP_S + MEASURED_S + _AROUND_A_RUN_S
            case Kind.JMH:
                return _BENCHMARKS * self.forks * _FORK_S
            case Kind.JUNIT:
                return REPORTS * _REPORT_S


def plan(series: Series, seed: int) -> list[Item]:
    """Return all measurements of a series in random order.

    Old and new versions, loads and component tests are mixed: a machine that changes affects all alike.
    """
    times = {OLD: _OLD_RUNS * series.runs, **dict.fromkeys(series.changed, series.runs)}
    items = [
        Item(Kind.RUN, version.name, load.name, number)
        for load in (FIXED, *VARIED)
        for version, runs in times.items()
        for number in range(1, runs + 1)
    ]
    items += [Item(Kind.RUN, version.name, FIXED.name) for version in series.unchanged]
    items += [Item(Kind.JMH, version.name) for version in (*times, *series.unchanged)]
    items += [Item(Kind.JUNIT, version.name) for version in times]
    random.Random(seed).shuffle(items)
    return items


def missing(items: Sequence[Item], directory: Path) -> list[Item]:
    """Return what has no result yet, in the same order."""
    return [item for item in items if not item.result(directory).exists()]


def planned_minutes(items: Sequence[Item]) -> float:
    """Return how long these measurements take on a free machine."""
    return sum(item.planned_s for item in items) / 60
