"""Results of component tests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from buto.runs import FloatArray
from buto_predict.model import Measures


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a component test measured; None where its tool does not know it.

    Attributes:
        mode: JMH's name, such as ``avgt``.
        threads: how many called at the same time.
    """

    mode: str | None = None
    threads: int | None = None

    def like(self, other: Conditions) -> bool:
        """Return whether times can be compared. Throughput is as good as the mean time, because it is its
        reciprocal.
        """
        modes = ["avgt" if one.mode == "thrpt" else one.mode for one in (self, other)]
        return modes[0] == modes[1] and self.threads == other.threads


@dataclass(frozen=True, eq=False)
class ComponentResult:
    """The times of one component test.

    Attributes:
        name: as its tool reports it, with parameters after a colon.
        times_s: mean time of one call in each replicate, in seconds, shape (n_replicates,).
        replicate: the name of one: fork, run, trace.
        measures: what the times include, if the tool knows it.
        calls: names of the components that it called in the test, if that was traced; else None.
        conditions: results under others are not those of the same test.
        failed: in how many further replicates the test failed.
        jvms: on which it ran: versions with the options that concern the JVM itself, if the tool knows them.
    """

    name: str
    times_s: FloatArray
    replicate: str
    measures: Measures | None = None
    calls: tuple[str, ...] | None = None
    conditions: Conditions = Conditions()
    failed: int = 0
    jvms: frozenset[str] = frozenset()


def merged(results: Iterable[ComponentResult]) -> tuple[ComponentResult, ...]:
    """Return results with those of one name and the same conditions combined, in the order of first
    appearance.
    """
    same: dict[tuple[str, Conditions], list[ComponentResult]] = {}
    for result in results:
        same.setdefault((result.name, result.conditions), []).append(result)
    return tuple(
        replace(
            group[0],
            times_s=np.concatenate([one.times_s for one in group]),
            failed=sum(one.failed for one in group),
            jvms=frozenset().union(*(one.jvms for one in group)),
        )
        for group in same.values()
    )
