"""Recorded series of releases: as rows compared with the release before, and judged in their order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import structs

from buto import oracle
from buto.errors import BadFileError
from buto.judging.verdict import Status
from buto.run.labels import ACCEPT, LABEL, TRAIN, Label, Labelling, Past
from buto.run.model import SESSION, FloatArray, Run, run_set
from buto_replications.checkout import DATA
from buto_replications.dataset import archive
from buto_replications.dataset.archive import reading
from buto_replications.dataset.generate import HOSTS
from buto_replications.detectors.history.examples import Examples
from buto_replications.detectors.history.known import LabelledColumns, deviations, with_sizes
from buto_replications.history.replay import GOOD, History, columns_of, rows_of, unit_of

SERIES, LABELS = "next/series", "labels.csv"
"""The data set below the recorded ones, and the file that says which releases are regressions."""

COLUMNS = ("test", "release", "label")
"""Columns that the file must have."""

PARALLEL = HOSTS[0]

RUNS_OF_CHECK = 3
"""Runs of a check; it counts by their median."""


@dataclass(frozen=True, eq=False, slots=True)
class LabelledRelease:
    version: str
    label: Label
    runs: Sequence[Run]

    @property
    def is_good(self) -> bool:
        return self.label is Label.GOOD


@dataclass(frozen=True, eq=False, slots=True)
class ReleaseSeries:
    """Releases of a library that run the same program, the oldest first, which must be good."""

    name: str
    releases: tuple[LabelledRelease, ...]

    def before(self, place: int) -> LabelledRelease:
        """Return the newest good release before the one at a place, which must not be the first."""
        return next(release for release in reversed(self.releases[:place]) if release.is_good)


def recorded_series(data: Path = DATA) -> list[ReleaseSeries]:
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
        by_test: dict[str, list[LabelledRelease]] = {}
        for row in table:
            name = f"{row['test']}-{row['release']}"
            if name not in runs:
                raise BadFileError(f"{directory} must have runs of {name}, which {LABELS} names")
            release = LabelledRelease(row["release"], Label(row["label"]), list(runs[name].valid()))
            by_test.setdefault(row["test"], []).append(release)
        for name, (first, *_) in by_test.items():
            if not first.is_good:
                raise ValueError(
                    f"{name} must begin with a good release, got {first.label.value} {first.version}"
                )
    return [ReleaseSeries(name, tuple(releases)) for name, releases in by_test.items()]


def in_order(series: Sequence[ReleaseSeries]) -> History:
    """Return the checks of all releases but the first, each compared with the newest good one before.

    A release is a configuration, so folds do not divide it. The unit of deviations is the scatter within the
    library's other good releases. The kind of a regression is its series.
    """
    columns = columns_of(
        [
            run
            for series_of_releases in series
            for release in series_of_releases.releases
            for run in release.runs
        ]
    )
    checks = [
        check
        for number, series_of_releases in enumerate(series)
        for check in _checks(series_of_releases, number, columns)
    ]
    names, releases = [series[check.group].name for check in checks], [check.release for check in checks]
    target, expected = (np.array([getattr(check, key) for check in checks]) for key in ("target", "expected"))
    away = with_sizes(deviations(target, expected, np.array([check.unit for check in checks])))
    abnormal = np.array([not release.is_good for release in releases])
    group = np.array([check.group for check in checks])
    _, configuration = np.unique(
        [f"{name} {release.version}" for name, release in zip(names, releases, strict=True)],
        return_inverse=True,
    )
    return History(
        tuple(series_of_releases.name for series_of_releases in series),
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
    release: LabelledRelease
    group: int


def _checks(series: ReleaseSeries, number: int, columns: LabelledColumns) -> Iterator[_Check]:
    rows = {release.version: rows_of(columns, release.runs) for release in series.releases}
    good = [release for release in series.releases if release.is_good]
    grain = columns.grain([run for release in good for run in release.runs])
    for place, release in enumerate(series.releases[1:], start=1):
        baseline = rows[series.before(place).version]
        others = [
            rows[labelled_release.version].var(axis=0, ddof=1)
            for labelled_release in good
            if labelled_release is not release
        ]
        expected = np.median(baseline, axis=0)
        unit = unit_of(np.mean(others, axis=0), expected, grain)
        ours = rows[release.version]
        for first in range(0, len(ours) - RUNS_OF_CHECK + 1, RUNS_OF_CHECK):
            target = np.median(ours[first : first + RUNS_OF_CHECK], axis=0)
            yield _Check(target, expected, unit, release, number)


SETTINGS: Mapping[str, Any] = {"method": "history"}

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

UNCHANGED, NEW, KNOWN = "without a regression", "the first with a regression", "later with the same"
KINDS = (UNCHANGED, NEW, KNOWN)
"""What a release is, by what was labelled before it."""

STATUSES = (Status.REGRESSION, Status.INCONCLUSIVE, Status.PASS)


@dataclass(frozen=True, slots=True)
class WalkStep:
    series: str
    release: str
    kind: str
    status: Status


@dataclass(frozen=True, eq=False, slots=True)
class WalkTask:
    """A series to judge, and others, of which all releases are labelled."""

    series: ReleaseSeries
    others: Sequence[ReleaseSeries]


def walk_tasks(series: Sequence[ReleaseSeries]) -> list[WalkTask]:
    return [
        WalkTask(series_of_releases, [other for other in series if other is not series_of_releases])
        for series_of_releases in series
    ]


def walked(task: WalkTask) -> list[WalkStep]:
    return list(walk(task.series, task.others))


def walk(series: ReleaseSeries, others: Sequence[ReleaseSeries]) -> Iterator[WalkStep]:
    """Yield how each release but the first is judged; see :class:`WalkTask`."""
    settings = oracle.settings_from(SETTINGS)
    pasts = [_Labelled(library).past(len(library.releases)) for library in others]
    ours, was_bad = _Labelled(series), False
    for place, release in enumerate(series.releases[1:], start=1):
        known = oracle.train(run_set(ours.baseline(place)), settings, pasts=[ours.past(place), *pasts])
        status = oracle.check(known, run_set(ours.checked(place))).status
        kind = UNCHANGED if release.is_good else KNOWN if was_bad else NEW
        was_bad = was_bad or not release.is_good
        yield WalkStep(series.name, release.version, kind, status)


class _Labelled:
    """A series as runs of one test, whose ids are in the order of the releases, with their labels."""

    def __init__(self, series: ReleaseSeries) -> None:
        self._series = series
        self._runs = [
            [_rename(run, series.name, place, number) for number, run in enumerate(release.runs)]
            for place, release in enumerate(series.releases)
        ]

    def checked(self, place: int) -> Sequence[Run]:
        return self._runs[place][:RUNS_OF_CHECK]

    def baseline(self, place: int) -> Sequence[Run]:
        """Return the runs that trained before a release was checked."""
        before = self._series.releases.index(self._series.before(place))
        return self._trained(before)

    def past(self, n_releases: int) -> Past:
        """Return what is known after so many releases."""
        runs = [run for some in self._runs[:n_releases] for run in some]
        labellings = (labelling for place in range(n_releases) for labelling in self._labellings(place))
        return Past(self._series.name, tuple(runs), tuple(labellings))

    def _trained(self, place: int) -> Sequence[Run]:
        return self._runs[place][RUNS_OF_CHECK:] if place else self._runs[place]

    def _labellings(self, place: int) -> Iterator[Labelling]:
        if not self._series.releases[place].is_good:
            yield self._said(self._runs[place], Label.BAD, LABEL)
            return
        yield self._said(self._trained(place), Label.GOOD, TRAIN)
        if place:
            yield structs.replace(self._said(self.checked(place), Label.GOOD, ACCEPT), meant=True)

    def _said(self, runs: Sequence[Run], label: Label, command: str) -> Labelling:
        return Labelling(self._series.name, tuple(run.id for run in runs), label, NOON, command)


def _rename(run: Run, test: str, place: int, number: int) -> Run:
    check = f"{place}-{number // RUNS_OF_CHECK}"
    return replace(
        run,
        test=test,
        id=f"20260101T000000.000Z-{256 * place + number:04x}",
        metadata={**run.metadata, SESSION: check},
    )
