"""What is put together for renderers: the environment side by side, what is drawn, what is not judged."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from buto.report.environment import Likeness
from buto.report.html.chart_data import tag_of
from buto.report.html.page import render
from buto.run.model import Run, run_set
from buto.run.properties import property_for
from tests.support.report import reports
from tests.support.runs.qualities import starved


def likeness(report: object) -> dict[str, Likeness]:
    return {row.key: row.likeness for row in report.environment}  # type: ignore[attr-defined]


def test_each_key_of_the_environment_says_what_it_means() -> None:
    found = likeness(reports.leaking())
    assert found["host.name"] is Likeness.DIFFERS
    assert found["jvm.spec.version"] is Likeness.SAME
    assert found["buto.commit"] in (Likeness.VARIES, Likeness.IGNORED)
    assert likeness(reports.elsewhere())["jvm.spec.version"] is Likeness.DECIDES


def test_what_differs_comes_first_with_both_values() -> None:
    row = reports.elsewhere().environment[0]
    assert (row.key, row.expected, row.observed) == ("jvm.spec.version", "17", ("21",))


def test_costs_stand_apart_from_what_is_judged() -> None:
    report = reports.leaking()
    judged = {panel.prop.name for panel in report.panels}
    costs = {panel.prop.name for panel in report.costs}
    assert costs == {"buto.snapshot.time", "buto.missed.ticks"}
    assert judged == set(reports.NAMES) - costs


def test_an_invalid_run_is_reported_and_not_drawn() -> None:
    bad = replace(reports.shop_run(41), quality=starved("no samples for 9 s"))
    training = run_set([reports.shop_run(number) for number in range(4)])
    report = reports.report_of(training, run_set([reports.shop_run(40), bad]))
    assert len(report.checked) == 2
    assert all(
        [curve.run_id for curve in panel.checked] == [reports.shop_run(40).id] for panel in report.panels
    )


def test_the_worst_finding_leads_the_panels() -> None:
    report = reports.leaking()
    first = report.story.headlines[0].finding
    assert (first.source, first.subject) == ("bounds", "jvm.memory.used[G1 Old Gen]")
    assert report.panels[0].prop.name == first.subject
    assert report.panels[0].findings


def test_what_is_recorded_and_not_judged_is_drawn_last() -> None:
    def with_more(run: Run) -> Run:
        column = run.times_s.clip(0)[:, None] * 1e6
        more = property_for("jvm.memory.allocated")
        return replace(run, properties=(*run.properties, more), values=np.hstack([run.values, column]))

    training = run_set([with_more(reports.shop_run(number)) for number in range(4)])
    report = reports.report_of(training, run_set([with_more(reports.shop_run(40))]))
    last = report.panels[-1]
    assert (last.prop.name, last.judged, last.band, last.reach) == ("jvm.memory.allocated", False, None, None)
    assert [len(last.training), len(last.checked)] == [4, 1]
    assert tag_of(last, report.reach_of) == "not judged"
    assert all(panel.judged for panel in report.panels[:-1])
    assert "allocated" in render(report)
