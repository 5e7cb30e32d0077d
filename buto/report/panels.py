"""From an oracle and runs to what a plot shows: the series as they were judged, beside their bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from buto.analysis.pipeline import Comparison
from buto.errors import UsageError
from buto.oracle import FittedBounds, Oracle
from buto.report.plots import Band, Curve, Panel, overview_plot, property_plot
from buto.runs import Run
from buto.verdicts import Finding

MAX_PICTURES = 12


def panels(
    oracle: Oracle, training: Sequence[Run], checked: Sequence[Run], findings: Sequence[Finding] = ()
) -> list[Panel]:
    """One panel for each property that the oracle judges.

    Those with findings come first, worst first; then those that move; then what stays the same in all
    runs.

    Args:
        training: those of the oracle's training runs that are at hand; may be empty.
        checked: runs to draw above them; may be empty.

    Raises:
        UsageError: the oracle's detector has no bounds.
    """
    fitted = oracle.fitted
    if not isinstance(fitted, FittedBounds):
        raise UsageError(f"the oracle of {oracle.test!r} ({oracle.settings.detector}) has no bounds to draw")
    bounds = fitted.model.bounds
    taught = [fitted.compare(run) for run in training]
    judged = [fitted.compare(run) for run in checked]
    rank = {finding.subject: place for place, finding in reversed(list(enumerate(findings)))}
    drawn = []
    for column, prop in enumerate(fitted.model.properties):
        drawn.append(
            Panel(
                prop,
                [_curve(comparison, column, run) for comparison, run in zip(taught, training, strict=True)],
                [_curve(comparison, column, run) for comparison, run in zip(judged, checked, strict=True)],
                Band(bounds.times_s, bounds.lower[:, column], bounds.upper[:, column]),
                [finding for finding in findings if finding.subject == prop.name],
            )
        )
    return sorted(drawn, key=lambda panel: (rank.get(panel.prop.name, len(rank)), not _moves(panel)))


def pictures(drawn: Sequence[Panel], title: str) -> dict[str, bytes]:
    """File name to PNG: an overview, and one for each property with findings, at most MAX_PICTURES."""
    found = [panel for panel in drawn if panel.findings][:MAX_PICTURES]
    return {
        "overview.png": overview_plot(drawn, title),
        **{f"{_file_name(panel.prop.name)}.png": property_plot(panel, title) for panel in found},
    }


def _curve(comparison: Comparison, column: int, run: Run) -> Curve:
    smoothed = comparison.smoothed
    return Curve(smoothed.times_s, smoothed.values[:, column], run.id)


def _moves(panel: Panel) -> bool:
    values = [curve.values[~np.isnan(curve.values)] for curve in (*panel.training, *panel.checked)]
    known = np.concatenate(values) if values else np.empty(0)
    return bool(known.size and np.ptp(known) > 0)


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")
