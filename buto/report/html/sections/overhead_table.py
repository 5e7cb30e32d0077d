"""What measuring cost in the runs of both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from buto.properties import Kind, split_name
from buto.report.charted import Charted
from buto.report.panels import Curve, Panel
from buto.units import format_change, format_quantity

MAX_ROWS = 400
_BEAN_TIME = "buto.bean.time"


@dataclass(frozen=True, slots=True)
class CostRow:
    """One cost: whether a total or an average, checked runs, maximum, training runs, change."""

    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OverheadSection:
    """The costs of whole runs, and the time to read each MBean, largest first."""

    whole: tuple[CostRow, ...]
    beans: tuple[CostRow, ...]


def overhead_section(report: Charted) -> OverheadSection:
    """Return the costs, at most MAX_ROWS of each kind."""
    whole = [panel for panel in report.costs if split_name(panel.prop.name)[0] != _BEAN_TIME]
    beans = [panel for panel in report.costs if split_name(panel.prop.name)[0] == _BEAN_TIME]
    whole.sort(key=lambda panel: panel.prop.name)
    beans.sort(key=lambda panel: -(_typical(panel.checked, panel) or 0.0))
    return OverheadSection(tuple(map(_row, whole[:MAX_ROWS])), tuple(map(_row, beans[:MAX_ROWS])))


def _row(panel: Panel) -> CostRow:
    unit, is_counter = panel.prop.unit, panel.prop.kind is Kind.COUNTER
    now, before = _typical(panel.checked, panel), _typical(panel.training, panel)
    peaks = [float(np.nanmax(one.values)) for one in panel.checked if np.isfinite(one.values).any()]
    highest = None if is_counter else max(peaks, default=None)
    change = "" if now is None or before is None else format_change(before, now, unit)
    values = ("" if one is None else format_quantity(one, unit) for one in (now, highest, before))
    return CostRow(panel.prop.name, ("total" if is_counter else "average", *values, change))


def _typical(curves: Sequence[Curve], panel: Panel) -> float | None:
    """Return the median over runs of a counter's last value, or of the mean of anything else."""
    found = []
    for curve in curves:
        known = curve.values[np.isfinite(curve.values)]
        if known.size:
            found.append(float(known[-1] if panel.prop.kind is Kind.COUNTER else known.mean()))
    return median(found) if found else None
