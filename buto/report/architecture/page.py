"""One HTML page of a prediction, or of a model alone, without scripts and without anything to fetch."""

from __future__ import annotations

from markupsafe import Markup

from buto.architecture.model import Architecture
from buto.architecture.prediction.model import Prediction
from buto.report.architecture import diagram as drawing
from buto.report.architecture import load_chart
from buto.report.architecture.layout import HEIGHT, WIDTH
from buto.report.architecture.naming import initials
from buto.report.architecture.tables import deviation_rows, endpoint_rows, station_rows
from buto.report.architecture.text import conclusions, headline
from buto.report.html.assets import text_of
from buto.report.html.template import render_template
from buto.version import __version__


def prediction_page(prediction: Prediction) -> str:
    """Return the page of a prediction."""
    return _page(
        prediction.architecture,
        prediction,
        title=headline(prediction),
        status=prediction.status.value,
        charts=load_chart.load_charts(prediction),
        conclusions=list(conclusions(prediction)),
        tables=[
            ("Endpoints", endpoint_rows(prediction)),
            ("Stations", station_rows(prediction)),
            ("Component tests", deviation_rows(prediction)),
        ],
    )


def architecture_page(architecture: Architecture) -> str:
    """Return the page of a model."""
    return _page(architecture, None, title=architecture.name, status="", charts=(), conclusions=[], tables=[])


def _page(architecture: Architecture, prediction: Prediction | None, **values: object) -> str:
    return render_template(
        "prediction.html",
        version=__version__,
        style=Markup(text_of("experiments.css") + text_of("prediction.css")),
        diagram=drawing.diagram(architecture, prediction),
        box=(WIDTH, HEIGHT),
        initials=initials,
        chart_size=(load_chart.WIDTH, load_chart.HEIGHT),
        **values,
    )
