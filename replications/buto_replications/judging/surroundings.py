"""How much counters differ between runs, hosts and surroundings, in numbers and drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import nan

import numpy as np

from buto.run.model import FloatArray, RunSet
from buto.run.properties import Kind, Role
from buto_replications.design import VARIANTS
from buto_replications.judging.recordings import ByHost, Recordings
from buto_replications.judging.versions import SERVERS
from buto_replications.report.charts import Varying

FEWEST_RUNS = 5
"""Of fewer runs no variation is computed."""


@dataclass(frozen=True, slots=True)
class Variation:
    """One property, over several programs on two hosts.

    Attributes:
        between_runs: by host, the coefficient of variation of its last value, median over programs.
        largest: the largest coefficient of any program and host.
        shift: by how large a share the mean on the second host differs from that on the first, median over
            programs; NaN if only one host has the property.
        largest_shift: the largest of these.
        n_programs: how many programs have the property in all runs, on any host.
    """

    name: str
    between_runs: Mapping[str, float]
    largest: float
    shift: float
    largest_shift: float
    n_programs: int


def variations(hosts: Mapping[str, Mapping[str, RunSet]]) -> list[Variation]:
    """Return the variation of each property that all runs of a program have, the steadiest first.

    Properties that are zero in all runs are left out.

    Args:
        hosts: by host, by program, usable runs; shifts are from the first host to the second.
    """
    ends = {
        host: {program: _ends(runs) for program, runs in programs.items() if len(runs) >= FEWEST_RUNS}
        for host, programs in hosts.items()
    }
    names = sorted(
        {name for programs in ends.values() for of_program in programs.values() for name in of_program}
    )
    spreads = [_variation(name, ends) for name in names]
    return sorted(
        spreads, key=lambda variation: (np.nanmedian([*variation.between_runs.values()]), variation.name)
    )


def _variation(name: str, ends: Mapping[str, Mapping[str, Mapping[str, FloatArray]]]) -> Variation:
    ours = {
        host: {program: of_program[name] for program, of_program in programs.items() if name in of_program}
        for host, programs in ends.items()
    }
    cvs = {
        host: [float(values.std(ddof=1) / values.mean()) for values in programs.values()]
        for host, programs in ours.items()
    }
    shifts = _shifts(*list(ours.values())[:2]) if len(ours) > 1 else []
    return Variation(
        name,
        {host: float(np.median(some)) for host, some in cvs.items() if some},
        max(value for some in cvs.values() for value in some),
        float(np.median(shifts)) if shifts else nan,
        max(shifts, default=nan),
        len({program for programs in ours.values() for program in programs}),
    )


def _shifts(environment: Mapping[str, FloatArray], other: Mapping[str, FloatArray]) -> list[float]:
    """Return the share by which the larger mean exceeds the smaller one, for each common program."""
    shifts = []
    for program in environment.keys() & other.keys():
        less, more = sorted((float(environment[program].mean()), float(other[program].mean())))
        shifts.append(more / less - 1)
    return shifts


def _ends(runs: RunSet) -> dict[str, FloatArray]:
    """Return the last known value of each property in each run; only of properties that all runs know."""
    ends: dict[str, FloatArray] = {}
    for prop in runs.properties:
        if prop.kind is Kind.CONSTANT or prop.role is not Role.PROGRAM:
            continue
        if any(prop.name not in run.column_of for run in runs):
            continue
        last = np.array([_last(run.series(prop.name)) for run in runs])
        if not np.isnan(last).any() and last.mean() > 0 and last.min() >= 0:
            ends[prop.name] = last
    return ends


def _last(values: FloatArray) -> float:
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else nan


BASE = "-base"
"""Ending of a small server as it was."""


@dataclass(frozen=True, eq=False, slots=True)
class PairedCounters:
    """The counters of the same programs in two surroundings."""

    names: tuple[str, str]
    differs: str
    variations: tuple[Variation, ...]


def between_hosts(recorded: Recordings) -> PairedCounters | None:
    """Return the counters of the variants of the thesis with each collector; None without two hosts."""
    hosts = {
        host: {name: runs[name].valid() for name in VARIANTS if name in runs}
        for host, runs in recorded.variants.items()
    }
    return _compare("another collector", hosts)


def of_servers(recorded: Recordings) -> Iterator[PairedCounters]:
    """Yield the counters of small servers on the busy machine beside those in other surroundings."""
    busy = _bases(recorded.versions[SERVERS])
    for name, hosts in recorded.in_row.items():
        rows = {program: runs for programs in hosts.values() for program, runs in programs.items()}
        where = "quiet machine" if set(hosts) == {"parallel"} else "quiet machine, other JDK and collector"
        counters = _compare(where, {"busy machine": busy, name: _common(rows, busy)})
        if counters is not None:
            yield counters
    for differs, name, programs, others in (
        ("one core", "one core", recorded.one_core, busy),
        ("a quota of half a core", "quota", recorded.quota, _bases(recorded.quota)),
    ):
        rows = {program: runs for of_host in programs.values() for program, runs in of_host.items()}
        counters = _compare(differs, {"two cores": others, name: _common(rows, others)})
        if counters is not None:
            yield counters


def _bases(servers: ByHost) -> dict[str, RunSet]:
    return {
        name.removesuffix(BASE): runs.valid()
        for programs in servers.values()
        for name, runs in programs.items()
        if name.endswith(BASE)
    }


def _common(runs: Mapping[str, RunSet], others: Mapping[str, RunSet]) -> dict[str, RunSet]:
    return {name: some.valid() for name, some in runs.items() if name in others}


def _compare(differs: str, recorded: ByHost) -> PairedCounters | None:
    """Return the variation of properties of the programs that both have; None if there are none."""
    if len(recorded) < 2 or not all(recorded.values()):
        return None
    first, other = list(recorded)[:2]
    common = recorded[first].keys() & recorded[other].keys()
    both = {name: {program: recorded[name][program] for program in sorted(common)} for name in (first, other)}
    spreads = tuple(variations(both))
    return PairedCounters((first, other), differs, spreads) if spreads else None


DRAWN = (
    "jvm.memory.allocated",
    "jvm.memory.heap.used_after_last_gc",
    "jvm.memory.heap.used",
    "jvm.memory.heap.committed",
    "jvm.memory.non_heap.used",
    "jvm.class.loaded",
    "jvm.class.initialized",
    "jvm.class.count",
    "jvm.thread.count",
    "jvm.safepoint.count",
    "jvm.safepoint.time",
    "jvm.lock.contended",
    "jvm.lock.parked",
    "jvm.compilation.count",
    "jvm.compilation.time",
    "jvm.compilation.code.size",
    "jvm.memory.tlab.waste",
    "jvm.cpu.time",
    "process.memory.usage",
    "process.memory.anonymous",
    "process.thread.count",
    "process.unix.file_descriptor.count",
    "process.socket.count",
    "process.io.bytes[read]",
    "process.io.bytes[write]",
    "process.io.calls[read]",
    "process.io.calls[write]",
    "process.paging.faults[minor]",
    "process.context_switches[voluntary]",
    "process.context_switches[involuntary]",
)
"""Properties that both hosts have; pools and collectors have other names with another collector."""


def drawn_variations(spreads: Sequence[Variation]) -> list[Varying]:
    """Return the properties that are drawn, the steadiest between runs first."""
    return [
        Varying(variation.name, float(np.nanmedian([*variation.between_runs.values()])), variation.shift)
        for variation in spreads
        if variation.name in DRAWN
    ]
