"""What every page with charts has: curves, output, notifications, overhead, style and scripts."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from buto.report.charted import Charted
from buto.report.html import assets
from buto.report.html.chart_data import page_data
from buto.report.html.escaping import json_block
from buto.report.html.sections.output import notification_table, output_section
from buto.report.html.sections.overhead_table import overhead_section
from buto.report.html.template import render_template
from buto.version import __version__


def render_document(template: str, report: Charted, **values: Any) -> str:
    """Return a page with charts as one HTML document that needs no other file and no network.

    Args:
        template: see :func:`buto.report.html.template.render_template`.
        values: what only this page prints.
    """
    return render_template(
        template,
        report=report,
        notifications=notification_table(report),
        output=output_section(report),
        overhead=overhead_section(report),
        version=__version__,
        policy=assets.policy(),
        # Ours, and data in which no character can end the element.
        style=Markup(assets.style()),
        script=Markup(assets.script()),
        data=Markup(json_block(page_data(report))),
        **values,
    )
