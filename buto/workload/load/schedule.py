"""When which request is due: computed before the first is sent, from a seed alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from buto.workload.load.model import Arrivals, Load, Phase

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Schedule:
    """All requests of a load.

    Attributes:
        due_s: shape (n_requests,), increasing, seconds from the beginning of the load.
        kinds: shape (n_requests,), places in the load's kinds.
        phases_s: shape (n_phases,), when each phase begins.
    """

    due_s: FloatArray
    kinds: IntArray
    phases_s: FloatArray


def schedule(load: Load) -> Schedule:
    """Return the requests of a load. Those of one phase do not depend on the other phases."""
    place = {kind.name: number for number, kind in enumerate(load.kinds)}
    begins = np.concatenate([[0.0], np.cumsum([phase.duration_s for phase in load.phases])])
    due, kinds = [np.empty(0)], [np.empty(0, dtype=np.int64)]
    for number, phase in enumerate(load.phases):
        random = np.random.default_rng([load.seed, number])
        times = arrivals(phase, load.arrivals, random)
        weights = np.array([*phase.mix.values()], dtype=np.float64)
        names = np.array([place[name] for name in phase.mix], dtype=np.int64)
        due.append(begins[number] + times)
        kinds.append(random.choice(names, size=len(times), p=weights / weights.sum()))
    return Schedule(np.concatenate(due), np.concatenate(kinds), begins[:-1])


def arrivals(phase: Phase, how: Arrivals, random: np.random.Generator) -> FloatArray:
    """Return when the requests of one phase are due, shape (n,), seconds from its beginning; at least one."""
    if how is Arrivals.EVEN:
        return np.arange(max(1, round(phase.rate * phase.duration_s))) / phase.rate
    # Given their number, the arrivals of a Poisson process are uniform.
    n = max(1, random.poisson(phase.rate * phase.duration_s))
    return np.sort(random.uniform(0.0, phase.duration_s, n))
