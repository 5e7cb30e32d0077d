"""The paper's case studies on the bed, and the counters that each fault changes.

The counters are written down from what the faults do, not from results.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT, BedRun, chosen

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


def changed(fault: str, names: Iterable[str]) -> frozenset[str]:
    """Return which of these counters a fault changes; none without a fault.

    Raises:
        KeyError: it is not written down what this fault changes.
    """
    patterns = () if fault == NO_FAULT else CHANGED[kind_of(fault)]
    return frozenset(name for name in names if any(fnmatchcase(name, pattern) for pattern in patterns))


def named(fault: str, names: Iterable[str]) -> frozenset[str]:
    """Return which of these counters a report on a fault should name."""
    return frozenset(NAMED.get(kind_of(fault), ())) & frozenset(names)


BASE = "base"
STORE, PET_STORE, ENTERPRISE, SAME = "DVD store", "JPetStore", "enterprise", "one environment"
"""The case studies; the last is not the paper's: prior tests of the environment that is judged."""

OF_THE_PAPER = (STORE, PET_STORE, ENTERPRISE)

BOTH_ENTERPRISE, BOTH_SAME = f"{ENTERPRISE}, both blocks", f"{SAME}, both blocks"
"""The same with prior tests of an earlier block, too; not the paper's."""

FEWEST_OF_ONE = 5
"""Fewer prior tests of one environment are no study of it."""

REPEATED, UNCACHED = "repeat", "caches"
"""Kinds of faults under the steady load that the tests D5 and J3 have, too."""

SLOWER, SMALLER = "half-quota", "small-memory"
"""Environments of the prior tests D2 and D3: half of the processor, and half of the memory."""


@dataclass(frozen=True, eq=False, slots=True)
class Scenario:
    """One judged run.

    Attributes:
        test: as the paper names it, or what is judged where.
        prior: runs without a fault.
        is_relative: whether recall counts what any method finds, because nobody knows all.
    """

    study: str
    test: str
    prior: tuple[BedRun, ...]
    judged: BedRun
    is_relative: bool = False

    @property
    def fault(self) -> str:
        return self.judged.labels.fault


def scenarios(runs: Sequence[BedRun], earlier: Sequence[BedRun] = ()) -> Iterator[Scenario]:
    """Yield what can be judged with these runs; a study whose runs are missing is left out.

    Args:
        earlier: runs of an earlier block, for the studies with prior tests of both.
    """
    yield from _store(runs)
    yield from _pet_store(runs)
    yield from _enterprise(ENTERPRISE, runs, ())
    yield from _one_environment(SAME, runs, ())
    if earlier:
        yield from _enterprise(BOTH_ENTERPRISE, runs, earlier)
        yield from _one_environment(BOTH_SAME, runs, earlier)


def unchanged(runs: Sequence[BedRun]) -> tuple[BedRun, ...]:
    """Return all runs under the steady load without a fault."""
    return (*chosen(runs, role="steady"), *chosen(runs, role="environment", fault=NO_FAULT))


def faulty(runs: Sequence[BedRun]) -> tuple[BedRun, ...]:
    """Return all runs under the steady load with a fault."""
    return (*chosen(runs, role="steady-fault"), *chosen(runs, role="environment-fault"))


def elsewhere(runs: Sequence[BedRun], judged: BedRun) -> tuple[BedRun, ...]:
    """Return the runs of all other environments."""
    return tuple(run for run in runs if run.labels.environment != judged.labels.environment)


def _store(runs: Sequence[BedRun]) -> Iterator[Scenario]:
    steady = chosen(runs, role="steady", environment=BASE)
    others = [chosen(runs, role="environment", environment=name) for name in (SLOWER, SMALLER)]
    if len(steady) < 2 or not all(others):
        return
    three = (steady[0], *(some[0] for some in others))
    yield Scenario(STORE, "D4", three, steady[-1])
    for run in _faulty(runs, REPEATED):
        yield Scenario(STORE, f"D5, one prior test, {run.labels.fault}", three[:1], run)
        yield Scenario(STORE, f"D5, three prior tests, {run.labels.fault}", three, run)


def _pet_store(runs: Sequence[BedRun]) -> Iterator[Scenario]:
    steady = chosen(runs, role="steady", environment=BASE)
    for run in chosen(runs, role="environment-fault", fault="small-buffers"):
        same = chosen(runs, role="environment", environment=run.labels.environment)
        if steady and same:
            yield Scenario(PET_STORE, f"J3 in {run.labels.environment}", (steady[0], same[0]), run)
    for run in _faulty(runs, UNCACHED):
        if len(steady) > 1:
            yield Scenario(PET_STORE, f"J3, {run.labels.fault}", steady[:2], run)


def _faulty(runs: Sequence[BedRun], kind: str) -> tuple[BedRun, ...]:
    return tuple(run for run in chosen(runs, role="steady-fault") if kind_of(run.labels.fault) == kind)


def _enterprise(study: str, runs: Sequence[BedRun], earlier: Sequence[BedRun]) -> Iterator[Scenario]:
    """Yield every run under the steady load, judged by prior tests of all other environments."""
    good = unchanged(runs)
    for run in (*good, *faulty(runs)):
        prior = elsewhere((*unchanged(earlier), *good), run)
        if len(prior) > 1:
            labels = run.labels
            yield Scenario(study, f"{labels.fault} in {labels.environment}", prior, run, True)


def _one_environment(study: str, runs: Sequence[BedRun], earlier: Sequence[BedRun]) -> Iterator[Scenario]:
    """Yield the runs of the base environment, judged by its own prior tests under loads of the same kind."""
    for fine, with_fault in (("good", "fault"), ("steady", "steady-fault")):
        good = chosen(runs, role=fine, environment=BASE)
        before = (*chosen(earlier, role=fine, environment=BASE), *good)
        for run in (*good, *chosen(runs, role=with_fault, environment=BASE)):
            prior = tuple(other for other in before if other is not run)
            if len(prior) >= FEWEST_OF_ONE:
                yield Scenario(study, f"{run.labels.fault}, {fine}", prior, run, True)
