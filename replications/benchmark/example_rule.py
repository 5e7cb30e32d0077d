"""A rule for ``python -m benchmark run --rule``: allocation or peak heap a tenth above all ten old runs."""

from __future__ import annotations

from collections.abc import Sequence

from benchmark.rules import Use

COUNTERS = ("jvm.memory.allocated", "jvm.memory.heap.used")
HEADROOM = 1.1


def rule(old: Sequence[Use], new: Sequence[Use]) -> bool:
    """Return whether each of the new runs uses more; a number would be a p-value, compared with .01."""
    return any(
        min(run.counts[name] for run in new) > HEADROOM * max(run.counts[name] for run in old)
        for name in COUNTERS
    )
