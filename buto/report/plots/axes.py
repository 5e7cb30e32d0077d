"""Axes whose ticks are round in the unit that is read: powers of two for bytes, whole counts for things, half
and whole minutes for long times.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator

from buto.units import format_number, format_quantity

MAX_TICKS = 6

LONG_S = 120.0
STEPS_S = (
    *(60.0 * minutes for minutes in (0.5, 1, 2, 5, 10, 15, 30)),
    *(3600.0 * hours for hours in (1, 2, 4, 12)),
)
"""Steps between ticks of more than two minutes; beyond them whole days."""

_DAY_S = 86_400.0


class BinaryLocator(Locator):
    """Ticks at multiples of a power of two, as 4 MiB, 8 MiB, 12 MiB."""

    def __call__(self) -> list[float]:
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        low, high = sorted((vmin, vmax))
        step = 2.0 ** max(0, math.ceil(math.log2(max(high - low, 1.0) / MAX_TICKS)))
        return _multiples(step, low, high)


class SecondsLocator(MaxNLocator):
    """Ticks at round seconds; for more than two minutes at multiples of half a minute or more."""

    def tick_values(self, vmin: float, vmax: float) -> Sequence[float]:
        low, high = sorted((vmin, vmax))
        if high - low <= LONG_S:
            return super().tick_values(vmin, vmax)
        least_s = (high - low) / MAX_TICKS
        step = next((step for step in STEPS_S if step >= least_s), _DAY_S * math.ceil(least_s / _DAY_S))
        return _multiples(step, low, high)


def _multiples(step: float, low: float, high: float) -> list[float]:
    return [step * multiple for multiple in range(math.ceil(low / step), math.floor(high / step) + 1)]


def set_unit(axis: Axis, unit: str) -> None:
    """Place and write the ticks of an axis by the unit of its values (UCUM, see buto.properties)."""
    counted = unit.startswith("{")
    if unit == "By":
        axis.set_major_locator(BinaryLocator())
    elif unit == "s":
        axis.set_major_locator(SecondsLocator(MAX_TICKS, min_n_ticks=1))
    else:
        axis.set_major_locator(MaxNLocator(MAX_TICKS, integer=counted, min_n_ticks=1))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: format_number(value) if counted else format_quantity(value, unit))
    )
