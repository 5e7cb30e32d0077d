"""Component tests that buto itself recorded."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from buto.architecture.results.model import ComponentResult
from buto.errors import BadFileError
from buto.runs import Run
from buto.runs.names import decode_test
from buto.runs.store import RunStore

CPU_TIME = "jvm.cpu.time"


def read_runs(directory: Path) -> tuple[ComponentResult, ...]:
    """The processor time of each valid run of a test, in the time it ran where that was not read.

    Args:
        directory: of one test in a store, as ``.buto/runs/NAME``.

    Raises:
        BadFileError: it is no such directory, or has no valid runs.
    """
    test = decode_test(directory.name)
    root = directory.resolve().parent.parent
    if test is None or directory.resolve().parent.name != "runs":
        raise BadFileError(
            f"{directory} is no directory of stored runs", advice="name one like .buto/runs/NAME"
        )
    runs = RunStore(root).load_set(test).valid().runs
    if not runs:
        raise BadFileError(f"{directory} has no valid runs", advice=f"buto runs list {test} --store {root}")
    times = [_cpu_s(run) for run in runs]
    if not all(math.isfinite(one) for one in times):
        times = [run.outcome.duration_s for run in runs]
    return (ComponentResult(test, np.array(times, dtype=np.float64), "run"),)


def _cpu_s(run: Run) -> float:
    if CPU_TIME not in run.column_of or not run.n_samples:
        return math.nan
    return float(run.series(CPU_TIME)[-1])
