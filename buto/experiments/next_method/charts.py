"""What the pictures of the evaluation show."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from buto.experiments.next_method import unchanged
from buto.experiments.next_method.checks import METHODS, Way
from buto.experiments.next_method.criteria import ALPHAS, IN_ROW
from buto.experiments.next_method.invariance import Variation
from buto.experiments.next_method.trials import Trial, share
from buto.experiments.next_method.variants import UNCHANGED
from buto.report.experiments.alarm_chart import AlarmPanel
from buto.report.experiments.variation_chart import Varying

ROWS = (
    (UNCHANGED, "variants, busy", unchanged.RANDOM, "at random"),
    (UNCHANGED, "variants, busy", unchanged.IN_ORDER, "in the order of time"),
    (IN_ROW, "in a row, quiet", unchanged.RANDOM, "at random"),
    (IN_ROW, "in a row, quiet", unchanged.IN_ORDER, "in the order of time"),
    (IN_ROW, "in a row, quiet", unchanged.LATER, "trained in another session"),
)

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


def alarm_panels(trials: Sequence[Trial]) -> list[AlarmPanel]:
    """Return a panel for each level: confirmed checks and three runs of unchanged programs."""
    rows = [
        (f"{name}: {label}, {way}", part, case, way)
        for part, name, case, label in ROWS
        for way in (Way.CONFIRMED, Way.THREE)
        if any((one.part, one.case) == (part, case) for one in trials)
    ]
    if not rows:
        return []
    return [
        AlarmPanel(
            alpha,
            tuple(label for label, *_ in rows),
            {
                method: tuple(
                    (found.value, found.error)
                    for _, part, case, way in rows
                    for found in [
                        share(
                            [
                                one
                                for one in trials
                                if (one.part, one.case, one.method) == (part, case, method)
                            ],
                            way,
                            alpha,
                        )
                    ]
                )
                for method in METHODS
            },
        )
        for alpha in ALPHAS
    ]


def drawn_variations(found: Sequence[Variation]) -> list[Varying]:
    """Return the properties that are drawn, the steadiest between runs first."""
    return [
        Varying(one.name, float(np.nanmedian([*one.between_runs.values()])), one.shift)
        for one in found
        if one.name in DRAWN
    ]
