"""Runs of known truth, stored without any JVM, and the real command line in a process of its own."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np

from buto.cli.main import main
from buto.collect.record.journal import Journal
from buto.collect.record.recording import Recording
from buto.properties import property_for
from buto.runs import MetadataValue, Outcome, Quality, Run
from buto.runs.store import RunStore
from tests.patience import until_quiet

ROOT = Path(__file__).resolve().parent.parent.parent
NAMES = ("jvm.memory.heap.used", "jvm.thread.count", "jvm.class.loaded")
FINE = Quality()
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


def a_run(
    number: int,
    *,
    test: str = "leaker",
    leak: float = 1.0,
    quality: Quality = FINE,
    purpose: str = "train",
    **metadata: MetadataValue,
) -> Run:
    """Three seconds of a leak of ``leak`` MiB a second with a little noise, ten threads, 450 classes."""
    noise = np.random.default_rng(number)
    times = np.arange(0.0, 3.0, 0.1) + noise.uniform(0, 0.002, 30)
    heap = 2**20 * (8 + leak * times + noise.normal(0, 0.02, 30))
    start = BEGINNING + timedelta(minutes=number)
    return Run(
        id=f"{start:%Y%m%dT%H%M%S}.000Z-{number:04x}",
        test=test,
        properties=tuple(property_for(name) for name in NAMES),
        times_s=times,
        values=np.column_stack([heap, np.full(30, 10.0), np.full(30, 450.0)]),
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
    recording = Recording(test)
    recording.zero_ns = 0
    recording.metadata.update({"buto.interval": 0.1, "jvm.spec.version": "17"})
    recording.add_columns(map(property_for, NAMES))
    recording.add_rows(np.arange(1, 31) * 10**8, np.ones((30, len(NAMES))))
    journal = Journal(RunStore(directory / ".buto"), {"buto.purpose": "train"}, begin_s=0.0)
    journal.keep(recording)
    journal.__exit__(SystemExit, SystemExit(), None)
    return recording.id


def called(directory: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Call the same in this process, which saves a second: for what does not depend on the process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(directory), redirect_stdout(out), redirect_stderr(err):
        code = main(list(arguments))
    return subprocess.CompletedProcess(arguments, code, out.getvalue(), err.getvalue())


def buto(
    directory: Path, *arguments: str, timeout_s: float = 60.0, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Call the real command there."""
    return subprocess.run(
        [sys.executable, "-m", "buto", *arguments],
        cwd=directory,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **environment},
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )


def judged(directory: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """As :func:`buto`, and again as long as the machine is busier than it was when buto learned."""
    return until_quiet(lambda: buto(directory, *arguments, **environment), lambda done: done.stdout)
