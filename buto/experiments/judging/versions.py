"""Several versions of one program: regressions of two sizes, refactorings, and releases of libraries."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from buto.detectors.calibrated.settings import CALIBRATED, JudgeSettings
from buto.experiments.judging.checks import N_CHECKED, N_TRAINING, N_TURNS, Trained
from buto.experiments.judging.trials import Trial
from buto.experiments.judging.variants import UNCHANGED
from buto.runs import Run, RunSet

PAIRS, SERVERS, UNSEEN = "pairs", "servers", "unseen"
BASES: Mapping[str, str] = {PAIRS: "-old", SERVERS: "-base", UNSEEN: ""}
"""By part, the ending of the version that trains."""


Drawn = tuple[list[Run], tuple[list[Run], list[Run]] | None]
"""Three runs under test, and the runs of the old and of the new program for turns."""


@dataclass(frozen=True, eq=False, slots=True)
class VersionsTask:
    """All versions of one program.

    Attributes:
        part: which figure the checks belong to.
        base: usable runs of the version that trains.
        others: of the other versions, by their ending.
        divisions: how often runs are drawn.
        settings: of the judge, by the name of the case that they add; the first are those of the training.
    """

    part: str
    name: str
    base: RunSet
    others: Mapping[str, RunSet]
    divisions: int
    seed: int
    settings: Mapping[str, JudgeSettings]


def versions_tasks(
    part: str,
    host: str,
    runs: Mapping[str, RunSet],
    divisions: int,
    seed: int,
    settings: Mapping[str, JudgeSettings] | None = None,
) -> list[VersionsTask]:
    """Return the work on each program of a part."""
    base = BASES[part]
    usable = {name: some.valid() for name, some in runs.items()}
    programs = [
        name.removesuffix(base) for name in usable if name.endswith(base) and (base or "-" not in name)
    ]
    return [
        VersionsTask(
            part,
            f"{program}@{host}",
            usable[f"{program}{base}"],
            {
                name.removeprefix(f"{program}-"): some
                for name, some in usable.items()
                if name.startswith(f"{program}-") and name != f"{program}{base}"
            },
            divisions,
            seed,
            settings or {"": CALIBRATED},
        )
        for program in programs
        if len(usable[f"{program}{base}"]) >= N_TRAINING + N_CHECKED
    ]


def versions_trials(task: VersionsTask) -> Iterator[Trial]:
    """Yield checks of all versions.

    Where there are enough runs, the turns have runs of their own: six of the old program that did not train,
    and six of the new one that were not checked. With fewer, the three checked runs take part in the turns,
    too; below that there are none.
    """
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    for _ in range(task.divisions):
        order = [task.base.runs[place] for place in random.permutation(len(task.base))]
        training, rest = order[:N_TRAINING], order[N_TRAINING:]
        trained = Trained.by(training, next(iter(task.settings.values())))
        drawn: dict[str, Drawn] = {UNCHANGED: (rest[:N_CHECKED], None)}
        drawn |= {
            version: _drawn(rest, [runs.runs[place] for place in random.permutation(len(runs))])
            for version, runs in task.others.items()
            if len(runs) >= N_CHECKED
        }
        for kind, settings in task.settings.items():
            judge = trained.with_settings(settings)
            for version, (three, turns) in drawn.items():
                found = judge.check(three, turns)
                ids = tuple(run.id for run in three)
                yield Trial(task.part, task.name, f"{version}{kind}", ids, 1, found)


def _drawn(old: list[Run], new: list[Run]) -> Drawn:
    three, others = new[:N_CHECKED], new[N_CHECKED:]
    if len(old) < N_TURNS or len(new) < N_TURNS:
        return three, None
    ours = others[:N_TURNS] if len(others) >= N_TURNS else new[:N_TURNS]
    return three, (old[:N_TURNS], ours)
