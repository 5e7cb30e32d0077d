"""The JVM's own performance counters: how to read them, also after its death, and which properties they give.

HotSpot writes them to a mapped file, ``/tmp/hsperfdata_USER/PID``, wherever TMPDIR points. A process that
has mapped the file can read the last state of a JVM that was killed. The layout is jvmstat 2.0
(hotspot/share/runtime/perfMemory.hpp): a prologue, then entries of name and value.

The names are those of HotSpot; JDK 8 to 25 differ little. A JVM that lacks one, as with ``-XX:-UsePerfData``
or another collector, gives NaN with a reason. While the JVM runs, only the places of the needed numbers are
read, at low cost.
"""

from __future__ import annotations

import mmap
import os
import pwd
import struct
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from enum import Enum

from msgspec import Struct

from buto.errors import MeasureError
from buto.measure.progress import Closeable

FREQUENCY = "sun.os.hrt.frequency"
"""The JVM's ticks in one second."""

_WORD_BYTES = 8


class CounterScale(Enum):
    """In what a counter counts."""

    ONE = "one"
    TICKS = "ticks"
    WORDS = "words"
    """Of the heap. HotSpot declares these counters as bytes, but stores words."""


class CounterSource(Struct, frozen=True):
    """What a property is the sum of.

    Attributes:
        name: of a counter that every supported JDK has.
        further: names of counters of which each JDK has some.
        scale: the same for all of them.
    """

    name: str
    scale: CounterScale = CounterScale.ONE
    further: tuple[str, ...] = ()


COUNTER_SOURCES: Mapping[str, CounterSource] = {
    "jvm.class.initialized": CounterSource("sun.cls.initializedClasses"),
    "jvm.class.initialization.time": CounterSource("sun.cls.classInitTime", CounterScale.TICKS),
    "jvm.class.verified": CounterSource("sun.cls.verifiedClasses"),
    "jvm.class.verification.time": CounterSource("sun.cls.classVerifyTime", CounterScale.TICKS),
    "jvm.compilation.count": CounterSource("sun.ci.totalCompiles"),
    "jvm.compilation.invalidated": CounterSource("sun.ci.totalInvalidates"),
    "jvm.compilation.code.size": CounterSource("sun.ci.nmethodCodeSize"),
    "jvm.lock.parked": CounterSource("sun.rt._sync_Parks"),
    "jvm.safepoint.count": CounterSource("sun.rt.safepoints"),
    "jvm.safepoint.time": CounterSource("sun.rt.safepointTime", CounterScale.TICKS),
    "jvm.safepoint.sync.time": CounterSource("sun.rt.safepointSyncTime", CounterScale.TICKS),
    "jvm.memory.tlab.waste": CounterSource(
        "sun.gc.tlab.gcWaste",
        CounterScale.WORDS,
        ("sun.gc.tlab.refillWaste", "sun.gc.tlab.slowWaste", "sun.gc.tlab.fastWaste"),
    ),
}
"""By property."""


class _Term(Struct, frozen=True):
    """A property as a sum of numbers at known places of the counter file."""

    name: str
    places: tuple[int, ...]
    factor: float


class CounterPlan:
    """Reads the properties of :data:`COUNTER_SOURCES` from a counter file whose layout is known.

    A counter stays at its place as long as the JVM lives.

    Args:
        places: where in the file each number is, by the counter's name.
        order: of the bytes, ``<`` or ``>``.
        ticks_per_s: of the JVM's clock.

    Attributes:
        missing: by property, why it cannot be read.
    """

    def __init__(self, places: Mapping[str, int], order: str, ticks_per_s: float) -> None:
        self._number = struct.Struct(order + "q")
        self._terms: list[_Term] = []
        self.missing: dict[str, str] = {}
        factors = {
            CounterScale.ONE: 1.0,
            CounterScale.TICKS: 1.0 / ticks_per_s,
            CounterScale.WORDS: float(_WORD_BYTES),
        }
        for name, source in COUNTER_SOURCES.items():
            if source.name not in places:
                self.missing[name] = f"this JVM has no performance counter {source.name}"
                continue
            wanted = [places[each] for each in (source.name, *source.further) if each in places]
            self._terms.append(_Term(name, tuple(wanted), factors[source.scale]))

    def values(self, data: bytes | mmap.mmap) -> dict[str, float]:
        """Return the current values in the properties' units; properties that are missing are left out."""
        number = self._number.unpack_from
        return {
            term.name: sum(number(data, place)[0] for place in term.places) * term.factor
            for term in self._terms
        }


_MAGIC = b"\xca\xfe\xc0\xc0"
_MAX_START_DIFFERENCE_MS = 60_000
"""If the start times differ by more, the file was left by another JVM of the same process id."""

_COLLECTORS = {
    "Copy": "Copy",
    "Serial young collection pauses": "Copy",
    "MSC": "MarkSweepCompact",
    "Serial full collection pauses": "MarkSweepCompact",
    "PSScavenge": "PS Scavenge",
    "Parallel young collection pauses": "PS Scavenge",
    "PSParallelCompact": "PS MarkSweep",
    "Parallel full collection pauses": "PS MarkSweep",
    "G1 incremental collections": "G1 Young Generation",
    "G1 young collection pauses": "G1 Young Generation",
    "G1 stop-the-world full collections": "G1 Old Generation",
    "G1 full collection pauses": "G1 Old Generation",
    "G1 concurrent cycle pauses": "G1 Concurrent GC",
    "Z concurrent cycle pauses": "ZGC Pauses",
    "ZGC minor collection pauses": "ZGC Minor Pauses",
    "ZGC major collection pauses": "ZGC Major Pauses",
}
"""Maps collector names in the counters (JDK 8 to 25) to those of the MXBeans. Shenandoah's do not match."""

Counters = Mapping[str, int | str]


class NoPerfData(MeasureError):
    """The counters of a JVM cannot be read; the message says why."""


class HeldCounters(Closeable):
    """The counters of one JVM, readable until :meth:`close`, also after the JVM's death.

    Raises:
        NoPerfData: there is no file, or it belongs to another user.
    """

    def __init__(self, pid: int, jvm_start_ms: int) -> None:
        path = _path(pid)
        try:
            descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as error:
            raise NoPerfData(
                f"{path} cannot be opened ({error.strerror}): the JVM runs with -XX:-UsePerfData, or in a "
                "container of its own"
            ) from error
        try:
            status = os.fstat(descriptor)
            if status.st_uid != os.geteuid() or status.st_size == 0:
                raise NoPerfData(f"{path} belongs to another user or is empty")
            self._map = mmap.mmap(descriptor, status.st_size, access=mmap.ACCESS_READ)
        finally:
            os.close(descriptor)
        self._path = path
        self._jvm_start_ms = jvm_start_ms

    def close(self) -> None:
        self._map.close()

    def read(self) -> Counters:
        return parse(self._map[:])

    def values(self) -> dict[str, float]:
        """Return the current values of all default properties that the counters have, in their units.

        Raises:
            NoPerfData: the file was left by an earlier process. This is not known before ``main``
                begins, when a JVM writes its start time.
        """
        return {**values_of(self.read()), **self.plan().values(self._map)}

    def plan(self) -> CounterPlan:
        """Return how to read the counters of the running JVM at low cost, with :meth:`running_values`.

        Raises:
            NoPerfData: as :meth:`values`.
        """
        data = self._map[:]
        counters = parse(data)
        began_ms = counters.get("sun.rt.createVmBeginTime")
        if not isinstance(began_ms, int) or abs(self._jvm_start_ms - began_ms) > _MAX_START_DIFFERENCE_MS:
            raise NoPerfData(f"{self._path} belongs to another JVM, which began at {began_ms} ms")
        ticks_per_s = counters.get(FREQUENCY)
        if not isinstance(ticks_per_s, int) or ticks_per_s <= 0:
            raise NoPerfData(f"{self._path} does not tell the frequency of the JVM's clock")
        return CounterPlan(places(data), _order(data), float(ticks_per_s))

    def running_values(self, plan: CounterPlan) -> dict[str, float]:
        """Return the current values of the plan's properties. Takes about 8 us."""
        return plan.values(self._map)


def hold_counters(held: ExitStack, pid: int, jvm_start_ms: int) -> HeldCounters | NoPerfData:
    """Return the counters of a JVM until the end of ``held``, or why there are none."""
    try:
        return held.enter_context(HeldCounters(pid, jvm_start_ms))
    except NoPerfData as reason:
        return reason


class _Entry(Struct, frozen=True):
    """A counter in the file: its name, where its value is, and the length of a text (0: a number)."""

    name: str
    place: int
    n_items: int


def parse(data: bytes) -> Counters:
    """Parse a counter file; return names with numbers or texts.

    Raises:
        NoPerfData: this is not a counter file of version 2.
    """
    number = struct.Struct(_order(data) + "q")
    counters: dict[str, int | str] = {}
    try:
        for entry in _entries(data):
            text = data[entry.place : entry.place + entry.n_items]
            counters[entry.name] = _text(text) if entry.n_items else number.unpack_from(data, entry.place)[0]
    except struct.error as error:
        raise NoPerfData(f"the counters are damaged: {error}") from error
    return counters


def places(data: bytes) -> dict[str, int]:
    """Return where in a counter file each number is, by the counter's name. NoPerfData as :func:`parse`."""
    return {entry.name: entry.place for entry in _entries(data) if entry.n_items == 0}


def _order(data: bytes) -> str:
    """Return the order of the file's bytes; NoPerfData if this is not a counter file of version 2."""
    if len(data) < 32 or data[:4] != _MAGIC or data[5] != 2:
        raise NoPerfData("this is not a jvmstat file of version 2")
    return "<" if data[4] == 1 else ">"


def _entries(data: bytes) -> Iterator[_Entry]:
    order = _order(data)
    entry = struct.Struct(order + "iiibbbbi")
    at, n_entries = struct.unpack_from(order + "ii", data, 24)
    try:
        for _ in range(n_entries):
            length, name_at, n_items, _type, _flags, _unit, _variability, value_at = entry.unpack_from(
                data, at
            )
            yield _Entry(_text(data[at + name_at : at + length]), at + value_at, n_items)
            if length <= 0:
                raise NoPerfData("a counter has the length 0")
            at += length
    except struct.error as error:
        raise NoPerfData(f"the counters are damaged: {error}") from error


_SUMS = {
    "jvm.class.loaded": ("java.cls.loadedClasses", "java.cls.sharedLoadedClasses"),
    "jvm.class.unloaded": ("java.cls.unloadedClasses", "java.cls.sharedUnloadedClasses"),
    "jvm.thread.count": ("java.threads.live",),
    "jvm.thread.daemon.count": ("java.threads.daemon",),
    "jvm.thread.started": ("java.threads.started",),
}
"""Classes from the shared archive are counted separately; as in the MXBean, both counts are added."""


def values_of(counters: Counters) -> dict[str, float]:
    """Return property names with values; properties without counters are left out."""

    def number(name: str) -> float:
        value = counters.get(name)
        return float(value) if isinstance(value, int) else float("nan")

    values = {name: sum(map(number, names)) for name, names in _SUMS.items()}
    values["jvm.class.count"] = values["jvm.class.loaded"] - values["jvm.class.unloaded"]
    tick_s = 1.0 / (number(FREQUENCY) or float("nan"))
    values["jvm.compilation.time"] = number("java.ci.totalTime") * tick_s
    for name, text in counters.items():
        prefix, is_name, _ = name.partition(".name")
        bean = _COLLECTORS.get(str(text))
        if bean is not None and is_name and prefix.startswith("sun.gc.collector."):
            values[f"jvm.gc.count[{bean}]"] = number(f"{prefix}.invocations")
            values[f"jvm.gc.time[{bean}]"] = number(f"{prefix}.time") * tick_s
    return {name: value for name, value in values.items() if value == value}


def _path(pid: int) -> str:
    try:
        user = pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        raise NoPerfData(f"user {os.geteuid()} has no name, so the JVM keeps no counters") from None
    return f"/tmp/hsperfdata_{user}/{pid}"


def _text(data: bytes) -> str:
    return data.split(b"\0", 1)[0].decode(errors="replace")
