"""The smallest meaningful deviation of each property, because few runs may be equal by chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from buto.properties import Property
from buto.runs import FloatArray

GRAIN = {"By": 65536.0, "s": 0.004}
"""Smallest meaningful deviation by unit: a size class of allocators, the tick of a 250 Hz kernel."""

CPU_GRAIN_S = 0.015
"""Smallest meaningful deviation of processor time, which kernels count in ticks of 4 to 10 ms."""

_ROWS_AT_ONCE = 4096

COUNT_GRAIN = 0.5
"""Smallest meaningful deviation of whole numbers: half a count, the error of counting."""


def grains(properties: Sequence[Property], values: Iterable[FloatArray]) -> FloatArray:
    """Return the smallest meaningful deviation of each property by its unit, shape (n_properties,).

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
    return np.array([_grain(prop, bool(whole[column])) for column, prop in enumerate(properties)])


def _grain(prop: Property, whole: bool) -> float:
    if "cpu" in prop.name and prop.unit == "s":
        return CPU_GRAIN_S
    return GRAIN.get(prop.unit, COUNT_GRAIN if whole or prop.unit.startswith("{") else 0.0)
