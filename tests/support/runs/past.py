"""A made-up history of one test: twenty checks in twenty days, some labelled, without any JVM."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import numpy as np

from buto.actions.accept import AcceptRequest, accept
from buto.actions.check import CheckRequest, check
from buto.actions.labels import LabelRequest, label
from buto.actions.project import Overrides
from buto.actions.train import TrainRequest, train
from buto.errors import EXIT_PASS, EXIT_REGRESSION
from buto.run.labels import Label
from buto.run.model import Run
from buto.run.properties import property_for
from tests.support.projects import project_in
from tests.support.runs.signals import Program, program_run
from tests.support.runs.stored import BEGINNING, store

TEST = "shop"
N_TRAINING = 10
FIRST, N_CHECKS = 2, 20
ACCEPTED_AT = 12
COLD = "the cache was cold"
FALSE_ALARMS = {5: 1.5, 9: 1.6, 16: 1.7}
"""By day, how much more heap the checks found that are labelled good."""

REGRESSIONS = {7: Program(threads=8), 18: Program(heap=4.0, work=1.6)}
LIKE_FALSE_ALARM, LIKE_REGRESSION, LIKE_ACCEPTED = 30, 31, 32
"""Days of runs that are stored and not yet checked."""

LATER = {
    LIKE_FALSE_ALARM: Program(heap=1.65, work=1.6),
    LIKE_REGRESSION: Program(threads=8, work=1.6),
    LIKE_ACCEPTED: Program(work=2.5),
}


def program_of(day: int) -> Program:
    """What was checked on a day of the history: usually the program as it was trained."""
    if day in REGRESSIONS:
        return REGRESSIONS[day]
    return Program(heap=FALSE_ALARMS.get(day, 1.0), work=1.6 if day >= ACCEPTED_AT else 1.0)


def run_of(day: int, number: int, program: Program, purpose: str) -> Run:
    """Run ``number`` of a day, two minutes after the one before."""
    made = _counted(program_run(day, number, program), program)
    start = BEGINNING + timedelta(days=day, minutes=2 * number)
    metadata = {**made.metadata, "buto.purpose": purpose, "buto.session": f"{purpose} {day}"}
    return replace(made, id=f"{start:%Y%m%dT%H%M%S}.000Z-{number:04x}", test=TEST, metadata=metadata)


def _counted(run: Run, program: Program) -> Run:
    """Return a run with counters that follow the program alone: only these accuse without turns."""
    live = np.full(len(run.times_s), np.nan)
    live[-1] = 1e7 + program.heap * 3e7
    allocated = program.work * 1e8 * np.linspace(0, 1, len(run.times_s))
    started = np.full(len(run.times_s), 20.0 + program.threads)
    kept = np.full(len(run.times_s), 1e7 + program.heap * 2.5e7)
    columns = {
        "jvm.memory.heap.live": live,
        "jvm.memory.heap.used_after_last_gc": kept,
        "jvm.memory.allocated": allocated,
        "jvm.thread.started": started,
    }
    return replace(
        run,
        properties=(*run.properties, *map(property_for, columns)),
        values=np.column_stack([run.values, *columns.values()]),
    )


def ids_of(day: int, n_runs: int = 3) -> str:
    """The ids of a day's runs, as ``--from-runs`` takes them."""
    return ",".join(run_of(day, number, Program(), "check").id for number in range(n_runs))


def put(directory: Path, day: int, numbers: range, program: Program, purpose: str = "check") -> str:
    """Store runs of a day and return their ids."""
    return ",".join(store(directory, *(run_of(day, number, program, purpose) for number in numbers)))


def make_history(directory: Path) -> None:
    """Train, check twenty times, and label what was wrong; then store the runs of :data:`LATER`."""
    project = project_in(directory)
    put(directory, 1, range(N_TRAINING), Program(), "train")
    train(project, TrainRequest((TEST,), Overrides(command=("java", "Shop")), from_runs="all"))
    for day in range(FIRST, FIRST + N_CHECKS):
        fails = day in FALSE_ALARMS or day in REGRESSIONS or day == ACCEPTED_AT
        which = put(directory, day, range(3), program_of(day))
        code = check(project, CheckRequest((TEST,), from_runs=which)).exit_code
        assert code == (EXIT_REGRESSION if fails else EXIT_PASS), day
        if day in FALSE_ALARMS:
            label(project, LabelRequest(TEST, which, Label.GOOD, COLD))
        if day in REGRESSIONS:
            label(project, LabelRequest(TEST, which, Label.BAD, "a leak"))
        if day == ACCEPTED_AT:
            now = put(directory, day, range(10, 10 + N_TRAINING), program_of(day), "accept")
            accept(project, AcceptRequest((TEST,), from_runs=now, reason="a new cache"))
    for day, program in LATER.items():
        put(directory, day, range(3), program)
