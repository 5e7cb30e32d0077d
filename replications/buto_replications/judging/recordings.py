"""The recordings that measure the judge: none of them chose it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from buto.errors import BadFileError
from buto.judging.divisions import SESSION_GAP_S
from buto.judging.judge_settings import CALIBRATED, JudgeSettings
from buto.run.model import RunSet
from buto_replications import checkout
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.dataset.archive import RUNS
from buto_replications.design import VARIANTS
from buto_replications.judging.checks import FACTORS, CheckTrial, with_sizes
from buto_replications.judging.unchanged import FEWEST, UnchangedTask, unchanged_trials
from buto_replications.judging.versions import (
    PAIRS,
    SERVERS,
    UNCHANGED,
    UNSEEN,
    VariantsTask,
    VersionsTask,
    variants_tasks,
    variants_trials,
    versions_tasks,
    versions_trials,
)

FROZEN = datetime(2026, 11, 22, 9, 5, tzinfo=UTC)
"""Earlier runs are not read."""

NEXT = DATA / "next"
"""The data sets in buto's repository; those of the small servers are in the directory above."""

ROWS = "in-row*"
"""Data sets of unchanged programs, each launched many times in a row; one for each JDK."""

ONE_CORE = "one-core"
"""The data set of small servers on one core."""

A_DAY_S = 86400.0
"""Variants are recorded in rounds of several minutes; only a longer pause would begin another session."""

QUOTA = "quota"
"""The data set of the same servers with a quota of half a core, and, called PROGRAM-base, without."""

QUIET, LOAD, ELSEWHERE = "turns-quiet", "turns-load", "turns-elsewhere"
"""Data sets of unchanged programs in a row: as the machine was, beside programs that start and stop, and with
another JDK, collector and number of cores."""

TUNING = "tuning.txt"
"""The file beside the runs of the unseen programs that names those which may choose sizes."""

IN_ROW = "in a row"

ByHost = Mapping[str, Mapping[str, RunSet]]


@dataclass(frozen=True, eq=False, slots=True)
class Recordings:
    """Runs by host and variant; empty where nothing was recorded.

    Attributes:
        variants: of the thesis, and the subtle ones.
        in_row: by the name of their data set, then by host: unchanged programs.
        versions: by part, programs in several versions.
        tuning: the names of the unseen programs that may choose sizes.
        one_core: some of the servers as they were, on one core.
        quota: the same with a quota of the processor, and without.
    """

    variants: ByHost
    in_row: Mapping[str, ByHost]
    versions: Mapping[str, ByHost]
    tuning: frozenset[str]
    one_core: ByHost
    quota: ByHost


@dataclass(frozen=True, slots=True)
class DrawSize:
    """How often runs are divided at random.

    Attributes:
        variants, versions: divisions of the runs of one program.
    """

    variants: int = 3
    versions: int = 8


FULL = DrawSize()

Task = VariantsTask | UnchangedTask | VersionsTask


def recordings(data: Path | None) -> Recordings:
    """Return all recordings below a directory, by default those of buto's repository.

    Raises:
        BadFileError: there are none, or one is damaged.
    """
    root = checkout.recorded(data, NEXT)
    beside = root if data else root.parent
    if not any(_is_set(path) for path in (*root.glob("*"), beside / SERVERS)):
        raise BadFileError(
            f"there are no data sets in {root}",
            advice="--data DIR: a directory with packed data sets called variants, in-row, pairs or servers",
        )
    drawn = beside / UNSEEN / TUNING
    return Recordings(
        _by_host(root / "variants"),
        {
            path.name: _by_host(path)
            for path in (*sorted(root.glob(ROWS)), *(root / name for name in (QUIET, LOAD, ELSEWHERE)))
            if _is_set(path)
        },
        {
            PAIRS: _join(root.glob(f"{PAIRS}*")),
            SERVERS: _by_host(beside / SERVERS),
            UNSEEN: _join((beside / UNSEEN).glob("*/")),
        },
        frozenset(drawn.read_text().split()) if drawn.is_file() else frozenset(),
        _by_host(root / ONE_CORE),
        _by_host(root / QUOTA),
    )


def tasks(recorded: Recordings, seed: int, size: DrawSize = FULL) -> list[Task]:
    """Return all the work, in parts that several processes can share."""
    return [
        *(
            task
            for host, runs in recorded.variants.items()
            for task in variants_tasks(host, runs, size.variants, seed)
        ),
        *(
            _find_unchanged(UNCHANGED, f"{variant}@{host}", runs[variant], seed, A_DAY_S)
            for host, runs in recorded.variants.items()
            for variant in VARIANTS
            if variant in runs and len(runs[variant].valid()) >= FEWEST
        ),
        *(
            replace(
                _find_unchanged(
                    name if name in (QUIET, LOAD, ELSEWHERE) else IN_ROW, f"{program}@{host}", ours, seed
                ),
                elsewhere=ours.valid() if name == ELSEWHERE else None,
            )
            for name, hosts in recorded.in_row.items()
            for host, runs in hosts.items()
            for program, ours in runs.items()
            if len(ours.valid()) >= FEWEST
        ),
        *versions_of(recorded, seed, size),
    ]


def versions_of(recorded: Recordings, seed: int, size: DrawSize = FULL) -> list[VersionsTask]:
    """Return the work on programs with several versions; with all sizes where refactorings were recorded."""
    return [
        task
        for part, hosts in recorded.versions.items()
        for host, runs in hosts.items()
        for task in versions_tasks(part, host, runs, size.versions, seed, _settings(part))
    ]


def carried_out(task: Task) -> list[CheckTrial]:
    """Return the checks of one part of the work."""
    match task:
        case VariantsTask():
            return list(variants_trials(task))
        case UnchangedTask():
            return list(unchanged_trials(task))
        case VersionsTask():
            return list(versions_trials(task))


def _settings(part: str) -> Mapping[str, JudgeSettings]:
    factors = () if part == PAIRS else (factor for factor in FACTORS if factor != 1.0)
    return {"": CALIBRATED} | {f" x{factor:g}": with_sizes(factor) for factor in factors}


def _find_unchanged(
    part: str, name: str, runs: RunSet, seed: int, gap_s: float = SESSION_GAP_S
) -> UnchangedTask:
    return UnchangedTask(part, name, runs.valid(), seed, gap_s=gap_s)


def _by_host(directory: Path) -> dict[str, dict[str, RunSet]]:
    if not _is_set(directory):
        return {}
    return {host: archive.load(directory, host, since=FROZEN) for host in archive.hosts(directory)}


def _join(directories: Iterable[Path]) -> dict[str, dict[str, RunSet]]:
    joined: dict[str, dict[str, RunSet]] = {}
    for directory in sorted(directories):
        for host, runs in _by_host(directory).items():
            joined.setdefault(host, {}).update(runs)
    return joined


def _is_set(directory: Path) -> bool:
    return (directory / RUNS).is_file()
