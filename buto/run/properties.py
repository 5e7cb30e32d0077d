"""What a property is, and the registry of those that buto collects by default.

A property is one measured quantity with a name, a unit and a kind. Names follow
OpenTelemetry's conventions for the JVM; where a JVM has several instances of a thing (memory
pools, collectors, buffer pools) the instance is in brackets:
``jvm.memory.used[G1 Eden Space]``. A member of a custom MBean is named
``mbean[<object name>]/<attribute>`` with ``.<member>`` for composite data and
``[<key>].<member>`` for a row of tabular data.
"""

from __future__ import annotations

import csv
import math
from enum import Enum
from functools import cache
from importlib.resources import files

from msgspec import Struct

from buto.run.patterns import fits
from buto.run.stored import Number, read


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


class PropertyReader(Enum):
    """What reads a property while the program runs."""

    PROBE = "probe"
    """Java code: the agent inside the JVM, or the worker that asks it through JMX."""
    ON_DEMAND = "on-demand"
    """The agent, in runs for which a setting or an option of the JVM asks for it."""
    RECORDING = "recording"
    """Flight Recorder, in runs for which a setting asks for it; buto reads its recording at the end."""
    OUTSIDE = "outside"
    """buto's own process, from what the kernel and the JVM keep; the same for both collectors."""
    AT_EXIT = "at-exit"
    """buto's own process, of a command that is measured without a JVM: the kernel tells it at the end."""


class Better(Enum):
    """Which direction of change a user welcomes."""

    LOWER = "lower"
    HIGHER = "higher"
    UNKNOWN = "unknown"


class Nature(Enum):
    """How a property moves during a run.

    ``buto/judging/accusing.csv`` says which numbers of each nature may accuse.
    """

    WORK = "work"
    """Counts up with what the program does."""
    TIME = "time"
    """Time that passed, or that was computed."""
    COLLECTIONS = "collections"
    """Counts up with collections and pauses."""
    COUNT = "count"
    """Whole things that are there: threads, descriptors, classes."""
    LIVE = "live"
    """What is alive after a collection at the exit."""
    KEPT = "kept"
    """What collections left."""
    GARBAGE = "garbage"
    """Use of the heap, garbage included: it swings with collections."""
    RESIDENT = "resident"
    """Memory that the process has touched."""
    HELD = "held"
    """Memory that somebody asked for and gives back: buffers, classes, code."""
    RESERVED = "reserved"
    """Sizes that the JVM sets aside or adapts."""
    OWN = "own"
    """A gauge of the program, of which nothing is known."""


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


class Property(Struct, frozen=True):
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


class Metric(Struct, frozen=True):
    """A family of properties: the part of the name before the bracket, and what holds for all.

    None of them can be negative, and of each less is welcome.

    Attributes:
        topic: of pools it is :func:`topic_of` that knows it.
        reader: what reads it while the program runs.
        judged: whether methods judge it. A property that is not judged is recorded, listed and drawn, and
            compared by people.
        nature: how it moves; of pools it is :func:`nature_of` that knows it.
        part: ``part`` of something larger, which a report names first; ``aside`` for a size that the JVM sets
            aside; else empty.
        per: of what there may be several instances; empty if there are none.
        instances: if they are the same for every program; else they are found in the JVM.
        title: what people call it; only what buto itself costs has none.
        thesis_name: in Table 3.6 of the thesis; empty if it is not there.
    """

    name: str
    unit: str
    kind: Kind
    topic: Topic
    reader: PropertyReader
    judged: bool
    nature: Nature
    part: str
    per: str
    instances: tuple[str, ...]
    title: str
    thesis_name: str

    @property
    def is_part(self) -> bool:
        return self.part != ""

    def property(self, instance: str | None = None) -> Property:
        """Return the property of one instance."""
        name = self.name if instance is None else f"{self.name}[{instance}]"
        role = Role.COST if self.topic is Topic.MEASURING else Role.PROGRAM
        better = Better.UNKNOWN if self.is_adapted(instance) else Better.LOWER
        return Property(name, self.unit, self.kind, role, 0.0, math.inf, better)

    def is_adapted(self, instance: str | None) -> bool:
        """Return whether the collector chooses this size, which is that of a pool for young objects.

        The collector sizes eden and the survivors to meet its pause goal, up to all free memory. A larger
        size may mean fewer collections, and a smaller one does not show the program's need, so neither is
        better. Memory that stays in use shows in the old generation and in the whole heap.
        """
        return self.name in _POOL_SIZES and any(pool in (instance or "") for pool in _YOUNG_POOLS)


_POOL_SIZES = ("jvm.memory.committed", "jvm.memory.used", "jvm.memory.used_after_last_gc")
_YOUNG_POOLS = ("Eden", "Survivor")


def _metrics() -> dict[str, Metric]:
    rows = csv.DictReader(files(__package__).joinpath("metrics.csv").read_text().splitlines())
    metrics = [
        read({**row, "judged": row["judged"] == "yes", "instances": row["instances"].split()}, Metric)
        for row in rows
    ]
    return {metric.name: metric for metric in metrics}


METRICS = _metrics()
"""All default metrics: Table 3.6 of the thesis, process CPU time, exact counters, what is read from outside,
and the tool's own cost. Of one topic, what says most comes first.
"""

READ_OUTSIDE: tuple[Property, ...] = tuple(
    metric.property(instance)
    for metric in METRICS.values()
    if metric.reader is PropertyReader.OUTSIDE
    for instance in metric.instances or (None,)
)
"""The properties that buto reads from outside the JVM. Every run has all of them."""

COMMAND_PEAK = "command.memory.peak"

_TOLD_AT_EXIT = ("process.cpu.instructions", "process.memory.peak", "process.paging.faults")
"""What a command without a JVM has as ``command.*``: the kernel tells it to the very end."""

OF_A_COMMAND: tuple[Property, ...] = (
    *(
        metric.property(instance)
        for metric in METRICS.values()
        if metric.reader is PropertyReader.AT_EXIT
        for instance in metric.instances or (None,)
    ),
    *(
        prop
        for prop in READ_OUTSIDE
        if prop.name.startswith("process.") and not prop.name.startswith(_TOLD_AT_EXIT)
    ),
)
"""The properties of a command that is measured without a JVM. Each such run has all of them."""

DURATION = Property("run.duration", "s", Kind.GAUGE, lower=0.0, better=Better.LOWER)
"""How long a run took, judged as one number; no collector samples it."""

LIVE_OBJECTS, LIVE_SET_TIME = "jvm.object.live", "buto.live_set.time"
LIVE_SET = ("jvm.memory.heap.live", LIVE_OBJECTS, LIVE_SET_TIME)
"""The properties that a count of the live objects gives. A run has all of them if a count was wanted."""

LIVE_CLASSES = Property("jvm.object.live.by_class", "By", Kind.GAUGE, lower=0.0, better=Better.LOWER)
"""What the live objects of each class use at the end, judged as one property where it was counted."""

NAMED_WHOLE = {
    DURATION.name: "duration",
    LIVE_CLASSES.name: "live objects of a class",
    "process.io.bytes[read]": "bytes read",
    "process.io.bytes[write]": "bytes written",
    "process.io.calls[read]": "read calls",
    "process.io.calls[write]": "write calls",
    "process.disk.io[read]": "bytes read from disk",
    "process.disk.io[write]": "bytes written to disk",
    "process.context_switches[voluntary]": "voluntary context switches",
    "process.context_switches[involuntary]": "involuntary context switches",
    "process.paging.faults[minor]": "minor page faults of the process",
    "process.paging.faults[major]": "major page faults of the process",
    "command.paging.faults[minor]": "minor page faults",
    "command.paging.faults[major]": "major page faults",
    "jvm.buffer.memory.used[direct]": "direct buffer memory",
    "jvm.buffer.memory.used[mapped]": "mapped buffer memory",
    "jvm.buffer.count[direct]": "direct buffers",
    "jvm.buffer.count[mapped]": "mapped buffers",
}
"""What people call some properties whose title with the instance in brackets they would not say."""

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
    "jvm.thread.virtual.count",
    "jvm.thread.virtual.pinned",
    "jvm.thread.virtual.rejected",
    "jvm.safepoint.count",
    "command.*",
    "process.memory.usage",
    "process.thread.count",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "process.io.bytes*",
    "process.io.calls*",
    "process.disk.io[[]write[]]",
    "process.context_switches[[]voluntary[]]",
)
"""Shell patterns of counters that are nearly equal in equal runs, and of two that nothing else shows. A run
may lack them: there was no collection, or the kernel does not tell."""


@cache
def is_exact(prop: Property) -> bool:
    """Return whether a property is an exact counter, judged where it was read."""
    return prop.role is Role.PROGRAM and any(fits(prop.name, pattern) for pattern in EXACT)


COUNTED = (
    "jvm.memory.allocated",
    "jvm.memory.heap.live",
    "jvm.object.live",
    LIVE_CLASSES.name,
    "jvm.class.loaded",
    "jvm.class.count",
    "jvm.thread.started",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "process.io.bytes*",
    "process.io.calls*",
    "jvm.buffer.memory.used[[]direct]",
)
"""Shell patterns of counters that follow the program and its input alone. No machine moves them: neither its
speed nor its load nor the moment of a collection."""


@cache
def is_counted(prop: Property) -> bool:
    """Return whether a property is a counter that no machine moves."""
    return prop.role is Role.PROGRAM and any(fits(prop.name, pattern) for pattern in COUNTED)


@cache
def follows_the_machine(prop: Property) -> bool:
    """Return whether a property may move with the machine's speed and load: no counted one, and no number of
    whole things that are there, as threads."""
    return not is_counted(prop) and nature_of(prop) is not Nature.COUNT


@cache
def is_time(prop: Property) -> bool:
    """Return whether a property is time that passed or was computed, which the load of an hour moves."""
    return nature_of(prop) is Nature.TIME


OF_PLACES = ("jvm.memory.allocated", "jvm.class.*", "process.io.*", "process.disk.io*")
"""Shell patterns of what depends on where the program's files are: a JVM allocates more for each class of a
longer path, and may read a jar twice that it knows by two paths."""


@cache
def follows_place(prop: Property) -> bool:
    """Return whether a property depends on where the program's files are."""
    return any(fits(prop.name, pattern) for pattern in OF_PLACES)


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
    is_outside = known.per == "memory pool" and (instance or "").startswith(_OUTSIDE_THE_HEAP)
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
    return 2 if known.part == "aside" or known.is_adapted(instance) else 1


def nature_of(prop: Property) -> Nature:
    """Return how a property moves during a run."""
    if prop == DURATION:
        return Nature.TIME
    if prop == LIVE_CLASSES:
        return Nature.LIVE
    metric, instance = split_name(prop.name)
    known = METRICS.get(metric)
    if known is None or known.kind is not prop.kind:
        return Nature.OWN if prop.kind is Kind.GAUGE else Nature.WORK
    if known.is_adapted(instance):
        return Nature.RESERVED
    is_of_heap = known.nature is not Nature.GARBAGE or topic_of(prop.name) is Topic.HEAP
    return known.nature if is_of_heap else Nature.HELD


def title_of(name: str) -> str:
    """Return what people call a property, as ``live heap`` or ``collections (G1 Young Generation)``.

    A name without a title is its own.
    """
    metric, instance = split_name(name)
    known = METRICS.get(metric)
    if name in NAMED_WHOLE:
        return NAMED_WHOLE[name]
    if known is None or not known.title:
        return name
    return known.title if instance is None else f"{known.title} ({instance})"


_TOPICS = tuple(Topic)
_PLACES = {name: place for place, name in enumerate(METRICS)} | {
    "jvm.memory.heap.live": -1,
    LIVE_CLASSES.name: -1,
}
"""Of the heap, what is alive at the end says most."""
