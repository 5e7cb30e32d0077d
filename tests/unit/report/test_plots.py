"""Pictures: what is drawn and in which units; how they look, a person has to see."""

from __future__ import annotations

import io
from dataclasses import replace
from xml.etree import ElementTree

import matplotlib.image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from msgspec import structs

from buto.judging.verdict import Numbers, Roles
from buto.judging.views import Band
from buto.report.panels import Curve, Panel
from buto.report.plots import charts, pictures
from buto.report.plots.charts import (
    MAX_TICKS,
    PNG,
    SVG,
    BinaryLocator,
    Picture,
    SecondsLocator,
    drawing,
    overview_plot,
    property_plot,
    set_unit,
)
from buto.run.properties import Property, property_for
from tests.support.report import made

TIMES = np.linspace(0.0, 4.0, 41)
LEAK = Curve(TIMES, TIMES * 2**20)
BAND = Band(TIMES, LEAK.values * 0.5, LEAK.values, LEAK.values * 1.5)
PANEL = Panel(property_for(made.OLD_GENERATION), [LEAK] * 3, [LEAK], BAND, [made.leak()])


def pixels(figure: Figure) -> np.ndarray:
    return matplotlib.image.imread(io.BytesIO(drawing(figure, PNG)))


def test_a_property_is_drawn_in_a_picture_of_known_size() -> None:
    assert pixels(property_plot(PANEL, "leaker")).shape[:2] == (675, 1200)


def test_what_a_finding_compares_is_drawn_beside_the_curves() -> None:
    leak = replace(made.leak(), numbers=Numbers((1.0, 2.0), (3.0,)))
    _, beside = property_plot(structs.replace(PANEL, findings=[leak]), "leaker").axes
    assert [line.get_ydata().tolist() for line in beside.lines] == [[1.0, 2.0], [3.0]]


def test_a_notebook_shows_a_figure_that_pyplot_does_not_know() -> None:
    figure = property_plot(PANEL, "leaker")
    assert matplotlib.image.imread(io.BytesIO(figure._repr_png_())).shape[:2] == (675, 1200)
    assert pyplot.get_fignums() == []


def test_the_legend_names_the_roles() -> None:
    roles = Roles("recorded", "recorded runs", "earlier", "earlier runs $x$")
    labels = [text.get_text() for text in property_plot(PANEL, "", "", roles).axes[0].get_legend().texts]
    assert labels[:3] == ["earlier runs \\$x\\$", "expected", "recorded run"]
    twice = structs.replace(PANEL, checked=[LEAK, LEAK])
    assert [text.get_text() for text in overview_plot([twice], "", "", roles).legends[0].texts][2] == (
        "2 recorded runs"
    )


def test_the_window_of_a_finding_is_visible() -> None:
    with_window = pixels(property_plot(PANEL, "leaker"))
    without = pixels(
        property_plot(structs.replace(PANEL, findings=[replace(made.leak(), window_s=None)]), "leaker")
    )
    assert (with_window != without).any()


def test_the_part_of_a_run_that_a_finding_is_about_is_not_a_time_outside() -> None:
    """Only where the run leaves the band is there a strip."""
    about = replace(made.leak(), outside_share=None, window_s=(0.0, 4.0))
    low, high = (
        structs.replace(BAND, lower=0 * TIMES, upper=(limit * 2**20) + 0 * TIMES) for limit in (1.55, 15)
    )
    panel = structs.replace(made.panel(), findings=[about], band=low)
    assert panel.outside_s(about) == pytest.approx((1.6, 4.0))
    assert panel.outside_s(made.leak()) == made.leak().window_s
    within = structs.replace(panel, band=high)
    assert within.outside_s(about) is None
    without = structs.replace(within, findings=[replace(about, window_s=None)])
    assert (pixels(property_plot(within, "leaker")) == pixels(property_plot(without, "leaker"))).all()


@pytest.mark.parametrize(
    "panel",
    [
        Panel(PANEL.prop),
        structs.replace(PANEL, band=None, training=()),
        structs.replace(PANEL, checked=[Curve(TIMES, np.full(41, np.nan))]),
        structs.replace(PANEL, checked=[Curve(TIMES[:1], LEAK.values[:1])]),
        structs.replace(PANEL, band=Band(TIMES, *[np.full(41, np.nan)] * 3)),
        structs.replace(
            PANEL, prop=property_for("jvm.thread.count"), training=[Curve(TIMES, np.full(41, 10.0))]
        ),
        structs.replace(PANEL, findings=[replace(made.leak(), window_s=None, outside_share=None)]),
    ],
    ids=["empty", "no band", "unreadable", "one point", "silent band", "constant", "no window"],
)
def test_what_is_missing_does_not_stop_the_picture(panel: Panel) -> None:
    assert pixels(property_plot(panel, "leaker")).size
    assert pixels(overview_plot([panel], "leaker")).size


@pytest.mark.parametrize(
    "name", ["$x^$", "a_$b", "\x1b[2J\u202e", "\u05d0" * 10**6, "<b>&", "$" * 60, "漢[字]"]
)
def test_names_from_outside_are_drawn_and_nothing_else(name: str) -> None:
    panel = structs.replace(PANEL, prop=Property(name), findings=())
    assert pixels(property_plot(panel, name)).size
    drawn = drawing(overview_plot([panel], name), SVG).decode()
    assert ElementTree.fromstring(drawn).tag.endswith("svg")


@pytest.mark.parametrize("n_panels", [0, 1, 2, 3])
def test_an_overview_of_any_number_of_properties(n_panels: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(charts, "MAX_PANELS", 2)
    assert pixels(overview_plot([PANEL] * n_panels, "leaker")).size


def test_bytes_are_ticked_in_powers_of_two() -> None:
    axes = Figure().subplots()
    axes.set_ylim(0, 20 * 2**20)
    set_unit(axes.yaxis, "By")
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["0 B", "4 MiB", "8 MiB", "12 MiB", "16 MiB", "20 MiB"]


@pytest.mark.parametrize(
    ("end_s", "labels"),
    [
        (100.0, ["0 s", "20 s", "40 s", "60 s", "80 s", "100 s"]),
        (150.0, ["0 s", "30 s", "60 s", "90 s", "2 min", "2.5 min"]),
        (200.0, ["0 s", "60 s", "2 min", "3 min"]),
        (600.0, ["0 s", "2 min", "4 min", "6 min", "8 min", "10 min"]),
        (7200.0, ["0 s", "30 min", "1 h", "1.5 h", "2 h"]),
    ],
)
def test_times_are_ticked_at_round_minutes(end_s: float, labels: list[str]) -> None:
    axes = Figure().subplots()
    axes.set_xlim(-0.01 * end_s, 1.01 * end_s)
    set_unit(axes.xaxis, "s")
    low, high = axes.get_xlim()
    shown = [
        text for at, text in zip(axes.get_xticks(), axes.get_xticklabels(), strict=True) if low <= at <= high
    ]
    assert [text.get_text() for text in shown] == labels


@given(st.floats(-10.0, 10.0), st.floats(120.1, 1e7))
def test_long_times_have_neither_too_many_ticks_nor_too_few(low: float, span: float) -> None:
    ticks = SecondsLocator(MAX_TICKS).tick_values(low, low + span)
    assert 2 <= len(ticks) <= MAX_TICKS + 1


def test_things_are_ticked_as_whole_numbers() -> None:
    axes = Figure().subplots()
    axes.set_ylim(9.2, 11.4)
    set_unit(axes.yaxis, "{thread}")
    assert [label.get_text() for label in axes.get_yticklabels() if label.get_text()] == [
        "9",
        "10",
        "11",
        "12",
    ]


def test_each_side_has_a_line_at_its_mean_unless_it_is_one_run() -> None:
    for judged, means in (((7.0, 8.0), [2.0, 7.5]), ((7.0,), [2.0])):
        leak = replace(made.leak(), numbers=Numbers((1.0, 2.0, 3.0), judged))
        _, beside = property_plot(
            structs.replace(PANEL, findings=[leak]), "", "", Roles("b", "b", "a", "a")
        ).axes
        lines = [one for one in beside.collections if isinstance(one, LineCollection)]
        assert [float(one.get_segments()[0][0][1]) for one in lines] == means


def test_what_hardly_moves_is_not_magnified() -> None:
    level = 10 * 2**20
    flat = Panel(PANEL.prop, [Curve(TIMES, np.full(41, level))], [Curve(TIMES, level + TIMES)])
    low, high = charts.limits(flat)
    assert high - low > 0.1 * level


def test_a_band_that_is_far_wider_than_the_runs_does_not_flatten_them() -> None:
    wide = structs.replace(PANEL, band=Band(TIMES, np.zeros(41), np.full(41, 5e11), np.full(41, 1e12)))
    assert charts.limits(wide)[1] < 3 * LEAK.values.max()


@given(st.floats(0, 2**50), st.floats(1, 2**50))
def test_neither_too_many_ticks_nor_too_few(low: float, span: float) -> None:
    ticks = BinaryLocator().tick_values(low, low + span)
    assert 1 <= len(ticks) <= MAX_TICKS + 1


def test_a_band_keeps_its_colour_where_the_run_is_outside() -> None:
    low = Band(TIMES, np.zeros(41), np.full(41, 2.0**19), np.full(41, 2.0**20))
    below = structs.replace(PANEL, training=(), checked=(), band=low)
    picture, plain = (
        pixels(property_plot(structs.replace(below, findings=[finding]), "leaker"))
        for finding in (made.leak(), replace(made.leak(), window_s=None))
    )
    changed = np.flatnonzero((picture != plain).any(axis=(1, 2)))
    assert changed.max() < picture.shape[0] / 4


def test_long_names_keep_their_instance() -> None:
    name = "jvm.memory.committed[CodeHeap 'non-profiled nmethods']"
    assert charts._in_two_lines(name).split("\n") == [
        "jvm.memory.committed",
        "[CodeHeap 'non-profiled nmethods']",
    ]


def test_the_overview_leaves_out_what_never_changes_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, str]] = []
    nothing = Picture(1, 1, 50)
    monkeypatch.setattr(
        pictures, "overview_plot", lambda shown, title, *rest: seen.append((len(shown), title)) or nothing
    )
    flat = structs.replace(PANEL, findings=(), checked=[Curve(TIMES, np.full(41, 10.0))], training=())
    pictures.pictures([structs.replace(PANEL, findings=()), flat], "leaker")
    pictures.pictures([structs.replace(flat, checked=())], "leaker")
    assert seen == [(1, "leaker; without 1 constant property"), (1, "leaker")]


def test_the_overview_has_what_differs_and_eight_others(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, str]] = []
    nothing = Picture(1, 1, 50)
    monkeypatch.setattr(
        pictures, "overview_plot", lambda shown, title, *rest: seen.append((len(shown), title)) or nothing
    )
    other = structs.replace(PANEL, findings=())
    pictures.overview([PANEL, *[other] * 11], "leaker")
    pictures.overview([other] * 11, "leaker")
    assert seen == [(9, "leaker; without 3 other properties"), (11, "leaker")]
