"""Divide the processors into two equal parts, for two programs that run at the same time."""

from __future__ import annotations

from collections.abc import Iterable

from buto.collect.host.control_group import cores_limit
from buto.collect.host.files import read
from buto.collect.host.load import visible_cpus
from buto.errors import MeasureError
from buto.steps import Advice, Setting

Halves = tuple[tuple[int, ...], tuple[int, ...]]

_SIBLINGS = "/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list"


def two_halves() -> Halves:
    """Return two disjoint parts of the processors that this process may use, equally large.

    Raises:
        MeasureError: there are fewer than two cores, or less than their time.
    """
    cpus, limit = visible_cpus(), cores_limit()
    n_cores = len(cpus) if limit is None else min(len(cpus), limit)
    if n_cores < 2:
        raise MeasureError(
            f"two programs at the same time need at least 2 cores, got {n_cores:g}",
            advice=Advice("compare without ", Setting("duet"), ", which launches them in turns"),
        )
    return halves({_with_siblings(cpu) & cpus for cpu in cpus})


def halves(cores: Iterable[frozenset[int]]) -> Halves:
    """Return two disjoint parts of as many processors, each of whole cores.

    A core that has no equal partner is left out. The threads of a single core are divided, because there is
    nothing else to divide.

    Args:
        cores: the usable processors of each core, at least two in all.
    """
    parts: tuple[list[int], list[int]] = ([], [])
    alone: dict[int, frozenset[int]] = {}
    for core in sorted(cores, key=min):
        partner = alone.pop(len(core), None)
        if partner is None:
            alone[len(core)] = core
        else:
            parts[0].extend(partner)
            parts[1].extend(core)
    if not parts[0]:
        threads = sorted(alone[max(alone)])
        middle = len(threads) // 2
        parts = (threads[:middle], threads[middle : 2 * middle])
    one, other = (tuple(sorted(part)) for part in parts)
    return one, other


def _with_siblings(cpu: int) -> frozenset[int]:
    """Return all processors of the same core; only this one where the kernel does not tell."""
    found = set()
    for part in (read(_SIBLINGS.format(cpu)) or str(cpu)).strip().split(","):
        first, _, last = part.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    return frozenset(found)
