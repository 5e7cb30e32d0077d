"""The groups of the recorded data sets: which variants are a changed version of which program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from buto.errors import BadFileError
from buto.experiments.dataset import archive
from buto.experiments.design import EXPERIMENTS, SUBTLE, VARIANTS
from buto.experiments.history.replay import Group, columns_of, group_of, usable
from buto.runs import Run, RunSet

DATA = archive.RECORDED.parent
BASE, REFACTORED = "base", "refactored"
"""Endings of variants of the small servers: as they were, and changed as somebody would accept."""

RUNS = "runs.parquet"
"""The file that each data set has."""

REGRESSIONS = ("large", "small")


def recorded_groups(data: Path = DATA) -> list[Group]:
    """Return the groups of all data sets in a directory.

    Raises:
        BadFileError: there is none, or one is damaged.
    """
    found: dict[str, tuple[list[Run], dict[str, list[Run]]]] = {}
    for directory in sorted(path.parent for path in data.glob(f"*/{RUNS}")):
        for host in archive.hosts(directory):
            runs = archive.load(directory, host)
            for variant, good, changed in _programs(runs):
                found[f"{variant}@{host} ({directory.name})"] = good, changed
    if not found:
        raise BadFileError(
            f"there are no data sets below {data}",
            advice="name the directory that holds packed data sets: --data DIR",
        )
    everything = [
        run for good, changed in found.values() for some in (good, *changed.values()) for run in some
    ]
    columns = columns_of(everything)
    return list(usable([group_of(name, columns, *parts) for name, parts in found.items()]))


def _programs(
    runs: Mapping[str, RunSet],
) -> Iterator[tuple[str, list[Run], dict[str, list[Run]]]]:
    """Yield each program with its good runs and those of its regressions."""
    valid = {name: list(some.valid()) for name, some in runs.items()}
    for variant in VARIANTS:
        changes = [one.negative for one in (*EXPERIMENTS, *SUBTLE) if one.training == variant]
        changed = {name: valid[name] for name in changes if name in valid}
        if variant in valid and changed:
            yield variant, valid[variant], changed
    for name in valid:
        program, _, kind = name.rpartition("-")
        if kind == BASE:
            good = [*valid[name], *valid.get(f"{program}-{REFACTORED}", ())]
            yield program, good, {one: valid.get(f"{program}-{one}", []) for one in REGRESSIONS}
