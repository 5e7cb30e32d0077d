"""Two versions of one program: libraries with a documented regression, and small servers."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from buto.detectors.alarms import N_CHECKED
from buto.experiments.next_method.checks import METHODS, N_TRAINING, Trained
from buto.experiments.next_method.trials import Trial
from buto.experiments.next_method.variants import UNCHANGED
from buto.runs import RunSet

PAIRS, SERVERS = "pairs", "servers"
BASES: Mapping[str, str] = {PAIRS: "old", SERVERS: "base"}
"""By part, the ending of the version that trains."""


@dataclass(frozen=True, eq=False, slots=True)
class VersionsTask:
    """All versions of one program.

    Attributes:
        part: which figure the checks belong to.
        base: usable runs of the version that trains.
        others: of the other versions, by their ending.
        divisions: how often runs are drawn.
    """

    part: str
    name: str
    base: RunSet
    others: Mapping[str, RunSet]
    divisions: int
    seed: int


def versions_tasks(
    part: str, host: str, runs: Mapping[str, RunSet], divisions: int, seed: int
) -> list[VersionsTask]:
    """Return the work on each program of a part, whose variants are called PROGRAM-VERSION."""
    base = BASES[part]
    usable = {name: some.valid() for name, some in runs.items()}
    programs = [name.removesuffix(f"-{base}") for name in usable if name.endswith(f"-{base}")]
    return [
        VersionsTask(
            part,
            f"{program}@{host}",
            usable[f"{program}-{base}"],
            {
                name.removeprefix(f"{program}-"): some
                for name, some in usable.items()
                if name.rpartition("-")[0] == program and not name.endswith(f"-{base}")
            },
            divisions,
            seed,
        )
        for program in programs
        if len(usable[f"{program}-{base}"]) >= N_TRAINING + N_CHECKED
    ]


def versions_trials(task: VersionsTask) -> Iterator[Trial]:
    """Yield checks of all versions by all methods, with the same divisions."""
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    for _ in range(task.divisions):
        order = random.permutation(len(task.base))
        training = [task.base.runs[place] for place in order[:N_TRAINING]]
        drawn = {UNCHANGED: [task.base.runs[place] for place in order[N_TRAINING:][:N_CHECKED]]}
        for version, runs in task.others.items():
            if len(runs) >= N_CHECKED:
                drawn[version] = [runs.runs[place] for place in random.permutation(len(runs))[:N_CHECKED]]
        for method, settings in METHODS.items():
            trained = Trained.by(training, settings)
            for version, three in drawn.items():
                ids = tuple(run.id for run in three)
                found = trained.check(three, always=True)
                yield Trial(task.part, method, task.name, version, ids, 1, found)


def first_named(task: VersionsTask, version: str, method: str) -> str:
    """Return the property that a failed check of a version names first: ten runs train, three are checked.

    Empty if the check does not fail, or if there are fewer runs.
    """
    if len(task.others[version]) < N_CHECKED:
        return ""
    fitted = Trained.by(task.base.runs[:N_TRAINING], METHODS[method]).fitted
    verdict = fitted.check(RunSet(task.others[version].runs[:N_CHECKED]))
    return verdict.findings[0].subject if verdict.findings else ""
