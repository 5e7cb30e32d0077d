"""Which counters each fault of the bed changes; written down from what the faults do, not from results."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from buto.run.properties import Kind, Property
from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT

WATCHED = (
    *("jvm.cpu.time", "jvm.memory.allocated", "jvm.memory.heap.used_after_last_gc", "jvm.thread.count"),
    *("jvm.gc.count*", "jvm.gc.time*", "process.memory.usage", "process.io.*", "process.context_switches*"),
    *("postgres.cpu.time", "postgres.memory.usage", "postgres.io.bytes*", "postgres.disk.io*"),
    *("database.statements*", "database.activity*", "load.latency.p50*"),
)
"""Shell patterns of the counters that can be flagged: what somebody who tests a server's performance watches,
as in the paper. Of all 1,550 properties, too many are noise in a minute."""

_LATENCY = ("load.latency.*", "metrics.http_server_requests_seconds_*", "metrics.worker_pool_*")
_DATABASE = (
    "postgres.cpu.time",
    "postgres.context_switches*",
    "database.statements.time",
    "metrics.agroal_*",
)
_COLLECTIONS = ("jvm.gc.*", "metrics.jvm_gc_*", "jvm.safepoint.*")
_ALLOCATED = ("jvm.memory.allocated", "jvm.memory.tlab.*", "jvm.memory.used[[]*Eden*", *_COLLECTIONS)
_PROCESSOR = ("jvm.cpu.time", "metrics.process_cpu_*", "process.context_switches*")
_ROWS = ("database.activity.tup_*", "database.activity.blks_*", "database.statements.*")
_HEAP = ("jvm.memory.heap.*", "jvm.memory.used*", "jvm.memory.committed*", "metrics.jvm_memory_*")

CHANGED = {
    "memory": (*_HEAP, *_COLLECTIONS, "process.memory.*", "process.paging.*", "metrics.*memory_*"),
    "busy": (*_PROCESSOR, *_LATENCY, "metrics.agroal_*"),
    "column-index": (*_ROWS, *_DATABASE, *_LATENCY, "database.scans*", "database.sequential*"),
    "text-index": (*_ROWS, *_DATABASE, *_LATENCY, "database.scans*", "database.sequential*"),
    "log": ("process.io.*", "process.disk.*", *_ALLOCATED, *_PROCESSOR, *_LATENCY, "metrics.*written*"),
    "small-buffers": (*_ROWS, *_DATABASE, *_LATENCY, "postgres.*"),
    "caches": (
        *(*_ROWS, *_DATABASE, *_LATENCY, *_PROCESSOR, *_ALLOCATED, *_HEAP, "database.activity.xact_commit"),
        *("database.scans*", "database.indexed*", "database.sequential*", "process.io.*", "postgres.*"),
        "metrics.vendor_*",
    ),
    "connections": (
        *("database.connections*", "postgres.process.count", "postgres.thread.count", "postgres.memory.*"),
        *(
            "postgres.unix.*",
            "postgres.paging.*",
            "postgres.io.bytes*",
            "process.socket.count",
            "process.unix.*",
        ),
        # What a new connection reads and asks for before its first use.
        *("database.activity.blks_*", "database.activity.tup_returned", "database.activity.tup_fetched"),
        *("database.activity.xact_commit", "database.statements.*"),
        # Requests wait when all connections are taken, and each keeps its thread.
        *(*_DATABASE, *_LATENCY, *_HEAP, "jvm.thread.*", "process.thread.count"),
    ),
    "repeat": (
        *(*_ROWS, *_DATABASE, *_LATENCY, *_PROCESSOR, *_ALLOCATED),
        *("database.scans*", "database.indexed*", "database.sequential*", "process.io.*", "postgres.*"),
    ),
}
"""By kind of fault, shell patterns of the counters that it changes, side effects included."""

NAMED = {
    "repeat": (
        "database.statements.calls",
        "database.activity.tup_fetched",
        "database.activity.blks_hit",
        "postgres.cpu.time",
        "jvm.cpu.time",
        "jvm.memory.allocated",
        "load.latency.p50[log-in]",
    ),
    "caches": (
        "database.statements.calls",
        "database.statements.time",
        "database.activity.tup_fetched",
        "database.activity.blks_hit",
        "postgres.cpu.time",
        "load.latency.p50[read]",
    ),
    "small-buffers": (
        "database.activity.blks_read",
        "database.statements.read",
        "postgres.io.bytes[read]",
        "postgres.memory.usage",
        "postgres.cpu.time",
        "database.statements.time",
    ),
}
"""By kind of fault, the counters that a report should name: seven of D5 and six of J3, as in the paper."""


def is_counter(prop: Property) -> bool:
    """Return whether a property can be flagged."""
    return prop.kind is not Kind.CONSTANT and any(fnmatchcase(prop.name, one) for one in WATCHED)


def changed(fault: str, names: Iterable[str]) -> frozenset[str]:
    """Return which of these counters a fault changes; none without a fault.

    Raises:
        KeyError: it is not written down what this fault changes.
    """
    patterns = () if fault == NO_FAULT else CHANGED[kind_of(fault)]
    return frozenset(name for name in names if any(fnmatchcase(name, one) for one in patterns))


def named(fault: str, names: Iterable[str]) -> frozenset[str]:
    """Return which of these counters a report on a fault should name."""
    return frozenset(NAMED.get(kind_of(fault), ())) & frozenset(names)
