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
MAX_NAMED = 3
"""Runs whose ids fit below a picture."""


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


def pictures(drawn: Sequence[Panel], title: str, caption: str = "") -> dict[str, bytes]:
    """File name to PNG: an overview, and one for each property with findings, at most MAX_PICTURES.

    The overview leaves out what is one and the same value in all runs, and says how many those are.
    """
    shown = [panel for panel in drawn if panel.findings or _moves(panel)]
    constant = len(drawn) - len(shown)
    heading = f"{title}; {constant} that never change are left out" if constant else title
    found = [panel for panel in drawn if panel.findings][:MAX_PICTURES]
    return {
        "overview.png": overview_plot(shown, heading, caption),
        **{f"{_file_name(panel.prop.name)}.png": property_plot(panel, title, caption) for panel in found},
    }


def caption_of(oracle: Oracle, checked: Sequence[Run]) -> str:
    """Which runs are shown as checked, and what smoothing takes from each curve."""
    ids = [run.id for run in checked]
    if len(ids) > MAX_NAMED:
        ids = [f"{len(ids)} runs from {ids[0]} to {ids[-1]}"]
    parts = [f"checked: {', '.join(ids)}"] if ids else []
    settings = oracle.settings.pipeline
    if settings.smoothing != "none":
        half = settings.window // 2
        most = "up to " if settings.shrink_window else ""
        parts.append(f"smoothed ({settings.smoothing}), which takes the first and last {most}{half} points")
    return "\n".join(parts)


def _curve(comparison: Comparison, column: int, run: Run) -> Curve:
    smoothed = comparison.smoothed
    return Curve(smoothed.times_s, smoothed.values[:, column], run.id)


def _moves(panel: Panel) -> bool:
    """Whether its value ever changes, from one run to another or within one; true without any curve."""
    values = [curve.values[~np.isnan(curve.values)] for curve in (*panel.training, *panel.checked)]
    if not values:
        return True
    known = np.concatenate(values)
    return bool(known.size and np.ptp(known) > 0)


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")
