"""Evidence over builds: what one check cannot see, the first runs of the next ones do, without a launch.

At each build the first runs of the last few builds are compared with the training and all builds before them.
If the program has not changed, the last builds are like any others, so the rank of their difference among all
choices of as many runs is an exact p-value. An alarm accuses nobody: it only starts turns.

Runs are exchangeable only in what no machine moves, so that only exact totals are compared: what a program
allocated, keeps alive, loaded, started, opened, read and wrote, all in all. Times and resident memory follow
the mood of the machine, which lasts for hours, and would start turns again and again.

Pure: arrays in, values out. Random steps have a fixed seed, so that a build that is looked at twice gives the
same answer twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec import Struct, structs

from buto.judging.contrasts import Stable, choices, compare_choices, stabilise
from buto.judging.effects import smallest_effects
from buto.run.model import BoolArray, FloatArray, IntArray, Run
from buto.run.patterns import fits
from buto.run.properties import Property

WINDOWS = (4, 8)
"""Numbers of last builds that are compared with all before them."""

LARGEST_P = 0.0005
"""Largest p-value of an alarm, of each window: together at most one false alarm in 1,000 builds is expected,
however much the windows depend on each other, because expectations add."""

MOST_KNOWN = 60
"""Runs with which the last builds are compared, at most: the newest ones."""

FEWEST_KNOWN = 8

MOST_CHOICES = 3000
"""Choices of runs among which the last ones are ranked; fewer than 2,000 could give no alarm."""

FEWEST_FOR_TREND = 4
N_ORDERS = 4000
"""Orders of builds among which a trend is ranked."""

TREND_P = 0.001
"""Largest p-value of a trend that is noted."""

TOTALS = (
    "jvm.memory.allocated",
    "jvm.memory.heap.live",
    "jvm.object.live",
    "jvm.class.*",
    "jvm.thread.*",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "jvm.buffer.*",
    "process.io.bytes*",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.gc.count*",
)
"""Shell patterns of what is compared over builds: exact totals. Chosen on recorded builds of unchanged
programs, in order of time beside a changing load."""


def is_exact_total(name: str) -> bool:
    """Return whether a property, by its full name, is compared over builds."""
    return any(fits(name, pattern) for pattern in TOTALS)


class Build(Struct, frozen=True, eq=False):
    """The first run of one check.

    Attributes:
        key: the id of the run.
        commit: the full name of the commit that was checked.
        values: shape (n_quantities,), NaN where nothing could be read.
    """

    key: str
    commit: str
    values: FloatArray


class BuildSeries(Struct, frozen=True, eq=False):
    """The builds of one program since its training, in the order of their commits.

    Attributes:
        quantities: what is compared.
        share: shape (n_quantities,), from which multiple of its property's size on a difference matters.
        grain: shape (n_quantities,), the smallest meaningful difference.
        known: shape (n_known, n_quantities), the training runs; after an alarm that turns have cleared, the
            runs of that window and the turns.
        builds: oldest first; the last one is looked at.
        minimum: sizes that matter by pattern, in place of the usual ones.
    """

    quantities: tuple[Property, ...]
    share: FloatArray
    grain: FloatArray
    known: FloatArray
    builds: tuple[Build, ...] = ()
    minimum: Mapping[str, str] | None = None

    @property
    def values(self) -> FloatArray:
        """All runs, shape (n_known + n_builds, n_quantities)."""
        return np.vstack([self.known, *(build.values for build in self.builds)])

    def clear(self, since: str, at: str, turns: FloatArray) -> BuildSeries:
        """Return the series after turns have cleared an alarm: its window and the turns are what is known.

        Args:
            since, at: keys of the first and the last build of the window; the series is the same if it lacks
                one of them.
            turns: shape (n_launches, n_quantities), runs of the present program in these turns.
        """
        keys = [build.key for build in self.builds]
        if since not in keys or at not in keys or keys.index(since) > keys.index(at):
            return self
        first, last = keys.index(since), keys.index(at)
        known = [build.values for build in self.builds[first : last + 1]]
        return structs.replace(self, known=np.vstack([*known, turns]), builds=self.builds[last + 1 :])

    def without(self, since: str, at: str) -> BuildSeries:
        """Return the series without builds that turns have confirmed to differ: they are no reference.

        Args:
            since, at: see :meth:`clear`; from the first build that differs to the last one of the window.
        """
        keys = [build.key for build in self.builds]
        if since not in keys or at not in keys or keys.index(since) > keys.index(at):
            return self
        return structs.replace(
            self, builds=(*self.builds[: keys.index(since)], *self.builds[keys.index(at) + 1 :])
        )


class OverBuilds(Struct, frozen=True, eq=False):
    """What an oracle compares over builds.

    Attributes:
        series: of the training alone.
        measure: returns the values of a later run, shape (n_quantities,), NaN where nothing could be read.
    """

    series: BuildSeries
    measure: Callable[[Run], FloatArray]

    def build(self, run: Run, commit: str) -> Build:
        """Return the build that was checked with this first run."""
        return Build(run.id, commit, self.measure(run))


class Alarm(Struct, frozen=True):
    """The last builds differ from all before them. It accuses nobody.

    Attributes:
        window: how many last builds were compared.
        first, last: keys of the first and the last build of that window.
        since: the build from which on the quantity most likely differs.
        before: the last build before it; None if that is the training.
        quantity: what differs most.
        old, new: mean before that build and from it on, in the property's unit.
        p_value: of the window, by rank.
        n_before: how many runs the window was compared with.
        commits: those after the last build before it and up to it, in words, oldest first; empty if they are
            not known.
    """

    window: int
    first: str
    last: str
    since: Build
    before: Build | None
    quantity: Property
    old: float
    new: float
    p_value: float
    n_before: int
    commits: tuple[str, ...] = ()


class Trend(Struct, frozen=True):
    """A quantity that moves a little with each build. It is noted, and never fails a check.

    Attributes:
        per_build: what each build adds, in the property's unit.
        share: the same as a share of the level in training; NaN for a level of 0.
        n_builds: over how many builds.
        p_value: of the trend that is farthest, by the order of the builds.
    """

    quantity: Property
    per_build: float
    share: float
    n_builds: int
    p_value: float


def in_order(builds: Sequence[Build], history: Sequence[str]) -> tuple[Build, ...]:
    """Return builds in the order of their commits, of several checks of a commit only the first.

    What is not in the history, as builds of another branch, is left out. The clock decides nothing but which
    check of a commit was the first.

    Args:
        history: full names of commits, oldest first.
    """
    place = {commit: number for number, commit in enumerate(history)}
    first: dict[str, Build] = {}
    for build in sorted(builds, key=lambda checked_build: checked_build.key):
        if build.commit in place:
            first.setdefault(build.commit, build)
    return tuple(sorted(first.values(), key=lambda build: place[build.commit]))


def look(series: BuildSeries) -> Alarm | None:
    """Return the alarm of the last build, of the window with the smallest p-value; None without one.

    Quantities that could not be read in all runs are left out.
    """
    alarms = [alarm for size in WINDOWS if (alarm := _of_window(series, size)) is not None]
    return min(alarms, key=lambda alarm: alarm.p_value, default=None)


def trend_of(series: BuildSeries) -> Trend | None:
    """Return the trend over the builds that is farthest from chance; None without one that is certain.

    A quantity's slope is that on the number of the build, which is 0 for all runs before the first one. Its
    p-value is the rank of the largest correlation of all quantities among other orders of the same runs, so
    that many quantities do not make a trend likelier.
    """
    n_builds = len(series.builds)
    values, kept = _readable(series.values)
    if n_builds < FEWEST_FOR_TREND or not len(series.known) or not kept.any():
        return None
    stable = _stable(series, values, kept)
    number = np.concatenate([np.zeros(len(series.known)), np.arange(1, n_builds + 1)])
    centred = number - number.mean()
    scatter = (stable.values - stable.values.mean(axis=0)) / _whole_deviation(stable)
    random = np.random.default_rng(n_builds)
    orders = random.permuted(np.tile(centred, (N_ORDERS - 1, 1)), axis=1)
    along = np.abs(np.vstack([centred, orders]) @ scatter)
    farthest = along.max(axis=1)
    p_value = float((farthest >= farthest[0] * (1 - 1e-9)).mean())
    if p_value > TREND_P:
        return None
    column = int(np.argmax(along[0]))
    raw = values[:, column]
    per_build = float(centred @ (raw - raw.mean()) / (centred @ centred))
    level = float(np.abs(series.known[:, kept][:, column]).mean())
    quantity = [prop for prop, keep in zip(series.quantities, kept, strict=True) if keep][column]
    return Trend(quantity, per_build, per_build / level if level else float("nan"), n_builds, p_value)


def _of_window(series: BuildSeries, size: int) -> Alarm | None:
    n_before = len(series.known) + len(series.builds) - size
    if len(series.builds) < size or n_before < FEWEST_KNOWN:
        return None
    first = max(0, n_before - MOST_KNOWN)
    values, kept = _readable(series.values[first:])
    if not kept.any():
        return None
    stable, least = _stable(series, values, kept), _least(series, values, kept)
    chosen = choices(len(values), size, MOST_CHOICES)
    # After few runs there are so few choices that not even the farthest one would be rare enough.
    if 1.0 / len(chosen) > LARGEST_P:
        return None
    shown = _farthest(stable, values, least, chosen[:1])[0]
    if not shown.any():
        return None
    farthest = _farthest(stable, values, least, chosen).max(axis=1)
    p_value = float((farthest >= farthest[0] - 1e-9).mean())
    if p_value > LARGEST_P:
        return None
    column = int(np.argmax(shown))
    quantity = [prop for prop, keep in zip(series.quantities, kept, strict=True) if keep][column]
    return _alarm(series, size, quantity, int(np.flatnonzero(kept)[column]), p_value, len(values) - size)


def _alarm(
    series: BuildSeries, size: int, quantity: Property, column: int, p_value: float, n_before: int
) -> Alarm:
    """Return the alarm of a window, with the build at which its quantity most likely changed.

    Runs in which the quantity could not be read do not count.
    """
    whole = series.values[:, [column]]
    is_read = np.isfinite(whole[:, 0])
    values, places = whole[is_read], np.flatnonzero(is_read)
    n_known, n_runs = int(is_read[: len(series.known)].sum()), len(values)
    stable = _stable(series, values, np.arange(len(series.quantities)) == column)
    starts = range(max(n_known, 1), n_runs - 1)
    distances = [_t(stable, np.arange(start, n_runs)[None])[0, 0] for start in starts]
    start = starts[int(np.argmax(distances))]
    place = int(places[start]) - len(series.known)
    before = int(places[start - 1]) - len(series.known)
    return Alarm(
        size,
        series.builds[-size].key,
        series.builds[-1].key,
        series.builds[place],
        series.builds[before] if before >= 0 else None,
        quantity,
        float(values[:start].mean()),
        float(values[start:].mean()),
        p_value,
        n_before,
    )


def _readable(values: FloatArray) -> tuple[FloatArray, BoolArray]:
    """Return the columns without NaN, and which they are."""
    kept = np.asarray(np.isfinite(values).all(axis=0))
    return values[:, kept], kept


def _stable(series: BuildSeries, values: FloatArray, kept: BoolArray) -> Stable:
    return stabilise(values, series.grain[kept], np.abs(values).mean(axis=0))


def _least(series: BuildSeries, values: FloatArray, kept: BoolArray) -> FloatArray:
    """Return the smallest differences that matter; of all runs alike, so that a rank stays exact."""
    quantities = [prop for prop, keep in zip(series.quantities, kept, strict=True) if keep]
    sizes = smallest_effects(quantities, np.abs(values).mean(axis=0), series.minimum or {})
    # A mean of whole numbers is rounded: one thread more in each run is one thread.
    least: FloatArray = sizes * series.share[kept] * (1.0 - 1e-9)
    return least


def _farthest(stable: Stable, values: FloatArray, least: FloatArray, chosen: IntArray) -> FloatArray:
    """Return the t of each choice where the difference matters, else 0, shape (n_choices, n_quantities)."""
    members = np.zeros((len(chosen), len(values)))
    np.put_along_axis(members, chosen, 1.0, axis=1)
    total, size = members @ values, chosen.shape[1]
    apart = np.abs(total / size - (values.sum(axis=0) - total) / (len(values) - size))
    return np.where(apart >= least, _t(stable, chosen), 0.0)


def _t(stable: Stable, chosen: IntArray) -> FloatArray:
    """Return the absolute pooled t of each choice of runs, shape (n_choices, n_quantities)."""
    compared = compare_choices(stable.values, chosen)
    t: FloatArray = np.abs(compared.difference) / np.sqrt(
        (compared.variance + stable.floor**2) * compared.sizes
    )
    return t


def _whole_deviation(stable: Stable) -> FloatArray:
    deviation: FloatArray = np.sqrt(stable.values.var(axis=0) + stable.floor**2)
    return deviation
