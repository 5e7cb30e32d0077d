"""A page of experiments as HTML, with the thesis's figures drawn by matplotlib."""

from __future__ import annotations

import base64
import io
import math
from itertools import accumulate

import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from buto.report.html.template import asset, render_template
from buto.report.plots.charts import BAND_COLOUR, CHECKED_COLOUR, TRAINING_COLOUR, set_unit
from buto.run.model import FloatArray
from buto_replications.report.content import PicturePanel, ReportPage, TextTable, ThesisFigure

COLOURS = {"training": TRAINING_COLOUR, "positive": "#009E73", "negative": CHECKED_COLOUR}
"""Green, like the others, of Okabe and Ito's palette."""

_WIDE = 1.5
"""A panel shows so many times the range of the runs; wider bounds are cut off."""


def png(picture: ThesisFigure) -> bytes:
    """Return all panels of a figure as one picture, two in a row, over the same range of values."""
    columns = min(2, len(picture.panels))
    rows = math.ceil(len(picture.panels) / columns)
    figure = Figure(figsize=(4.6 * columns, 2.5 * rows), dpi=110, layout="constrained")
    grid = np.atleast_1d(figure.subplots(rows, columns, squeeze=False)).ravel()
    limits = _limits(picture.panels)
    for axes, panel in zip(grid, picture.panels, strict=False):
        _draw(axes, panel)
        axes.set_ylim(*limits)
    for axes in grid[len(picture.panels) :]:
        axes.set_axis_off()
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png")
    return buffer.getvalue()


def _draw(axes: Axes, panel: PicturePanel) -> None:
    if panel.band is not None:
        order = np.argsort(panel.band.times_s, kind="stable")
        axes.fill_between(
            panel.band.times_s[order],
            panel.band.lower[order],
            panel.band.upper[order],
            color=BAND_COLOUR,
            alpha=0.35,
            # Bounds without width are a line.
            linewidth=1.0,
        )
    for curve in panel.curves:
        axes.plot(curve.times_s, curve.values, color=COLOURS[panel.colour], alpha=0.5, linewidth=0.7)
    axes.set_title(panel.title, loc="left", fontsize=9)
    axes.margins(x=0.01)
    axes.xaxis.set_major_formatter("{x:g} s")
    set_unit(axes.yaxis, panel.unit)
    axes.tick_params(labelsize=7)
    axes.grid(color="#DDDDDD", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)


def _limits(panels: tuple[PicturePanel, ...]) -> tuple[float, float]:
    curves = _finite([curve.values for panel in panels for curve in panel.curves])
    bands = [panel.band for panel in panels if panel.band is not None]
    band = _finite([side for side_band in bands for side in (side_band.lower, side_band.upper)])
    shown = curves if curves.size else band
    if not shown.size:
        return 0.0, 1.0
    low, high = float(shown.min()), float(shown.max())
    span = (high - low) or abs(high) or 1.0
    if band.size:
        low = min(low, max(float(band.min()), low - _WIDE * span / 2))
        high = max(high, min(float(band.max()), high + _WIDE * span / 2))
    return low - 0.05 * span, high + 0.05 * span


def _finite(arrays: list[FloatArray]) -> FloatArray:
    values = np.concatenate(arrays) if arrays else np.empty(0)
    return values[np.isfinite(values)]


_LONG = 24
"""Characters of a cell that gets a wide column."""


def html(page: ReportPage) -> str:
    return render_template(
        "experiments.html",
        package="buto_replications",
        page=page,
        # buto's own style, and numbers in letters that need no escaping.
        style=Markup(asset("tables.css")),
        image=lambda picture: Markup(_data_url(picture)),
        classes=_classes,
    )


def _data_url(picture: ThesisFigure) -> str:
    return f"data:image/png;base64,{base64.b64encode(png(picture)).decode()}"


def _classes(table: TextTable, column: int, cell: str) -> str:
    """Return the classes of one cell; empty for a plain number."""
    is_text = column < table.left
    edges = list(accumulate(width for _, width in table.groups))[:-1]
    names = [
        "word" if is_text else "",
        "long" if is_text and len(cell) > _LONG else "",
        "edge" if column in edges else "",
        dict(table.tones).get(cell, ""),
    ]
    return " ".join(filter(None, names))
