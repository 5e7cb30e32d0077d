"""The recordings that measure the next method: all began after it was frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from buto.errors import BadFileError
from buto.experiments.dataset import archive
from buto.experiments.dataset.files import RUNS
from buto.experiments.design import VARIANTS
from buto.experiments.next_method.criteria import IN_ROW
from buto.experiments.next_method.trials import Trial
from buto.experiments.next_method.unchanged import UnchangedTask, unchanged_tasks, unchanged_trials
from buto.experiments.next_method.variants import UNCHANGED, VariantsTask, variants_tasks, variants_trials
from buto.experiments.next_method.versions import (
    PAIRS,
    SERVERS,
    VersionsTask,
    versions_tasks,
    versions_trials,
)
from buto.runs import RunSet

FROZEN = datetime(2026, 11, 22, 9, 5, tzinfo=UTC)
"""Earlier runs are not read."""

DATA = archive.RECORDED.parent / "next"
"""The data sets in buto's repository; those of the small servers are in the directory above."""

ROWS = "in-row*"
"""Data sets of unchanged programs, each launched many times in a row; one for each JDK."""

ONE_CORE = "one-core"
"""The data set of small servers on one core."""

A_DAY_S = 86400.0
"""Variants are recorded in rounds of several minutes; only a longer pause would begin another session."""

QUOTA = "quota"
"""The data set of the same servers with a quota of half a core, and, called PROGRAM-base, without."""

ByHost = Mapping[str, Mapping[str, RunSet]]


@dataclass(frozen=True, eq=False, slots=True)
class Recordings:
    """Runs by host and variant; empty where nothing was recorded.

    Attributes:
        variants: of the thesis, and the subtle ones.
        in_row: by the name of their data set, then by host: unchanged programs.
        pairs: of released libraries.
        servers: small ones in several versions.
        one_core: some of these as they were, on one core.
        quota: the same with a quota of the processor, and without.
    """

    variants: ByHost
    in_row: Mapping[str, ByHost]
    pairs: ByHost
    servers: ByHost
    one_core: ByHost
    quota: ByHost


@dataclass(frozen=True, slots=True)
class Size:
    """How often runs are divided at random.

    Attributes:
        variants, pairs, servers: divisions of the runs of one program.
    """

    variants: int = 3
    pairs: int = 20
    servers: int = 8


FULL = Size()

Task = VariantsTask | UnchangedTask | VersionsTask


def recordings(data: Path | None) -> Recordings:
    """Return all recordings below a directory, by default those of buto's repository.

    Raises:
        BadFileError: there are none, or one is damaged.
    """
    root = data or DATA
    servers = root / SERVERS if data else root.parent / SERVERS
    if not any(_is_set(path) for path in (*root.glob("*"), servers)):
        raise BadFileError(
            f"there are no data sets in {root}",
            advice="--data DIR: a directory with packed data sets called variants, in-row, pairs or servers",
        )
    return Recordings(
        _by_host(root / "variants"),
        {path.name: _by_host(path) for path in sorted(root.glob(ROWS))},
        _by_host(root / PAIRS),
        _by_host(servers),
        _by_host(root / ONE_CORE),
        _by_host(root / QUOTA),
    )


def tasks(found: Recordings, seed: int, size: Size = FULL) -> list[Task]:
    """Return all the work, in parts that several processes can share."""
    return [
        *(
            task
            for host, runs in found.variants.items()
            for task in variants_tasks(host, runs, size.variants, seed)
        ),
        *(
            task
            for host, runs in found.variants.items()
            for variant in VARIANTS
            if variant in runs
            for task in unchanged_tasks(UNCHANGED, f"{variant}@{host}", runs[variant], seed, A_DAY_S)
        ),
        *(
            task
            for hosts in found.in_row.values()
            for host, runs in hosts.items()
            for program, ours in runs.items()
            for task in unchanged_tasks(IN_ROW, f"{program}@{host}", ours, seed)
        ),
        *versions_of(found, seed, size),
    ]


def versions_of(found: Recordings, seed: int, size: Size = FULL) -> list[VersionsTask]:
    """Return the work on programs with several versions."""
    return [
        task
        for part, hosts, divisions in (
            (PAIRS, found.pairs, size.pairs),
            (SERVERS, found.servers, size.servers),
        )
        for host, runs in hosts.items()
        for task in versions_tasks(part, host, runs, divisions, seed)
    ]


def carried_out(task: Task) -> list[Trial]:
    """Return the checks of one part of the work."""
    match task:
        case VariantsTask():
            return list(variants_trials(task))
        case UnchangedTask():
            return list(unchanged_trials(task))
        case VersionsTask():
            return list(versions_trials(task))


def _by_host(directory: Path) -> dict[str, dict[str, RunSet]]:
    if not _is_set(directory):
        return {}
    return {host: archive.load(directory, host, since=FROZEN) for host in archive.hosts(directory)}


def _is_set(directory: Path) -> bool:
    return (directory / RUNS).is_file()
