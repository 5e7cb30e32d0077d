"""Checks of several versions of a program: variants of the thesis, refactorings, regressions, and releases.

The thirty-two experiments and the subtle variants train on some runs and judge others. Further programs have
regressions of two sizes and refactorings; libraries have releases.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.judging.procedure import N_CHECKED
from buto.run.model import Run, RunSet
from buto_replications.design import EXPERIMENTS, SUBTLE, VARIANTS
from buto_replications.judging.checks import N_TRAINING, CachingJudge, CheckTrial, TurnRuns
from buto_replications.scores import FN, FP, MCC, TN, TP, standard_error

EXPERIMENT, UNCHANGED, SUBTLE_PART = "experiments", "unchanged", "subtle"
N_JUDGED = 10
"""Most runs of one variant that one division judges: as many changed ones as unchanged ones."""

N_TRIPLES = 5
"""Groups of three runs that each division draws of a subtle variant."""


@dataclass(frozen=True, eq=False, slots=True)
class VariantsTask:
    """One division of the runs of one variant.

    Attributes:
        runs: by variant, usable ones: of the variant that trains and of those that are compared with it.
        number: of the division; with the seed it decides which runs train.
    """

    host: str
    variant: str
    runs: Mapping[str, RunSet]
    number: int
    seed: int


def variants_tasks(host: str, runs: Mapping[str, RunSet], divisions: int, seed: int) -> list[VariantsTask]:
    """Return the work on the variants of the thesis that have runs to train with and to judge."""
    usable = {name: of_variant.valid() for name, of_variant in runs.items()}
    tasks = []
    for variant in VARIANTS:
        if len(usable.get(variant, ())) < N_TRAINING + N_CHECKED:
            continue
        compared = [
            experiment.negative for experiment in (*EXPERIMENTS, *SUBTLE) if experiment.training == variant
        ]
        ours = {name: usable[name] for name in (variant, *compared) if name in usable}
        tasks += [VariantsTask(host, variant, ours, number, seed) for number in range(divisions)]
    return tasks


def variants_trials(task: VariantsTask) -> Iterator[CheckTrial]:
    """Yield the checks of one division. There are too few runs for turns."""
    random = np.random.default_rng(
        [task.seed, task.number, zlib.crc32(f"{task.variant}@{task.host}".encode())]
    )
    order = random.permutation(len(task.runs[task.variant]))
    ours = task.runs[task.variant].runs
    training = [ours[place] for place in order[:N_TRAINING]]
    kinds = [
        (experiment.negative, task.runs[experiment.negative].runs)
        for experiment in EXPERIMENTS
        if _is_of(experiment.training, experiment.negative, task)
    ]
    checks: list[tuple[str, str, list[Run], int]] = []
    rest = [ours[place] for place in order[N_TRAINING:]]
    n_judged = min(N_JUDGED, len(rest))
    checks += [(EXPERIMENT, UNCHANGED, three, len(kinds)) for three in _threes(rest, n_judged, random)]
    for name, theirs in kinds:
        drawn = [theirs[place] for place in random.permutation(len(theirs))]
        checks += [(EXPERIMENT, name, three, 1) for three in _threes(drawn, n_judged, random)]
    checks += [(SUBTLE_PART, case, three, 1) for case, three in _subtle(task, random)]
    trained = CachingJudge.by(training)
    name = f"{task.variant}@{task.host}"
    for part, case, three, times in checks:
        yield CheckTrial(part, name, case, _ids(three), times, trained.check(three))


def _is_of(training: str, negative: str, task: VariantsTask) -> bool:
    return training == task.variant and negative in task.runs


def _threes(runs: Sequence[Run], most: int, random: np.random.Generator) -> Iterator[list[Run]]:
    """Yield the first runs, each with two random others."""
    for place in range(min(most, len(runs))):
        others = random.permutation(len(runs)).tolist()
        more = [other for other in others if other != place][: N_CHECKED - 1]
        yield [runs[run] for run in (place, *more)]


def _subtle(task: VariantsTask, random: np.random.Generator) -> list[tuple[str, list[Run]]]:
    return [
        (experiment.negative, [theirs[place] for place in random.permutation(len(theirs))[:N_CHECKED]])
        for experiment in SUBTLE
        if _is_of(experiment.training, experiment.negative, task)
        for theirs in [task.runs[experiment.negative].runs]
        if len(theirs) >= N_CHECKED
        for _ in range(N_TRIPLES)
    ]


def _ids(runs: Sequence[Run]) -> tuple[str, ...]:
    return tuple(run.id for run in runs)


@dataclass(frozen=True, slots=True)
class Discrimination:
    """How well the judge tells changed runs from unchanged ones over the experiments.

    Attributes:
        mcc, error: Matthews's correlation and its standard error, clustered by run.
        alarms, n_unchanged: checks of unchanged runs that failed, and all of them, each counted once.
        missed, n_changed: checks of changed runs that passed, and all of them.
        runs: how many different runs the errors concern.
    """

    mcc: float
    error: float
    alarms: int
    n_unchanged: int
    missed: int
    n_changed: int
    runs: int


def discrimination(trials: Sequence[CheckTrial], alpha: float) -> Discrimination:
    """Return the figures of confirmed checks, over one host or several."""
    names = sorted({trial.runs[0] for trial in trials})
    place = {name: number for number, name in enumerate(names)}
    by_run = np.zeros((len(names), 4), np.int64)
    strata = np.empty(len(names), object)
    errors = set()
    wrong = {True: 0, False: 0}
    counted = {True: 0, False: 0}
    for trial in trials:
        unchanged, failed = trial.case == UNCHANGED, trial.check.differs(alpha)
        kind = (FN if failed else TP) if unchanged else (TN if failed else FP)
        by_run[place[trial.runs[0]], kind] += trial.times
        host = trial.name.rpartition("@")[2]
        strata[place[trial.runs[0]]] = trial.name if unchanged else f"{trial.case}@{host}"
        counted[unchanged] += 1
        if failed is unchanged:
            wrong[unchanged] += 1
            errors.add(trial.runs[0])
    return Discrimination(
        float(MCC.value(by_run.sum(axis=0))),
        standard_error(MCC, by_run, strata.astype(str)),
        wrong[True],
        counted[True],
        wrong[False],
        counted[False],
        len(errors),
    )


def jackknife(trials: Sequence[CheckTrial], hits: Sequence[bool]) -> float:
    """Return the standard error of the share found, each run left out with all checks that it is in.

    NaN if it cannot be estimated.
    """
    runs = sorted({run for trial in trials for run in trial.runs})
    without = [
        [value for trial, value in zip(trials, hits, strict=True) if run not in trial.runs] for run in runs
    ]
    shares = np.array([np.mean(some) for some in without if some])
    return float(np.sqrt((len(shares) - 1) * shares.var())) if len(shares) > 1 else float("nan")


PAIRS, SERVERS, UNSEEN = "pairs", "servers", "unseen"
BASES: Mapping[str, str] = {PAIRS: "-old", SERVERS: "-base", UNSEEN: ""}
"""By part, the ending of the version that trains."""


Drawn = tuple[list[Run], TurnRuns | None]
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


def versions_trials(task: VersionsTask) -> Iterator[CheckTrial]:
    """Yield checks of all versions.

    Turns have runs of their own: of the old program those that did not train, and of the new one those that
    were not checked, ten of each where there are as many. With fewer than six there are no turns.
    """
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    for _ in range(task.divisions):
        order = [task.base.runs[place] for place in random.permutation(len(task.base))]
        training, rest = order[:N_TRAINING], order[N_TRAINING:]
        trained = CachingJudge.by(training, next(iter(task.settings.values())))
        drawn: dict[str, Drawn] = {UNCHANGED: (rest[:N_CHECKED], None)}
        drawn |= {
            version: _draw(rest, [runs.runs[place] for place in random.permutation(len(runs))])
            for version, runs in task.others.items()
            if len(runs) >= N_CHECKED
        }
        for kind, settings in task.settings.items():
            judge = trained.with_settings(settings)
            for version, (three, turns) in drawn.items():
                simulated = judge.check(three, turns)
                ids = tuple(run.id for run in three)
                yield CheckTrial(task.part, task.name, f"{version}{kind}", ids, 1, simulated)


FEWEST_TURNS = 6
"""With fewer runs of each, turns are not simulated: they could hardly show anything."""


def _draw(old: list[Run], new: list[Run]) -> Drawn:
    three, others = new[:N_CHECKED], new[N_CHECKED:]
    if len(old) < FEWEST_TURNS or len(others) < FEWEST_TURNS:
        return three, None
    return three, TurnRuns(old, others)
