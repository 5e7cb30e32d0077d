"""The page as text: complete, small, quickly made, and harmless."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from msgspec import structs

from buto.judging.story import tell
from buto.judging.verdict import Status, Verdict
from buto.report import phrases
from buto.report.check_report import CheckReport
from buto.report.html import render
from buto.report.html.chart_data import (
    MAX_MARKS,
    MAX_VALUES,
    MOST_TELLING,
    collections_of,
    page_data,
    points_of,
    training_drawn,
)
from buto.report.html.template import _environment, line, markup
from buto.report.words import NOTED
from buto.run.model import Run
from buto.run.units import format_number
from tests.support.report import made, reports

MEGABYTE = 1_000_000
VOID = {"meta", "link", "br", "img", "input"}


class Elements(HTMLParser):
    """Which elements there are, with their attributes, and whether each one is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.text: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text.append(data)

    @property
    def shown(self) -> str:
        return " ".join(" ".join(self.text).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.found if name == tag]


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert found
    data: dict[str, Any] = json.loads(found[1])
    return data


EVERY = {
    "leaking": reports.leaking,
    "three": lambda: reports.leaking(3),
    "calibrated": reports.calibrated,
    "passing": reports.passing,
    "elsewhere": reports.elsewhere,
    "hostile": reports.hostile,
}


@pytest.mark.parametrize("name", EVERY)
def test_every_page_is_well_formed_and_needs_nothing(name: str) -> None:
    elements = Elements(render(EVERY[name]()))
    assert elements.open == []
    assert [element.get("src") for element in elements.all("script")] == [None, None]
    assert [element["href"] for element in elements.all("link")] == ["data:,"]
    assert all((element["href"] or "").startswith("#") for element in elements.all("a"))
    assert not {"img", "iframe", "object", "form", "base"} & {tag for tag, _ in elements.found}
    assert not any(key.startswith("on") or key == "style" for _, attrs in elements.found for key in attrs)


def test_the_page_says_what_grew_since_when_by_how_much_and_compared_with_what() -> None:
    report = reports.leaking()
    shown = Elements(render(report)).shown
    worst = report.verdict.findings[0]
    assert worst.window_s is not None
    assert 10.0 < worst.window_s[0] < 16.0
    assert "regression" in shown
    assert worst.subject == reports.POOL
    assert "G1 Old Gen" in shown
    for words in (
        "compared with 10 training runs",
        "expected",
        "outside",
        "worse",
        "since",
        "% of the points",
    ):
        assert words in shown, words


def test_one_p_value_is_explained_and_the_range_of_training_decides_nothing() -> None:
    report = reports.calibrated()
    shown = Elements(render(report)).shown
    assert "every way of choosing as many" in shown
    assert "range of the training runs, which decides nothing" in shown
    assert f"p = {format_number(report.verdict.p_value)} (alpha" in shown
    assert report.verdict.guarantee[:40] in shown
    leading = report.story.headlines[0]
    failing = replace(report, verdict=replace(report.verdict, status=Status.REGRESSION, reasons=()))
    assert phrases.phrase(leading).lower() in Elements(render(failing)).shown.lower()


def test_what_is_noted_has_a_line_each_apart_from_what_a_check_fails_for() -> None:
    report = reports.calibrated()
    findings = report.verdict.findings
    verdict = replace(report.verdict, status=Status.PASS, findings=(), noted=findings)
    panels = tuple(structs.replace(one, findings=(), noted=one.findings) for one in report.panels)
    page = render(replace(report, verdict=verdict, panels=panels))
    elements = Elements(page)
    leading = tell(findings).headlines[0]
    assert f"Noted: {phrases.phrase(leading)}" in elements.shown and NOTED in elements.shown
    assert "Fails for" not in elements.shown and "Closest to" not in elements.shown
    assert not elements.all("article")
    assert [one["class"] for one in elements.all("li") if one.get("class")].count("calm") == len(findings)
    first = data_of(page)["panels"][0]
    assert first["noted"] and first["tag"].startswith("noted: +") and first["findings"]


def test_a_pass_says_how_much_is_left() -> None:
    shown = Elements(render(reports.passing())).shown
    assert "Closest to what would stand out" in shown and "of its band" in shown


def test_an_undecided_check_says_why_first() -> None:
    shown = Elements(render(reports.elsewhere())).shown
    assert shown.index("Why the check is inconclusive") < shown.index("What changed comes first")
    assert "jvm.spec.version is '21'; it was '17' in training" in shown
    assert "5 training runs no longer in the store" in shown


def test_chance_and_guarantee_are_reported_where_there_are_any() -> None:
    report = reports.passing()
    verdict = replace(report.verdict, p_value=0.21, alpha=0.05, guarantee="Runs are alike in distribution")
    shown = Elements(render(replace(report, verdict=verdict))).shown
    assert "p = 0.21 (alpha 0.05): the p-value is more than" in shown
    assert "It rests on: Runs are alike in distribution." in shown


def test_runs_needed_are_reported() -> None:
    report = reports.elsewhere()
    verdict = Verdict(
        Status.INCONCLUSIVE, "calibrated", n_training=5, runs_needed=19, run_ids=report.verdict.run_ids
    )
    assert (
        "A decision needs 19 training runs, not 5."
        in Elements(render(replace(report, verdict=verdict))).shown
    )


def test_hostile_text_is_shown_and_does_nothing() -> None:
    page = render(reports.hostile())
    elements = Elements(page)
    assert len(elements.all("script")) == 2
    assert "<script>window.pwned" in elements.shown
    assert not re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)
    page.encode()


@pytest.mark.parametrize("text", made.EVIL)
def test_text_from_outside_is_only_text_on_a_page(text: str) -> None:
    evil, plain = (
        [render(result.report) for result in made.hostile(word) if result.report is not None]
        for word in (text, "plain")
    )
    assert evil and len(evil) == len(plain)
    for page, like in zip(evil, plain, strict=True):
        assert len(Elements(page).all("script")) == len(Elements(like).all("script"))
        assert not re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", page)


@pytest.mark.parametrize("text", [reports.HOSTILE, "line\nline", "x" * 400], ids=["hostile", "lines", "long"])
def test_a_template_that_asks_for_nothing_escapes_and_cuts_all_the_same(text: str) -> None:
    """A new template cannot forget it."""
    environment = _environment("buto.report.html")
    asked = environment.from_string('<p title="{{ text }}">{{ text }}</p>').render(text=text)
    assert asked == markup('<p title="{}">{}</p>', text, text)


def test_ten_megabytes_of_output_are_cut_and_the_cut_is_reported() -> None:
    report = reports.hostile(b"first line\n" + b"<b>&\x1b[0m\n" * 1_000_000 + b"last line\n")
    page = render(report)
    assert len(page.encode()) < MEGABYTE
    shown = Elements(page).shown
    assert "first line" in shown and "last line" in shown
    assert re.search(r"\d MiB of [\d.]+ MiB left out here", shown)


def test_long_names_and_messages_are_cut() -> None:
    report = reports.leaking()
    run = report.checked.runs[0]
    long = replace(
        run,
        notifications=tuple(
            structs.replace(notification, message="m" * 10_000_000) for notification in run.notifications
        ),
    )
    page = render(replace(report, checked=replace(report.checked, runs=(long,))))
    assert len(page.encode()) < MEGABYTE
    assert "more characters)" in page


def test_sixty_properties_of_thirty_runs_make_less_than_a_megabyte_in_less_than_two_seconds() -> None:
    report = reports.large()
    render(reports.passing())
    start = time.process_time()
    page = render(report)
    assert time.process_time() - start < 2.0
    assert len(page.encode()) < MEGABYTE


def test_of_too_many_runs_some_are_left_out_and_this_is_reported() -> None:
    report = reports.large(n_training=80, n_properties=100, n_samples=60)
    drawn = training_drawn(report)
    assert len(drawn) < 80 and drawn[0] == 0 and drawn[-1] == 79
    assert len(drawn) * 100 * points_of(report) <= MAX_VALUES
    page = render(report)
    assert len(page.encode()) < MEGABYTE
    assert f"{len(drawn)} of 80 training runs are drawn" in page


def test_the_policy_allows_this_script_and_no_other() -> None:
    page = render(reports.passing())
    script = page[page.rindex("<script>") + len("<script>") : page.rindex("</script>")]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = Elements(page).all("meta")[1]["content"]
    assert policy is not None
    assert f"script-src 'sha256-{digest}'" in policy and "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_collections_are_found_where_their_counter_grows() -> None:
    run = reports.shop_run(1)
    found = collections_of(run)
    assert [count for _, count, _ in found] == [1] * 15
    assert np.allclose([time_s for time_s, _, _ in found], np.arange(1.0, 30.0, 2.0), atol=0.2)


def test_very_many_collections_become_few_marks_that_count_them_all() -> None:
    run = reports.shop_run(1, n_samples=5000)
    values = run.values.copy()
    values[:, run.column_of["jvm.gc.count[G1 Young Generation]"]] = np.arange(5000.0)
    often: Run = replace(run, values=values)
    found = collections_of(often)
    assert len(found) < MAX_MARKS
    assert sum(count for _, count, _ in found) == 4999


def test_what_was_never_read_and_runs_without_samples_make_no_obstacle() -> None:
    report = reports.passing()
    empty: CheckReport = replace(report, panels=(), costs=(), emitters=())
    assert data_of(render(empty))["panels"] == []
    panel = report.panels[0]
    unread = structs.replace(
        panel,
        checked=[
            structs.replace(curve, values=np.full_like(curve.values, np.nan)) for curve in panel.checked
        ],
        training=(),
    )
    data = page_data(replace(report, panels=(unread,)))
    assert data["panels"][0]["checked"] == [65535]
    none = [structs.replace(curve, times_s=np.empty(0), values=np.empty(0)) for curve in panel.checked]
    assert data_of(render(replace(report, panels=(structs.replace(panel, checked=none, training=()),))))[
        "lengths"
    ]["checked"] == [0]


def test_of_very_many_properties_those_that_matter_most_are_drawn_and_the_others_listed() -> None:
    report = reports.many()
    page = render(report)
    data = page_data(report)
    assert len(data["panels"]) == MOST_TELLING
    assert [panel["name"] for panel in data["panels"]] == [
        line(panel.prop.name) for panel in report.panels[:MOST_TELLING]
    ]
    found = [finding.subject for finding in report.story.findings][:MOST_TELLING]
    assert [panel.prop.name for panel in report.panels[: len(found)]] == found
    assert f"Only the {MOST_TELLING} most important of {len(report.panels):,} properties are drawn." in page
    assert f"{len(report.panels) - MOST_TELLING} other properties" in page
    listed = page.split('<details id="others">')[1].split("</details>")[0]
    assert listed.count("<tr>") == len(report.panels) - MOST_TELLING + 1
    assert "&lt;b&gt;" in listed
    assert "<b>mbean" not in listed
    assert len(page.encode()) < 2 * MEGABYTE
