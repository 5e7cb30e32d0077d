"""A check that passes says what it would have detected, and never passes an obvious difference in silence."""

from __future__ import annotations

import html
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest

from buto import schemas
from buto.detectors.calibrated.settings import CALIBRATED_NEXT
from buto.oracle import DEFAULT, Oracle, Settings, check, train, why_confirm
from buto.report.check_report import CheckReport, check_report
from buto.report.formats.annotations import workflow_commands
from buto.report.formats.json_result import result_document
from buto.report.formats.junit import junit_xml
from buto.report.formats.markdown import markdown_text
from buto.report.html.page import render
from buto.report.result import reported
from buto.report.terminal.verdict import Detail, verdict_lines
from buto.runs import RunSet, run_set
from buto.verdicts import Status
from tests.support.runs.signals import Program, program_run, program_runs

DETECTS = " check detects 9 of 10 lasting changes of this size: "
MADE = datetime(2026, 1, 1, tzinfo=UTC)
FAR = "no regression, but jvm.cpu.time is far beyond all training runs"


def trained(settings: Settings = DEFAULT) -> Oracle:
    """One of ten training runs is odd in threads and heap, so that no other one is the oddest."""
    odd = program_run(4, 3, Program(threads=300, heap=4.0))
    return train(run_set([program_run(4, number) for number in range(10) if number != 3] + [odd]), settings)


def report_of(known: Oracle, runs: RunSet) -> CheckReport:
    return check_report(check(known, runs), known, runs, made=MADE)


@pytest.fixture(scope="module")
def known() -> Oracle:
    return trained()


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
    assert "jvm.cpu.time" in {one["quantity"] for one in test["strengths"]}


def test_a_regression_does_not(known: Oracle) -> None:
    report = report_of(
        known, run_set([program_run(4, number, Program(leak=1e8)) for number in (100, 101, 102)])
    )
    assert report.verdict.status is Status.REGRESSION
    assert (report.detectable, report.strengths) == ("", ())


def test_an_obvious_difference_that_passes_is_in_the_headline_of_every_report(known: Oracle) -> None:
    """Twice the processor time hides behind the odd training run, which differs more."""
    report = report_of(known, run_set([program_run(4, 101, Program(work=2.0))]))
    assert (report.verdict.status, report.verdict.obvious) == (Status.PASS, ("jvm.cpu.time",))
    for name, text in {**texts(report), "-q": verdict_lines(report, Detail.HEADLINE)[0]}.items():
        assert FAR in text or f"N{FAR[1:]}" in text, name
    assert "::warning" in workflow_commands([reported(report, Path("oracle.json"))])[0]


def test_with_a_gate_an_obvious_difference_is_confirmed_and_fails() -> None:
    known = trained(CALIBRATED_NEXT.with_value("gate", 0.1))
    runs = [program_run(4, number, Program(work=2.0)) for number in (101, 102, 103)]
    alone = check(known, run_set(runs[:1]))
    assert why_confirm(known, alone) == "the run is far beyond all training runs in jvm.cpu.time"
    assert check(known, run_set(runs)).status is Status.REGRESSION
