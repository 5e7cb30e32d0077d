"""What a program keeps after each round of its work: the series of one run, and which of them grow.

The series are the bytes of each class of live objects, the live heap as a whole, and counters of what a
program holds outside the heap. :mod:`buto.judging.growth` judges them together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from itertools import pairwise

import numpy as np
from msgspec import Struct

from buto.judging.class_changes import PRIMITIVE
from buto.judging.growth import ALPHA, ROUNDS, Growth, judge_growth
from buto.run.model import AFTER_ROUND, AT_END, ClassHistogram, FloatArray, Run
from buto.run.properties import property_for

LEAST_BYTES = 4096.0
LEAST_SHARE = 1e-4
"""The rise of bytes in a round that matters: LEAST_BYTES, and this share of the live heap. With less, a
program needs ten thousand rounds to double."""

LEAST_NATIVE_BYTES = 65536.0
"""The rise of native memory in a round that matters. The JVM's tables, and what counts the rounds, add up to
20 KiB to rounds of a program that does nothing."""

LIVE_HEAP = "jvm.memory.heap.live"

COUNTERS: Mapping[str, float] = {
    "jvm.thread.count": 1.0,
    "process.unix.file_descriptor.count": 1.0,
    "jvm.class.count": 1.0,
    "jvm.buffer.memory.used[direct]": LEAST_BYTES,
    "jvm.buffer.memory.used[mapped]": LEAST_BYTES,
}
"""What is held outside the heap, and the rise in a round that matters."""

_MEANT = {
    "jvm.thread.count": "java.lang.Thread",
    "jvm.class.count": "java.lang.Class",
    "jvm.buffer.memory.used[direct]": "java.nio.DirectByteBuffer",
}
"""Of whose objects a counter tells."""

_THREADS = "jvm.thread.count"

_DESCRIPTORS, _DESCRIPTOR = "process.unix.file_descriptor.count", "java.io.FileDescriptor"
"""Open files, and the object that each file of a Java program has, as long as it is not garbage."""

_GAPS = "int[]"
"""What JDKs before 20 count where a collection left garbage. The agent collects until there is none, but not
where that takes long. Which of these arrays are the program's own is not known."""

_AT_ONCE = {
    "process.unix.file_descriptor.count": "mbean[java.lang:type=OperatingSystem]/OpenFileDescriptorCount"
}
"""Of what buto reads from outside, the property that the agent reads when a round is over."""

CLASS_LOADERS, MBEANS, NATIVE_MEMORY = "class loaders", "MBeans", "native memory"
_SIZES = {**COUNTERS, NATIVE_MEMORY: LEAST_NATIVE_BYTES}
_UNITS = {CLASS_LOADERS: "{class_loader}", MBEANS: "{MBean}", NATIVE_MEMORY: "By"}

BY_MALLOC = "mbean[com.sun.management:type=DiagnosticCommand]/vmInfo"
"""All that malloc has allocated and nobody has freed, direct buffers included."""

_DIRECT = "jvm.buffer.memory.used[direct]"

_HAVE_NATIVE_MEMORY = ("java.util.zip.Deflater", "java.util.zip.Inflater")
"""Of the JDK, classes whose objects have native memory that no other counter tells of."""

_REGISTERED = "com.sun.jmx.mbeanserver.NamedObject"
"""The JDK's own object for each MBean of a server."""

_LOADER = "ClassLoader"

_ALLOCATED = "jvm.memory.allocated"
_AFTER_COLLECTION = "jvm.memory.heap.used_after_last_gc"

_FOLLOWS = 0.99
"""The correlation of a class with what grows, from which on it grows with it."""

_NEAR = 0.2
"""Of a rate, how much that of objects may differ."""

_OF_JDK = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


class RoundsBy(Enum):
    """Who says when a round is over."""

    PROGRAM = "program"
    LOAD = "load"
    WORK = "work"
    """Nobody: each equal share of what the program allocates is a round."""


class SeriesSubject(Enum):
    """What a series is about."""

    HEAP = "heap"
    """All live objects together."""

    CLASS = "class"
    COUNTER = "counter"


class RoundSeries(Struct, frozen=True, eq=False):
    """The series of one run, in columns.

    Attributes:
        names: of classes as in Java source, of properties as in the run.
        subjects: what each of them is about.
        values: shape (n_rounds, n_series); By for the heap and its classes. NaN: could not be read.
        sizes: shape (n_series,), the rise in a round that matters.
        objects: shape (n_rounds, n_series), live objects of each class; NaN for counters.
        work: shape (n_rounds,), bytes that the program had allocated after each round; NaN if unknown.
    """

    names: tuple[str, ...]
    subjects: tuple[SeriesSubject, ...]
    values: FloatArray
    sizes: FloatArray
    objects: FloatArray
    work: FloatArray


class Grown(Struct, frozen=True):
    """A series that grows.

    Attributes:
        name: of a class, or of a property.
        rate: mean rise in a round.
        unit: of it.
        objects: how many objects more in a round; None for a counter.
        p_value: for all series together; 1 of a class that was not judged and grows with what was.
        values: after each round.
    """

    name: str
    what: SeriesSubject
    rate: float
    unit: str
    objects: float | None
    p_value: float
    values: tuple[float, ...]

    @property
    def is_own(self) -> bool:
        """Whether it is a class that does not belong to the JDK."""
        return self.what is SeriesSubject.CLASS and is_own(self.name)


class RunGrowth(Struct, frozen=True):
    """What grows in one run.

    Attributes:
        n_rounds, n_warm_up: how many rounds there were, and how many of the first do not count.
        n_series: how many series were judged together.
        grown: what grows: the heap, its classes (the program's own first, by their rise), counters.
        suspects: classes whose objects are to be looked for, the likeliest first.
        levelling: names of what rose in every round by a size that matters, and levels off.
    """

    n_rounds: int
    n_warm_up: int
    n_series: int
    grown: tuple[Grown, ...]
    suspects: tuple[str, ...]
    levelling: tuple[str, ...]


def is_own(name: str) -> bool:
    """Return whether a class, or the element of an array, does not belong to the JDK."""
    element = name.rstrip("[]")
    return element not in PRIMITIVE and not element.startswith(_OF_JDK)


def rounds_of(run: Run) -> tuple[ClassHistogram, ...]:
    """Return the histograms after the rounds of a run."""
    return tuple(histogram for histogram in run.histograms if histogram.point == AFTER_ROUND)


def judge_rounds(run: Run, *, by_work: bool = False, alpha: float = ALPHA) -> RunGrowth:
    """Return what grows from round to round.

    Args:
        by_work: whether a round is a share of what the program allocates.

    Raises:
        JudgeError: the run has too few rounds whose objects were counted.
    """
    return _judge(series_of(run), by_work=by_work, alpha=alpha)


def judge_shares(run: Run, n: int = ROUNDS, *, alpha: float = ALPHA) -> RunGrowth | None:
    """Return what grows over equal shares of the work of an ordinary run; None if it does not show that.

    What is read in a share may be garbage: of the heap after a collection, and of open files. At the
    program's end, after a forced collection, live objects are counted, and bound the last share. As that must
    go on rising as much as those before, garbage that piles up until a collection is no growth. Threads are
    never garbage. Classes and buffers are not looked at: nothing tells how many of them are.
    """
    series = _series_of_shares(run, n)
    return None if series is None else _judge(series, by_work=True, alpha=alpha)


def _judge(series: RoundSeries, *, by_work: bool, alpha: float) -> RunGrowth:
    growth = judge_growth(series.values, series.sizes, series.work if by_work else None, alpha=alpha)
    wide = np.flatnonzero(growth.p_values < 1)
    grown = [_growth_of(series, growth, int(column)) for column in np.flatnonzero(growth.grows)]
    grown += [_growth_of(series, growth, column) for column in _followers(series, growth)]
    levelling = [
        series.names[column]
        for column in np.flatnonzero(growth.rises & ~growth.goes_on & (growth.rates >= series.sizes))
    ]
    grown.sort(key=_place)
    suspects = [
        grown_series.name for grown_series in grown if grown_series.what is SeriesSubject.CLASS
    ] or _find_alike(series, growth)
    return RunGrowth(
        len(series.values),
        growth.n_warm_up,
        len(wide),
        tuple(grown),
        tuple(suspects),
        tuple(levelling),
    )


def _place(grown: Grown) -> tuple[int, bool, float]:
    return list(SeriesSubject).index(grown.what), not grown.is_own, -grown.rate


def _growth_of(series: RoundSeries, growth: Growth, column: int) -> Grown:
    objects = np.diff(series.objects[growth.n_warm_up :, column])
    name, what = series.names[column], series.subjects[column]
    return Grown(
        name,
        what,
        float(growth.rates[column]),
        unit_of(name, what),
        None if what is SeriesSubject.COUNTER else float(objects.mean()),
        float(growth.p_values[column]),
        tuple(map(float, series.values[:, column])),
    )


def unit_of(name: str, what: SeriesSubject) -> str:
    """Return the unit of a series."""
    return _UNITS.get(name) or (property_for(name).unit if what is SeriesSubject.COUNTER else "By")


def _find_alike(series: RoundSeries, growth: Growth) -> list[str]:
    """Return classes of which there are as many objects more in each round as a counter grows by.

    Own classes come first, then what a counter is about, then the largest objects: what a file is made of is
    smaller. How much native memory an object has is not known: there, any number of more own objects will do.
    """
    counters = [
        int(column)
        for column in np.flatnonzero(growth.grows)
        if series.subjects[column] is SeriesSubject.COUNTER
    ]
    is_native = any(series.names[counter] == NATIVE_MEMORY for counter in counters)
    objects = np.diff(series.objects[growth.n_warm_up :], axis=0)
    classes = []
    for column, (name, what) in enumerate(zip(series.names, series.subjects, strict=True)):
        if what is not SeriesSubject.CLASS:
            continue
        steps = objects[:, column]
        is_alike = steps.min() > 0 and any(
            _is_near(steps.mean(), growth.rates[counter]) for counter in counters
        )
        may_have = is_own(name) or name in _HAVE_NATIVE_MEMORY
        if is_alike or (is_native and growth.goes_on[column] and may_have):
            classes.append((not is_own(name), -growth.rates[column], name))
    own = [name for foreign, _, name in sorted(classes) if not foreign]
    others = [name for foreign, _, name in sorted(classes) if foreign]
    meant = [_MEANT[series.names[counter]] for counter in counters if series.names[counter] in _MEANT]
    return list(dict.fromkeys([*own, *meant, *others]))


def _is_near(number: float, other: float) -> bool:
    return abs(number - other) <= _NEAR * other


def _followers(series: RoundSeries, growth: Growth) -> list[int]:
    """Return own classes that grow with what grows, less than the size that matters: they say whose it is."""
    leading = np.flatnonzero(
        growth.grows & np.array([what is not SeriesSubject.COUNTER for what in series.subjects])
    )
    if not len(leading):
        return []
    judged = series.values[growth.n_warm_up :]
    first = judged[:, leading[np.argmax(growth.rates[leading])]]
    return [
        int(column)
        for column in np.flatnonzero(growth.goes_on & ~growth.grows)
        if series.subjects[column] is SeriesSubject.CLASS
        and is_own(series.names[column])
        and np.corrcoef(first, judged[:, column])[0, 1] >= _FOLLOWS
    ]


def series_of(run: Run) -> RoundSeries:
    """Return the series of a run, of which each round has a histogram and a row."""
    counted = rounds_of(run)
    names = tuple(sorted({class_count.name for histogram in counted for class_count in histogram.classes}))
    sizes, objects = _by_class(counted, names)
    rows = [int(np.abs(run.times_s - histogram.time_s).argmin()) for histogram in counted]
    whole = np.array([[histogram.bytes] for histogram in counted], dtype=np.float64).reshape(-1, 1)
    all_objects = np.array([[histogram.instances] for histogram in counted], dtype=np.float64).reshape(-1, 1)
    read = {name: _AT_ONCE.get(name, name) for name in COUNTERS}
    outside = {
        name: run.values[rows, run.column_of[column]]
        for name, column in read.items()
        if column in run.column_of
    } | _numbers_of_known(counted)
    if {BY_MALLOC, _DIRECT} <= run.column_of.keys():
        # Buffers are counted for themselves.
        outside[NATIVE_MEMORY] = run.series(BY_MALLOC)[rows] - run.series(_DIRECT)[rows]
    heap = _heap_size(whole)
    return RoundSeries(
        (LIVE_HEAP, *names, *outside),
        (SeriesSubject.HEAP, *[SeriesSubject.CLASS] * len(names), *[SeriesSubject.COUNTER] * len(outside)),
        np.column_stack([whole, sizes, *outside.values()]),
        np.array([heap] * (1 + len(names)) + [_SIZES.get(name, 1.0) for name in outside]),
        np.column_stack([all_objects, objects, *[np.full(len(counted), np.nan)] * len(outside)]),
        run.series(_ALLOCATED)[rows] if _ALLOCATED in run.column_of else np.full(len(counted), np.nan),
    )


def _series_of_shares(run: Run, n: int) -> RoundSeries | None:
    """Return the heap and the counters at the end of n equal shares of the work; None if one is not known.

    The last share has the objects of the histogram, in which gaps that newer JDKs name are not counted.
    """
    if not {_ALLOCATED, _AFTER_COLLECTION} <= run.column_of.keys():
        return None
    known = np.flatnonzero(~np.isnan(run.series(_ALLOCATED)))
    at_end = next((histogram for histogram in run.histograms if histogram.point == AT_END), None)
    if not len(known) or at_end is None:
        return None
    work = run.series(_ALLOCATED)[known]
    ends = np.searchsorted(work, work[-1] * np.arange(1, n) / n)
    rows = known[[*ends, len(known) - 1]]
    # The last row may have no more than the one before it.
    if (np.diff(run.series(_ALLOCATED)[rows]) <= 0).any():
        return None
    shares = [slice(first + 1, last + 1) for first, last in pairwise([-1, *rows])]
    used = run.series(_AFTER_COLLECTION)
    # Of several collections the one that left least is nearest to what is alive.
    gaps = sum(class_count.size_bytes for class_count in at_end.classes if class_count.name == _GAPS)
    heap = np.array([*(np.min(used[share]) for share in shares[:-1]), at_end.bytes - gaps])
    counters = {
        name: _at_ends(run.series(name), run.times_s, shares)
        for name in (_THREADS, _DESCRIPTORS)
        if name in run.column_of
    }
    if _DESCRIPTORS in counters:
        n_alive = _instances(at_end, lambda name: name == _DESCRIPTOR)
        counters[_DESCRIPTORS][-1] = min(counters[_DESCRIPTORS][-1], n_alive)
    return RoundSeries(
        (LIVE_HEAP, *counters),
        (SeriesSubject.HEAP, *[SeriesSubject.COUNTER] * len(counters)),
        np.column_stack([heap, *counters.values()]),
        np.array([_heap_size(heap), *(COUNTERS[name] for name in counters)]),
        np.full((n, 1 + len(counters)), np.nan),
        run.series(_ALLOCATED)[rows],
    )


def _at_ends(values: FloatArray, times_s: FloatArray, shares: Sequence[slice]) -> FloatArray:
    """Return values at the end of each share, between the readings around it; NaN for a share without any.

    Some counters are read more seldom than others.
    """
    known = ~np.isnan(values)
    if not known.any():
        return np.full(len(shares), np.nan)
    ends = np.interp([times_s[share.stop - 1] for share in shares], times_s[known], values[known])
    return np.where([known[share].any() for share in shares], ends, np.nan)


def _heap_size(heap: FloatArray) -> float:
    """Return the rise of bytes in a round that matters."""
    return max(LEAST_BYTES, LEAST_SHARE * float(np.nanmax(heap, initial=0.0)))


def _by_class(counted: Sequence[ClassHistogram], names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
    """Return bytes and objects of each class after each round, shape (n_rounds, n_classes).

    A class that is not listed has at most what the smallest listed one has, and what all others have
    together. That is what counts for it: its rise cannot be taken for more than it is.
    """
    sizes, objects = np.zeros((len(counted), len(names))), np.zeros((len(counted), len(names)))
    for row, histogram in enumerate(counted):
        listed = {class_count.name: class_count for class_count in histogram.classes}
        rest = histogram.bytes - sum(class_count.size_bytes for class_count in histogram.classes)
        most = max(0, min([rest, *(class_count.size_bytes for class_count in histogram.classes[-1:])]))
        for column, name in enumerate(names):
            class_count = listed.get(name)
            sizes[row, column] = most if class_count is None else class_count.size_bytes
            objects[row, column] = 0 if class_count is None else class_count.instances
    return sizes, objects


def _numbers_of_known(counted: Sequence[ClassHistogram]) -> dict[str, FloatArray]:
    """Return what objects of known classes stand for; without those that are missing in a list."""
    loaders = [_instances(histogram, lambda name: name.endswith(_LOADER)) for histogram in counted]
    beans = [_instances(histogram, lambda name: name == _REGISTERED) for histogram in counted]
    numbers = {CLASS_LOADERS: loaders, MBEANS: beans}
    return {name: np.array(of, dtype=np.float64) for name, of in numbers.items() if of and all(of)}


def _instances(histogram: ClassHistogram, is_meant: Callable[[str], bool]) -> int:
    return sum(class_count.instances for class_count in histogram.classes if is_meant(class_count.name))
