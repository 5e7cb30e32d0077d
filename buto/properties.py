"""What a property is, and the registry of those that buto collects by default.

A property is one measured quantity with a name, a unit and a kind. Names follow
OpenTelemetry's conventions for the JVM; where a JVM has several instances of a thing (memory
pools, collectors, buffer pools) the instance stands in brackets:
``jvm.memory.used[G1 Eden Space]``. A member of a custom MBean is named
``mbean[<object name>]/<attribute>`` with ``.<member>`` for composite data and
``[<key>].<member>`` for a row of tabular data.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum


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


class Better(Enum):
    """Which direction of change a user welcomes."""

    LOWER = "lower"
    HIGHER = "higher"
    UNKNOWN = "unknown"


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
    lower: float = -math.inf
    upper: float = math.inf
    better: Better = Better.UNKNOWN


@dataclass(frozen=True, slots=True)
class Metric:
    """A family of properties: the part of the name before the bracket, and what holds for all."""

    name: str
    unit: str
    kind: Kind
    thesis_name: str | None
    per: str | None = None
    role: Role = Role.PROGRAM
    better: Better = Better.UNKNOWN

    def property(self, instance: str | None = None) -> Property:
        """The property of one instance; every default metric counts things, so none is negative."""
        name = self.name if instance is None else f"{self.name}[{instance}]"
        better = Better.UNKNOWN if self._is_adapted(instance) else self.better
        return Property(name, self.unit, self.kind, self.role, 0.0, math.inf, better)

    def _is_adapted(self, instance: str | None) -> bool:
        """Whether the collector chooses this size: that of a pool for young objects.

        It gives eden and the survivors what suits its pauses, up to all that is free. More of it may mean
        fewer collections, and less of it says nothing of the program's need: neither is better. What
        stays in use shows in the old generation and in the heap as a whole.
        """
        return self.name in _POOL_SIZES and any(pool in (instance or "") for pool in _YOUNG_POOLS)


_POOL_SIZES = ("jvm.memory.committed", "jvm.memory.used")
_YOUNG_POOLS = ("Eden", "Survivor")


def _gauge(name: str, unit: str, thesis: str | None, per: str | None = None) -> Metric:
    return Metric(name, unit, Kind.GAUGE, thesis, per, better=Better.LOWER)


def _counter(name: str, unit: str, thesis: str | None, per: str | None = None) -> Metric:
    return Metric(name, unit, Kind.COUNTER, thesis, per, better=Better.LOWER)


def _cost(name: str, unit: str, kind: Kind, per: str | None = None) -> Metric:
    return Metric(name, unit, kind, "overhead of the tool", per, Role.COST, Better.LOWER)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        _counter("jvm.class.loaded", "{class}", "Total loaded class count"),
        _gauge("jvm.class.count", "{class}", "Loaded class count"),
        _counter("jvm.class.unloaded", "{class}", "Unloaded class count"),
        _counter("jvm.compilation.time", "s", "Total compilation time"),
        _gauge("jvm.memory.pending_finalization", "{object}", "Object pending finalization count"),
        _gauge("jvm.memory.heap.committed", "By", "Heap memory committed"),
        _gauge("jvm.memory.heap.used", "By", "Heap memory used"),
        _gauge("jvm.memory.non_heap.committed", "By", "Non-heap memory committed"),
        _gauge("jvm.memory.non_heap.used", "By", "Non-heap memory used"),
        _gauge("jvm.thread.daemon.count", "{thread}", "Daemon thread count"),
        _gauge("jvm.thread.count", "{thread}", "Thread count"),
        _counter("jvm.thread.started", "{thread}", "Total started thread count"),
        _gauge("jvm.buffer.count", "{buffer}", "Buffer pool count", "buffer pool"),
        _gauge("jvm.buffer.memory.used", "By", "Buffer pool memory used", "buffer pool"),
        _gauge("jvm.buffer.memory.limit", "By", "Buffer pool total capacity", "buffer pool"),
        _counter("jvm.gc.count", "{collection}", "GC collection count", "collector"),
        _counter("jvm.gc.time", "s", "GC collection time", "collector"),
        _gauge("jvm.memory.committed", "By", "Pool memory committed", "memory pool"),
        _gauge("jvm.memory.used", "By", "Pool memory used", "memory pool"),
        _gauge("jvm.memory.threshold", "By", "Memory threshold", "memory pool"),
        _counter(
            "jvm.memory.threshold.crossings", "{crossing}", "Memory usage threshold count", "memory pool"
        ),
        _counter("jvm.cpu.time", "s", None),
        _cost("buto.snapshot.time", "s", Kind.GAUGE),
        _cost("buto.bean.time", "s", Kind.GAUGE, "MBean"),
        _cost("buto.snapshot.allocated", "By", Kind.COUNTER),
        _cost("buto.sampler.cpu.time", "s", Kind.COUNTER),
        _cost("buto.missed.ticks", "{tick}", Kind.COUNTER),
    )
}
"""All default metrics: Table 3.6 of the thesis, process CPU time, and the tool's own cost."""


def split_name(name: str) -> tuple[str, str | None]:
    """Divide ``metric[instance]`` at the first bracket; the instance is None without one."""
    metric, bracket, rest = name.partition("[")
    if not bracket or not rest.endswith("]"):
        return name, None
    return metric, rest[:-1]


def property_for(name: str) -> Property:
    """The property of a default metric by its full name, or a plain gauge for any other name."""
    metric, instance = split_name(name)
    known = METRICS.get(metric)
    return known.property(instance) if known else Property(name)
