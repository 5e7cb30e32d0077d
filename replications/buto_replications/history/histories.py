"""The recorded data sets as labelled programs, and the histories that are measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from buto.errors import BadFileError
from buto.run.model import Run, RunSet
from buto_replications import checkout
from buto_replications.bed import archive as bed
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import chosen
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.design import EXPERIMENTS, PROGRAMS, SUBTLE
from buto_replications.detectors.history.engine import N_FOLDS
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.learners import require_learners
from buto_replications.history.replay import (
    PAPER_SIZE,
    Group,
    History,
    HistoryPlan,
    columns_of,
    group_of,
    replayed,
    synthetic_history,
)
from buto_replications.history.series import in_order, recorded_series
from buto_replications.history.tables import MeasuredTrial, TableTrial, measured, paper_trials, replay_trials

BED, VERSIONS = bed.RECORDED.name, "next/pairs"
"""Directories of the bed's runs, and of those of releases of libraries."""

BASE, REFACTORED = "base", "refactored"
"""Endings of variants of the small servers: as they were, and changed as somebody would accept."""

OLD, NEW = "old", "new"
"""Endings of the two releases of a library, of which the newer one is known to use more."""

RUNS = "runs.parquet"
"""The file that each data set has."""

REGRESSIONS = ("large", "small")


@dataclass(frozen=True, eq=False, slots=True)
class ProgramRuns:
    """Recorded runs of a program in one configuration.

    Attributes:
        family: programs that are variants of each other.
        changed: runs of its regressions, by their kinds.
    """

    name: str
    family: str
    good: Sequence[Run]
    changed: Mapping[str, Sequence[Run]]


def programs(data: Path = DATA) -> list[ProgramRuns]:
    """Return the test programs and the small servers.

    Raises:
        BadFileError: there is no data set below this directory, or one is damaged.
    """
    places = sorted(path.parent for path in data.glob(f"*/{RUNS}"))
    return _record([place for place in places if place.name != BED], data)


def releases(data: Path = DATA) -> list[ProgramRuns]:
    """Return the libraries: a release before a reported regression, and the one with it; raises as
    :func:`programs`.
    """
    return _record([data / VERSIONS], data)


def bed_faults(data: Path = DATA) -> list[ProgramRuns]:
    """Return the bed's one program: faults at two intensities; other loads are accepted changes.

    All these runs are under a changing load, in the base environment: runs of two environments are never
    compared, and four runs under the steady load are too few to train on. Only the part on which methods are
    chosen is read.

    Raises:
        BadFileError: the data set is missing or damaged.
    """
    runs = chosen(bed.load(data / BED), environment="base")
    accepted = [run.run for role in ("good", "other-load") for run in chosen(runs, role=role)]
    changed: dict[str, list[Run]] = {}
    for run in chosen(runs, role="fault"):
        changed.setdefault(kind_of(run.labels.fault), []).append(run.run)
    return [ProgramRuns(BED, BED, accepted, changed)]


def groups_of(programs: Sequence[ProgramRuns]) -> list[Group]:
    columns = columns_of(
        [run for program in programs for some in (program.good, *program.changed.values()) for run in some]
    )
    return [
        group_of(program.name, program.family, columns, program.good, program.changed) for program in programs
    ]


def _record(places: Sequence[Path], data: Path) -> list[ProgramRuns]:
    recorded: list[ProgramRuns] = []
    for place in places:
        for host in archive.hosts(place):
            known = _programs(archive.load(place, host))
            recorded += [replace(runs, name=f"{runs.name}@{host} ({place.name})") for runs in known]
    if not recorded:
        raise BadFileError(
            f"there are no data sets below {data}",
            advice="name the directory that holds packed data sets: --data DIR",
        )
    return recorded


def _programs(runs: Mapping[str, RunSet]) -> Iterator[ProgramRuns]:
    """Yield each program with its good runs and those of its regressions."""
    valid = {name: list(some.valid()) for name, some in runs.items()}
    for family, variants in PROGRAMS.items():
        for variant in variants:
            changes = [
                experiment.negative
                for experiment in (*EXPERIMENTS, *SUBTLE)
                if experiment.training == variant
            ]
            changed = {name: valid[name] for name in changes if name in valid}
            if variant in valid and changed:
                yield ProgramRuns(variant, family, valid[variant], changed)
    for name in valid:
        program, _, kind = name.rpartition("-")
        if kind == BASE:
            good = [*valid[name], *valid.get(f"{program}-{REFACTORED}", ())]
            sizes = [f"{program}-{size}" for size in REGRESSIONS]
            yield ProgramRuns(program, program, good, {size: valid.get(size, []) for size in sizes})
        if kind == OLD:
            newer = f"{program}-{NEW}"
            yield ProgramRuns(program, program, valid[name], {newer: valid.get(newer, [])})


REPLAYED_PROGRAMS = "replayed programs"

BED_PLAN = HistoryPlan(versions=2000, repeats=1, runs=1, fewest_changed=1)
"""There is one run of each fault at each intensity."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelledHistory:
    name: str
    examples: Examples
    trials: tuple[TableTrial, ...]

    def __str__(self) -> str:
        n_rows, n_columns = self.examples.target.shape
        n_groups = len(set(self.examples.group.tolist()))
        return (
            f"{self.name}: {n_rows} rows of {n_groups} groups, {n_columns} numbers each, "
            f"{self.examples.abnormal.mean():.1%} abnormal; {N_FOLDS} folds that divide no configuration"
        )

    def measured(self, trial: TableTrial, seed: int) -> MeasuredTrial:
        return measured(self.examples, trial, seed, N_FOLDS)


def histories(data: Path | None, seed: int) -> Iterator[LabelledHistory]:
    """Yield the made-up history and the replayed ones; all data sets are read before the first.

    Args:
        data: the directory of the packed data sets; None for those of buto's repository.

    Raises:
        UsageError: scikit-learn is not installed.
        BadFileError: a data set is missing or damaged.
    """
    require_learners()
    place = checkout.recorded(data, DATA)
    some, libraries, series, faults = (
        programs(place),
        releases(place),
        recorded_series(place),
        bed_faults(place),
    )
    yield LabelledHistory("made up", synthetic_history(PAPER_SIZE, seed), tuple(paper_trials()))
    plan = HistoryPlan()
    replay = _replay(some, plan, seed)
    yield _deviating(REPLAYED_PROGRAMS, replay)
    yield LabelledHistory(REPLAYED_PROGRAMS, replay.examples, tuple(paper_trials()))
    yield _deviating("releases of libraries", _replay(libraries, plan, seed))
    yield _deviating("series of releases", in_order(series))
    yield _deviating("faults of Keycloak", _replay(faults, BED_PLAN, seed))


def _replay(recorded: Sequence[ProgramRuns], plan: HistoryPlan, seed: int) -> History:
    usable = [runs for runs in recorded if plan.pools_of(runs.good, runs.changed)]
    return replayed(groups_of(usable), plan, seed)


def _deviating(name: str, history: History) -> LabelledHistory:
    return LabelledHistory(f"{name}, as deviations", history.deviating, tuple(replay_trials(history)))
