"""Carry out the plan: one measurement after the other, each kept as soon as it is there."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import buto
from beds.artefacts import BedError
from beds.store.components import measure_by_jmh, measure_by_junit
from beds.store.configuration import Place, configuration
from beds.store.plan import Item, Kind, missing, planned_minutes
from beds.store.traces import keep_traces, measured_of, measured_requests
from beds.store.versions import FIXED, LOADS, OLD, VERSIONS
from buto.errors import ButoError
from buto_replications.store.measured import write_measured

_MOST_FAILURES = 5
"""In a row; then something is wrong with the machine and not with a run."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A measurement that did not succeed; the next call repeats it."""

    item: Item
    reason: str


def generate(
    items: Sequence[Item], directory: Path, place: Place, say: Callable[[str], None]
) -> list[Failure]:
    """Measure what is missing, in the order of the plan.

    Returns:
        What failed; the same call continues with that.

    Raises:
        BedError: too many measurements failed in a row.
    """
    write_configuration(items, directory, place)
    todo = missing(items, directory)
    say(f"{len(items) - len(todo)} of {len(items)} are there; {planned_minutes(todo):.0f} min for the others")
    failures: list[Failure] = []
    in_a_row = 0
    for position, item in enumerate(todo, 1):
        say(f"{position}/{len(todo)} {item.kind.value} {item.version} {item.load} {item.number}")
        try:
            _measure(item, directory, place)
            in_a_row = 0
        except (BedError, ButoError) as error:
            failures.append(Failure(item, str(error)))
            say(f"  failed: {error}")
            in_a_row += 1
        if in_a_row >= _MOST_FAILURES:
            raise BedError(f"{in_a_row} measurements failed in a row; the last one: {failures[-1].reason}")
    return failures


def write_configuration(items: Sequence[Item], directory: Path, place: Place) -> Path:
    """Write a ``buto.yaml`` with the tests of the plan's runs, and return its path."""
    directory.mkdir(parents=True, exist_ok=True)
    pairs = sorted({(item.version, item.load) for item in items if item.kind is Kind.RUN})
    path = directory / "buto.yaml"
    path.write_text(configuration(place, [(VERSIONS[version], LOADS[load]) for version, load in pairs]))
    return path


def _measure(item: Item, directory: Path, place: Place) -> None:
    version = VERSIONS[item.version]
    match item.kind:
        case Kind.JMH:
            measure_by_jmh(place.store, version, item.result(directory), item.forks)
        case Kind.JUNIT:
            measure_by_junit(place.store, version, directory / "junit")
        case Kind.RUN:
            _record(item, directory, place)


def _record(item: Item, directory: Path, place: Place) -> None:
    shutil.rmtree(place.traces, ignore_errors=True)
    [*_, run] = buto.record(item.test, config=directory / "buto.yaml")
    requests = measured_requests(place.traces, place.warm_up_s)
    if (item.version, item.load) == (OLD.name, FIXED.name):
        keep_traces(place.traces, requests, directory / "traces" / f"{item.number}.json")
    write_measured(measured_of(item.version, item.load, run, requests), item.result(directory))
