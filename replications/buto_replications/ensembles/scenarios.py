"""Which runs of the bed are prior tests, and which are judged: the paper's three case studies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from buto_replications.bed.effects import kind_of
from buto_replications.bed.labels import NO_FAULT, BedRun, chosen

BASE = "base"
STORE, PET_STORE, ENTERPRISE, SAME = "DVD store", "JPetStore", "enterprise", "one environment"
"""The case studies; the last is not the paper's: prior tests of the environment that is judged."""

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
        study: one of the case studies.
        test: as the paper names it, or what is judged where.
        prior: runs without a fault.
        is_relative: whether recall counts what any of the paper's methods finds, because nobody knows all.
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


def _store(runs: Sequence[BedRun]) -> Iterator[Scenario]:
    steady = chosen(runs, role="steady", environment=BASE)
    others = [chosen(runs, role="environment", environment=name) for name in (SLOWER, SMALLER)]
    if len(steady) < 2 or not all(others):
        return
    three = (steady[0], *(some[0] for some in others))
    yield Scenario(STORE, "D4", three, steady[-1])
    for one in _faulty(runs, REPEATED):
        yield Scenario(STORE, f"D5, one prior test, {one.labels.fault}", three[:1], one)
        yield Scenario(STORE, f"D5, three prior tests, {one.labels.fault}", three, one)


def _pet_store(runs: Sequence[BedRun]) -> Iterator[Scenario]:
    steady = chosen(runs, role="steady", environment=BASE)
    for one in chosen(runs, role="environment-fault", fault="small-buffers"):
        same = chosen(runs, role="environment", environment=one.labels.environment)
        if steady and same:
            yield Scenario(PET_STORE, f"J3 in {one.labels.environment}", (steady[0], same[0]), one)
    for one in _faulty(runs, UNCACHED):
        if len(steady) > 1:
            yield Scenario(PET_STORE, f"J3, {one.labels.fault}", steady[:2], one)


def _faulty(runs: Sequence[BedRun], kind: str) -> tuple[BedRun, ...]:
    return tuple(one for one in chosen(runs, role="steady-fault") if kind_of(one.labels.fault) == kind)


def _enterprise(study: str, runs: Sequence[BedRun], earlier: Sequence[BedRun]) -> Iterator[Scenario]:
    """Yield every run under the steady load, judged by prior tests of all other environments."""
    good = unchanged(runs)
    faulty = (*chosen(runs, role="steady-fault"), *chosen(runs, role="environment-fault"))
    for one in (*good, *faulty):
        before = (*unchanged(earlier), *good)
        prior = tuple(other for other in before if other.labels.environment != one.labels.environment)
        if len(prior) > 1:
            labels = one.labels
            yield Scenario(study, f"{labels.fault} in {labels.environment}", prior, one, True)


def _one_environment(study: str, runs: Sequence[BedRun], earlier: Sequence[BedRun]) -> Iterator[Scenario]:
    """Yield the runs of the base environment, judged by its own prior tests under loads of the same kind."""
    for fine, with_fault in (("good", "fault"), ("steady", "steady-fault")):
        good = chosen(runs, role=fine, environment=BASE)
        before = (*chosen(earlier, role=fine, environment=BASE), *good)
        for one in (*good, *chosen(runs, role=with_fault, environment=BASE)):
            prior = tuple(other for other in before if other is not one)
            if len(prior) >= FEWEST_OF_ONE:
                yield Scenario(study, f"{one.labels.fault}, {fine}", prior, one, True)
