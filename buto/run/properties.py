"""What a property is, and the registry of those that buto collects by default.

A property is one measured quantity with a name, a unit and a kind. Names follow
OpenTelemetry's conventions for the JVM; where a JVM has several instances of a thing (memory
pools, collectors, buffer pools) the instance is in brackets:
``jvm.memory.used[G1 Eden Space]``. A member of a custom MBean is named
``mbean[<object name>]/<attribute>`` with ``.<member>`` for composite data and
``[<key>].<member>`` for a row of tabular data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from fnmatch import fnmatchcase
from functools import cache

from buto.run.stored import Number


class Kind(Enum):
    """How a property behaves in time, and so how it may be summarised."""

    GAUGE = "gauge"
    COUNTER = "counter"
    """Counts up from the program's start; never falls."""
    CONSTANT = "constant"


class Role(Enum):
    """Whether a property belongs to the program or to the tool that measures it."""

    PROGRAM = "program"
    COST = "cost"
    """What measuring itself costs; recorded with each run, not judged unless asked for."""


class Reader(Enum):
    """What reads a property while the program runs."""

    PROBE = "probe"
    """Java code: the agent inside the JVM, or the worker that asks it through JMX."""
    ON_DEMAND = "on-demand"
    """The agent, in runs for which a setting or an option of the JVM asks for it."""
    OUTSIDE = "outside"
    """buto's own process, from what the kernel and the JVM keep; the same for both collectors."""


class Better(Enum):
    """Which direction of change a user welcomes."""

    LOWER = "lower"
    HIGHER = "higher"
    UNKNOWN = "unknown"


class Topic(Enum):
    """What a property is about, in the order in which people ask.

    Changes of one topic usually have one cause: the heap and its pools, collections and their times.
    """

    DURATION = "duration"
    CPU = "CPU"
    HEAP = "heap"
    ALLOCATION = "allocation"
    THREADS = "threads"
    LOCKS = "locks and waiting"
    CLASSES = "classes"
    DESCRIPTORS = "descriptors"
    TRANSFERS = "input and output"
    PROCESS_MEMORY = "memory of the process"
    PROGRAM = "the program's own"
    """What the program itself measures, and whatever else the table below does not know."""
    COLLECTIONS = "garbage collection"
    COMPILATION = "compilation"
    SAFEPOINTS = "safepoints"
    NON_HEAP = "memory outside the heap"
    BUFFERS = "buffers"
    MEASURING = "measuring"


@dataclass(frozen=True, slots=True)
class Property:
    """One measured quantity.

    Attributes:
        name: unique within a run, see the module's text for how it is built.
        unit: UCUM as in OpenTelemetry: ``By``, ``s``, ``1``, or an annotation as ``{thread}``.
        kind: gauge, counter or constant.
        role: the program's or the tool's own.
        lower: smallest value that is possible; bounds are clipped to it.
        upper: largest value that is possible.
        better: the direction that is welcome, where one is.
    """

    name: str
    unit: str = "1"
    kind: Kind = Kind.GAUGE
    role: Role = Role.PROGRAM
    lower: Number = -math.inf
    upper: Number = math.inf
    better: Better = Better.UNKNOWN


@dataclass(frozen=True, slots=True)
class Metric:
    """A family of properties: the part of the name before the bracket, and what holds for all.

    Attributes:
        topic: of pools it is :func:`topic_of` that knows it.
        is_part: whether it is a part of something larger, or a size that the JVM sets aside: a report names
            it after what people ask about.
        judged: whether methods judge it. A property that is not judged is recorded, listed and drawn, and
            compared by people.
        reader: what reads it while the program runs.
        instances: if they are the same for every program; else they are found in the JVM.
    """

    name: str
    unit: str
    kind: Kind
    thesis_name: str | None
    topic: Topic
    per: str | None = None
    is_part: bool = False
    role: Role = Role.PROGRAM
    better: Better = Better.UNKNOWN
    judged: bool = True
    reader: Reader = Reader.PROBE
    instances: tuple[str, ...] = ()

    def property(self, instance: str | None = None) -> Property:
        """Return the property of one instance; every default metric counts things, so none is negative."""
        name = self.name if instance is None else f"{self.name}[{instance}]"
        better = Better.UNKNOWN if self.is_adapted(instance) else self.better
        return Property(name, self.unit, self.kind, self.role, 0.0, math.inf, better)

    def is_adapted(self, instance: str | None) -> bool:
        """Return whether the collector chooses this size, which is that of a pool for young objects.

        The collector sizes eden and the survivors to meet its pause goal, up to all free memory. A larger
        size may mean fewer collections, and a smaller one does not show the program's need, so neither is
        better. Memory that stays in use shows in the old generation and in the whole heap.
        """
        return self.name in _POOL_SIZES and any(pool in (instance or "") for pool in _YOUNG_POOLS)


_SET_ASIDE = (
    "jvm.memory.committed",
    "jvm.memory.heap.committed",
    "jvm.memory.non_heap.committed",
    "jvm.memory.threshold",
    "jvm.buffer.memory.limit",
)
_POOL_SIZES = ("jvm.memory.committed", "jvm.memory.used", "jvm.memory.used_after_last_gc")
_YOUNG_POOLS = ("Eden", "Survivor")


def _gauge(
    name: str, unit: str, thesis: str | None, topic: Topic, per: str | None = None, *, is_part: bool = False
) -> Metric:
    return Metric(name, unit, Kind.GAUGE, thesis, topic, per, is_part, better=Better.LOWER)


def _counter(
    name: str, unit: str, thesis: str | None, topic: Topic, per: str | None = None, *, is_part: bool = False
) -> Metric:
    return Metric(name, unit, Kind.COUNTER, thesis, topic, per, is_part, better=Better.LOWER)


def _recorded(metric: Metric, reader: Reader = Reader.PROBE) -> Metric:
    """Return a metric that is not judged."""
    return replace(metric, judged=False, reader=reader)


def _cost(name: str, unit: str, kind: Kind, per: str | None = None) -> Metric:
    thesis, topic = "overhead of the tool", Topic.MEASURING
    return Metric(name, unit, kind, thesis, topic, per, role=Role.COST, better=Better.LOWER)


def _outside(
    name: str,
    unit: str,
    kind: Kind,
    topic: Topic,
    per: str | None = None,
    instances: tuple[str, ...] = (),
    *,
    is_part: bool = False,
    role: Role = Role.PROGRAM,
) -> Metric:
    return Metric(
        name,
        unit,
        kind,
        None if role is Role.PROGRAM else "overhead of the tool",
        topic,
        per,
        is_part,
        role,
        better=Better.LOWER,
        judged=False,
        reader=Reader.OUTSIDE,
        instances=instances,
    )


_POOL, _BUFFERS = "memory pool", "buffer pool"
_DIRECTION, _READ_WRITE = "direction", ("read", "write")

METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _counter("jvm.class.loaded", "{class}", "Total loaded class count", Topic.CLASSES),
        _gauge("jvm.class.count", "{class}", "Loaded class count", Topic.CLASSES),
        _counter("jvm.class.unloaded", "{class}", "Unloaded class count", Topic.CLASSES),
        _counter("jvm.compilation.time", "s", "Total compilation time", Topic.COMPILATION),
        _gauge(
            "jvm.memory.pending_finalization", "{object}", "Object pending finalization count", Topic.HEAP
        ),
        _gauge("jvm.memory.heap.used", "By", "Heap memory used", Topic.HEAP),
        _recorded(_gauge("jvm.memory.heap.used_after_last_gc", "By", None, Topic.HEAP)),
        _recorded(_gauge("jvm.memory.heap.live", "By", None, Topic.HEAP), Reader.ON_DEMAND),
        _recorded(_gauge("jvm.object.live", "{object}", None, Topic.HEAP), Reader.ON_DEMAND),
        _gauge("jvm.memory.heap.committed", "By", "Heap memory committed", Topic.HEAP, is_part=True),
        _recorded(_counter("jvm.memory.allocated", "By", None, Topic.ALLOCATION)),
        _gauge("jvm.memory.non_heap.used", "By", "Non-heap memory used", Topic.NON_HEAP),
        _gauge(
            "jvm.memory.non_heap.committed", "By", "Non-heap memory committed", Topic.NON_HEAP, is_part=True
        ),
        _recorded(_gauge("jvm.memory.native.committed", "By", None, Topic.NON_HEAP)),
        _recorded(
            _gauge("jvm.memory.native.category", "By", None, Topic.NON_HEAP, "category", is_part=True),
            Reader.ON_DEMAND,
        ),
        _gauge("jvm.thread.count", "{thread}", "Thread count", Topic.THREADS),
        _gauge("jvm.thread.daemon.count", "{thread}", "Daemon thread count", Topic.THREADS),
        _counter("jvm.thread.started", "{thread}", "Total started thread count", Topic.THREADS),
        _gauge("jvm.buffer.count", "{buffer}", "Buffer pool count", Topic.BUFFERS, _BUFFERS),
        _gauge("jvm.buffer.memory.used", "By", "Buffer pool memory used", Topic.BUFFERS, _BUFFERS),
        _gauge(
            "jvm.buffer.memory.limit",
            "By",
            "Buffer pool total capacity",
            Topic.BUFFERS,
            _BUFFERS,
            is_part=True,
        ),
        _counter("jvm.gc.count", "{collection}", "GC collection count", Topic.COLLECTIONS, "collector"),
        _counter("jvm.gc.time", "s", "GC collection time", Topic.COLLECTIONS, "collector"),
        _gauge("jvm.memory.used", "By", "Pool memory used", Topic.HEAP, _POOL, is_part=True),
        _recorded(
            _gauge("jvm.memory.used_after_last_gc", "By", None, Topic.HEAP, _POOL, is_part=True),
        ),
        _gauge("jvm.memory.committed", "By", "Pool memory committed", Topic.HEAP, _POOL, is_part=True),
        _gauge("jvm.memory.threshold", "By", "Memory threshold", Topic.HEAP, _POOL, is_part=True),
        _counter(
            "jvm.memory.threshold.crossings",
            "{crossing}",
            "Memory usage threshold count",
            Topic.HEAP,
            _POOL,
            is_part=True,
        ),
        _counter("jvm.cpu.time", "s", None, Topic.CPU),
        _outside("process.cpu.instructions", "{instruction}", Kind.COUNTER, Topic.CPU),
        _outside("process.cpu.cycles", "{cycle}", Kind.COUNTER, Topic.CPU),
        _outside("process.memory.usage", "By", Kind.GAUGE, Topic.PROCESS_MEMORY),
        _outside("process.memory.anonymous", "By", Kind.GAUGE, Topic.PROCESS_MEMORY, is_part=True),
        _outside("process.memory.proportional", "By", Kind.GAUGE, Topic.PROCESS_MEMORY, is_part=True),
        _outside(
            "process.paging.faults",
            "{fault}",
            Kind.COUNTER,
            Topic.PROCESS_MEMORY,
            "kind of fault",
            ("minor", "major"),
            is_part=True,
        ),
        _outside("process.thread.count", "{thread}", Kind.GAUGE, Topic.THREADS, is_part=True),
        _recorded(_counter("jvm.lock.contended", "{lock}", None, Topic.LOCKS)),
        _outside("jvm.lock.parked", "{thread}", Kind.COUNTER, Topic.LOCKS),
        _outside(
            "process.context_switches",
            "{context_switch}",
            Kind.COUNTER,
            Topic.LOCKS,
            "kind of switch",
            ("voluntary", "involuntary"),
            is_part=True,
        ),
        _outside("process.unix.file_descriptor.count", "{file_descriptor}", Kind.GAUGE, Topic.DESCRIPTORS),
        _outside("process.socket.count", "{socket}", Kind.GAUGE, Topic.DESCRIPTORS),
        _outside("process.io.bytes", "By", Kind.COUNTER, Topic.TRANSFERS, _DIRECTION, _READ_WRITE),
        _outside("process.io.calls", "{call}", Kind.COUNTER, Topic.TRANSFERS, _DIRECTION, _READ_WRITE),
        _outside(
            "process.disk.io", "By", Kind.COUNTER, Topic.TRANSFERS, _DIRECTION, _READ_WRITE, is_part=True
        ),
        _outside("jvm.class.initialized", "{class}", Kind.COUNTER, Topic.CLASSES, is_part=True),
        _outside("jvm.class.initialization.time", "s", Kind.COUNTER, Topic.CLASSES, is_part=True),
        _outside("jvm.class.verified", "{class}", Kind.COUNTER, Topic.CLASSES, is_part=True),
        _outside("jvm.class.verification.time", "s", Kind.COUNTER, Topic.CLASSES, is_part=True),
        _outside("jvm.compilation.count", "{method}", Kind.COUNTER, Topic.COMPILATION),
        _outside("jvm.compilation.invalidated", "{method}", Kind.COUNTER, Topic.COMPILATION),
        _outside("jvm.compilation.code.size", "By", Kind.COUNTER, Topic.COMPILATION, is_part=True),
        _outside("jvm.safepoint.count", "{safepoint}", Kind.COUNTER, Topic.SAFEPOINTS),
        _outside("jvm.safepoint.time", "s", Kind.COUNTER, Topic.SAFEPOINTS),
        _outside("jvm.safepoint.sync.time", "s", Kind.COUNTER, Topic.SAFEPOINTS, is_part=True),
        _outside("jvm.memory.tlab.waste", "By", Kind.GAUGE, Topic.ALLOCATION, is_part=True),
        _cost("buto.snapshot.time", "s", Kind.GAUGE),
        _cost("buto.bean.time", "s", Kind.GAUGE, "MBean"),
        _cost("buto.snapshot.allocated", "By", Kind.COUNTER),
        _cost("buto.sampler.cpu.time", "s", Kind.COUNTER),
        _cost("buto.missed.ticks", "{tick}", Kind.COUNTER),
        _outside("buto.outside.time", "s", Kind.GAUGE, Topic.MEASURING, role=Role.COST),
        _outside("buto.outside.delay", "s", Kind.GAUGE, Topic.MEASURING, role=Role.COST),
        replace(_cost("buto.live_set.time", "s", Kind.GAUGE), reader=Reader.ON_DEMAND),
    )
}
"""All default metrics: Table 3.6 of the thesis, process CPU time, exact counters, what is read from outside,
and the tool's own cost.

Of one topic, what says most comes first.
"""

READ_OUTSIDE: tuple[Property, ...] = tuple(
    metric.property(instance)
    for metric in METRICS.values()
    if metric.reader is Reader.OUTSIDE
    for instance in metric.instances or (None,)
)
"""The properties that buto reads from outside the JVM. Every run has all of them."""

DURATION = Property("run.duration", "s", Kind.GAUGE, lower=0.0, better=Better.LOWER)
"""How long a run took, judged as one number; no collector samples it."""

LIVE_OBJECTS, LIVE_SET_TIME = "jvm.object.live", "buto.live_set.time"
LIVE_SET = ("jvm.memory.heap.live", LIVE_OBJECTS, LIVE_SET_TIME)
"""The properties that a count of the live objects gives. A run has all of them if a count was wanted."""

LIVE_CLASSES = Property("jvm.object.live.by_class", "By", Kind.GAUGE, lower=0.0, better=Better.LOWER)
"""What the live objects of each class use at the end, judged as one property where it was counted."""

TITLES = {
    DURATION.name: "duration",
    LIVE_CLASSES.name: "live objects of a class",
    "jvm.cpu.time": "processor time",
    "process.cpu.instructions": "instructions",
    "jvm.memory.allocated": "allocated bytes",
    "jvm.memory.heap.used": "used heap",
    "jvm.memory.heap.used_after_last_gc": "heap after collections",
    "jvm.memory.heap.live": "live heap",
    "jvm.memory.heap.committed": "committed heap",
    "jvm.object.live": "live objects",
    "jvm.memory.used": "used memory",
    "jvm.memory.used_after_last_gc": "memory after collections",
    "jvm.memory.committed": "committed memory",
    "jvm.memory.non_heap.used": "memory outside the heap",
    "jvm.memory.native.committed": "native memory",
    "process.memory.usage": "resident memory",
    "jvm.thread.count": "threads",
    "jvm.thread.daemon.count": "daemon threads",
    "jvm.thread.started": "started threads",
    "jvm.class.loaded": "loaded classes",
    "jvm.class.count": "classes",
    "jvm.compilation.time": "compilation time",
    "jvm.gc.count": "collections",
    "jvm.gc.time": "collection time",
    "jvm.safepoint.count": "safepoints",
    "jvm.lock.contended": "contended locks",
    "jvm.buffer.memory.used": "buffer memory",
    "process.unix.file_descriptor.count": "open files",
    "process.socket.count": "sockets",
    "process.io.bytes": "bytes of I/O",
    "process.io.calls": "calls of I/O",
}
"""What people call the properties that they ask about, by metric, for headlines."""

_OUTSIDE_THE_HEAP = ("Metaspace", "Compressed Class Space", "Code")
"""How the names of pools outside the heap begin, in all JVMs of the OpenJDK."""

_PLATFORM_ATTRIBUTES = {
    "OpenFileDescriptorCount": Topic.DESCRIPTORS,
    "TotalThreadAllocatedBytes": Topic.ALLOCATION,
}
"""Attributes of the JVM's own MBeans that the table above does not have, but a user may record."""


def split_name(name: str) -> tuple[str, str | None]:
    """Divide ``metric[instance]`` at the first bracket; the instance is None without one."""
    metric, bracket, rest = name.partition("[")
    if not bracket or not rest.endswith("]"):
        return name, None
    return metric, rest[:-1]


def property_for(name: str) -> Property:
    """Return the property of a default metric by its full name, or a plain gauge for any other name."""
    metric, instance = split_name(name)
    known = METRICS.get(metric)
    return known.property(instance) if known else Property(name)


def is_judged(prop: Property) -> bool:
    """Return whether every method judges a property; none judges what measuring costs."""
    known = METRICS.get(split_name(prop.name)[0])
    return prop.role is not Role.COST and prop != LIVE_CLASSES and (known is None or known.judged)


EXACT = (
    "jvm.memory.allocated",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.used_after_last_gc*Old*",
    "jvm.memory.heap.live",
    "jvm.object.live",
    LIVE_CLASSES.name,
    "jvm.class.initialized",
    "jvm.lock.contended",
    "jvm.safepoint.count",
    "process.memory.usage",
    "process.thread.count",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "process.io.bytes*",
    "process.io.calls*",
)
"""Shell patterns of counters that are nearly equal in equal runs. A run may lack them: there was no
collection, or the kernel does not tell."""


@cache
def is_exact(prop: Property) -> bool:
    """Return whether a property is an exact counter, judged where it was read."""
    return prop.role is Role.PROGRAM and any(fnmatchcase(prop.name, pattern) for pattern in EXACT)


def topic_of(name: str) -> Topic:
    """Return what a property is about, by its full name; ``PROGRAM`` for what the table does not have."""
    if name == DURATION.name:
        return Topic.DURATION
    if name == LIVE_CLASSES.name:
        return Topic.HEAP
    metric, instance = split_name(name)
    known = METRICS.get(metric)
    if known is None:
        return _PLATFORM_ATTRIBUTES.get(name.rpartition("]/")[2], Topic.PROGRAM)
    is_outside = known.per == _POOL and (instance or "").startswith(_OUTSIDE_THE_HEAP)
    return Topic.NON_HEAP if is_outside else known.topic


def reading_rank(name: str) -> tuple[int, int, int]:
    """Return a key that sorts the names of properties as people ask for them.

    What people ask about precedes its parts, and these the sizes that the JVM sets aside or adapts; then
    comes the order of the topics; then that of the table.
    """
    metric = split_name(name)[0]
    return _remoteness(name), _TOPICS.index(topic_of(name)), _PLACES.get(metric, len(_PLACES))


def _remoteness(name: str) -> int:
    """Return how far a property is from what people ask about: 0 that itself, 1 a part, 2 set aside."""
    metric, instance = split_name(name)
    known = METRICS.get(metric)
    if known is None or not known.is_part:
        return 0
    return 2 if metric in _SET_ASIDE or known.is_adapted(instance) else 1


def title_of(name: str) -> str:
    """Return what people call a property, as ``live heap`` or ``collections (G1 Young Generation)``.

    A name without a title is its own.
    """
    metric, instance = split_name(name)
    title = TITLES.get(metric)
    if title is None:
        return name
    return title if instance is None else f"{title} ({instance})"


_TOPICS = tuple(Topic)
_PLACES = {name: place for place, name in enumerate(METRICS)} | {
    "jvm.memory.heap.live": -1,
    LIVE_CLASSES.name: -1,
}
"""Of the heap, what is alive at the end says most."""
