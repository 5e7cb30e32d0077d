"""Record the planned runs of Keycloak, one after the other; what is recorded is not recorded again."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import yaml

import buto
from beds.keycloak.configuration import test_of
from beds.keycloak.plan import PlannedRun
from beds.keycloak.prepare import Bed, prepare


def generate(planned: Sequence[PlannedRun], store: Path) -> list[str]:
    """Record each run that the store lacks. Return the names of those that failed.

    Each run is a test of its own in ``store``; the ``buto.yaml`` there has the configuration of the last one.

    Raises:
        BedError: an environment cannot be had on this machine.
    """
    store.mkdir(parents=True, exist_ok=True)
    waiting = [run for run in planned if not is_recorded(run.name, store)]
    failed = []
    for number, run in enumerate(waiting, 1):
        print(f"{number} of {len(waiting)}: {run.name}", flush=True)
        bed = prepare(run.environment.keycloak, run.environment.postgresql, run.fault.statements)
        configuration = store / "buto.yaml"
        write_configuration(run, bed, configuration)
        if not record(run, configuration, store):
            failed.append(run.name)
    return failed


def write_configuration(run: PlannedRun, bed: Bed, path: Path) -> None:
    """Write a ``buto.yaml`` with the test of one planned run."""
    document = {"version": 1, "tests": {run.name: test_of(bed, run)}}
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")


def is_recorded(name: str, store: Path) -> bool:
    """Return whether the store has a valid run of this test."""
    return any(
        summary.head and summary.head.quality.valid for summary in buto.open_store(store).summaries(name)
    )


def record(run: PlannedRun, configuration: Path, store: Path) -> bool:
    try:
        buto.record(run.name, config=configuration, store=store)
    except buto.MeasureError as error:
        print(f"  {error}", file=sys.stderr, flush=True)
        return False
    return True
