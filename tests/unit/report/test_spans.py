"""What marks are on a time axis: spans between two of them, and moments."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from buto.report.html.chart_data import page_data
from buto.report.html.page import render_runs
from buto.report.panels import OF_PROGRAM, OF_WINDOW, PanelSpan, report_recorded_runs, spans_of
from buto.report.plots.charts import property_plot
from buto.report.terminal.runs import run_lines
from buto.run.model import Mark, Run, run_set
from buto.run.window import Moment, Window, cut_to_window, with_window
from tests.support.runs.stored import leaking_run

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MARKS = (
    Mark(-1.0, "service.db.ready"),
    Mark(0.1, "load.start", "steady"),
    Mark(0.2, "fault.slow.start"),
    Mark(0.3, "warm-up"),
    Mark(0.4, "fault.slow.end", "30 ms"),
    Mark(0.5, "phase.start"),
)


def marked() -> Run:
    return replace(leaking_run(0), marks=MARKS)


def test_two_marks_enclose_a_span_and_others_are_moments() -> None:
    run = marked()
    last_s = float(run.times_s[-1])
    assert last_s > 0.5
    assert spans_of(run) == (
        PanelSpan("load", 0.1, last_s, "steady"),
        PanelSpan("fault.slow", 0.2, 0.4, "30 ms"),
        PanelSpan("warm-up", 0.3, 0.3),
        PanelSpan("phase", 0.5, last_s),
    )
    assert [span.name for span in spans_of(run) if span.is_moment] == ["warm-up"]
    assert spans_of(replace(run, marks=())) == ()


def test_reports_draw_spans_and_list_marks() -> None:
    run = with_window(marked(), Window(Moment("load.start", 0.1), Moment("end")))
    report = report_recorded_runs(run_set([run]), NOW)
    assert page_data(report)["checked"][0]["spans"][1:3] == [
        [0.2, float(round(run.times_s[-1], 4)), "window", ""],
        [0.2, 0.4, "fault.slow", "30 ms"],
    ]
    assert "fault.slow" in render_runs(report)
    lines = run_lines(run, NOW)
    assert any("load.start + 0.1s to end: 200 ms to" in line for line in lines)
    assert any("fault.slow.end" in line and "30 ms" in line for line in lines)
    panel = report.panels[0]
    [axes] = property_plot(panel, "shop").axes
    assert {text.get_text().strip() for text in axes.texts} >= {"load", "fault.slow", "warm-up", "window"}
    assert axes.get_xlabel() == f"time since {OF_PROGRAM}"


def test_what_is_judged_begins_at_the_window() -> None:
    run = cut_to_window(with_window(marked(), Window(Moment("warm-up"))))
    assert [span.name for span in spans_of(run)] == ["fault.slow", "phase"]
    assert report_recorded_runs(run_set([run]), NOW).panels[0].zero == OF_WINDOW
