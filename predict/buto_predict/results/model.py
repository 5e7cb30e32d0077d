"""Results of component tests, and those of both sides put together, test by test."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from buto.run.model import FloatArray
from buto_predict.model import Measures

UNRESOLVED_S = 0.25e-3
"""For a time of 0 in a report of whole milliseconds: it was below half of one, a quarter on average."""


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


def resolved(
    old: Sequence[ComponentResult], new: Sequence[ComponentResult]
) -> tuple[tuple[ComponentResult, ...], tuple[ComponentResult, ...]]:
    """Return both sides with times above 0.

    Tests whose times are all 0 on both sides are left out, because nothing is known of them. If only some
    are 0, none is dropped: the mean of the others would be too large, and a slowdown from 0 would be lost.
    """
    known = {one.name for one in (*old, *new) if (one.times_s > 0).any() or not len(one.times_s)}
    old_side, new_side = (
        tuple(
            replace(one, times_s=np.where(one.times_s > 0, one.times_s, UNRESOLVED_S))
            for one in side
            if one.name in known
        )
        for side in (old, new)
    )
    return old_side, new_side


@dataclass(frozen=True, eq=False)
class Pair:
    """One component test on both sides.

    Attributes:
        name: of the test, with its conditions if others of the same name have different ones.
        old, new: the result of each side, or None.
        other: the result of the other side, if it exists and cannot be compared.
    """

    name: str
    old: ComponentResult | None
    new: ComponentResult | None
    other: ComponentResult | None = None

    @property
    def result(self) -> ComponentResult:
        """The old result, else the new one."""
        found = self.old or self.new
        assert found is not None
        return found


def paired(old: Sequence[ComponentResult], new: Sequence[ComponentResult]) -> tuple[Pair, ...]:
    """Return the tests of both sides, in the order of first appearance.

    Args:
        old, new: with no name and conditions twice, see :func:`buto_predict.results.model.merged`.
    """
    sides: dict[str, tuple[list[ComponentResult], list[ComponentResult]]] = {}
    for number, results in enumerate((old, new)):
        for result in results:
            sides.setdefault(result.name, ([], []))[number].append(result)
    return tuple(pair for olds, news in sides.values() for pair in _of_one_name(olds, news))


def _of_one_name(olds: Sequence[ComponentResult], news: Sequence[ComponentResult]) -> list[Pair]:
    """Pair results under the same conditions, then those that are alike; the others have no counterpart."""
    left_old, left_new = list(olds), list(news)
    found: list[tuple[ComponentResult, ComponentResult]] = []
    for same in (Conditions.__eq__, Conditions.like):
        for before in tuple(left_old):
            after = next((one for one in left_new if same(before.conditions, one.conditions)), None)
            if after is not None:
                found.append((before, after))
                left_old.remove(before)
                left_new.remove(after)
    lost_old, lost_new = next(iter(left_old), None), next(iter(left_new), None)
    pairs: list[tuple[ComponentResult | None, ComponentResult | None, ComponentResult | None]] = [
        *((before, after, None) for before, after in found),
        *((before, None, lost_new) for before in left_old),
        *((None, after, lost_old) for after in left_new),
    ]
    if len(pairs) == 1:
        return [Pair((olds or news)[0].name, *pairs[0])]
    names = _names([*olds, *news])
    order = list(names)
    pairs.sort(key=lambda one: order.index(_conditions(one[0], one[1])))
    return [Pair(names[_conditions(one[0], one[1])], *one) for one in pairs]


def _conditions(old: ComponentResult | None, new: ComponentResult | None) -> Conditions:
    found = old or new
    assert found is not None
    return found.conditions


def _names(results: Sequence[ComponentResult]) -> dict[Conditions, str]:
    """Return a name for each of the conditions, which has those that not all results share."""
    modes = {one.conditions.mode for one in results}
    threads = {one.conditions.threads for one in results}
    names = {}
    for one in results:
        parts = [f"mode={one.conditions.mode}"] if len(modes) > 1 else []
        parts += [f"threads={one.conditions.threads}"] if len(threads) > 1 else []
        names[one.conditions] = f"{one.name}{',' if ':' in one.name else ':'}{','.join(parts)}"
    return names
