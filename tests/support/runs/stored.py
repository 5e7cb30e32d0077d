"""Runs of known truth, stored without any JVM."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from buto.measure.journal import Journal
from buto.measure.recording import Recording
from buto.run.model import MetadataValue, Outcome, Quality, Run
from buto.run.properties import property_for
from buto.run.store import RunStore

NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded", "jvm.memory.heap.live")
FINE = Quality()
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def leaking_run(
    number: int,
    *,
    test: str = "leaker",
    leak: float = 1.0,
    classes: int = 450,
    quality: Quality = FINE,
    purpose: str = "train",
    **metadata: MetadataValue,
) -> Run:
    """Three seconds of a leak of ``leak`` MiB a second with a little noise, ten threads, 450 classes.

    What is left is counted at the end: no machine moves it, so that a leak fails without turns.
    """
    noise = np.random.default_rng(number)
    times = np.arange(0.0, 3.0, 0.1) + noise.uniform(0, 0.002, 30)
    heap = 2**20 * (8 + leak * times + noise.normal(0, 0.02, 30))
    live = np.full(30, np.nan)
    live[-1] = heap[-1]
    start = BEGINNING + timedelta(minutes=number)
    return Run(
        id=f"{start:%Y%m%dT%H%M%S}.000Z-{number:04x}",
        test=test,
        properties=tuple(property_for(name) for name in NAMES),
        times_s=times,
        values=np.column_stack([heap, np.full(30, 10.0), np.full(30, float(classes)), live]),
        outcome=Outcome(0, duration_s=3.0),
        metadata={"jvm.spec.version": "17", "buto.purpose": purpose, **metadata},
        quality=quality,
    )


def store(directory: Path, *runs: Run) -> list[str]:
    """Put runs into the default store of a directory and return their ids."""
    for run in runs:
        RunStore(directory / ".buto").add(run)
    return [run.id for run in runs]


def cut_off(directory: Path, test: str = "leaker") -> str:
    """A recording of 30 samples whose buto is gone."""
    recording, journal = _half(directory, test)
    journal.__exit__(SystemExit, SystemExit(), None)
    return recording.id


@contextmanager
def going_on(directory: Path, test: str = "leaker") -> Iterator[str]:
    """A recording that has 30 samples in its journal and goes on; its id."""
    recording, journal = _half(directory, test)
    try:
        yield recording.id
    finally:
        journal.__exit__(None, None, None)


def _half(directory: Path, test: str) -> tuple[Recording, Journal]:
    recording = Recording(test)
    recording.zero_ns = 0
    recording.metadata.update({"buto.interval": 0.1, "jvm.spec.version": "17"})
    recording.add_columns(map(property_for, NAMES))
    recording.add_rows(np.arange(1, 31) * 10**8, np.ones((30, len(NAMES))))
    journal = Journal(RunStore(directory / ".buto"), {"buto.purpose": "train"}, first_write_s=0.0)
    journal.write_if_due(recording)
    return recording, journal
