"""Results of component tests."""

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
        name: as its tool reports it, with parameters after a colon.
        times_s: mean time of one call in each replicate, in seconds, shape (n_replicates,).
        replicate: the name of one: fork, run, trace.
        measures: what the times include, if the tool knows it.
        calls: names of the components that it called in the test, if that was traced; else None.
    """

    name: str
    times_s: FloatArray
    replicate: str
    measures: Measures | None = None
    calls: tuple[str, ...] | None = None


def merged(results: Iterable[ComponentResult]) -> tuple[ComponentResult, ...]:
    """Return results with those of one name combined, in the order of first appearance."""
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
