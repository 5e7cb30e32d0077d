"""What is known of one component test."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from buto.architecture.model import Measures
from buto.runs import FloatArray


@dataclass(frozen=True, eq=False)
class ComponentResult:
    """The times of one component test.

    Attributes:
        name: as its tool calls it, parameters behind a colon.
        times_s: mean time of one call in each replicate, in seconds, shape (n_replicates,).
        replicate: what one is called: fork, run, trace.
        measures: what the times hold, where the tool knows it.
        calls: names of what it called in the test, where that was traced; else None.
    """

    name: str
    times_s: FloatArray
    replicate: str
    measures: Measures | None = None
    calls: tuple[str, ...] | None = None


def merged(results: Iterable[ComponentResult]) -> tuple[ComponentResult, ...]:
    """Results of one name put together, in the order of first appearance."""
    by_name: dict[str, list[ComponentResult]] = {}
    for result in results:
        by_name.setdefault(result.name, []).append(result)
    return tuple(
        ComponentResult(
            name,
            np.concatenate([one.times_s for one in same]),
            same[0].replicate,
            same[0].measures,
            same[0].calls,
        )
        for name, same in by_name.items()
    )
