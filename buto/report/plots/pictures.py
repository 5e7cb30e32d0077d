"""Make pictures from an oracle and runs: the series as they were judged, with their bounds."""

from __future__ import annotations

import re
from collections.abc import Sequence

from buto.oracle import Oracle
from buto.report.panels import Panel, panels_of
from buto.report.plots.charts import overview_plot, property_plot
from buto.report.plots.figure import PNG, Picture, drawing
from buto.runs import Run
from buto.runs.window import measured
from buto.units import format_count
from buto.verdicts import OF_CHECK, Roles, Verdict

MAX_PICTURES = 12
MAX_NAME = 120
"""Characters of a property's name in its file's name."""

MAX_NAMED = 3
"""Number of runs whose ids fit below a picture."""


def panels(
    oracle: Oracle, training: Sequence[Run], checked: Sequence[Run], verdict: Verdict | None = None
) -> list[Panel]:
    """Return one panel for each property that the oracle judges.

    In the order of :func:`buto.report.panels.panels_of`.

    Args:
        training: the stored training runs of the oracle; may be empty.
        checked: runs to draw above them; may be empty.
        verdict: on these; None without any.
    """
    findings, noted, reach = (
        ((), (), None) if verdict is None else (verdict.findings, verdict.noted, verdict.reach)
    )
    training, checked = list(map(measured, training)), list(map(measured, checked))
    view = oracle.fitted.view((*training, *checked))
    return list(panels_of(view, training, checked, findings, noted, reach))


def pictures(
    drawn: Sequence[Panel], title: str, caption: str = "", picture: str = PNG, roles: Roles = OF_CHECK
) -> dict[str, bytes]:
    """Return file names and pictures: an overview, and at most MAX_PICTURES properties that changed."""
    found = [panel for panel in drawn if panel.changes][:MAX_PICTURES]
    content = drawing(overview(drawn, title, caption, roles), picture)
    return {f"overview.{picture}": content, **single_pictures(found, title, caption, picture, roles)}


def overview(
    drawn: Sequence[Panel], title: str, caption: str = "", roles: Roles = OF_CHECK, *, whole: bool = False
) -> Picture:
    """Draw many properties.

    Args:
        whole: whether to draw constant properties too; else they are left out, and the title has their
            number.
    """
    shown = [panel for panel in drawn if whole or panel.changes or panel.moves]
    constant = len(drawn) - len(shown)
    heading = f"{title}; without {format_count(constant, 'constant property')}" if constant else title
    return overview_plot(shown, heading, caption, roles)


def single_pictures(
    drawn: Sequence[Panel], title: str, caption: str = "", picture: str = PNG, roles: Roles = OF_CHECK
) -> dict[str, bytes]:
    """Return file names and pictures, one for each panel."""
    return {
        f"{_file_name(panel.prop.name)}.{picture}": drawing(
            property_plot(panel, title, caption, roles), picture
        )
        for panel in drawn
    }


def caption_of(oracle: Oracle, checked: Sequence[Run]) -> str:
    """Return which runs are the checked ones, and how the curves are smoothed."""
    ids = [run.id for run in checked]
    if len(ids) > MAX_NAMED:
        ids = [f"{len(ids)} runs from {ids[0]} to {ids[-1]}"]
    parts = [f"checked: {', '.join(ids)}"] if ids else []
    smoothing = oracle.fitted.view(checked).smoothing
    if smoothing is not None:
        half = smoothing.window // 2
        parts.append(f"smoothed ({smoothing.average}); {half} points are missing at each end")
    return "\n".join(parts)


def _file_name(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.]+", "-", name).strip("-.")[:MAX_NAME] or "property"
