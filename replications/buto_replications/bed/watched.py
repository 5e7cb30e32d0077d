"""The counters of the bed that somebody watches who tests a server's performance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase

import numpy as np

from buto.judging.load.observed import is_rate
from buto.run.model import Run
from buto.run.properties import Kind, Property

WATCHED = (
    *("jvm.cpu.time", "jvm.memory.allocated", "jvm.memory.heap.used_after_last_gc", "jvm.thread.count"),
    *("jvm.gc.count*", "jvm.gc.time*", "process.memory.usage", "process.io.*", "process.context_switches*"),
    *("postgres.cpu.time", "postgres.memory.usage", "postgres.io.bytes*", "postgres.disk.io*"),
    *("database.statements*", "database.activity*", "load.latency.p50*"),
)
"""Shell patterns of the counters that can be flagged: what somebody who tests a server's performance watches,
as in the paper. Of all 1,550 properties, too many are noise in a minute."""


def is_counter(prop: Property) -> bool:
    return prop.kind is not Kind.CONSTANT and any(fnmatchcase(prop.name, pattern) for pattern in WATCHED)


def only_watched(run: Run) -> Run:
    """Return a run with the counters that can be flagged, and what counts its work."""
    kept = [place for place, prop in enumerate(run.properties) if is_counter(prop) or is_rate(prop)]
    return replace(run, properties=tuple(run.properties[name] for name in kept), values=run.values[:, kept])


def common(runs: Sequence[Run]) -> tuple[Property, ...]:
    """Return the watched counters that all runs have, and that vary in any of them."""
    names = set.intersection(*({prop.name for prop in run.properties} for run in runs))
    chosen = [prop for prop in runs[0].properties if prop.name in names and is_counter(prop)]
    moving = [prop for prop in chosen if any(np.nanstd(run.series(prop.name)) > 0 for run in runs)]
    return tuple(sorted(moving, key=lambda prop: prop.name))
