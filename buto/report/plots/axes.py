"""Axes whose ticks are round in the unit that is read: powers of two for bytes, whole counts for things."""

from __future__ import annotations

import math

from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter, Locator, MaxNLocator

from buto.units import format_number, format_quantity

MAX_TICKS = 6


class BinaryLocator(Locator):
    """Ticks at multiples of a power of two, as 4 MiB, 8 MiB, 12 MiB."""

    def __call__(self) -> list[float]:
        low, high = self.axis.get_view_interval()  # type: ignore[union-attr]
        return self.tick_values(low, high)

    def tick_values(self, vmin: float, vmax: float) -> list[float]:
        low, high = sorted((vmin, vmax))
        step = 2.0 ** max(0, math.ceil(math.log2(max(high - low, 1.0) / MAX_TICKS)))
        return [step * multiple for multiple in range(math.ceil(low / step), math.floor(high / step) + 1)]


def set_unit(axis: Axis, unit: str) -> None:
    """Place and write the ticks of an axis by the unit of its values (UCUM, see buto.properties)."""
    counted = unit.startswith("{")
    if unit == "By":
        axis.set_major_locator(BinaryLocator())
    else:
        axis.set_major_locator(MaxNLocator(MAX_TICKS, integer=counted, min_n_ticks=1))
    axis.set_major_formatter(
        FuncFormatter(lambda value, _: format_number(value) if counted else format_quantity(value, unit))
    )
