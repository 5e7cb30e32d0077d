"""The monitor over builds on recorded runs: what it finds, how often it starts turns for nothing, and shares.

A stream is an unchanged program in the order of time: ten runs train, and each later one is the first run of
a build. After an alarm the next ten runs are its turns, which clear it. Of a pair, ten runs of the old
release train, ten more are good builds, and those of the new release are the builds after the change.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np
from msgspec import structs

from buto.judging.alarms import IMPROBABLE
from buto.judging.binomial import largest_rate
from buto.judging.monitor import Build, BuildSeries, OverBuilds, look, trend_of
from buto.judging.procedure import N_TURNS
from buto.judging.shares import BuildShare, divide_change
from buto.run.model import FloatArray, RunSet
from buto_replications.judging.checks import N_TRAINING, CachingJudge, rate
from buto_replications.report.content import TextTable

N_GOOD = 10
MOST_NEW = 6
LEVELS = (1, 2, 3, 4, 5, 6)
ALLOCATED = "jvm.memory.allocated"

DRIFT = 0.01
N_DRIFT = 10

STEP = 0.02
N_STEPS = 5
N_SHARED = 20
"""Builds among which the steps are drawn."""

STARTS, GOOD, FOUND, DRIFTS, SHARES = "starts", "good", "found", "drift", "shares"


@dataclass(frozen=True, eq=False, slots=True)
class BuildsTask:
    """The runs of one program, or of two releases.

    Attributes:
        part: what is measured, and the group that it belongs to.
        new: runs of the new release; None for an unchanged program in the order of time.
        draws: how often the runs of a pair are divided at random.
    """

    part: str
    name: str
    old: RunSet
    seed: int
    new: RunSet | None = None
    draws: int = 4


@dataclass(frozen=True, slots=True)
class Counted:
    """One observation.

    Attributes:
        case: one of the constants above.
        value: builds until an alarm; infinite for none within those that there are. Of shares, the share of
            steps that were named with the true value in their interval.
        more: of shares, how many builds without a step were named.
    """

    case: str
    part: str
    name: str
    value: float
    more: float = nan


def counted(task: BuildsTask) -> list[Counted]:
    """Return what the monitor does with the builds of one task."""
    return list(_of_stream(task) if task.new is None else _of_pair(task))


def _of_stream(task: BuildsTask) -> Iterator[Counted]:
    runs = task.old.runs
    over = _learn(task.old, range(N_TRAINING))
    rows = np.array([over.measure(run) for run in runs])
    series, place = structs.replace(over.series, known=rows[:N_TRAINING]), N_TRAINING
    while place < len(rows):
        series = _after(series, rows[place], str(place))
        alarm = look(series)
        yield Counted(STARTS, task.part, task.name, float(alarm is not None))
        place += 1
        if alarm is not None:
            series = series.clear(alarm.first, alarm.last, rows[place : place + N_TURNS])
            place += N_TURNS
    random = np.random.default_rng([task.seed, zlib.crc32(task.name.encode())])
    column = _column(over, ALLOCATED)
    if column is not None and len(rows) >= N_TRAINING + N_SHARED:
        for first in range(0, len(rows) - N_TRAINING - N_SHARED + 1, N_TRAINING):
            window = rows[first : first + N_TRAINING + N_SHARED]
            yield _find_drifted(task, structs.replace(over.series, known=window[:N_TRAINING]), window, column)
            yield _share(task, window[:, column], random)


def _find_drifted(task: BuildsTask, series: BuildSeries, rows: FloatArray, column: int) -> Counted:
    """Return at which build a trend is noted if each adds a hundredth of the level in training."""
    gain = DRIFT * rows[:N_TRAINING, column].mean()
    for number in range(1, N_DRIFT + 1):
        row = rows[N_TRAINING + number - 1].copy()
        row[column] += number * gain
        series = _after(series, row, str(number))
        trend = trend_of(series)
        if trend is not None and trend.quantity == series.quantities[column]:
            return Counted(DRIFTS, task.part, task.name, number)
    return Counted(DRIFTS, task.part, task.name, np.inf)


def _share(task: BuildsTask, values: FloatArray, random: np.random.Generator) -> Counted:
    anchor, builds = values[:N_TRAINING], values[N_TRAINING:].copy()
    places = sorted(random.choice(N_SHARED, N_STEPS, replace=False).tolist())
    size = STEP * anchor.mean()
    for place in places:
        builds[place:] += size
    shares = divide_change(anchor, builds).shares
    right = [
        any(_has(share, place) and abs(share.change - size) <= share.half for share in shares)
        for place in places
    ]
    others = [share for share in shares if not any(_has(share, place) for place in places)]
    return Counted(SHARES, task.part, task.name, float(np.mean(right)), len(others))


def _has(share: BuildShare, place: int) -> bool:
    return share.first <= place <= share.place


def _of_pair(task: BuildsTask) -> Iterator[Counted]:
    assert task.new is not None
    random = np.random.default_rng([task.seed, zlib.crc32(f"{task.name}@{task.part}".encode())])
    for _ in range(task.draws):
        old = random.permutation(len(task.old))
        new = random.permutation(len(task.new))[:MOST_NEW]
        over = _learn(task.old, old[:N_TRAINING].tolist())
        series = over.series
        for at in old[N_TRAINING : N_TRAINING + N_GOOD].tolist():
            series = _after(series, over.measure(task.old.runs[at]), f"old {at}")
            yield Counted(GOOD, task.part, task.name, float(look(series) is not None))
        at_build = np.inf
        for number, at in enumerate(new.tolist(), 1):
            series = _after(series, over.measure(task.new.runs[at]), f"new {at}")
            if look(series) is not None:
                at_build = number
                break
        yield Counted(FOUND, task.part, task.name, at_build)


def _learn(runs: RunSet, places: Sequence[int] | range) -> OverBuilds:
    return CachingJudge.by([runs.runs[place] for place in places]).fitted.over_builds()


def _after(series: BuildSeries, row: FloatArray, key: str) -> BuildSeries:
    return structs.replace(series, builds=(*series.builds, Build(key, key, row)))


def _column(over: OverBuilds, name: str) -> int | None:
    names = [quantity.name for quantity in over.series.quantities]
    return names.index(name) if name in names else None


def tables(counts: Sequence[Counted]) -> list[TextTable]:
    """Return what was found, what started for nothing, drift, and shares."""
    return [_starts(counts), _find_found(counts), _drift(counts), _shares(counts)]


def _starts(counts: Sequence[Counted]) -> TextTable:
    rows = []
    for case, what in ((STARTS, "in the order of time"), (GOOD, "of pairs, in a drawn order")):
        for part in _parts(counts, case):
            ours = [
                counted_check
                for counted_check in counts
                if counted_check.case == case and (counted_check.part == part or part == "all")
            ]
            n = int(sum(our.value for our in ours))
            upper = largest_rate(n, len(ours), IMPROBABLE)
            programs = len({our.name for our in ours})
            rows.append((f"{part}, {what}", str(programs), str(len(ours)), str(n), f"{1000 * upper:.1f}"))
    heads = ("unchanged builds", "programs", "builds", "starts", "at most, in 1,000")
    return TextTable("False starts of turns; the upper end of the 95 % interval", heads, tuple(rows))


def _find_found(counts: Sequence[Counted]) -> TextTable:
    rows = []
    for part in _parts(counts, FOUND):
        ours = [
            counted_check
            for counted_check in counts
            if counted_check.case == FOUND and (counted_check.part == part or part == "all")
        ]
        cells = [_percent([(our.name, our.value <= n) for our in ours]) for n in LEVELS]
        rows.append((part, str(len({our.name for our in ours})), *cells))
    heads = ("pairs", "number", *(f"{n} builds" for n in LEVELS))
    return TextTable("Found by first runs alone within so many builds, %, errors by pair", heads, tuple(rows))


def _drift(counts: Sequence[Counted]) -> TextTable:
    rows = []
    for part in _parts(counts, DRIFTS):
        ours = [
            counted_check
            for counted_check in counts
            if counted_check.case == DRIFTS and (counted_check.part == part or part == "all")
        ]
        share = _percent([(our.name, our.value <= N_DRIFT) for our in ours])
        known = [our.value for our in ours if np.isfinite(our.value)]
        rows.append((part, str(len(ours)), share, f"{np.median(known):g}" if known else ""))
    caption = (
        f"{DRIFT:.0%} more allocated with each of {N_DRIFT} builds: the trend is noted, %, and at which build"
    )
    return TextTable(caption, ("streams", "windows", "noted", "median build"), tuple(rows))


def _shares(counts: Sequence[Counted]) -> TextTable:
    rows = []
    for part in _parts(counts, SHARES):
        ours = [
            counted_check
            for counted_check in counts
            if counted_check.case == SHARES and (counted_check.part == part or part == "all")
        ]
        right, wrong = np.mean([share.value for share in ours]), np.mean([share.more for share in ours])
        rows.append((part, str(len(ours)), f"{100 * right:.1f}", f"{wrong:.2f}"))
    caption = f"{N_STEPS} steps of {STEP:.0%} allocated among {N_SHARED} builds, divided by first runs"
    heads = ("streams", "windows", "named within the interval, %", "other builds named, of a window")
    return TextTable(caption, heads, tuple(rows))


def _parts(counts: Sequence[Counted], case: str) -> list[str]:
    parts = list(dict.fromkeys(counted_check.part for counted_check in counts if counted_check.case == case))
    return [*parts, "all"] if len(parts) > 1 else parts


def _percent(some: Sequence[tuple[str, bool]]) -> str:
    share = rate(some)
    return f"{100 * share.value:.1f} ± {100 * share.error:.1f}"
