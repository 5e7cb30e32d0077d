"""One HTML page of a prediction, or of a model alone, without scripts and without anything to fetch."""

from __future__ import annotations

from importlib.resources import files

from markupsafe import Markup

from buto.report.html.template import render_template
from buto.version import __version__
from buto_predict.model import Architecture
from buto_predict.prediction.model import Prediction
from buto_predict.report import diagram as drawing
from buto_predict.report import load_chart
from buto_predict.report.layout import HEIGHT, WIDTH
from buto_predict.report.naming import initials
from buto_predict.report.tables import deviation_rows, endpoint_rows, station_rows
from buto_predict.report.text import conclusions, headline


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
        package="buto_predict",
        version=__version__,
        style=Markup(files("buto_predict").joinpath("templates", "prediction.css").read_text("utf-8")),
        diagram=drawing.diagram(architecture, prediction),
        box=(WIDTH, HEIGHT),
        initials=initials,
        chart_size=(load_chart.WIDTH, load_chart.HEIGHT),
        **values,
    )
