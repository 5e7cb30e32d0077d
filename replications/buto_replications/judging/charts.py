"""What the pictures of the evaluation show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto_replications.judging.surroundings import Variation
from buto_replications.report.charts import Varying

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


def drawn_variations(found: Sequence[Variation]) -> list[Varying]:
    """Return the properties that are drawn, the steadiest between runs first."""
    return [
        Varying(one.name, float(np.nanmedian([*one.between_runs.values()])), one.shift)
        for one in found
        if one.name in DRAWN
    ]
