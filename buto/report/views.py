"""Put the panels of a report together: curves of runs, bands and findings of each property."""

from __future__ import annotations

import math
from collections.abc import Sequence

from buto.detectors.views import View
from buto.report.panel import Curve, Panel
from buto.runs import Run
from buto.runs.long import drawn_stride
from buto.verdicts import Finding


def panels_of(
    view: View, training: Sequence[Run], checked: Sequence[Run], findings: Sequence[Finding] = ()
) -> tuple[Panel, ...]:
    """One panel for each property of a view.

    Those with findings come first, in the order of the findings; then those that move, by their
    reach; then what stays the same in all runs.
    """
    taught = [(run.id, *view.curves(run)) for run in training]
    judged = [(run.id, *view.curves(run)) for run in checked]
    reach = view.reach(checked)
    of_some = any(drawn_stride(run) > 1 for run in (*training, *checked))
    rank = {finding.subject: place for place, finding in reversed(list(enumerate(findings)))}
    panels = [
        Panel(
            prop,
            [Curve(times, values[:, column], run_id) for run_id, times, values in taught],
            [Curve(times, values[:, column], run_id) for run_id, times, values in judged],
            view.band(column),
            [finding for finding in findings if finding.subject == prop.name],
            None if math.isnan(reach[column]) else float(reach[column]),
            of_some=of_some,
        )
        for column, prop in enumerate(view.properties)
    ]
    last = len(findings)
    return tuple(
        sorted(
            panels,
            key=lambda panel: (rank.get(panel.prop.name, last), not panel.moves, -(panel.reach or 0.0)),
        )
    )
