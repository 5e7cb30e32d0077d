"""Series of releases judged in their order by the method ``history``, as somebody would who labels each one.

The first release trains. Each later one is checked with the labels that were given until then, and those of
all releases of the other series, and is then labelled. A good one is accepted: its other runs are the next
baseline. A regression is labelled bad, and the baseline stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from buto import oracle
from buto.judging.verdict import Status
from buto.run.labels import ACCEPT, LABEL, TRAIN, Label, Labelling, Past
from buto.run.model import SESSION, Run, run_set
from buto_replications.history.series import RUNS_OF_CHECK, Series

SETTINGS: Mapping[str, Any] = {"method": "history"}

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

UNCHANGED, NEW, KNOWN = "without a regression", "the first with a regression", "later with the same"
KINDS = (UNCHANGED, NEW, KNOWN)
"""What a release is, by what was labelled before it."""

STATUSES = (Status.REGRESSION, Status.INCONCLUSIVE, Status.PASS)


@dataclass(frozen=True, slots=True)
class Step:
    """How one release was judged."""

    series: str
    release: str
    kind: str
    status: Status


@dataclass(frozen=True, eq=False, slots=True)
class WalkTask:
    """A series to judge, and others, of which all releases are labelled."""

    series: Series
    others: Sequence[Series]


def walk_tasks(series: Sequence[Series]) -> list[WalkTask]:
    """Return a task for each series."""
    return [WalkTask(one, [other for other in series if other is not one]) for one in series]


def walked(task: WalkTask) -> list[Step]:
    """Return how each release of a series but the first is judged."""
    return list(walk(task.series, task.others))


def walk(series: Series, others: Sequence[Series]) -> Iterator[Step]:
    """Yield how each release but the first is judged; see :class:`WalkTask`."""
    settings = oracle.settings_from(SETTINGS)
    pasts = [_Labelled(one).past(len(one.releases)) for one in others]
    ours, found = _Labelled(series), False
    for place, release in enumerate(series.releases[1:], start=1):
        known = oracle.train(run_set(ours.baseline(place)), settings, pasts=[ours.past(place), *pasts])
        status = oracle.check(known, run_set(ours.checked(place))).status
        kind = UNCHANGED if release.is_good else KNOWN if found else NEW
        found = found or not release.is_good
        yield Step(series.name, release.version, kind, status)


class _Labelled:
    """A series as runs of one test, whose ids are in the order of the releases, with their labels."""

    def __init__(self, series: Series) -> None:
        self._series = series
        self._runs = [
            [_renamed(run, series.name, place, number) for number, run in enumerate(release.runs)]
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
        labellings = (one for place in range(n_releases) for one in self._labellings(place))
        return Past(self._series.name, tuple(runs), tuple(labellings))

    def _trained(self, place: int) -> Sequence[Run]:
        return self._runs[place][RUNS_OF_CHECK:] if place else self._runs[place]

    def _labellings(self, place: int) -> Iterator[Labelling]:
        if not self._series.releases[place].is_good:
            yield self._said(self._runs[place], Label.BAD, LABEL)
            return
        yield self._said(self._trained(place), Label.GOOD, TRAIN)
        if place:
            yield replace(self._said(self.checked(place), Label.GOOD, ACCEPT), meant=True)

    def _said(self, runs: Sequence[Run], label: Label, command: str) -> Labelling:
        return Labelling(self._series.name, tuple(run.id for run in runs), label, NOON, command)


def _renamed(run: Run, test: str, place: int, number: int) -> Run:
    check = f"{place}-{number // RUNS_OF_CHECK}"
    return replace(
        run,
        test=test,
        id=f"20260101T000000.000Z-{256 * place + number:04x}",
        metadata={**run.metadata, SESSION: check},
    )
