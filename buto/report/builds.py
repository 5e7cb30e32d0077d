"""The builds of one test, from its history: what moved, at which commit, and by whom.

The order is that of commits, never of the clock. Checks of commits that the branch does not have, as those of
pull requests, are left out and counted. Pure: from the stored entries and the commits of git to one value
that a page draws. It decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from itertools import pairwise

import numpy as np
from msgspec import Struct

from buto.judging.effects import smallest_effects
from buto.judging.monitor import Build, BuildSeries, Trend, is_exact_total, trend_of
from buto.judging.segments import Segment, segments_of
from buto.judging.verdict import Status
from buto.report.history import HistoryEntry
from buto.report.result import Commit
from buto.run.model import FloatArray
from buto.run.properties import (
    DURATION,
    METRICS,
    Property,
    is_counted,
    property_for,
    reading_rank,
    split_name,
    title_of,
)
from buto.run.units import scale_of_unit

HEADLINES = (
    "run.duration",
    "jvm.cpu.time",
    "jvm.memory.heap.live",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.allocated",
    "jvm.thread.count",
    "jvm.class.loaded",
    "process.unix.file_descriptor.count",
    "process.memory.usage",
)
"""What people ask about first."""

MOST_CURVES = 12
MOST_RELEASES = 40
TREND_BUILDS = 30
"""Builds over which a trend is looked for, and which no step of the quantity divides."""

BEFORE_TREND = 10
"""Builds before these, with which they are compared."""

LEVEL_BUILDS = 5
"""Builds whose median is the level at a release, and now."""

SMALL_STEP = 0.25
"""Share of the size that matters from which a step of what no machine moves is shown: it is certain, and a
few such steps matter together."""

_EXACT_STEP = {"By": 4096.0, "s": 0.001}
"""The smallest meaningful deviation, by unit; of whole numbers a tenth."""


class Event(Enum):
    """What happened between two builds."""

    TRAINED = "trained"
    ACCEPTED = "accepted"
    RELEASED = "released"
    WAIVED = "waived"


class Release(Struct, frozen=True):
    """A release: its name, and the full name of its commit."""

    name: str
    commit: str


class BuildMark(Struct, frozen=True):
    """An event at a build.

    Attributes:
        place: number of the build: the training itself, or the last build that a release has.
        name: of a release, or what a trailer has accepted; else empty.
    """

    event: Event
    place: int
    name: str = ""


class PlacedCheck(Struct, frozen=True, eq=False):
    """A check, or a training, at its place among the commits.

    Attributes:
        commit: where git knows it; None elsewhere.
    """

    entry: HistoryEntry
    commit: Commit | None


class BuildCurve(Struct, frozen=True, eq=False):
    """A quantity over all builds.

    Attributes:
        values: shape (n_builds,), of the first run of each; of a training its median; NaN without one.
        levels: at each mark of its test; NaN where it is not known.
        anchor: the one of these with which it is compared; NaN if it is not known.
        now: the level of the newest builds; NaN without any.
        least: how far from the anchor it must be to matter; infinite for never.
        segments: between its steps, small ones too if it is exact.
        trend: over the newest builds; None without a certain one.
        is_exact: whether no machine moves it, so that a step is of the program.
    """

    quantity: Property
    values: FloatArray
    levels: tuple[float, ...]
    anchor: float
    now: float
    least: float
    segments: tuple[Segment, ...]
    trend: Trend | None
    is_exact: bool

    @property
    def moved(self) -> float:
        """How far it has moved since the anchor, in sizes that matter; 0 if that is not known."""
        moved = abs(self.now - self.anchor) / self.least if self.least else 0.0
        return 0.0 if np.isnan(moved) else moved


class BuildHistory(Struct, frozen=True, eq=False):
    """The builds of one test.

    Attributes:
        builds: in the order of their commits.
        marks: by place.
        anchor: the mark with which the curves are compared, as a place among the marks; None without one.
        curves: what people ask about, in the order in which they ask.
        n_left_out: checks of commits that the branch does not have.
        is_by_time: whether the builds are in the order of time, because git does not tell that of commits.
    """

    test: str
    builds: tuple[PlacedCheck, ...]
    marks: tuple[BuildMark, ...]
    anchor: int | None
    curves: tuple[BuildCurve, ...]
    n_left_out: int = 0
    is_by_time: bool = False

    @property
    def most_moved(self) -> BuildCurve | None:
        """The curve that moved most since the anchor: one that matters before others, then an exact one."""
        order = sorted(self.curves, key=lambda curve: (curve.moved >= 1.0, curve.is_exact, curve.moved))
        return order[-1] if order else None


def past_of(
    test: str,
    entries: Sequence[HistoryEntry],
    history: Sequence[Commit],
    releases: Sequence[Release] = (),
    minimum: Mapping[str, str] | None = None,
) -> BuildHistory:
    """Return what the stored entries of a test say of its builds.

    Args:
        history: the commits of the branch, oldest first; empty if git does not know them.
        releases: with which the present program may be compared; the newest one before it is, else the last
            training.
        minimum: sizes that matter by pattern, in place of the usual ones.

    Raises:
        UsageError: a size of one of buto's own properties has another unit than that.
    """
    builds, is_by_time = arrange(entries, history)
    marks = _marks(builds, history, releases)
    released = [number for number, mark in enumerate(marks) if mark.event is Event.RELEASED]
    learned = [number for number, mark in enumerate(marks) if mark.event in (Event.TRAINED, Event.ACCEPTED)]
    # A release is compared with the one before it.
    before = [number for number in released if marks[number].place < len(builds) - 1]
    anchor = next((numbers[-1] for numbers in (before, released, learned) if numbers), None)
    names = _names([build.entry for build in builds])
    curves = tuple(_curve(_quantity(name), builds, marks, anchor, minimum or {}) for name in names)
    return BuildHistory(test, builds, marks, anchor, curves, len(entries) - len(builds), is_by_time)


def _quantity(name: str) -> Property:
    return DURATION if name == DURATION.name else property_for(name)


def _least(quantity: Property, level: float, minimum: Mapping[str, str]) -> float:
    """Return the smallest difference that matters; the unit of a program's own property is not known here."""
    is_known = quantity == DURATION or split_name(quantity.name)[0] in METRICS
    return float(smallest_effects([quantity], np.array([abs(level)]), minimum if is_known else {})[0])


def arrange(
    entries: Sequence[HistoryEntry], history: Sequence[Commit]
) -> tuple[tuple[PlacedCheck, ...], bool]:
    """Return entries in the order of their commits, and whether it is that of time instead.

    One without a commit stands behind the last one before it in time. One of a commit that the history lacks
    is left out; if it lacks all of them, as after a rebase, the order is that of time.

    Args:
        entries: oldest first.
    """
    by_name = {commit.name: (number, commit) for number, commit in enumerate(history)}
    placed: list[tuple[int, PlacedCheck]] = []
    last = -1
    for entry in entries:
        name = entry.full_commit
        if name is None:
            placed.append((last, PlacedCheck(entry, None)))
        elif name in by_name:
            last, commit = by_name[name]
            placed.append((last, PlacedCheck(entry, commit)))
    if not any(build.commit for _, build in placed):
        return tuple(PlacedCheck(entry, None) for entry in entries), True
    # Sorting is stable, so that checks of one commit stay in the order of time.
    return tuple(build for _, build in sorted(placed, key=lambda pair: pair[0])), False


def _marks(
    builds: Sequence[PlacedCheck], history: Sequence[Commit], releases: Sequence[Release]
) -> tuple[BuildMark, ...]:
    marks = [
        BuildMark(Event.ACCEPTED if build.entry.is_accepted else Event.TRAINED, place)
        for place, build in enumerate(builds)
        if build.entry.is_training
    ]
    number_of = {commit.name: number for number, commit in enumerate(history)}
    numbers = [number_of[build.commit.name] if build.commit else -1 for build in builds]
    reached = np.maximum.accumulate(numbers) if numbers else np.empty(0)
    for release in releases:
        if release.commit in number_of:
            place = int(np.searchsorted(reached, number_of[release.commit], side="right")) - 1
            # Before the first build nothing is known of it.
            if place >= 0 and reached[place] >= 0:
                marks.append(BuildMark(Event.RELEASED, place, release.name))
    waived: set[str] = set()
    for place, build in enumerate(builds):
        if build.entry.is_training:
            waived.clear()
        # A trailer counts until the next training: it is told where it first did.
        new = [name for name in build.entry.waived if name not in waived]
        waived.update(new)
        if new:
            marks.append(BuildMark(Event.WAIVED, place, ", ".join(map(title_of, new))))
    marks.sort(key=lambda mark: mark.place)
    dropped = [mark for mark in marks if mark.event is Event.RELEASED][:-MOST_RELEASES]
    return tuple(mark for mark in marks if mark not in dropped)


def _names(entries: Sequence[HistoryEntry]) -> list[str]:
    """Return the quantities to draw: the headlines that any entry has, and what checks found most often."""
    known = {name for entry in entries for name in entry.first_levels}
    shown = [name for name in HEADLINES if name in known]
    subjects = [subject for entry in entries for subject in entry.subjects if subject in known]
    often = sorted(set(subjects) - set(shown), key=lambda name: (-subjects.count(name), name))
    return sorted([*shown, *often[: MOST_CURVES - len(shown)]] or sorted(known)[:1], key=reading_rank)


def _curve(
    quantity: Property,
    builds: Sequence[PlacedCheck],
    marks: Sequence[BuildMark],
    anchor: int | None,
    minimum: Mapping[str, str],
) -> BuildCurve:
    values = np.array([build.entry.first_levels.get(quantity.name, np.nan) for build in builds])
    checks = np.where([build.entry.is_training for build in builds], np.nan, values)
    grain, is_exact = _grain(quantity), is_exact_total(quantity.name)
    known = values[~np.isnan(values)]
    usual = _least(quantity, float(np.median(known)) if len(known) else 0.0, minimum)
    segments = segments_of(checks, usual * SMALL_STEP if is_exact else usual, grain)
    if is_exact:
        segments = _with_decided(segments, checks, builds, quantity, usual * SMALL_STEP)
    levels = tuple(_level_at(mark, values, checks, segments, is_exact=is_exact) for mark in marks)
    level = float("nan") if anchor is None else levels[anchor]
    least = usual if np.isnan(level) else _least(quantity, level, minimum)
    now = _level(checks, segments, len(checks) - 1, is_exact=is_exact)
    trend = _trend(quantity, checks, segments, grain, minimum) if is_exact else None
    return BuildCurve(quantity, values, levels, level, now, least, segments, trend, is_exact)


def _with_decided(
    segments: tuple[Segment, ...],
    checks: FloatArray,
    builds: Sequence[PlacedCheck],
    quantity: Property,
    least: float,
) -> tuple[Segment, ...]:
    """Return the segments of an exact total with each step that a check decided, or that was learned.

    It takes more builds to see a step in values alone. A step is decided if the check before or after it
    failed for this quantity, and learned if a training lies between and no machine moves the quantity.
    """
    starts = {segment.start for segment in segments}
    for before, after in pairwise(np.flatnonzero(~np.isnan(checks)).tolist()):
        between = [build.entry for build in builds[before : after + 1]]
        is_decided = any(
            entry.status == Status.REGRESSION.value and quantity.name in entry.subjects
            for entry in (between[0], between[-1])
        )
        is_learned = is_counted(quantity) and any(entry.is_training for entry in between)
        if abs(checks[after] - checks[before]) >= least and (is_decided or is_learned):
            starts.add(after)
    ordered = sorted(starts)
    if len(ordered) == len(segments):
        return segments
    ends = (*ordered[1:], len(checks))
    pairs = zip(ordered, ends, strict=True)
    return tuple(Segment(start, float(np.nanmedian(checks[start:end]))) for start, end in pairs)


def _level_at(
    mark: BuildMark, values: FloatArray, checks: FloatArray, segments: Sequence[Segment], *, is_exact: bool
) -> float:
    """Return the level of a quantity at a mark: that of the training, or of the builds around a release."""
    if mark.event in (Event.TRAINED, Event.ACCEPTED) and not np.isnan(values[mark.place]):
        return float(values[mark.place])
    return _level(checks, segments, mark.place, is_exact=is_exact)


def _level(checks: FloatArray, segments: Sequence[Segment], place: int, *, is_exact: bool) -> float:
    """Return the level of a quantity at a build; NaN without any.

    What is exact has its level in the newest builds back to the step before. What scatters has one level
    between two steps: builds of one level have not moved, whatever a few of them were.
    """
    start = max((segment.start for segment in segments if segment.start <= place), default=0)
    end = min((segment.start for segment in segments if segment.start > place), default=len(checks))
    read = checks[start : place + 1 if is_exact else end]
    read = read[~np.isnan(read)]
    read = read[-LEVEL_BUILDS:] if is_exact else read
    return float(np.median(read)) if len(read) else float("nan")


def _trend(
    quantity: Property,
    values: FloatArray,
    segments: Sequence[Segment],
    grain: float,
    minimum: Mapping[str, str],
) -> Trend | None:
    start = segments[-1].start if segments else 0
    read = values[start:][~np.isnan(values[start:])]
    n_known = min(BEFORE_TREND, max(1, len(read) - TREND_BUILDS))
    read = read[-(n_known + TREND_BUILDS) :]
    known, newest = read[:n_known, None], read[n_known:, None]
    builds = tuple(Build(str(number), "", row) for number, row in enumerate(newest))
    series = BuildSeries((quantity,), np.ones(1), np.array([grain]), known, builds, minimum)
    return trend_of(series) if len(known) else None


def _grain(quantity: Property) -> float:
    is_counted = quantity.unit.startswith("{") or not scale_of_unit(quantity.unit)
    return 0.1 if is_counted else _EXACT_STEP.get(quantity.unit, 0.0)
