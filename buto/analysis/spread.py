"""The smallest deviation that means something, because few runs may be equal by chance.

It has two parts: a *grain*, below which a unit is not measured or not used, and a share of the level.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from buto.properties import Property
from buto.runs import FloatArray


class LevelShare(float, Enum):
    """Share of a property's level: a smaller difference is small, however well runs agree."""

    RUNS = 0.003
    """Between runs as they are: a few more classes are an ordinary difference."""
    LOAD = 0.01
    """Between runs whose load was adjusted for."""
    MACHINES = 0.02
    """Between machines."""
    GROWTH_BETWEEN_MACHINES = 0.005
    """Between machines, of how much a quantity grows during a run."""


@dataclass(frozen=True, slots=True)
class Grains:
    """Grains by unit.

    Attributes:
        by_unit: in that unit.
        cpu_s: of processor time, which kernels count in ticks of 4 to 10 ms.
    """

    by_unit: Mapping[str, float]
    cpu_s: float


BETWEEN_MACHINES = Grains({"By": 65536.0, "s": 0.004}, cpu_s=0.015)
"""A size class of allocators; the tick of a 250 Hz kernel."""

BETWEEN_RUNS = Grains({"By": 4096.0, "s": 0.001}, cpu_s=0.005)
"""A page of memory; the millisecond in which the JVM counts times; half a tick."""

COUNT_GRAIN = 0.5
"""Of whole numbers: half a count, the error of counting."""

DURATION_GRAIN_S = 0.01

CLASS_GRAIN = 4096.0
"""Of the bytes of a class: a page of memory."""

_ROWS_AT_ONCE = 4096


def grains(
    properties: Sequence[Property], values: Iterable[FloatArray], table: Grains = BETWEEN_MACHINES
) -> FloatArray:
    """Return the grain of each property, shape (n_properties,).

    Args:
        values: one array (n_samples, n_properties) for each run; a property of a unit without a grain
            counts as whole numbers if all of its values are, and has none otherwise.
    """
    whole = np.ones(len(properties), dtype=np.bool_)
    for one in values:
        for start in range(0, len(one), _ROWS_AT_ONCE):
            some = one[start : start + _ROWS_AT_ONCE]
            some = some if whole.all() else some[:, whole]
            broken = some != np.rint(some)
            if broken.any():
                whole[whole] = ~(broken & ~np.isnan(some)).any(axis=0)
    return np.array([_grain(prop, bool(whole[column]), table) for column, prop in enumerate(properties)])


def _grain(prop: Property, whole: bool, table: Grains) -> float:
    if "cpu" in prop.name and prop.unit == "s":
        return table.cpu_s
    return table.by_unit.get(prop.unit, COUNT_GRAIN if whole or prop.unit.startswith("{") else 0.0)
