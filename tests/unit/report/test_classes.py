"""What every report says of the classes whose live objects changed."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from buto.errors import EXIT_REGRESSION
from buto.judging.verdict import Status
from buto.oracle import judge, load, save, train
from buto.report.check_report import CheckReport, check_report
from buto.report.formats.json_result import result_document, result_text
from buto.report.formats.markdown import markdown_text
from buto.report.html.page import render
from buto.report.result import Result
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.run.model import ClassCount, ClassHistogram, RunSet, run_set
from buto.schemas import load as schema
from tests.support.report import made
from tests.support.runs.signals import Program, program_run, program_runs

ODD = "com.acme.<b>\x1b[31m|`A`"


def with_sessions(runs: RunSet, n: int, name: str = "com.acme.Session") -> RunSet:
    """The runs, each with ``n`` sessions of 4 KiB at its end."""
    counts = (ClassCount(name, n, n * 4096), ClassCount("byte[]", 10, 10_000))
    histogram = ClassHistogram(1.0, "end", n + 10, n * 4096 + 10_000, counts)
    return run_set([replace(run, histograms=(histogram,)) for run in runs])


def reported(tmp_path: Path, name: str = "com.acme.Session", leak: float = 2e7) -> CheckReport:
    """A check of three runs that keep 2,512 more sessions, by an oracle that was stored and read again."""
    save(tmp_path / "oracle.json", train(with_sessions(program_runs(4, 10), 100, name)))
    oracle = load(tmp_path / "oracle.json")
    checked = run_set([program_run(4, 100 + number, Program(leak=leak)) for number in range(3)])
    checked = with_sessions(checked, 2612, name)
    return check_report(judge(oracle, checked.runs), made=made.FINISHED)


def test_a_regression_names_the_class_that_grew(tmp_path: Path) -> None:
    report = reported(tmp_path)
    assert report.verdict.status is Status.REGRESSION
    whole = "  live objects at the exit: com.acme.Session +9.81 MiB (2,512 more)"
    assert whole.replace("com.acme.", "") in verdict_lines(report)
    assert whole in verdict_lines(report, Detail.FULL)
    comment = markdown_text([Result("leaker", None, [], report.verdict, report=report)])
    assert "com.acme.Session +9.81 MiB (2,512 more)" in comment
    page = render(report)
    assert '<section id="classes">' in page
    row = "<td><code>com.acme.Session</code></td><td>2,612</td><td>+2,512</td><td>10.2 MiB</td>"
    assert row in re.sub("</?bdi>", "", page)


def test_what_decided_is_drawn_as_a_number_of_each_run(tmp_path: Path) -> None:
    report = reported(tmp_path)
    for finding in report.verdict.findings:
        numbers = finding.numbers
        assert numbers is not None
        assert (len(numbers.known), len(numbers.judged)) == (10, 3)
        assert finding.expected == pytest.approx(sum(numbers.known) / 10)
        assert finding.observed == pytest.approx(sum(numbers.judged) / 3)
    page = render(report)
    n_drawn = len((*report.story.findings, *report.noted.findings))
    assert page.count('<circle class="known"') == 10 * n_drawn
    assert page.count('<circle class="new"') == 3 * n_drawn


def test_json_has_both_sides(tmp_path: Path) -> None:
    report = reported(tmp_path)
    result = Result("leaker", None, [], report.verdict, report=report)
    data = json.loads(result_text(result_document("check", [result], EXIT_REGRESSION, made.FINISHED)))
    jsonschema.validate(data, schema("result"))
    assert data["tests"][0]["classes"] == [
        {"name": "com.acme.Session", "instances": [100, 2612], "bytes": [409_600, 10_698_752]}
    ]


def test_a_pass_names_it_only_where_everything_is_told(tmp_path: Path) -> None:
    failed = reported(tmp_path)
    report = replace(failed, verdict=replace(failed.verdict, status=Status.PASS, findings=()))
    assert not any("com.acme.Session" in text for text in verdict_lines(report))
    assert any("com.acme.Session" in text for text in verdict_lines(report, Detail.FULL))


def test_a_class_with_an_odd_name_harms_no_report(tmp_path: Path) -> None:
    report = reported(tmp_path, ODD)
    assert "\x1b" not in "".join(verdict_lines(report, Detail.FULL))
    page, comment = render(report), markdown_text([Result("a", None, [], report.verdict, report=report)])
    for text in (page, comment):
        assert "com.acme.<b>" not in text
        assert "\x1b" not in text


@pytest.mark.parametrize("n_with", [0, 9])
def test_without_histograms_there_is_no_table(tmp_path: Path, n_with: int) -> None:
    runs = program_runs(4, 10)
    some = [*with_sessions(run_set(runs.runs[:n_with]), 100), *runs.runs[n_with:]]
    oracle = train(run_set(some))
    save(tmp_path / "oracle.json", oracle)
    assert '"classes"' not in (tmp_path / "oracle.json").read_text()
    checked = with_sessions(run_set([program_run(4, 100)]), 5000)
    report = check_report(judge(oracle, checked.runs), made=made.FINISHED)
    assert report.classes == ()
    assert 'id="classes"' not in render(report)
