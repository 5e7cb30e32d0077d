"""Measure how good the calibrated oracle is, only on runs that were recorded after its last change.

Runs are divided at random several times, into training runs and others. All rules judge the same divisions,
the thesis's best rule among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from buto.errors import JudgeError
from buto.experiments.calibrated.division import Division, judge
from buto.experiments.calibrated.rules import (
    FEWEST_TRAINING,
    FROZEN,
    FULL_SIZE,
    Judgements,
    Size,
    combine,
)
from buto.experiments.dataset.archive import started
from buto.experiments.design import PROGRAMS, SUBTLE
from buto.experiments.workers import ALONE, Watch, Workers, in_parallel
from buto.runs import RunSet


def evaluate(
    runs: Mapping[str, RunSet],
    *,
    seed: int,
    size: Size = FULL_SIZE,
    workers: Workers = ALONE,
    watch: Watch = lambda done, parts: None,
) -> Judgements:
    """Return all judgements of one host; the same for the same seed, whoever shares the work.

    Args:
        runs: by variant; all recorded since :data:`buto.experiments.calibrated.rules.FROZEN`.

    Raises:
        ValueError: a run is from before that time.
        JudgeError: no variant has enough runs.
    """
    early = [run.id for of_variant in runs.values() for run in of_variant if started(run) < FROZEN]
    if early:
        raise ValueError(
            f"runs must be recorded since {FROZEN:%Y-%m-%d %H:%M}, when the method was chosen; "
            f"{len(early)} are older, the first is {early[0]}"
        )
    usable = {name: of_variant.valid() for name, of_variant in runs.items()}
    tasks = [
        _Task(Division(program, number, size.judged), _of_program(program, usable), seed)
        for program in PROGRAMS
        for number in range(size.divisions)
    ]
    tasks = [task for task in tasks if any(len(ours) > FEWEST_TRAINING for ours in task.runs.values())]
    if not tasks:
        raise JudgeError(
            f"no variant has more than {FEWEST_TRAINING} usable runs since {FROZEN:%Y-%m-%d %H:%M}",
            advice="record new ones: buto experiments generate --help",
        )
    parts = []
    for done, part in enumerate(in_parallel(_judge_task, tasks, workers), start=1):
        parts.append(part)
        watch(done, len(tasks))
    return combine(parts)


@dataclass(frozen=True, eq=False, slots=True)
class _Task:
    division: Division
    runs: Mapping[str, RunSet]
    seed: int


def _of_program(program: str, runs: Mapping[str, RunSet]) -> dict[str, RunSet]:
    names = [*PROGRAMS[program], *(one.negative for one in SUBTLE if one.program == program)]
    return {name: runs[name] for name in names if name in runs}


def _judge_task(task: _Task) -> Judgements:
    return judge(task.division, task.runs, task.seed)
