"""Checks of small servers, of released libraries, and of unchanged programs in the order of time."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from buto.analysis.divisions import in_order, sessions
from buto.experiments.dataset.archive import started
from buto.experiments.gates.checks import MOST_CONFIRMING, Check, judged
from buto.experiments.next_method.checks import METHODS, N_TRAINING, Trained, profile_of
from buto.experiments.next_method.recordings import Recordings
from buto.experiments.next_method.variants import UNCHANGED
from buto.experiments.next_method.versions import PAIRS, SERVERS, VersionsTask, versions_tasks
from buto.runs import Run, RunSet

SMALL, LARGE, NEW = "small", "large", "new"
CHANGED = (SMALL, LARGE, NEW)
"""Versions of servers and libraries with a regression."""

IN_ORDER = "in the order of time"
N_CHECKED = 1 + MOST_CONFIRMING


@dataclass(frozen=True, slots=True)
class Size:
    """How much is judged.

    Attributes:
        servers, pairs: random divisions of the runs of one program.
        each: of runs in a row, every so many is a first run under test.
    """

    servers: int = 3
    pairs: int = 4
    each: int = 2


@dataclass(frozen=True, eq=False, slots=True)
class RowTask:
    """Usable runs of one unchanged program, in the order of their start; every so many is a first run."""

    name: str
    runs: RunSet
    each: int


Task = VersionsTask | RowTask


@dataclass(frozen=True, slots=True)
class Trial:
    """One check.

    Attributes:
        method: a preset.
        name: what trained, with its host.
        case: the version that was judged, or how unchanged runs were chosen.
        first: the id of the first run under test.
        check: what each gate and number of confirming runs needs.
    """

    method: str
    name: str
    case: str
    first: str
    check: Check


def tasks(found: Recordings, seed: int, size: Size) -> list[Task]:
    """Return all the work, in parts that several processes can share."""
    versions = [
        task
        for part, hosts, divisions in (
            (SERVERS, found.servers, size.servers),
            (PAIRS, found.pairs, size.pairs),
        )
        for host, runs in hosts.items()
        for task in versions_tasks(part, host, runs, divisions, seed)
    ]
    rows = [
        RowTask(f"{program}@{host}", runs.valid(), size.each)
        for hosts in found.in_row.values()
        for host, programs in hosts.items()
        for program, runs in programs.items()
    ]
    return [*versions, *rows]


def carried_out(task: Task) -> list[Trial]:
    """Return the checks of one part of the work."""
    return list(_versions(task) if isinstance(task, VersionsTask) else _in_order(task))


def _versions(task: VersionsTask) -> Iterator[Trial]:
    """Yield checks of the old version and of those with a regression, by all methods."""
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    for _ in range(task.divisions):
        order = random.permutation(len(task.base))
        training = _drawn(task.base, order[:N_TRAINING])
        checked = {UNCHANGED: _drawn(task.base, order[N_TRAINING:][:N_CHECKED])}
        for version, runs in ((one, task.others[one]) for one in CHANGED if one in task.others):
            checked[version] = _drawn(runs, random.permutation(len(runs))[:N_CHECKED])
        yield from _by_all_methods(task.name, training, checked)


def _by_all_methods(name: str, training: Sequence[Run], checked: Mapping[str, list[Run]]) -> Iterator[Trial]:
    for method, settings in METHODS.items():
        trained = Trained.by(training, settings)
        for case, runs in checked.items():
            profile, rows = trained.rows(runs)
            found = judged(profile, profile.values, rows, settings)
            yield Trial(method, name, case, runs[0].id, found)


def _drawn(runs: RunSet, places: Sequence[int] | np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[Run]:
    return [runs.runs[place] for place in places]


def _in_order(task: RowTask) -> Iterator[Trial]:
    """Yield checks of runs in a row by the ten runs directly before them, within each session."""
    session = sessions(np.array([started(run).timestamp() for run in task.runs]))
    for method, settings in METHODS.items():
        profile = profile_of(task.runs, settings)
        for number in np.unique(session):
            places = np.flatnonzero(session == number)
            for one in in_order(len(places), N_TRAINING, N_CHECKED, 1)[:: task.each]:
                training, checked = (profile.values[places[some]] for some in (one.training, one.checked))
                found = judged(profile, training, checked, settings)
                first = task.runs.runs[places[one.checked[0]]].id
                yield Trial(method, task.name, IN_ORDER, first, found)
