"""Recorded series of releases of libraries, in their order: as a labelled history of the engine."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from buto.errors import BadFileError
from buto.run.labels import Label
from buto.run.model import FloatArray, Run
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.dataset.archive import reading
from buto_replications.dataset.variants import HOSTS
from buto_replications.detectors.history.columns import Columns
from buto_replications.detectors.history.engine import Examples
from buto_replications.detectors.history.known import deviations, with_sizes
from buto_replications.history.replay import GOOD, History, columns_of, rows_of, unit_of

SERIES, LABELS = "next/series", "labels.csv"
"""The data set below the recorded ones, and the file that says which releases are regressions."""

COLUMNS = ("test", "release", "label")
"""Columns that the file must have."""

PARALLEL = HOSTS[0]

RUNS_OF_CHECK = 3
"""Runs of a check; it counts by their median."""


@dataclass(frozen=True, eq=False, slots=True)
class Release:
    """Recorded runs of a release, and whether it is a regression."""

    version: str
    label: Label
    runs: Sequence[Run]

    @property
    def is_good(self) -> bool:
        return self.label is Label.GOOD


@dataclass(frozen=True, eq=False, slots=True)
class Series:
    """Releases of a library that run the same program, the oldest first, which must be good."""

    name: str
    releases: tuple[Release, ...]

    def before(self, place: int) -> Release:
        """Return the newest good release before the one at a place, which must not be the first."""
        return next(one for one in reversed(self.releases[:place]) if one.is_good)


def recorded_series(data: Path = DATA) -> list[Series]:
    """Return the recorded series.

    Raises:
        BadFileError: a file is missing or damaged, a labelled release was not recorded, or the first one of a
            series is not good.
    """
    directory = data / SERIES
    runs = archive.load(directory, PARALLEL)
    with reading(directory / LABELS, "name the directory that holds packed data sets: --data DIR") as content:
        table = csv.DictReader(io.StringIO(content.decode()))
        missing = [column for column in COLUMNS if column not in (table.fieldnames or ())]
        if missing:
            raise ValueError(f"it must have the columns {', '.join(COLUMNS)}; missing: {', '.join(missing)}")
        found: dict[str, list[Release]] = {}
        for row in table:
            name = f"{row['test']}-{row['release']}"
            if name not in runs:
                raise BadFileError(f"{directory} must have runs of {name}, which {LABELS} names")
            release = Release(row["release"], Label(row["label"]), list(runs[name].valid()))
            found.setdefault(row["test"], []).append(release)
        for name, (first, *_) in found.items():
            if not first.is_good:
                raise ValueError(
                    f"{name} must begin with a good release, got {first.label.value} {first.version}"
                )
    return [Series(name, tuple(releases)) for name, releases in found.items()]


def in_order(series: Sequence[Series]) -> History:
    """Return the checks of all releases but the first, each compared with the newest good one before.

    A release is a configuration, so folds do not divide it. The unit of deviations is the scatter within the
    library's other good releases. The kind of a regression is its series.
    """
    columns = columns_of([run for one in series for release in one.releases for run in release.runs])
    checks = [check for number, one in enumerate(series) for check in _checks(one, number, columns)]
    names, releases = [series[one.group].name for one in checks], [one.release for one in checks]
    target, expected = (np.array([getattr(one, key) for one in checks]) for key in ("target", "expected"))
    away = with_sizes(deviations(target, expected, np.array([one.unit for one in checks])))
    abnormal = np.array([not release.is_good for release in releases])
    group = np.array([one.group for one in checks])
    _, configuration = np.unique(
        [f"{name} {one.version}" for name, one in zip(names, releases, strict=True)], return_inverse=True
    )
    return History(
        tuple(one.name for one in series),
        Examples(target, expected, abnormal, group, configuration),
        Examples(away, np.zeros_like(away), abnormal, group, configuration),
        np.where(abnormal, names, GOOD),
        np.array(names),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Check:
    """The median of some runs of a release, and what was expected; arrays of shape (n_columns,)."""

    target: FloatArray
    expected: FloatArray
    unit: FloatArray
    release: Release
    group: int


def _checks(series: Series, number: int, columns: Columns) -> Iterator[_Check]:
    rows = {release.version: rows_of(columns, release.runs) for release in series.releases}
    good = [release for release in series.releases if release.is_good]
    grain = columns.grain([run for release in good for run in release.runs])
    for place, release in enumerate(series.releases[1:], start=1):
        baseline = rows[series.before(place).version]
        others = [rows[one.version].var(axis=0, ddof=1) for one in good if one is not release]
        expected = np.median(baseline, axis=0)
        unit = unit_of(np.mean(others, axis=0), expected, grain)
        ours = rows[release.version]
        for first in range(0, len(ours) - RUNS_OF_CHECK + 1, RUNS_OF_CHECK):
            target = np.median(ours[first : first + RUNS_OF_CHECK], axis=0)
            yield _Check(target, expected, unit, release, number)
