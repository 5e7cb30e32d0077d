"""A check that passes says what it would have detected, and notes what is certain and small."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.judging.verdict import Status
from buto.oracle import DEFAULT, Oracle, judge, train
from buto.report.check_report import CheckReport, check_report
from buto.report.formats.json_result import result_document
from buto.report.formats.junit import junit_xml, workflow_commands
from buto.report.formats.markdown import markdown_text
from buto.report.html.page import render
from buto.report.result import reported
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.run.model import RunSet, run_set
from tests.support.runs.signals import Program, program_run, program_runs

DETECTS = " check detects 9 of 10 lasting changes of this size: "
MADE = datetime(2026, 1, 1, tzinfo=UTC)


def report_of(known: Oracle, runs: RunSet) -> CheckReport:
    return check_report(judge(known, runs.runs), made=MADE)


@pytest.fixture(scope="module")
def ordinary() -> CheckReport:
    return report_of(train(program_runs(4, 10)), run_set([program_run(4, 100)]))


def texts(report: CheckReport) -> dict[str, str]:
    """What each report shows of a check, in plain characters."""
    result = reported(report, Path("oracle.json"))
    shown = {
        "terminal": "\n".join(verdict_lines(report)),
        "terminal -v": "\n".join(verdict_lines(report, Detail.FULL)),
        "JUnit": junit_xml([result], MADE).decode(),
        "Markdown": markdown_text([result]),
        "HTML": render(report),
    }
    return {name: html.unescape(text) for name, text in shown.items()}


def test_a_pass_says_in_every_report_what_a_check_detects(ordinary: CheckReport) -> None:
    assert ordinary.verdict.status is Status.PASS
    assert ordinary.detectable.startswith(f"a{DETECTS}")
    for name, text in texts(ordinary).items():
        assert DETECTS in text, name
    result = reported(ordinary, Path("oracle.json"))
    document = result_document("check", [result], 0, MADE)
    jsonschema.validate(document, schemas.load("result"))
    (test,) = document["tests"]
    assert "jvm.cpu.time" in {strength["quantity"] for strength in test["strengths"]}


@pytest.mark.parametrize(
    ("program", "status"),
    [(Program(classes=200), Status.REGRESSION), (Program(leak=1e8), Status.INCONCLUSIVE)],
)
def test_what_does_not_pass_does_not(program: Program, status: Status) -> None:
    """Classes accuse without turns; used heap, which follows the machine, does not."""
    three = run_set([program_run(4, number, program) for number in (100, 101, 102)])
    report = report_of(train(program_runs(4, 10)), three)
    assert report.verdict.status is status
    assert (report.detectable, report.strengths) == ("", ())


def test_a_change_that_is_certain_and_small_is_noted_in_every_report() -> None:
    """The check is a real one: three runs of a program that leaks, and nobody minds any change."""
    settings = DEFAULT.with_value("minimum-effect", {"*": "never"})
    known = train(program_runs(4, 10), settings)
    leaking = run_set([program_run(4, number, Program(leak=1e8)) for number in (100, 101, 102)])
    report = report_of(known, leaking)
    assert (report.verdict.status, report.verdict.findings) == (Status.PASS, ())
    assert report.verdict.noted
    for name, text in {**texts(report), "-q": verdict_lines(report, Detail.HEADLINE)[0]}.items():
        assert "noted: used heap " in text.lower(), name
    [notice] = workflow_commands([reported(report, Path("oracle.json"))])
    assert notice.startswith("::notice ")
